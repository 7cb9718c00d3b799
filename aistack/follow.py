"""What the pods of a job say, as they say it, until the job is over."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator

from aistack.cluster import Cluster
from aistack.container_log import ContainerLog, Line
from aistack.errors import VerbError
from aistack.find import Found
from aistack.logs import Wanted, nothing_said
from aistack.members import members_of
from aistack.patience import Patience
from aistack.ray_job_log import RayJobLog

_LOOK_SECONDS = 2.0
# A job's last words may come after it is known to be over, and a Ray cluster's pods stay.
_LAST_SECONDS = 5.0
# Who reads slowly makes pods wait to be read, and no heap of lines.
_HELD_LINES = 4096


class Following:
    """Pods that come later, be it in place of others, are followed as well. `say` is told what is
    waited for."""

    def __init__(
        self, cluster: Cluster, found: Found, wanted: Wanted, say: Callable[[str], None]
    ) -> None:
        self._cluster = cluster
        self._found = found
        self._wanted = wanted
        self._say = say
        self._told = ""
        self._lost = set[str]()
        self._patience = Patience()
        self._said = queue.Queue[Line | VerbError](_HELD_LINES)
        self._threads: dict[str, threading.Thread] = {}

    def lines(self) -> Iterator[Line]:
        """Raises VerbError where they may not be read."""
        heard = time.monotonic()
        while True:
            is_over = self._look()
            for line in self._lines(_LOOK_SECONDS):
                heard = time.monotonic()
                yield line
            silent = time.monotonic() - heard > _LAST_SECONDS
            if is_over and self._said.empty() and (silent or not self._is_read()):
                return

    def _lines(self, seconds: float) -> Iterator[Line]:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                said = self._said.get(timeout=left)
            except queue.Empty:
                return
            if isinstance(said, VerbError):
                raise said
            yield said

    def _look(self) -> bool:
        """Follows who is new; whether the job is over."""
        job = self._found.job
        try:
            obj = self._cluster.get(self._found.kind, job.namespace, job.name)
            if obj is None or obj["metadata"]["uid"] != job.uid:
                self._tell(f"{job.name} is gone")
                return True
            now = Found(self._found.kind, obj)
            pods = members_of(self._cluster, now).pods
            self._patience.heard()
        except VerbError as error:
            self._patience.bear(error)
            self._tell_lost(error)
            return False
        for log in self._wanted.logs(self._cluster, now, pods):
            self._follow(log)
        if now.job.state.has_ended:
            self._tell(f"{job.name} has {now.job.state}")
        elif not self._threads:
            self._tell(str(nothing_said(now, pods, self._wanted)))
        else:
            self._told = ""
        return now.job.state.has_ended

    def _follow(self, log: ContainerLog | RayJobLog) -> None:
        if log.uid not in self._threads:
            thread = threading.Thread(target=self._read, args=(log,), daemon=True)
            self._threads[log.uid] = thread
            thread.start()

    def _read(self, log: ContainerLog | RayJobLog) -> None:
        try:
            for line in log.followed(tail=self._wanted.tail, lost=self._tell_lost):
                self._said.put(line)
        except VerbError as error:
            self._said.put(error)

    def _is_read(self) -> bool:
        return any(it.is_alive() for it in self._threads.values())

    def _tell_lost(self, error: VerbError) -> None:
        """Once, however often it is met, and by however many."""
        if str(error) not in self._lost:
            self._lost.add(str(error))
            self._say(f"{error}; what is said meanwhile comes when it answers again")

    def _tell(self, what: str) -> None:
        if what != self._told:
            self._told = what
            self._say(what)
