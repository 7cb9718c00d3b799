"""What the pods of a job have said, all together or one."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aistack.cluster import Cluster
from aistack.container_log import ContainerLog, Line
from aistack.errors import VerbError
from aistack.find import Found
from aistack.kinds import RAY_JOB
from aistack.members import LAUNCHER, Member
from sandbox.kube.objects import dig

_ALL = "all"


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Whose lines: of a `rank`, by default of a RayJob its launcher, which repeats what the job
    prints, and else of all; of a `container`, by default that which does the work; and of each how
    many of the last ones. `previous`: before its container was restarted."""

    rank: str | None = None
    container: str | None = None
    tail: int | None = None
    previous: bool = False

    def role(self, found: Found) -> str:
        return self.rank or (LAUNCHER if _has_launcher(found) else _ALL)

    def several(self, found: Found) -> bool:
        """Whether there may be more than one that says something."""
        return self.role(found) == _ALL and found.job.pods != 1

    def logs(self, cluster: Cluster, found: Found, pods: Sequence[Member]) -> list[ContainerLog]:
        """Of pods that have such a container, those that have begun, or that have before."""
        role = self.role(found)
        chosen = [it for it in pods if role in (_ALL, it.role)]
        names = [(it, self.container or it.container) for it in chosen]
        made = [ContainerLog(cluster, it, name) for it, name in names if name in it.containers]
        return [it for it in made if (it.restarts if self.previous else it.has_begun)]


def lines_of(logs: Sequence[ContainerLog], wanted: Wanted) -> Iterator[Line]:
    """In the order in which they were said. Raises VerbError at the end where some could not be
    read."""
    failed: list[VerbError] = []

    def lines(log: ContainerLog) -> Iterator[Line]:
        try:
            yield from log.lines(tail=wanted.tail, previous=wanted.previous)
        except VerbError as error:
            failed.append(error)

    yield from heapq.merge(*map(lines, logs), key=lambda it: it.time)
    if failed:
        raise failed[0]


def nothing_said(found: Found, pods: Sequence[Member], wanted: Wanted) -> VerbError:
    """Why there is nothing to read."""
    name, role = found.job.name, wanted.role(found)
    roles = list(dict.fromkeys(it.role for it in pods))
    chosen = [it for it in pods if role in (_ALL, it.role)]
    if pods and not chosen:
        return VerbError(f'--rank: "{role}": there is none; nearest: {", ".join((*roles, _ALL))}')
    containers = list(dict.fromkeys(name for it in chosen for name in it.containers))
    if chosen and wanted.container and wanted.container not in containers:
        near = ", ".join(containers)
        return VerbError(f'--container: "{wanted.container}": there is none; nearest: {near}')
    if wanted.previous:
        return VerbError(f"--previous: nothing of {name} was restarted; nearest: without it")
    return VerbError(f"nothing of {name} has begun; nearest: `aistack why {name}`")


def _has_launcher(found: Found) -> bool:
    """ray-project/kuberay v1.4.2 ray-operator/apis/ray/v1/rayjob_types.go."""
    mode = dig(found.obj, "spec", "submissionMode")
    return found.kind == RAY_JOB and mode in (None, "", "K8sJobMode")
