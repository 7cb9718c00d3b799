"""What belongs to a job: the objects that it has made, and their pods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from aistack.cluster import Cluster
from aistack.find import Found
from components.jobs.job_set_manifest import NAME_LABEL
from kube.kinds import (
    DEPLOYMENT,
    JOB,
    JOB_SET,
    POD,
    RAY_CLUSTER,
    REPLICA_SET,
    Kind,
)
from kube.objects import JsonObject, dig, labels_of, maps, name_of
from kube.reading import read_whole, whole

# ray-project/kuberay v1.4.2 ray-operator/controllers/ray/utils/constant.go.
RAY_CLUSTER_LABEL = "ray.io/cluster"
RAY_NODE_TYPE_LABEL = "ray.io/node-type"
# kubernetes/kubernetes v1.35.4 pkg/apis/batch/types.go.
JOB_LABEL = "batch.kubernetes.io/job-name"
_INDEX = "batch.kubernetes.io/job-completion-index"
# kubernetes-sigs/jobset v0.12.0 api/jobset/v1alpha2/jobset_types.go.
_JOB_INDEX = "jobset.sigs.k8s.io/job-global-index"
# kubernetes/kubectl v0.35.4 pkg/cmd/util/podcmd/podcmd.go.
MAIN_CONTAINER = "kubectl.kubernetes.io/default-container"
# GKE puts it before the others (GoogleCloudPlatform/gcs-fuse-csi-driver docs/known-issues.md).
SIDECAR = "gke-gcsfuse-sidecar"
LAUNCHER = "launcher"
# Of a RayJob without a launcher: its command, which runs on the head.
DRIVER = "driver"


# So many Jobs of a JobSet, and how many indices each has: a member may ask for 2**31 of them.
_Alike = tuple[int, int]


@dataclass(frozen=True)
class Member:
    """A pod and what it is in its job."""

    pod: JsonObject
    role: str

    @property
    def name(self) -> str:
        return name_of(self.pod)

    @property
    def containers(self) -> Sequence[str]:
        """Those first that run first."""
        spec = self.pod["spec"]
        return [it["name"] for it in (*maps(spec.get("initContainers")), *spec["containers"])]

    @property
    def container(self) -> str:
        """The one that does the job's work."""
        said = dig(self.pod, "metadata", "annotations", MAIN_CONTAINER)
        names = [it["name"] for it in self.pod["spec"]["containers"]]
        return said or next((it for it in names if it != SIDECAR), names[0])


@dataclass(frozen=True)
class Members:
    """`made` are the Jobs, the Ray cluster and the ReplicaSets between the job and its pods."""

    pods: tuple[Member, ...] = ()
    made: tuple[tuple[Kind, JsonObject], ...] = ()


def members_of(cluster: Cluster, found: Found) -> Members:
    """In the order of their ranks, the launcher first."""
    name, namespace = found.job.name, found.job.namespace

    def pods(labels: str) -> list[JsonObject]:
        return list(cluster.pages(POD, namespace, labels=labels))

    if found.kind == JOB:
        return Members(_ranked(pods(f"{JOB_LABEL}={name}"), [(1, _size(found.obj))]))
    if found.kind == JOB_SET:
        jobs = cluster.pages(JOB, namespace, labels=f"{NAME_LABEL}={name}")
        made = tuple((JOB, it) for it in jobs)
        return Members(_ranked(pods(f"{NAME_LABEL}={name}"), list(_sizes(found.obj))), made)
    if found.kind == RAY_CLUSTER:
        return Members(_of_ray(pods(f"{RAY_CLUSTER_LABEL}={name}")))
    if found.kind == DEPLOYMENT:
        return _of_server(cluster, found)
    return _of_ray_job(cluster, found)


