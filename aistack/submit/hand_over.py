"""Gives a job's objects to the cluster, once it would take all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from aistack.cluster import Cluster
from aistack.errors import ForbiddenError, LostError, VerbError
from aistack.find import Found
from aistack.offered import kubectl, offered_up
from aistack.submit.head_files import HeadFiles
from aistack.submit.parcel import MARK, Parcel
from kube.jobs import condition
from kube.kinds import (
    JOB,
    JOB_SET,
    LOCAL_QUEUE,
    RAY_JOB,
    RESOURCE_QUOTA,
    SECRET,
    WORKLOAD,
)
from kube.objects import JsonObject, dig, name_of, namespace_of


def hand_over(cluster: Cluster, parcel: Parcel, warn: Callable[[str], None]) -> JsonObject:
    """The job as it was made. Raises VerbError where the cluster would not take all of it, with
    nothing left; `warn` is told what could not be put right."""
    namespace = parcel.namespace
    _check_name(cluster, parcel.work, namespace)
    _check_queue(cluster, parcel)
    _check_secrets(cluster, parcel)
    files = HeadFiles.of(cluster, parcel)
    if files is not None:
        files.bring(dry_run=True)
    for it in (*parcel.beside, parcel.work):
        cluster.create(it.kind, namespace, it.obj, dry_run=True)
    try:
        if files is not None:
            files.tidy()
            files.bring()
        for it in parcel.beside:
            cluster.create(it.kind, namespace, it.obj)
        work = _made(cluster, parcel.work, namespace)
    except BaseException:
        # Ctrl-C, too.
        for it in (parcel.work, *parcel.beside):
            with suppress(VerbError):
                _take_back(cluster, it, namespace)
        raise
    _own(cluster, parcel, work, warn)
    return work


def _made(cluster: Cluster, work: Found, namespace: str) -> JsonObject:
    """An answer that was lost says nothing of whether it was made."""
    try:
        return cluster.create(work.kind, namespace, work.obj)
    except LostError:
        there = cluster.get(work.kind, namespace, name_of(work.obj))
        if there is None or _mark(there) != _mark(work.obj):
            raise
        return there


def _take_back(cluster: Cluster, it: Found, namespace: str) -> None:
    """What has the name may be somebody else's."""
    there = cluster.get(it.kind, namespace, name_of(it.obj))
    if there is not None and _mark(there) == _mark(it.obj):
        cluster.delete(it.kind, namespace, name_of(it.obj))


def _mark(obj: JsonObject) -> object:
    return dig(obj, "metadata", "annotations", MARK)


def _own(cluster: Cluster, parcel: Parcel, work: JsonObject, warn: Callable[[str], None]) -> None:
    """What goes with the job is gone with it."""
    owner = {key: work["metadata"][key] for key in ("name", "uid")}
    owner |= {"apiVersion": parcel.work.kind.api_version, "kind": parcel.work.kind.name}
    owned = {"metadata": {"ownerReferences": [owner]}}
    for it in parcel.beside:
        name = name_of(it.obj)
        try:
            cluster.patch(it.kind, parcel.namespace, name, owned)
        except VerbError as error:
            warn(f"{it.kind.name} {name} stays when the job goes, for {error}")


def waiting(cluster: Cluster, namespace: str, queue: str) -> int:
    """How many jobs wait for what a queue has to give, as far as the user may see them."""
    door = cluster.get(LOCAL_QUEUE, namespace, queue)
    behind = dig(door, "spec", "clusterQueue")
    try:
        doors = {
            (namespace_of(it), name_of(it))
            for it in cluster.pages(LOCAL_QUEUE)
            if dig(it, "spec", "clusterQueue") == behind
        }
        all_ = list(cluster.pages(WORKLOAD))
    except ForbiddenError:
        doors, all_ = {(namespace, queue)}, list(cluster.pages(WORKLOAD, namespace))
    at = ((namespace_of(it), dig(it, "spec", "queueName")) for it in all_ if _waits(it))
    return sum(it in doors for it in at)


def used_in(cluster: Cluster, namespace: str) -> Mapping[str, str]:
    """By the name that a ResourceQuota of the namespace has for it; nothing where the user may not
    see any."""
    with suppress(ForbiddenError):
        all_ = cluster.pages(RESOURCE_QUOTA, namespace)
        return {key: it for one in all_ for key, it in (dig(one, "status", "used") or {}).items()}
    return {}


def _waits(workload: JsonObject) -> bool:
    ended = condition(workload, "QuotaReserved") or condition(workload, "Finished")
    return not ended and dig(workload, "spec", "active") is not False


def _check_name(cluster: Cluster, work: Found, namespace: str) -> None:
    """Nothing may have the name, of another kind either: a RayJob has a Job of its own name made,
    or takes one that is there for it (ray-project/kuberay v1.4.2
    ray-operator/controllers/ray/rayjob_controller.go, createK8sJobIfNeed)."""
    name = name_of(work.obj)
    for kind in (JOB, JOB_SET, RAY_JOB):
        with suppress(ForbiddenError):
            if cluster.get(kind, namespace, name) is not None:
                raise VerbError(
                    f"--name: there is a {kind.name} {namespace}/{name} already; nearest: {name}-2"
                )


def _check_secrets(cluster: Cluster, parcel: Parcel) -> None:
    """Pods wait for ever for one that is not there. Whoever may not read Secrets may name them."""
    problems: list[str] = []
    for (name, key), said_by in parcel.secrets.items():
        try:
            found = cluster.get(SECRET, parcel.namespace, name)
        except ForbiddenError:
            continue
        keys = sorted({**((found or {}).get("data") or {})})
        if found is None:
            where = ("--namespace", parcel.namespace)
            problems.append(
                f'{said_by}: "{name}" is no Secret of {parcel.namespace}; nearest: '
                f"{kubectl('create', 'secret', 'generic', name, *where)} --from-env-file FILE, "
                f"with a line {key or 'NAME'}=VALUE in it"
            )
        elif key and key not in keys:
            problems.append(
                f'{said_by}: "{name}" has no key {key}; nearest: {", ".join(keys) or "a key in it"}'
            )
    if problems:
        raise VerbError("; ".join(problems))


def _check_queue(cluster: Cluster, parcel: Parcel) -> None:
    if parcel.queue and cluster.get(LOCAL_QUEUE, parcel.namespace, parcel.queue) is None:
        there = [name_of(it) for it in cluster.pages(LOCAL_QUEUE, parcel.namespace)]
        raise VerbError(
            f'--queue: "{parcel.queue}" is no queue of {parcel.namespace}; '
            f"nearest: {', '.join(there) or f'the queues of the config, by `{offered_up()}`'}"
        )
