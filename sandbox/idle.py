"""Whether the engine and the program have anything left to do, or only wait for the clouds.

On a busy machine a thread can be ready to run for a long time before it does, so that silence
alone says nothing. The kernel knows who is ready: a thread's state in `/proc`. Where there is no
`/proc`, silence has to do.
"""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

_PROCESSES = Path("/proc")
# Running or ready to, and waiting for a disk.
_BUSY = frozenset("RD")
# A thread that waits for Python's lock looks idle, and gets the lock while the looks are apart.
_LOOKS = 3
_APART_SECONDS = 0.004


async def all_idle() -> bool:
    """Every thread of this process and of those that it started waits for something."""
    for look in range(_LOOKS):
        if look:
            await asyncio.sleep(_APART_SECONDS)
        if _anybody_busy():
            return False
    return True


def _anybody_busy() -> bool:
    me = str(threading.get_native_id())
    return _busy_in(str(os.getpid()), me)


def _busy_in(process: str, me: str) -> bool:
    """Whether a thread of the process is, or one of a process that it started."""
    threads = _threads(process)
    if any(_state(thread) in _BUSY for thread in threads if thread.name != me):
        return True
    return any(_busy_in(child, me) for thread in threads for child in _children(thread))


def _children(thread: Path) -> list[str]:
    try:
        return (thread / "children").read_text().split()
    except OSError:
        return []


def _threads(process: str) -> list[Path]:
    try:
        return list((_PROCESSES / process / "task").iterdir())
    except OSError:
        # It has ended, or this system has no such files.
        return []


def _state(thread: Path) -> str:
    try:
        # The name before it is in brackets and may hold anything.
        return (thread / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""
