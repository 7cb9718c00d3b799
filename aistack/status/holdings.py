"""Who has the accelerators that are in use. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aistack.job import accelerators
from aistack.members import JOB_LABEL, RAY_CLUSTER_LABEL
from components.job_set_manifest import NAME_LABEL
from sandbox.kube.objects import JsonObject, dig, labels_of, maps, name_of, namespace_of

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


def holdings(pods: Iterable[JsonObject]) -> Sequence[Holding]:
    """Of pods that run; the others hold nothing."""
    return [
        Holding(
            namespace=namespace_of(pod),
            job=_job(pod),
            node=pod["spec"]["nodeName"],
            accelerators=count,
        )
        for pod in pods
        if (count := accelerators(pod["spec"]))
    ]


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


def _job(pod: JsonObject) -> str:
    labels = labels_of(pod)
    for label in (NAME_LABEL, RAY_CLUSTER_LABEL, JOB_LABEL):
        if label in labels:
            return labels[label]
    owners = maps(dig(pod, "metadata", "ownerReferences"))
    name = owners[0]["name"] if owners else name_of(pod)
    return name.removesuffix(f"-{labels.get(_HASH, '')}")
