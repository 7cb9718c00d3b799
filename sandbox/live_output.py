"""The engine's output while it works, without what the end of a run says once.

The engine tells each error twice on the line of its resource, and once more under Diagnostics; and
outputs, of which it cuts the long ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_COLORS = re.compile(r"\x1b\[[0-9;]*m")
# ` +  gcp:container:NodePool gpu-pool **creating failed** error: ...`
_ROW = re.compile(r"^ ?[-+~><=* ]{0,4}\s+\S+:\S+ \S+ .*?(?P<said> (?:error|warning|info): .*)$")


class LiveOutput:
    """Passes lines on to `tell`."""

    def __init__(self, tell: Callable[[str], None], *, outputs: bool = True) -> None:
        """`outputs` are passed on, too."""
        self._tell = tell
        self._left_out = {"Diagnostics:"} if outputs else {"Diagnostics:", "Outputs:"}
        self._leaves_out = False

    def __call__(self, line: str) -> None:
        plain = _COLORS.sub("", line).rstrip()
        if plain in self._left_out:
            self._leaves_out = True
            return
        if self._leaves_out:
            if not plain or plain[0].isspace():
                return
            self._leaves_out = False
        row = _ROW.match(plain)
        if row is None:
            self._tell(line)
        elif "**" in plain:
            self._tell(plain[: row.start("said")])
