"""What stands in the way of a recovery, and what to do about it."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass


class RecoveryError(Exception):
    """Told as it is; nothing was changed beyond what was said before."""


@dataclass(frozen=True)
class Process:
    """One that holds a stack's lock."""

    user: str
    host: str
    pid: int

    def __str__(self) -> str:
        return f"process {self.pid} of {self.user}@{self.host}"

    @property
    def is_of_this_machine(self) -> bool:
        return self.host == socket.gethostname()

    @property
    def is_alive(self) -> bool:
        """On this machine."""
        try:
            os.kill(self.pid, 0)
        except (ProcessLookupError, OverflowError):  # no process has a number that large
            return False
        except PermissionError:
            return True
        return True


class LockedError(RecoveryError):
    """The stack is locked, by processes that the backend may not name."""

    def __init__(self, said: str, owners: tuple[Process, ...]) -> None:
        super().__init__(said)
        self.owners = owners
