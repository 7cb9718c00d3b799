"""Resource labels: Google's rules, narrowed to what Kubernetes labels also accept. Pure."""

import re
from collections.abc import Mapping

MANAGED_BY = "managed-by"
STACK = "stack"
RESERVED = frozenset({MANAGED_BY, STACK})
_MANAGER = "pulumi"

_KEY = re.compile(r"[a-z](?:[a-z0-9_-]{0,61}[a-z0-9])?")
_VALUE = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?")
# GKE documentation, "Create and manage cluster and node pool labels", as is the prefix below.
_MOST = 64
# `goog-pulumi-provisioned`, which the provider adds to all that it makes (pulumi/pulumi-gcp
# patches/0006, ed6078aa of 2026-08-21; pulumi-gcp #2357).
_PROVIDERS = 1
_GOOGLES = "goog"
_LONGEST = 63


def check_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Returns the labels. Raises ValueError, with the nearest that works, on an illegal one."""
    for key, value in labels.items():
        _check_key(key)
        check_label_value(value)
    if len(labels) > _MOST:
        raise ValueError(f"{len(labels)} labels are more than a resource takes; nearest: {_MOST}")
    return dict(labels)


def check_user_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """`check_labels`, and none of the keys that the program sets itself."""
    for key in labels:
        check_user_label_key(key)
    ours = len(RESERVED) + _PROVIDERS
    most = _MOST - ours
    if len(labels) > most:
        raise ValueError(
            f"{len(labels)} labels and the {ours} that the program and the provider set are more "
            f"than a resource takes; nearest: {most} of them"
        )
    return check_labels(labels)


def check_user_label_key(key: str) -> str:
    """Returns the key. Raises ValueError, with the nearest that works, on one that is no label's,
    or is the program's or Google's own."""
    if key in RESERVED:
        raise ValueError(f'"{key}" is a label that the program sets itself; nearest: my-{key}')
    if key.startswith(_GOOGLES):
        near = f"my-{_repaired(key)}"[:_LONGEST].rstrip("-_")
        raise ValueError(f'"{key}" is a label that Google keeps for itself; nearest: {near}')
    return _check_key(key)


def check_label_value(value: str) -> str:
    """Returns the value. Raises ValueError, with the nearest that works, on an illegal one."""
    if not _VALUE.fullmatch(value):
        raise ValueError(
            f'"{value}" is not a value for a label (1 to 63 of a-z, 0-9, "_" and "-", '
            f'a letter or digit first and last); nearest: "{_repaired(value) or "true"}"'
        )
    return value


def _check_key(key: str) -> str:
    if not _KEY.fullmatch(key):
        near = _repaired(key).lstrip("0123456789-_") or "label"
        raise ValueError(
            f'"{key}" is not a label key (1 to 63 of a-z, 0-9, "_" and "-", a letter first, a '
            f"letter or digit last); nearest: {near}"
        )
    return key


def stack_labels(user: Mapping[str, str], stack: str) -> dict[str, str]:
    """The user's labels and ours: which stack a resource belongs to, and who manages it."""
    return check_labels({**check_user_labels(user), STACK: _repaired(stack), MANAGED_BY: _MANAGER})


def own_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Those that the program sets itself."""
    return {key: it for key, it in labels.items() if key in RESERVED}


def owner_of(labels: Mapping[str, str]) -> str | None:
    """The stack that a resource with these labels belongs to, by its label; None when to none."""
    ours = labels.get(MANAGED_BY) == _MANAGER and STACK in labels
    return labels[STACK] if ours else None


# Who submitted a job, as `aistack submit` labels it.
SUBMITTED_BY = "gke-ai-stacks/submitted-by"


def name_as_label(name: str) -> str | None:
    """A person's name as the nearest value of a label; None where nothing of it can be one."""
    return _repaired(name) or None


def _repaired(text: str) -> str:
    return re.sub(r"[^a-z0-9_-]+", "-", text.lower())[:_LONGEST].strip("-_")
