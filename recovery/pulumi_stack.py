"""One stack through the `pulumi` command, in the folder and with the login of whoever calls."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass

from recovery.errors import LockedError, Process, RecoveryError

# pulumi/pulumi, pkg/backend/diy/lock.go, checkForLock (1b5949891b, 2026-08-21); of Pulumi Cloud:
# pulumi/pulumi #2073.
_LOCKS = ("the stack is currently locked by", "Another update is currently in progress")
_OWNER = re.compile(r"created by (\S+)@(\S+) \(pid (\d+)\)")


@dataclass(frozen=True)
class PulumiStack:
    name: str

    def export(self) -> str:
        return self._run("stack", "export")

    def replace(self, state: str) -> None:
        """Put the state in place of the stack's own, in one step; it takes the stack's lock."""
        self._run("stack", "import", given=state)

    def unlock(self) -> None:
        self._run("cancel", "--yes")

    def refresh(self, urns: Iterable[str]) -> None:
        """Ask the providers what became of these resources; shows how it goes on."""
        targets = [f"--target={urn}" for urn in urns]
        self._run("refresh", "--yes", "--skip-preview", *targets, shown=True)

    def _run(self, *words: str, given: str = "", shown: bool = False) -> str:
        command = ["pulumi", *words, "--stack", self.name, "--non-interactive", "--color=never"]
        try:
            done = subprocess.run(
                command,
                input=given,
                stdout=None if shown else subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        except FileNotFoundError:
            raise RecoveryError("pulumi: not found on PATH") from None
        if done.returncode:
            raise _failed(" ".join(words[:2]), done.stderr.strip())
        return done.stdout or ""


def _failed(verb: str, said: str) -> RecoveryError:
    if any(words in said for words in _LOCKS):
        found = (Process(user, host, int(pid)) for user, host, pid in _OWNER.findall(said))
        return LockedError(said, tuple(found))
    return RecoveryError(f"`pulumi {verb}` failed: {said}")
