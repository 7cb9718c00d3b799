"""How long somebody who waits bears with a server."""

from __future__ import annotations

import time

from aistack.errors import ForbiddenError, LostError, VerbError

# One that was just started refuses what it will allow once it has read its own rules.
_SECONDS = 60.0


class Patience:
    """With silence for ever, with refusals for a minute."""

    def __init__(self) -> None:
        self._lost = False
        self._refuses_since: float | None = None

    def heard(self) -> None:
        self._refuses_since = None

    def bear(self, error: VerbError) -> None:
        """Raises the error where there is no use in asking again."""
        if isinstance(error, LostError):
            self._lost, self._refuses_since = True, None
            return
        if isinstance(error, ForbiddenError) and not self._lost:
            raise error
        now = time.monotonic()
        self._refuses_since = self._refuses_since or now
        if now - self._refuses_since > _SECONDS:
            raise error
