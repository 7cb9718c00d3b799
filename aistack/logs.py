"""What the pods of a job have said, all together or one."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aistack.cluster import Cluster
from aistack.container_log import ContainerLog, Line
from aistack.errors import VerbError
from aistack.find import Found
from aistack.members import DRIVER, LAUNCHER, Member
from aistack.offered import offered
from aistack.ray_job_log import RayJobLog
from aistack.simulated import refuse_simulated
from kube.kinds import RAY_JOB
from kube.objects import dig

_ALL = "all"


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Whose lines: of a `rank`, by default of a RayJob its launcher, which repeats what the job
    prints, or without one its driver, and of others all; of a `container`, by default that which
    does the work; and of each how many of the last ones. `previous`: before its container was
    restarted."""

    rank: str | None = None
    container: str | None = None
    tail: int | None = None
    previous: bool = False

    def role(self, found: Found) -> str:
        if self.rank or found.kind != RAY_JOB:
            return self.rank or _ALL
        return LAUNCHER if _has_launcher(found) else DRIVER

    def several(self, found: Found) -> bool:
        """Whether there may be more than one that says something."""
        return self.role(found) == _ALL and found.job.pods != 1

    def is_of_driver(self, found: Found) -> bool:
        """Whether it is what Ray alone knows."""
        return self.role(found) == DRIVER and _has_driver(found)

    def logs(
        self, cluster: Cluster, found: Found, pods: Sequence[Member]
    ) -> Sequence[ContainerLog | RayJobLog]:
        """Of pods that have such a container, those that have begun, or that have before."""
        name = found.job.name
        answering = ("why", name), ("events", name)
        if self.is_of_driver(found):
            driver = RayJobLog.of(cluster, found)
            if not driver.has_begun or self.previous:
                return []
            refuse_simulated(cluster, (it.pod for it in pods), "log", *answering)
            return [driver]
        role = self.role(found)
        chosen = [it for it in pods if role in (_ALL, it.role)]
        containers = [(it, self.container or it.container) for it in chosen]
        made = [ContainerLog(cluster, it, one) for it, one in containers if one in it.containers]
        begun = [it for it in made if (it.restarts if self.previous else it.has_begun)]
        if begun:
            refuse_simulated(cluster, (it.pod for it in chosen), "log", *answering)
        return begun


def lines_of(logs: Sequence[ContainerLog | RayJobLog], wanted: Wanted) -> Iterator[Line]:
    """In the order in which they were said. Raises VerbError at the end where some could not be
    read."""
    failed: list[VerbError] = []

    def lines(log: ContainerLog | RayJobLog) -> Iterator[Line]:
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
    roles += [DRIVER] if _has_driver(found) else []
    chosen = [it for it in pods if role in (_ALL, it.role)]
    if pods and not chosen and not wanted.is_of_driver(found):
        return VerbError(f'--rank: "{role}": there is none; nearest: {", ".join((*roles, _ALL))}')
    containers = list(dict.fromkeys(name for it in chosen for name in it.containers))
    if chosen and wanted.container and wanted.container not in containers:
        near = ", ".join(containers)
        return VerbError(f'--container: "{wanted.container}": there is none; nearest: {near}')
    if wanted.previous:
        return VerbError(f"--previous: nothing of {name} was restarted; nearest: without it")
    return VerbError(f"nothing of {name} has begun; nearest: `{offered('why', name)}`")


def _has_driver(found: Found) -> bool:
    """Whether Ray alone knows what the job's command prints."""
    return found.kind == RAY_JOB and not _has_launcher(found)


def _has_launcher(found: Found) -> bool:
    """ray-project/kuberay v1.4.2 ray-operator/apis/ray/v1/rayjob_types.go."""
    mode = dig(found.obj, "spec", "submissionMode")
    return mode in (None, "", "K8sJobMode")
