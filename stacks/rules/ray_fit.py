"""Whatever the Ray cluster asks for has to fit the nodes, or its pods stay pending for ever."""

from collections.abc import Iterator
from dataclasses import dataclass

from catalog import Allocatable, MachineType, Sidecar
from components.ray_autoscaling import AUTOSCALER_MEMORY_MIB, AUTOSCALER_MILLICORES
from stacks.blocks.ray import Ray, RayHead, Resources
from stacks.problems import Problem

_MIB = 1024


@dataclass(frozen=True)
class Host:
    """A machine and what it leaves to pods."""

    machine: MachineType
    node: Allocatable

    @property
    def name(self) -> str:
        return self.machine.name


@dataclass(frozen=True)
class Beside:
    """What the containers beside a pod's own request."""

    cpu_millicores: int = 0
    memory_mib: int = 0
    ephemeral_storage_mib: int = 0


_NOTHING = Beside()


def ray_problems(
    ray: Ray, gpu: Host, head: Host | None, *, sidecar: Sidecar | None
) -> Iterator[Problem]:
    """Every GPU node has a worker; the head has a host of its own, or shares one of theirs.

    `sidecar` is what GKE puts beside the container of every pod.
    """
    scales = ray.autoscaling is not None
    yield from pod_problems("ray.head", ray.head, head or gpu, sidecar, autoscaler=scales)
    yield from pod_problems("ray.worker", ray.worker, gpu, sidecar)
    yield from _gpu_problems(ray, gpu.machine)
    if head is None:
        yield from _sharing_problems(ray, gpu, sidecar)


def scaling_problems(ray: Ray, *, workers: int, queued: bool) -> Iterator[Problem]:
    """Who decides how many workers there are: the config, a queue, or Ray's autoscaler.

    Sources, read 2026-11-21: kueue v0.19.0 pkg/controller/jobs/raycluster (autoscaling is refused).
    """
    if ray.autoscaling is None:
        return
    if queued:
        yield Problem(
            "ray.autoscaling",
            "queued machines come once, for a fixed number of workers; nearest: leave it out, or "
            "another capacity mode",
        )
    if ray.queue is not None:
        yield Problem(
            "ray.autoscaling",
            "Kueue admits a cluster with all its workers, and refuses one that scales; "
            "nearest: leave it out, or leave out ray.queue",
        )
    if ray.autoscaling.min_workers > workers:
        yield Problem(
            "ray.autoscaling.min_workers",
            f"{ray.autoscaling.min_workers} are more workers than the nodes have room for; "
            f"nearest: {workers}",
        )


def worker_gpus(ray: Ray, machine: MachineType) -> int:
    """The GPUs of one worker: what the config says, else all of the machine's."""
    if ray.worker.gpus is not None:
        return ray.worker.gpus
    return machine.accelerator.count if machine.accelerator else 0


def pod_problems(
    field: str, pod: RayHead, host: Host, sidecar: Sidecar | None, *, autoscaler: bool = False
) -> Iterator[Problem]:
    """A pod alone fits a node of its host, with what GKE and KubeRay put beside its container."""
    beside = _beside(sidecar, autoscaler=autoscaler)
    yield from _size_problems(f"{field}.requests", pod.requests, host, beside)
    if pod.limits is not None:
        yield from _size_problems(f"{field}.limits", pod.limits, host, _NOTHING)
    asked, most = pod.requests, pod.ceiling
    if most.millicores < asked.millicores:
        yield Problem(
            f"{field}.limits.cpu",
            f"{_cpus(most.millicores)} CPUs are below the request; "
            f"nearest: {_cpus(asked.millicores)}",
        )
    if most.memory_gib < asked.memory_gib:
        yield Problem(
            f"{field}.limits.memory_gib",
            f"{most.memory_gib} GiB are below the request; nearest: {asked.memory_gib}",
        )
    if 0 < (most.ephemeral_storage_gib or 0) < (asked.ephemeral_storage_gib or 0):
        yield Problem(
            f"{field}.limits.ephemeral_storage_gib",
            f"{most.ephemeral_storage_gib} GiB are below the request; "
            f"nearest: {asked.ephemeral_storage_gib}",
        )
    if pod.shared_memory_gib > most.memory_gib:
        yield Problem(
            f"{field}.shm_gib",
            f"{pod.shared_memory_gib} GiB of shared memory count as the pod's memory, which is "
            f"limited to {most.memory_gib} GiB; nearest: {most.memory_gib}",
        )


