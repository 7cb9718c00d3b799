"""Stops a job for good, or takes away what a submitted one has left."""

from __future__ import annotations

from contextlib import suppress

from aistack.cluster import Cluster
from aistack.errors import VerbError
from aistack.find import Found
from aistack.job import MANAGER
from aistack.offered import offered_up
from aistack.submit.head_files import take_away
from components.base.labels import MANAGED_BY
from kube.kinds import DEPLOYMENT, RAY_CLUSTER
from kube.objects import labels_of


def cancel(cluster: Cluster, found: Found) -> str:
    """What became of it. Raises VerbError for what is no job."""
    job = found.job
    if found.kind == RAY_CLUSTER:
        raise VerbError(
            f"{job.name} is a Ray cluster, which jobs run on, and no job; "
            "nearest: its jobs, or take it out of the stack's config"
        )
    if found.kind == DEPLOYMENT:
        raise VerbError(
            f"{job.name} is a model server, and no job; nearest: take it out of `servers` in the "
            f"stack's config, and `{offered_up()}`"
        )
    which = f"{job.kind} {job.namespace}/{job.name}"
    if job.state.has_ended and labels_of(found.obj).get(MANAGED_BY) != MANAGER:
        return f"{which} has {job.state} already; nothing was stopped"
    cluster.delete(found.kind, job.namespace, job.name)
    # Else the next job that is submitted there does it.
    with suppress(VerbError):
        take_away(cluster, found)
    if job.state.has_ended:
        return f"{which} had ended; it is taken away, with what belongs to it"
    return f"{which} is stopped, and its pods go{_again(job.owner)}"


def _again(owner: str) -> str:
    """The engine believes that an object is there until it looks."""
    if not owner.startswith("pulumi:"):
        return ""
    return (
        f". It is one of the stack's own jobs: `{offered_up(refresh=True)}` runs it again, unless "
        "it is taken out of the config"
    )
