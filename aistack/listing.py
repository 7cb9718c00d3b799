"""All jobs that the user may see."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from aistack.cluster import Cluster
from aistack.errors import ForbiddenError
from aistack.job import Job, job_of
from kube.jobs import is_work
from kube.kinds import DEPLOYMENT, WORK_AND_SERVERS, Kind

_AT_ONCE = 8


@dataclass(frozen=True)
class Listing:
    """The newest first; in the `hidden` namespaces the user may see no jobs."""

    jobs: Sequence[Job]
    hidden: Sequence[str]


def list_jobs(cluster: Cluster, namespaces: Sequence[str]) -> Listing:
    """Raises ForbiddenError where the user may see no namespace at all."""
    jobs: list[Job] = []
    hidden: dict[str, ForbiddenError] = {}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        asked = {
            it: [pool.submit(_own, cluster, kind, it) for kind in WORK_AND_SERVERS]
            for it in namespaces
        }
    for namespace, found in asked.items():
        try:
            jobs += [job for each in found for job in each.result()]
        except ForbiddenError as error:
            hidden[namespace] = error
    if hidden and len(hidden) == len(namespaces):
        raise next(iter(hidden.values()))
    jobs.sort(key=lambda it: (it.created, it.name), reverse=True)
    return Listing(jobs, tuple(hidden))


def _own(cluster: Cluster, kind: Kind, namespace: str) -> Sequence[Job]:
    """Of each page only this is kept. Who sees jobs and no Deployments sees no servers."""
    try:
        return _jobs(cluster, kind, namespace)
    except ForbiddenError:
        if kind != DEPLOYMENT:
            raise
        return []


def _jobs(cluster: Cluster, kind: Kind, namespace: str) -> list[Job]:
    return [job_of(kind, obj) for obj in cluster.pages(kind, namespace) if is_work(kind, obj)]
