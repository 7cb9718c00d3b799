"""The one job that a name means."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from aistack.cluster import Cluster
from aistack.errors import ForbiddenError, VerbError
from aistack.exit_codes import ExitCode
from aistack.job import Job, job_of
from aistack.listing import list_jobs
from aistack.offered import asks
from kube.jobs import is_work
from kube.kinds import DEPLOYMENT, RAY_CLUSTER, WORK_AND_SERVERS, Kind
from kube.objects import JsonObject

_NAME = re.compile(r"[a-z0-9]([-.a-z0-9]*[a-z0-9])?")


@dataclass(frozen=True)
class Found:
    kind: Kind
    obj: JsonObject

    @property
    def job(self) -> Job:
        return job_of(self.kind, self.obj)


def find_job(cluster: Cluster, namespaces: Sequence[str], asked: str) -> Found:
    """`asked` is [NAMESPACE/][KIND/]NAME, a kind in any case; a Ray cluster or a model server only
    where no job has its name. Raises VerbError where none or several are meant."""
    *before, name = asked.split("/")
    words = {it.lower() for it in before}
    known = {*(it.name.lower() for it in WORK_AND_SERVERS), *namespaces}
    if wrong := [it for it in before if it not in known and it.lower() not in known]:
        near = ", ".join((*namespaces, *(it.name for it in WORK_AND_SERVERS)))
        raise VerbError(
            f'NAME: "{wrong[0]}" is neither a namespace of the stack nor a kind; nearest: {near}',
            ExitCode.NOT_FOUND,
        )
    kinds = [it for it in WORK_AND_SERVERS if it.name.lower() in words] or WORK_AND_SERVERS
    # What no object can be called would be another path of the API server's.
    kinds = kinds if _NAME.fullmatch(name) else ()
    places = [it for it in namespaces if it in before] or namespaces
    found = [
        Found(kind, obj)
        for kind in kinds
        for namespace in places
        if (obj := _get(cluster, kind, namespace, name)) is not None and is_work(kind, obj)
    ]
    jobs = [it for it in found if it.kind not in (RAY_CLUSTER, DEPLOYMENT)] or found
    if len(jobs) == 1:
        asks(name, asked)
        return jobs[0]
    if jobs:
        all_ = ", ".join(f"{it.job.namespace}/{it.kind.name}/{name}" for it in jobs)
        raise VerbError(f'NAME: "{asked}" is the name of several: {all_}', ExitCode.NOT_FOUND)
    raise VerbError(f'NAME: "{asked}": {_nearest(cluster, places, name)}', ExitCode.NOT_FOUND)


def _get(cluster: Cluster, kind: Kind, namespace: str, name: str) -> JsonObject | None:
    try:
        return cluster.get(kind, namespace, name)
    except ForbiddenError:
        return None


def _nearest(cluster: Cluster, namespaces: Sequence[str], name: str) -> str:
    known = [it.name for it in list_jobs(cluster, namespaces).jobs]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.3) or known[:3]
    return f"there is no such job; nearest: {', '.join(near) or 'none, there are no jobs'}"
