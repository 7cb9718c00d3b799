"""Ctrl-C while the engine works: it ends what is under way, and the run ends with it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

# A terminal tells the whole group, the engine too, which says so; a second signal would make it
# drop what is under way.
_SAID = "^C received"
_SECONDS_TO_SAY_SO = 2.0


class Interrupts:
    """Keeps Ctrl-C from tearing this process away from under the engine, and tells the engine.

    `engine` gives its process id.
    """

    def __init__(self, engine: Callable[[], int | None]) -> None:
        self.received = False
        self._engine = engine
        self._knows = threading.Event()
        self._before: Any = None
        self._waiting: threading.Thread | None = None

    def __enter__(self) -> Interrupts:
        # Only the main thread can be told of signals; elsewhere nothing is changed.
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._take)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        self._knows.set()
        if self._waiting is not None:
            self._waiting.join()

    def hear(self, line: str) -> None:
        """What the engine prints."""
        if _SAID in line:
            self._knows.set()

    def _take(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        first, self.received = not self.received, True
        if first:
            self._waiting = threading.Thread(target=self._tell, daemon=True)
            self._waiting.start()

    def _tell(self) -> None:
        if self._knows.wait(_SECONDS_TO_SAY_SO):
            return
        pid = self._engine()
        if pid is not None:
            os.kill(pid, signal.SIGINT)
