"""The day on which a config is judged.

Support of GKE versions, reservations and maintenance windows end on days, so that a config that
was right may be wrong later. `AI_STACKS_TODAY`, a date such as 2026-11-26, takes the place of the
present day: for tests, and for whoever wants to know what a later day brings.
"""

import os
from datetime import UTC, datetime

VARIABLE = "AI_STACKS_TODAY"


def now() -> datetime:
    """Raises ValueError where the variable is no date."""
    said = os.environ.get(VARIABLE)
    if not said:
        return datetime.now(UTC)
    try:
        return datetime.strptime(said, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise ValueError(
            f"{VARIABLE}: {said!r} is not a date; nearest: {datetime.now(UTC):%Y-%m-%d}"
        ) from None
