"""What Kubernetes, Kueue and KubeRay said of a job and of all that is made for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from aistack.cluster import Cluster
from aistack.find import Found
from aistack.members import Members
from kube.kinds import EVENT, WORKLOAD
from kube.objects import JsonObject, name_of
from kube.reading import moment

# sigs.k8s.io/kueue v0.19.2 pkg/controller/constants/constants.go.
JOB_UID_LABEL = "kueue.x-k8s.io/job-uid"


@dataclass(frozen=True, kw_only=True)
class Event:
    at: datetime
    warns: bool
    about: str
    reason: str
    message: str


def workload_of(cluster: Cluster, found: Found) -> JsonObject | None:
    """Its place in a queue, by the newest record where there are several."""
    labels = f"{JOB_UID_LABEL}={found.job.uid}"
    all_ = sorted(cluster.pages(WORKLOAD, found.job.namespace, labels=labels), key=_made)
    return all_[-1] if all_ else None


def events_of(
    cluster: Cluster, found: Found, members: Members, workload: JsonObject | None
) -> Sequence[Event]:
    """The oldest first."""
    names = {(found.kind.name, found.job.name)}
    names |= {(kind.name, name_of(obj)) for kind, obj in members.made}
    names |= {("Pod", it.name) for it in members.pods}
    names |= set() if workload is None else {("Workload", name_of(workload))}
    return sorted(_told(cluster, found.job.namespace, names), key=lambda it: it.at)


def _told(cluster: Cluster, namespace: str, names: set[tuple[str, str]]) -> Iterator[Event]:
    for event in cluster.pages(EVENT, namespace):
        about = event["involvedObject"]
        if (about.get("kind"), about.get("name")) in names:
            yield Event(
                at=said_at(event),
                warns=event.get("type") == "Warning",
                about=f"{about['kind']}/{about['name']}",
                reason=str(event.get("reason") or ""),
                message=str(event.get("message") or "").strip(),
            )


def said_at(event: JsonObject) -> datetime:
    """A series has its last time; newer events have one only."""
    series = event.get("series") or {}
    last = series.get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")
    return moment(last or _made(event))


def _made(obj: JsonObject) -> str:
    return obj["metadata"]["creationTimestamp"]
