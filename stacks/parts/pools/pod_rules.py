"""What one pod may ask of a node: to fit it, to write to its disk, to leave its accelerators and
interfaces to nobody else. No Pulumi import.

A node's boot disk holds its system, the image that its pods run, and what they write, but on
machines with local SSDs, where images and what pods write lie on those (GKE documentation, "Plan
GKE Standard node sizes").

The kubelet adds up the limits that a pod's containers have, those of GKE's sidecars among them, and
evicts the pod when its containers, logs and emptyDirs together pass the sum; a container without a
limit adds nothing to it (kubernetes v1.35 pkg/kubelet/eviction/eviction_manager.go,
podEphemeralStorageLimitEviction). Autopilot gives 1 GiB to one that asks for none (GKE
documentation, "Resource requests in Autopilot").
"""

from collections.abc import Iterator

from catalog import MachineType, Sidecar
from stacks.parts.pools.config import Capacity, Queued
from stacks.parts.pools.nodes import Amounts, Host
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.ray.config import PodSizes
from stacks.problems import Problem
from stacks.types import Resources

_MIB = 1024
_AUTOPILOT_GIB = 1
# What the node's own system takes of its boot disk, in GiB, beside a share for images.
_SYSTEM_GIB = 6
_EVICTION_PERCENT = 10
NOTHING = Amounts()


def pod_problems(
    field: str, pod: PodSizes, host: Host, sidecar: Sidecar | None, more: Amounts = NOTHING
) -> Iterator[Problem]:
    """A pod alone fits a node of its host, with the `sidecar` of its bucket and `more` beside its
    container."""
    beside = more if sidecar is None else more + Amounts.of_sidecar(sidecar)
    mounts = sidecar is not None
    yield from _size_problems(f"{field}.requests", pod.requests, host, beside, mounts=mounts)
    if pod.limits is not None:
        yield from _size_problems(f"{field}.limits", pod.limits, host, NOTHING)
        yield from _limit_problems(f"{field}.limits", pod.requests, pod.limits)
    most = pod.ceiling.memory_gib
    if pod.shared_memory_gib > most:
        yield Problem(
            f"{field}.shm_gib",
            f"{pod.shared_memory_gib} GiB of shared memory count as the pod's memory, which is "
            f"limited to {most} GiB; nearest: {most}",
        )


def _size_problems(
    field: str, size: Resources, host: Host, beside: Amounts, *, mounts: bool = False
) -> Iterator[Problem]:
    """`mounts` says whether `beside` is GKE's sidecar, which mounts buckets."""
    node = Amounts.of_node(host)
    left = node - beside
    if size.millicores > left.cpu_millicores:
        fits_alone = mounts and size.millicores <= node.cpu_millicores
        also = f", {_cpus(beside.cpu_millicores)} CPUs" if fits_alone else ""
        yield Problem(
            f"{field}.cpu",
            f"{_cpus(size.millicores)} CPUs{_of_sidecar(also)} are more than a node of {host.name} "
            f"leaves to pods; nearest: {_offered(left.cpu_millicores // 1000, also)}",
        )
    for key, gib, mib in (
        ("memory_gib", size.memory_gib, "memory_mib"),
        ("ephemeral_storage_gib", size.ephemeral_storage_gib or 0, "ephemeral_storage_mib"),
    ):
        rest = getattr(left, mib)
        if gib * _MIB > rest:
            fits_alone = mounts and gib * _MIB <= getattr(node, mib)
            also = f", {getattr(beside, mib) / _MIB:.3g} GiB" if fits_alone else ""
            yield Problem(
                f"{field}.{key}",
                f"{gib} GiB{_of_sidecar(also)} are more than a node of {host.name} leaves to pods; "
                f"nearest: {_offered(rest // _MIB, also)}",
            )


def _of_sidecar(also: str) -> str:
    """Where what the user asks for would fit alone: what GKE adds to the pod is the reason."""
    return f" with the container that mounts buckets{also}," if also else ""


def _limit_problems(field: str, asked: Resources, most: Resources) -> Iterator[Problem]:
    if most.millicores < asked.millicores:
        yield Problem(
            f"{field}.cpu",
            f"{_cpus(most.millicores)} CPUs are below the request; "
            f"nearest: {_cpus(asked.millicores)}",
        )
    for key in ("memory_gib", "ephemeral_storage_gib"):
        limit, request = getattr(most, key), getattr(asked, key)
        if limit and request and limit < request:
            yield Problem(
                f"{field}.{key}", f"{limit} GiB are below the request; nearest: {request}"
            )


