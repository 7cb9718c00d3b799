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
_GOOGLES = "goog"


def check_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Returns the labels. Raises ValueError, with the nearest that works, on an illegal one."""
    for key, value in labels.items():
        if not _KEY.fullmatch(key):
            raise ValueError(
                f'"{key}" is not a label key (1 to 63 of a-z, 0-9, "_" and "-", a letter first, a '
                f"letter or digit last); nearest: {_repaired(key).lstrip('0123456789') or 'label'}"
            )
        if not _VALUE.fullmatch(value):
            raise ValueError(
                f'"{value}" is not a value for the label {key} (1 to 63 of a-z, 0-9, "_" and "-", '
                f'a letter or digit first and last); nearest: "{_repaired(value) or "true"}"'
            )
    if len(labels) > _MOST:
        raise ValueError(f"{len(labels)} labels are more than a resource takes; nearest: {_MOST}")
    return dict(labels)


def check_user_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """`check_labels`, and none of the keys that the program sets itself."""
    for key in sorted(RESERVED & labels.keys()):
        raise ValueError(f'"{key}" is a label that the program sets itself; nearest: my-{key}')
    for key in labels:
        if key.startswith(_GOOGLES):
            raise ValueError(f'"{key}" is a label that Google keeps for itself; nearest: my-{key}')
    most = _MOST - len(RESERVED)
    if len(labels) > most:
        raise ValueError(
            f"{len(labels)} labels and the {len(RESERVED)} that the program sets are more than a "
            f"resource takes; nearest: {most} of them"
        )
    return check_labels(labels)


def stack_labels(user: Mapping[str, str], stack: str) -> dict[str, str]:
    """The user's labels and ours: which stack a resource belongs to, and who manages it."""
    return check_labels({**check_user_labels(user), STACK: _repaired(stack), MANAGED_BY: _MANAGER})


def owner_of(labels: Mapping[str, str]) -> str | None:
    """The stack that a resource with these labels belongs to, by its label; None when to none."""
    ours = labels.get(MANAGED_BY) == _MANAGER and STACK in labels
    return labels[STACK] if ours else None


def _repaired(text: str) -> str:
    return re.sub(r"[^a-z0-9_-]+", "-", text.lower())[:63].strip("-_")
