"""What one container says: to its end, or as it comes."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from aistack.cluster import Cluster
from aistack.errors import MissingError, VerbError
from aistack.members import Member
from aistack.patience import Patience
from kube.kinds import POD
from kube.objects import JsonObject, dig, maps, namespace_of
from kube.reading import whole

_AGAIN_SECONDS = 1.0
# A kubelet's own words, such as that a file is gone, come without a time.
_TIMED = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S+) ")
_TO_THE_SECOND = len("2026-11-23T12:00:00")


@dataclass(frozen=True, kw_only=True)
class Line:
    """`role` is a rank, head or launcher; `time` is as the kubelet wrote it."""

    role: str
    time: str
    text: str


class ContainerLog:
    def __init__(self, cluster: Cluster, member: Member, container: str) -> None:
        self._cluster = cluster
        self._member = member
        self._container = container
        self._since = ""
        self._latest = Counter[tuple[str, str]]()

    @property
    def uid(self) -> str:
        """Of the pod: one that comes in its place may have its name."""
        return self._member.pod["metadata"]["uid"]

    @property
    def restarts(self) -> int:
        return whole(self._status.get("restartCount"))

    @property
    def has_begun(self) -> bool:
        state = self._status.get("state") or {}
        return bool(self.restarts or "running" in state or "terminated" in state)

    @property
    def _status(self) -> JsonObject:
        fields = ("initContainerStatuses", "containerStatuses")
        all_ = [it for field in fields for it in maps(dig(self._member.pod, "status", field))]
        return next((it for it in all_ if it["name"] == self._container), {})

    def lines(self, *, tail: int | None, previous: bool = False) -> Iterator[Line]:
        return self._read(tail=tail, previous=previous)

    def followed(self, *, tail: int | None, lost: Callable[[VerbError], None]) -> Iterator[Line]:
        """Until its pod has ended; taken up again where a connection was lost."""
        patience = Patience()
        while True:
            try:
                yield from self._new(tail)
                patience.heard()
                if self._has_ended():
                    return
            except MissingError:
                return
            except VerbError as error:
                patience.bear(error)
                lost(error)
            tail = None if self._since else tail
            time.sleep(_AGAIN_SECONDS)

    def _new(self, tail: int | None) -> Iterator[Line]:
        """What was not there the last time. A log is asked for by the second: what was seen of
        that one comes again."""
        seen = Counter(self._latest)
        for line in self._read(follow=True, since=self._since, tail=tail):
            key = (line.time, line.text)
            if seen[key]:
                seen[key] -= 1
                continue
            if line.time[:_TO_THE_SECOND] > self._since[:_TO_THE_SECOND]:
                self._since = line.time
                self._latest.clear()
            self._latest[key] += 1
            yield line

    def _read(
        self, *, tail: int | None, follow: bool = False, previous: bool = False, since: str = ""
    ) -> Iterator[Line]:
        where = (namespace_of(self._member.pod), self._member.name, self._container)
        asked = self._cluster.log(*where, follow=follow, previous=previous, tail=tail, since=since)
        for text in asked:
            timed = _TIMED.match(text)
            time_ = timed[1] if timed else ""
            rest = text[timed.end() :] if timed else text
            yield Line(role=self._member.role, time=time_, text=rest)

    def _has_ended(self) -> bool:
        pod = self._cluster.get(POD, namespace_of(self._member.pod), self._member.name)
        return pod is None or dig(pod, "status", "phase") in ("Succeeded", "Failed")
