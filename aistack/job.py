"""A job as its user sees it, whatever kind of object it is. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from components.base.labels import MANAGED_BY, STACK, SUBMITTED_BY
from components.queues.labels import QUEUE_LABEL
from kube.jobs import State, accelerators, pod_groups, state_of
from kube.kinds import Kind
from kube.objects import JsonObject, dig, labels_of, name_of, namespace_of
from kube.reading import moment

# What manages a job that `submit` made: nobody else keeps it.
MANAGER = "aistack"


@dataclass(frozen=True, kw_only=True)
class Job:
    """`pods` and `accelerators` are what it asks for itself: a job on a Ray cluster that others
    may use, `runs_on`, asks for none. `submitter` is as `submit` labels the job."""

    kind: str
    namespace: str
    name: str
    uid: str
    state: State
    queue: str
    pods: int
    accelerators: int
    runs_on: str
    owner: str
    submitter: str
    created: datetime


def job_of(kind: Kind, obj: JsonObject) -> Job:
    groups = list(pod_groups(kind, obj))
    return Job(
        kind=kind.name,
        namespace=namespace_of(obj),
        name=name_of(obj),
        uid=obj["metadata"]["uid"],
        state=state_of(kind, obj),
        queue=labels_of(obj).get(QUEUE_LABEL, ""),
        pods=sum(count for count, _ in groups),
        accelerators=sum(count * accelerators(pod) for count, pod in groups),
        runs_on=dig(obj, "spec", "clusterSelector", "ray.io/cluster") or "",
        owner=_owner(obj),
        submitter=labels_of(obj).get(SUBMITTED_BY, ""),
        created=moment(obj["metadata"]["creationTimestamp"]),
    )


def _owner(obj: JsonObject) -> str:
    labels = labels_of(obj)
    stack, manager = labels.get(STACK, ""), labels.get(MANAGED_BY, "")
    return f"{manager}:{stack}" if stack else manager
