"""Who has the accelerators that are in use, and whose pods wait for machines. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aistack.members import JOB_LABEL, RAY_CLUSTER_LABEL
from components.jobs.job_set_manifest import NAME_LABEL
from kube.jobs import accelerators
from kube.objects import JsonObject, dig, labels_of, maps, name_of, namespace_of
from stacks.workloads import DEPLOYMENT, JOB, JOB_SET, RAY_CLUSTER

# A Deployment's pods have its name with a hash behind it.
_HASH = "pod-template-hash"


@dataclass(frozen=True, kw_only=True)
class Holding:
    """What pods of one job on one node have."""

    namespace: str
    job: str
    node: str
    accelerators: int


@dataclass(frozen=True, kw_only=True)
class Use:
    namespace: str
    job: str
    accelerators: int
    nodes: int


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """Pods of one job that no node has room for: GKE's autoscaler asks for machines as long as they
    are there. A queue holds gated pods back, which wait for no machine."""

    namespace: str
    job: str
    pods: int
    accelerators: int


def holdings(pods: Iterable[JsonObject]) -> Sequence[Holding]:
    """Of pods that have a node; the others hold nothing."""
    return [
        Holding(
            namespace=namespace_of(pod),
            job=workload_of(pod)[1],
            node=pod["spec"]["nodeName"],
            accelerators=count,
        )
        for pod in pods
        if pod["spec"].get("nodeName") and (count := accelerators(pod["spec"]))
    ]


def waiting(pods: Iterable[JsonObject]) -> Sequence[Waiting]:
    """By job, the most accelerators first."""
    jobs: dict[tuple[str, str], list[int]] = {}
    for pod in pods:
        if not pod["spec"].get("nodeName") and not pod["spec"].get("schedulingGates"):
            key = (namespace_of(pod), workload_of(pod)[1])
            jobs.setdefault(key, []).append(accelerators(pod["spec"]))
    made = [
        Waiting(namespace=namespace, job=job, pods=len(own), accelerators=sum(own))
        for (namespace, job), own in jobs.items()
    ]
    return sorted(made, key=lambda it: (-it.accelerators, it.namespace, it.job))


def uses(found: Sequence[Holding]) -> Sequence[Use]:
    """The largest first."""
    jobs: dict[tuple[str, str], list[Holding]] = {}
    for it in found:
        jobs.setdefault((it.namespace, it.job), []).append(it)
    made = [
        Use(
            namespace=namespace,
            job=job,
            accelerators=sum(it.accelerators for it in own),
            nodes=len({it.node for it in own}),
        )
        for (namespace, job), own in jobs.items()
    ]
    return sorted(made, key=lambda it: (-it.accelerators, it.namespace, it.job))


def workload_of(pod: JsonObject) -> tuple[str, str]:
    """The kind of what it is of, as the engine has it, and its name; no kind where none of ours
    makes such pods."""
    labels = labels_of(pod)
    for label, token in ((NAME_LABEL, JOB_SET), (RAY_CLUSTER_LABEL, RAY_CLUSTER), (JOB_LABEL, JOB)):
        if label in labels:
            return token, labels[label]
    owners = maps(dig(pod, "metadata", "ownerReferences"))
    name = owners[0]["name"] if owners else name_of(pod)
    return DEPLOYMENT if _HASH in labels else "", name.removesuffix(f"-{labels.get(_HASH, '')}")
