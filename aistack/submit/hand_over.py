"""Gives a job's objects to the cluster, once it would take all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from aistack.cluster import Cluster
from aistack.errors import VerbError
from aistack.find import Found
from aistack.job import condition
from aistack.kinds import (
    CONFIG_MAP,
    JOB,
    JOB_SET,
    LOCAL_QUEUE,
    NETWORK_POLICY,
    RAY_JOB,
    WORKLOAD,
)
from aistack.submit.render import Difference
from components.labels import MANAGED_BY
from components.queue_labels import QUEUE_LABEL
from sandbox.kube.objects import JsonObject, dig, labels_of, name_of

MANAGER = "aistack"
_WORK = (JOB, JOB_SET, RAY_JOB)
# In the order in which they are made: what pods need is there before them.
_KINDS = (CONFIG_MAP, NETWORK_POLICY, *_WORK)


@dataclass(frozen=True)
class Parcel:
    """`work` is the job itself, `beside` what goes with it, and `files` those that its RayCluster's
    head is to have, in the ConfigMap of that name."""

    work: Found
    beside: tuple[Found, ...]
    files: JsonObject | None = None

    @property
    def namespace(self) -> str:
        return self.work.obj["metadata"]["namespace"]

    @property
    def queue(self) -> str:
        return labels_of(self.work.obj).get(QUEUE_LABEL, "")


def packed(found: Difference) -> Parcel:
    """Raises VerbError where the stack has to change for the job."""
    new = [_known(it) for it in found.new.values()]
    others = [key for it, key in zip(new, found.new, strict=True) if it is None]
    others += [key for key, (_, it) in found.changed.items() if it.get("kind") != CONFIG_MAP.name]
    objects = sorted((it for it in new if it is not None), key=lambda it: _KINDS.index(it.kind))
    work = [it for it in objects if it.kind in _WORK]
    if others or len(work) != 1:
        names = ", ".join(sorted(name for _, name in others)) or "several jobs"
        raise VerbError(
            f"the stack would have to change for this job: {names}; "
            "nearest: the job among the stack's `jobs`, and `pulumi up`"
        )
    beside = tuple(it for it in objects if it.kind not in _WORK and it.kind != CONFIG_MAP)
    maps = [it for it in objects if it.kind == CONFIG_MAP]
    if work[0].kind != RAY_JOB:
        return Parcel(work[0], (*maps, *beside))
    launchers = [*(_more(*it) for it in found.changed.values()), *(it.obj for it in maps)]
    return Parcel(work[0], beside, launchers[0] if launchers else None)


def hand_over(cluster: Cluster, parcel: Parcel) -> JsonObject:
    """The job as it was made. Raises VerbError where the cluster would not take all of it, with
    nothing made."""
    namespace = parcel.namespace
    _check_queue(cluster, parcel)
    files = None if parcel.files is None else with_others(cluster, parcel)
    if files is not None:
        cluster.apply(CONFIG_MAP, namespace, files, dry_run=True)
    for it in (*parcel.beside, parcel.work):
        cluster.create(it.kind, namespace, it.obj, dry_run=True)
    if files is not None:
        cluster.apply(CONFIG_MAP, namespace, files)
    made: list[Found] = []
    try:
        for kind, obj in ((it.kind, it.obj) for it in (*parcel.beside, parcel.work)):
            there = cluster.create(kind, namespace, obj)
            made.append(Found(kind, there))
    except VerbError:
        for it in made:
            cluster.delete(it.kind, namespace, name_of(it.obj))
        raise
    work = made[-1].obj
    owner = {key: work["metadata"][key] for key in ("name", "uid")}
    owner |= {"apiVersion": parcel.work.kind.api_version, "kind": parcel.work.kind.name}
    for it in made[:-1]:
        # Gone with the job.
        owned = {"metadata": {"ownerReferences": [owner]}}
        cluster.patch(it.kind, namespace, name_of(it.obj), owned)
    return work


def waiting(cluster: Cluster, namespace: str, queue: str) -> int:
    """How many jobs wait in a queue."""
    return sum(
        dig(it, "spec", "queueName") == queue
        and not condition(it, "QuotaReserved")
        and not condition(it, "Finished")
        for it in cluster.pages(WORKLOAD, namespace)
    )


def with_others(cluster: Cluster, parcel: Parcel) -> JsonObject:
    """The new files, and those of jobs that were submitted before and have not ended."""
    assert parcel.files is not None
    metadata = parcel.files["metadata"]
    name = metadata["name"]
    there = cluster.get(CONFIG_MAP, parcel.namespace, name) or {}
    had: Mapping[str, str] = there.get("data") or {}
    commands = [
        str(dig(it, "spec", "entrypoint"))
        for it in cluster.pages(RAY_JOB, parcel.namespace, labels=f"{MANAGED_BY}={MANAGER}")
        if not Found(RAY_JOB, it).job.state.has_ended
    ]
    commands.append(str(dig(parcel.work.obj, "spec", "entrypoint")))
    kept = dict(_named(had, commands))
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name},
        "data": {**kept, **parcel.files["data"]},
    }


def _more(before: JsonObject, after: JsonObject) -> JsonObject:
    data = {key: it for key, it in after["data"].items() if key not in before["data"]}
    return {**after, "data": data}


def _known(obj: JsonObject) -> Found | None:
    kind = next((it for it in _KINDS if it.name == obj.get("kind")), None)
    return None if kind is None else Found(kind, _ours(obj))


def _ours(obj: JsonObject) -> JsonObject:
    metadata = obj["metadata"]
    labels = {**(metadata.get("labels") or {}), MANAGED_BY: MANAGER}
    return {**obj, "metadata": {**metadata, "labels": labels}}


def _check_queue(cluster: Cluster, parcel: Parcel) -> None:
    if parcel.queue and cluster.get(LOCAL_QUEUE, parcel.namespace, parcel.queue) is None:
        there = [name_of(it) for it in cluster.pages(LOCAL_QUEUE, parcel.namespace)]
        raise VerbError(
            f'--queue: "{parcel.queue}" is no queue of {parcel.namespace}; '
            f"nearest: {', '.join(there) or 'the queues of the config, by `pulumi up`'}"
        )


def _named(files: Mapping[str, str], commands: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Files that a command names, or a file that a command names."""
    texts = list(commands)
    launchers = [name for name in files if any(name in it for it in texts)]
    texts += [files[it] for it in launchers]
    for name, content in files.items():
        if any(name in it for it in texts):
            yield name, content
