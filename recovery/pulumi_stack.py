"""One stack through the `pulumi` command, in the folder and with the login of whoever calls."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from cli.project import no_such_stack
from cli.pulumi_cli import without_options
from recovery.errors import LockedError, Process, RecoveryError

# pulumi/pulumi, pkg/backend/diy/lock.go, checkForLock (1b5949891b, 2026-08-21); of Pulumi Cloud:
# pulumi/pulumi #2073.
_LOCKS = ("the stack is currently locked by", "Another update is currently in progress")
_OWNER = re.compile(r"created by (\S+)@(\S+) \(pid ([0-9]{1,40})\)")


@dataclass(frozen=True)
class PulumiStack:
    """`tell` gets each line of what takes long, since names in it are the state's."""

    name: str
    program: Path
    tell: Callable[[str], None]

    def export(self) -> str:
        try:
            return self._run("stack", "export")
        except RecoveryError as error:
            # A name that is mistyped comes before what its user would have to do for it.
            said = no_such_stack(self.name)
            raise (RecoveryError(said) if said else error) from None

    def replace(self, state: str) -> None:
        """Put the state in place of the stack's own, in one step; it takes the stack's lock."""
        self._run("stack", "import", given=state)

    def unlock(self) -> None:
        self._run("cancel", "--yes")

    def refresh(self, urns: Iterable[str]) -> None:
        """Ask the providers what became of these resources, and tell how it goes on."""
        targets = [f"--target={urn}" for urn in urns]
        command = self._command("refresh", "--yes", "--skip-preview", *targets)
        with TemporaryFile("w+", errors="replace") as errors:
            with subprocess.Popen(
                command,
                env=without_options(os.environ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                errors="replace",
            ) as run:
                for line in run.stdout or ():
                    self.tell(line.rstrip("\n"))
            errors.seek(0)
            if run.returncode:
                raise _failed("refresh", errors.read().strip())

    def _run(self, *words: str, given: str = "") -> str:
        done = subprocess.run(
            self._command(*words),
            env=without_options(os.environ),
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise _failed(" ".join(words), done.stderr.strip())
        return done.stdout

    def _command(self, *words: str) -> list[str]:
        options = ("--stack", self.name, "--non-interactive", "--color=never")
        return [str(self.program), *words, *options]


def _failed(verb: str, said: str) -> RecoveryError:
    if any(words in said for words in _LOCKS):
        found = (Process(user, host, int(pid)) for user, host, pid in _OWNER.findall(said))
        return LockedError(said, tuple(found))
    return RecoveryError(f"`pulumi {verb}` failed: {said}")
