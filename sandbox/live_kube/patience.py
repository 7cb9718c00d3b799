"""How long a cluster is waited for: in looks at it, not in seconds.

On a busy machine the controllers are slow, and the API server that is looked at is as slow.
"""

from __future__ import annotations

# At 0.4 s and more a look: controllers answer within a second or two, so a cluster in which nothing
# at all has changed for as many looks has nothing left to do.
STILL_LOOKS = 60
# And one that never comes to rest is not waited for any longer.
MOST_LOOKS = 750


class Patience:
    """One wait. `version` is what changes with anything in the cluster."""

    def __init__(self, version: int) -> None:
        self._version = version
        self._looks = self._still = 0

    def is_over(self, version: int, *, owed: bool) -> bool:
        """After one more look; with `owed`, a program that is alive has still to act by itself, and
        a cluster at rest says only that it has not come to it."""
        self._looks += 1
        self._still = self._still + 1 if version == self._version else 0
        self._version = version
        return self._looks >= MOST_LOOKS or (self._still >= STILL_LOOKS and not owed)

    def __str__(self) -> str:
        return f"waited for {self._looks} looks at the cluster, {self._still} without a change"
