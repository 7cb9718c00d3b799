"""One process that outlives the command that started it.

It is known by its id and its start time: an id alone may have gone to somebody else.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from cli.errors import UserError
from sandbox.control_plane.layout import Layout
from sandbox.control_plane.private_files import write_private
from sandbox.control_plane.programs import Program

_PROC = Path("/proc")
_BOOT = _PROC / "sys/kernel/random/boot_id"
# Waits for a word before it becomes the program: the record is written before the word is given,
# so that a kill in between leaves no process that nobody knows of.
_STARTER = 'read -r word && exec "$@" </dev/null'
_MIB = 2**20
# A killed process is gone within moments, but on a busy machine.
_KILLED_SECONDS = 60.0
# Only the process that started another can take its remains away.
_children: dict[int, subprocess.Popen[bytes]] = {}


@dataclass(frozen=True)
class ProcessStatus:
    """What is known of a program; `ports` by what they are for."""

    name: str
    pid: int | None
    running: bool
    ports: dict[str, int]
    rss_mib: float


@dataclass(frozen=True)
class _Known:
    """What is kept of a process: its id, its start time, and the digest of its program."""

    pid: int
    started: str | None
    digest: str


@dataclass(frozen=True)
class _Running:
    pid: int
    handle: int


class ManagedProcess:
    """The process of one program in the folder of one control plane."""

    def __init__(self, layout: Layout, name: str) -> None:
        self.name = name
        self._folder = layout.root
        self._log = layout.log(name)
        self._record = layout.record(name)

    @property
    def pid(self) -> int | None:
        """Its id, if it runs."""
        with self._running() as running:
            return running.pid if running else None

    @property
    def digest(self) -> str:
        """`Program.digest` of what it was started with."""
        known = self._known()
        return known.digest if known else ""

    @property
    def rss_mib(self) -> float:
        try:
            pages = int((_PROC / str(self.pid) / "statm").read_text().split()[1])
        except OSError:
            return 0.0
        return pages * os.sysconf("SC_PAGE_SIZE") / _MIB

    @property
    def last_line(self) -> str:
        """What it said last."""
        lines = self._log.read_text(errors="replace").split("\n") if self._log.exists() else []
        return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")

    def start(self, program: Program) -> None:
        """Start it; raises UserError where processes cannot be told apart."""
        if not _BOOT.exists():
            raise UserError("--kube: real: needs Linux's /proc; nearest: --kube memory")
        self._log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._log.exists():
            self._log.replace(self._log.with_suffix(".previous.log"))
        # The user's own environment has credentials and proxies that are none of its business.
        base = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self._folder)}
        with self._log.open("wb") as log:
            child = subprocess.Popen(
                ["/bin/sh", "-c", _STARTER, self.name, *program.command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env={**base, **program.environment},
                start_new_session=True,
            )
        _children[child.pid] = child
        known = _Known(child.pid, _started(child.pid), program.digest)
        write_private(self._record, json.dumps(asdict(known)) + "\n")
        if child.stdin:
            with contextlib.suppress(BrokenPipeError), child.stdin as starter:
                starter.write(b"go\n")

    def send(self, number: signal.Signals) -> None:
        """Send a signal, if it runs."""
        with self._running() as running:
            if running:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(running.handle, number)

    def wait_end(self, seconds: float) -> bool:
        """Wait until it ends; False when it still runs after so long."""
        with self._running() as running:
            return running is None or _has_ended(running.handle, seconds)

    @contextlib.contextmanager
    def _running(self) -> Iterator[_Running | None]:
        """The process itself, if it runs: a handle does not go to whoever has its id later."""
        known = self._known()
        handle = _open(known.pid) if known else None
        if known is None or handle is None:
            yield None
            return
        try:
            is_it = _started(known.pid) == known.started and not _has_ended(handle, 0)
            yield _Running(known.pid, handle) if is_it else None
        finally:
            os.close(handle)

    def _known(self) -> _Known | None:
        if not self._record.exists():
            return None
        return _Known(**json.loads(self._record.read_text()))


def end(processes: Sequence[ManagedProcess], grace_seconds: float) -> None:
    """End them together, with SIGKILL where SIGTERM does not do in time; they have ended then."""
    for process in processes:
        process.send(signal.SIGTERM)
    until = time.monotonic() + grace_seconds
    for process in processes:
        if not process.wait_end(max(until - time.monotonic(), 0.0)):
            process.send(signal.SIGKILL)
    for process in processes:
        process.wait_end(_KILLED_SECONDS)


def _open(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except OSError as error:
        # No process has the id, or only a thread has.
        if error.errno in (errno.ESRCH, errno.ENOENT, errno.EINVAL):
            return None
        raise


def _started(pid: int) -> str | None:
    """When a process started, in ticks of one boot of the machine; None when it is no more."""
    if child := _children.get(pid):
        child.poll()
    try:
        stat = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    # The name before it is in brackets and may hold anything; the start time is field 22 as
    # proc(5) counts them.
    return f"{_BOOT.read_text().strip()} {stat.rpartition(')')[2].split()[19]}"


def _has_ended(handle: int, seconds: float) -> bool:
    """Whether all of its threads have, within so long: till then it keeps its ports."""
    ends = select.poll()
    ends.register(handle, select.POLLIN)
    return bool(ends.poll(seconds * 1000))
