"""Values that others wrote, read so that none of them breaks the reader: a label is any text, a
field of a custom kind whatever its definition lets through, and a pod prints what it likes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from kube import quantity
from kube.errors import KubeError

# Where a time is none, and where no clock of a cluster was: a time before or after would leave the
# calendar by a few minutes' reckoning.
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_FAR_AHEAD = datetime(9000, 1, 1, tzinfo=UTC)
_MOST = 2**63 - 1


def whole(value: object, otherwise: int = 0) -> int:
    """A number of the size that Kubernetes has; `otherwise` where it is none."""
    found = read_whole(value)
    return otherwise if found is None else found


def read_whole(value: object) -> int | None:
    try:
        found = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        return None
    return max(-_MOST, min(_MOST, found))


def moment(value: object) -> datetime:
    """A time with its zone, UTC where it has none; long ago where it is none."""
    return read_moment(value) or LONG_AGO


def read_moment(value: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(value))
        found = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
        return found if LONG_AGO <= found <= _FAR_AHEAD else None
    except (ValueError, OverflowError):
        return None


def amount(value: object) -> Fraction:
    """Nothing where it is no quantity: the definitions of custom kinds let 1e1.5 through."""
    try:
        return quantity.parse(value)  # type: ignore[arg-type]
    except (KubeError, TypeError):
        return Fraction(0)


def document(text: str | bytes) -> Any:
    """What JSON says; None where it is none, or deeper than it can be read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