def _of_server(cluster: Cluster, found: Found) -> Members:
    """Its pods by age, each with a number of its own: they are alike, and none follows another."""
    chosen = dig(found.obj, "spec", "selector", "matchLabels") or {}
    labels = ",".join(f"{key}={it}" for key, it in chosen.items())
    sets = cluster.pages(REPLICA_SET, found.job.namespace, labels=labels)
    pods = sorted(cluster.pages(POD, found.job.namespace, labels=labels), key=_made)
    made = tuple((REPLICA_SET, it) for it in sets if _is_of(found, it))
    return Members(tuple(Member(it, str(number)) for number, it in enumerate(pods)), made)


def _is_of(found: Found, obj: JsonObject) -> bool:
    owners = maps(dig(obj, "metadata", "ownerReferences"))
    return any(it.get("uid") == found.job.uid for it in owners)


def _of_ray_job(cluster: Cluster, found: Found) -> Members:
    """A RayJob's submitter is a Job of its name, and it names its Ray cluster."""
    name, namespace = found.job.name, found.job.namespace
    made: list[tuple[Kind, JsonObject]] = []
    launcher = cluster.pages(POD, namespace, labels=f"{JOB_LABEL}={name}")
    pods = [Member(it, LAUNCHER) for it in sorted(launcher, key=_made)]
    if submitter := cluster.get(JOB, namespace, name):
        made.append((JOB, submitter))
    if ray := found.job.runs_on or dig(found.obj, "status", "rayClusterName"):
        own = cluster.get(RAY_CLUSTER, namespace, ray)
        made += [] if own is None else [(RAY_CLUSTER, own)]
        pods += _of_ray(list(cluster.pages(POD, namespace, labels=f"{RAY_CLUSTER_LABEL}={ray}")))
    return Members(tuple(pods), tuple(made))


def _of_ray(pods: list[JsonObject]) -> tuple[Member, ...]:
    """The head, the newest last, then workers by name."""
    heads = [it for it in pods if labels_of(it).get(RAY_NODE_TYPE_LABEL) == "head"]
    heads.sort(key=_made)
    workers = sorted((it for it in pods if it not in heads), key=name_of)
    ranks = [Member(it, str(number)) for number, it in enumerate(workers)]
    return (*(Member(it, "head") for it in heads), *ranks)


def _sizes(job_set: JsonObject) -> Iterator[_Alike]:
    """Of its Jobs, by their global index."""
    for it in maps(dig(job_set, "spec", "replicatedJobs")):
        yield max(0, whole(it.get("replicas"), 1)), _size(it.get("template"))


def _size(job: Any) -> int:
    """How many indices its pods have."""
    said = (whole(dig(job, "spec", it)) for it in ("completions", "parallelism"))
    return next((it for it in said if it > 0), 1)


def _before(sizes: Sequence[_Alike], index: int) -> int:
    """How many indices all Jobs before that one have."""
    found = 0
    for count, size in sizes:
        found += max(0, min(index, count)) * size
        index -= count
    return found


def _ranked(pods: list[JsonObject], sizes: Sequence[_Alike]) -> tuple[Member, ...]:
    """A pod that was made again has the rank of the one before it, and stands after it. Without
    indices the newest are ranked by name, and no pod says which one it replaces: those before them
    are given their ranks in turn."""
    unnamed = sorted((it for it in pods if _index(it) is None), key=_made)
    wanted = _before(sizes, sum(count for count, _ in sizes)) or 1
    before, newest = unnamed[:-wanted], sorted(unnamed[-wanted:], key=name_of)
    turn = {name_of(it): number % wanted for number, it in enumerate(before)}
    turn |= {name_of(it): number for number, it in enumerate(newest)}

    def rank(pod: JsonObject) -> int:
        index = _index(pod)
        if index is None:
            return turn[name_of(pod)]
        return _before(sizes, whole(labels_of(pod).get(_JOB_INDEX))) + index

    found = sorted(pods, key=lambda it: (rank(it), _made(it)))
    return tuple(Member(it, str(rank(it))) for it in found)


def _index(pod: JsonObject) -> int | None:
    """A pod's owner may write its label, too."""
    return read_whole(labels_of(pod).get(_INDEX))


def _made(pod: JsonObject) -> str:
    return pod["metadata"]["creationTimestamp"]
