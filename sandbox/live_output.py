"""The engine's output while it works, without what the end of a run says once.

The engine tells each error twice on the line of its resource, and once more under Diagnostics.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_COLORS = re.compile(r"\x1b\[[0-9;]*m")
# ` +  gcp:container:NodePool gpu-pool **creating failed** error: ...`
_ROW = re.compile(r"^ ?[-+~><=* ]{0,4}\s+\S+:\S+ \S+ .*?(?P<said> (?:error|warning|info): .*)$")


class LiveOutput:
    """Passes lines on to `tell`."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._in_diagnostics = False

    def __call__(self, line: str) -> None:
        plain = _COLORS.sub("", line).rstrip()
        if plain == "Diagnostics:":
            self._in_diagnostics = True
            return
        if self._in_diagnostics:
            if not plain or plain[0].isspace():
                return
            self._in_diagnostics = False
        row = _ROW.match(plain)
        if row is None:
            self._tell(line)
        elif "**" in plain:
            self._tell(plain[: row.start("said")])