def _beside(sidecar: Sidecar | None, *, autoscaler: bool) -> Beside:
    found = _NOTHING
    if sidecar is not None:
        found = Beside(sidecar.cpu_millicores, sidecar.memory_mib, sidecar.ephemeral_storage_mib)
    if autoscaler:
        cpu, memory = AUTOSCALER_MILLICORES, AUTOSCALER_MEMORY_MIB
        found = Beside(
            found.cpu_millicores + cpu, found.memory_mib + memory, found.ephemeral_storage_mib
        )
    return found


def _size_problems(field: str, size: Resources, host: Host, beside: Beside) -> Iterator[Problem]:
    cpu = host.node.cpu_millicores - beside.cpu_millicores
    memory = host.node.memory_mib - beside.memory_mib
    storage = host.node.ephemeral_storage_mib - beside.ephemeral_storage_mib
    if size.millicores > cpu:
        yield Problem(
            f"{field}.cpu",
            f"{_cpus(size.millicores)} CPUs are more than a node of {host.name} leaves to pods; "
            f"nearest: {_offered(cpu // 1000)}",
        )
    wanted = (
        ("memory_gib", size.memory_gib, memory),
        ("ephemeral_storage_gib", size.ephemeral_storage_gib or 0, storage),
    )
    for part, gib, left in wanted:
        if gib * _MIB > left:
            yield Problem(
                f"{field}.{part}",
                f"{gib} GiB are more than a node of {host.name} leaves to pods; "
                f"nearest: {_offered(left // _MIB)}",
            )


def _gpu_problems(ray: Ray, machine: MachineType) -> Iterator[Problem]:
    has = machine.accelerator.count if machine.accelerator else 0
    gpus = worker_gpus(ray, machine)
    if gpus > has:
        yield Problem(
            "ray.worker.gpus",
            f"{gpus} GPUs are more than a node of {machine.name} has; nearest: {has}",
        )
    elif gpus < has and machine.additional_interfaces:
        # GKE gives a device interface to one pod alone.
        yield Problem(
            "ray.worker.gpus",
            f"{gpus} of the {has} GPUs of {machine.name} would leave the others without a network, "
            f"for its interfaces go to one pod; nearest: {has}",
        )


def _sharing_problems(ray: Ray, gpu: Host, sidecar: Sidecar | None) -> Iterator[Problem]:
    """What fits alone fits beside the other, too."""
    head, worker, node = ray.head.requests, ray.worker.requests, gpu.node
    of_head = _beside(sidecar, autoscaler=ray.autoscaling is not None)
    of_worker = _beside(sidecar, autoscaler=False)
    cpu_left = node.cpu_millicores - of_head.cpu_millicores
    cpu_taken = worker.millicores + of_worker.cpu_millicores
    if cpu_taken <= node.cpu_millicores and cpu_left - cpu_taken < head.millicores <= cpu_left:
        yield Problem(
            "ray.head.requests.cpu",
            f"{_cpus(head.millicores)} CPUs do not fit beside a worker on a {gpu.name}; "
            f"nearest: {_smaller(_cpus((cpu_left - cpu_taken) // 100 * 100))}",
        )
    memory_left = node.memory_mib - of_head.memory_mib
    memory_taken = worker.memory_gib * _MIB + of_worker.memory_mib
    head_mib = head.memory_gib * _MIB
    if memory_taken <= node.memory_mib and memory_left - memory_taken < head_mib <= memory_left:
        yield Problem(
            "ray.head.requests.memory_gib",
            f"{head.memory_gib} GiB do not fit beside a worker on a {gpu.name}; "
            f"nearest: {_smaller(str((memory_left - memory_taken) // _MIB))}",
        )


def _offered(left: int) -> str:
    return str(left) if left > 0 else "a smaller bucket.mount.sidecar"


def _smaller(left: str) -> str:
    return left if float(left) > 0 else "a smaller worker"


def _cpus(millicores: int) -> str:
    return f"{millicores / 1000:g}"
