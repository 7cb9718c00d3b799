"""Kubernetes' rules for names and labels.

Source: kubernetes/apimachinery pkg/util/validation/validation.go and
pkg/api/validation/path/name.go, v0.35.4.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kube import paths
from kube.objects import annotations_of, labels_of

Finding = tuple[str, str]

# By which a RayJob chooses a RayCluster that is there.
CLUSTER_SELECTOR_KEY = "ray.io/cluster"

_LABEL_1123 = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?\Z")
_LABEL_1035 = re.compile(r"[a-z]([a-z0-9-]*[a-z0-9])?\Z")
_SUBDOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\Z")
_QUALIFIED = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?\Z")
_SHORT_NAMES = {"Namespace": _LABEL_1123, "Service": _LABEL_1035}
_RBAC = {"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"}


def chart_name(chart: str) -> str:
    """The name of a chart that a release asks for, by an address and a digest or without them."""
    return chart.partition("@")[0].rpartition("/")[2]


def is_label_1123(name: str) -> bool:
    return len(name) <= 63 and bool(_LABEL_1123.match(name))


def is_label_1035(name: str) -> bool:
    return len(name) <= 63 and bool(_LABEL_1035.match(name))


def name_findings(kind: str, name: object) -> Iterator[Finding]:
    if not isinstance(name, str) or not name:
        yield "metadata.name", "required value"
    elif kind in _RBAC:
        if name in (".", "..") or "/" in name or "%" in name:
            yield "metadata.name", f'"{name}" may not be . or .. and may not hold / or %'
    elif shape := _SHORT_NAMES.get(kind):
        if len(name) > 63 or not shape.match(name):
            start = "a letter" if kind == "Service" else "a letter or digit"
            yield "metadata.name", _shape_text(name, 63, "", start)
    elif len(name) > 253 or not _SUBDOMAIN.match(name):
        yield "metadata.name", _shape_text(name, 253, " or .", "a letter or digit")


def _shape_text(name: str, limit: int, extra: str, start: str) -> str:
    return (
        f'"{name}" must be at most {limit} lower-case letters, digits, -{extra}, '
        f"start with {start} and end with a letter or digit"
    )


def label_findings(obj: Mapping[str, Any], path: str = "metadata") -> Iterator[Finding]:
    for key, value in labels_of(obj).items():
        at = paths.join(f"{path}.labels", key)
        if not _is_qualified(key):
            yield (
                at,
                "is not a label key: optional prefix/ and at most 63 letters, digits, -, _ or .",
            )
        if isinstance(value, str) and value and not _is_name_part(value):
            yield at, f'value "{value}" must be at most 63 letters, digits, -, _ or .'
    for key in annotations_of(obj):
        if not _is_qualified(key):
            yield paths.join(f"{path}.annotations", key), "is not an annotation key"


def _is_qualified(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    if slash and not (len(prefix) <= 253 and _SUBDOMAIN.match(prefix.lower())):
        return False
    return _is_name_part(name)


def _is_name_part(text: str) -> bool:
    return len(text) <= 63 and bool(_QUALIFIED.match(text))