def _cpus(millicores: int) -> str:
    return f"{millicores / 1000:g}"


def _offered(left: int, also: str = "") -> str:
    if left > 0:
        return str(left)
    return "no mounts ([]), or a larger machine type" if also else "a larger machine type"


def pod_disk_problems(
    field: str,
    pod: PodSizes,
    *,
    sidecar_gib: int | None,
    cache_mib: int,
    written_gib: int,
    autopilot: bool,
) -> Iterator[Problem]:
    """`sidecar_gib` is the limit of the container that mounts the bucket, 0 for none and None for
    GKE's own. `written_gib` is known to be written beside the read cache: packages, logs."""
    part = "requests" if pod.limits is None else "limits"
    limit = pod.ceiling.ephemeral_storage_gib or (_AUTOPILOT_GIB if autopilot else None)
    if limit is None and sidecar_gib != 0:
        yield Problem(
            f"{field}.{part}.ephemeral_storage_gib",
            "none is given, and the kubelet evicts the whole pod past the limits that there are, "
            f"which is then the bucket's sidecar's alone; nearest: {written_gib}",
        )
    elif limit is not None and limit < written_gib:
        yield Problem(
            f"{field}.{part}.ephemeral_storage_gib",
            f"{limit} GiB are less than the {written_gib} that the pod writes to its node's disk; "
            f"nearest: {written_gib}",
        )
    elif limit is not None and sidecar_gib == 0 and cache_mib:
        yield Problem(
            "bucket.mount.file_cache_mib",
            f"the sidecar has no limit of its disk, so the pod is evicted past the {limit} GiB of "
            f"{field}, which the cache is not counted in; nearest: 0",
        )


def boot_disk_problems(
    host: Host, disk_gb: int, *, image_gib: int, pods_mib: int, field: str = "cpu_pool"
) -> Iterator[Problem]:
    """The image lies on the same disk as what pods write, and nobody requests room for it."""
    if host.machine.local_ssd is not None:
        return
    needed = _SYSTEM_GIB + image_gib + -(-pods_mib // _MIB)
    if disk_gb * 10**9 / 2**30 * (100 - _EVICTION_PERCENT) / 100 < needed:
        least = -(-needed * 2**30 * 100 // ((100 - _EVICTION_PERCENT) * 10**9))
        yield Problem(
            f"{field}.disk.size_gb",
            f"{disk_gb} GB do not hold the image ({image_gib} GiB) and what pods of a node may "
            f"write; nearest: {least}",
        )


def interface_problems(field: str, gpus: int, pool: PlannedPool) -> Iterator[Problem]:
    """GKE gives a device interface to one pod alone."""
    machine, has = pool.machine, pool.accelerators
    if pool.gpus_claimed:
        return
    if gpus < has and pool.kind == "gpu" and pool.interface_mode != "none":
        yield Problem(
            field,
            f"{gpus} of the {has} GPUs of {machine.name} would leave the others without a network, "
            f"for its interfaces go to one pod; nearest: {has}",
        )


def without_interfaces_problems(field: str, pool: PlannedPool) -> Iterator[Problem]:
    """Pods that share a machine leave its further interfaces, and their networks, unused."""
    machine = pool.machine
    if pool.gpus_claimed:
        return
    if machine.additional_interfaces and pool.interface_mode != "none":
        yield Problem(
            field,
            f"{machine.name} has {len(machine.additional_interfaces)} further interfaces that no "
            "pod of this stack asks for; nearest: g2-standard-24, or a verl training on them",
        )


def on_request_problems(field: str, capacity: Capacity, *, checked: bool) -> Iterator[Problem]:
    """Pods that come and go one by one never ask for all machines at once: where all of them are
    `checked`, Kueue asks for them."""
    if isinstance(capacity, Queued) and not checked:
        yield Problem(
            f"{field}.capacity.mode",
            "queued machines come by a request, which not all pods of this stack wait for; "
            "nearest: flex-start, or one of queues.admission_checks in each of its queues",
        )


def whole_machine_problems(field: str, gpus: int, machine: MachineType) -> Iterator[Problem]:
    """Autopilot gives each pod that asks for a machine one of its own."""
    has = machine.accelerator.count if machine.accelerator else 0
    if gpus < has:
        yield Problem(
            field,
            f"{gpus} of the {has} GPUs of {machine.name}: Autopilot gives such a pod the whole "
            f"machine; nearest: {has}",
        )
