"""Whatever the Ray cluster asks for has to fit the nodes, or its pods stay pending for ever."""

from collections.abc import Iterator
from dataclasses import dataclass

from catalog import Allocatable, MachineType, Sidecar
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


def ray_problems(
    ray: Ray, gpu: Host, head: Host | None, *, sidecar: Sidecar | None
) -> Iterator[Problem]:
    """Every GPU node has a worker; the head has a host of its own, or shares one of theirs.

    `sidecar` is what GKE puts beside the container of every pod.
    """
    yield from pod_problems("ray.head", ray.head, head or gpu, sidecar)
    yield from pod_problems("ray.worker", ray.worker, gpu, sidecar)
    yield from _gpu_problems(ray, gpu.machine)
    if head is None:
        yield from _sharing_problems(ray, gpu)


def worker_gpus(ray: Ray, machine: MachineType) -> int:
    """The GPUs of one worker: what the config says, else all of the machine's."""
    if ray.worker.gpus is not None:
        return ray.worker.gpus
    return machine.accelerator.count if machine.accelerator else 0


def pod_problems(
    field: str, pod: RayHead, host: Host, sidecar: Sidecar | None
) -> Iterator[Problem]:
    """A pod alone fits a node of its host."""
    yield from _size_problems(f"{field}.requests", pod.requests, host, sidecar)
    if pod.limits is not None:
        yield from _size_problems(f"{field}.limits", pod.limits, host, None)
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


def _size_problems(
    field: str, size: Resources, host: Host, sidecar: Sidecar | None
) -> Iterator[Problem]:
    cpu, memory, storage = (
        host.node.cpu_millicores,
        host.node.memory_mib,
        host.node.ephemeral_storage_mib,
    )
    if sidecar is not None:
        cpu -= sidecar.cpu_millicores
        memory -= sidecar.memory_mib
        storage -= sidecar.ephemeral_storage_mib
    if size.millicores > cpu:
        yield Problem(
            f"{field}.cpu",
            f"{_cpus(size.millicores)} CPUs are more than a node of {host.name} leaves to pods; "
            f"nearest: {cpu // 1000}",
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
                f"nearest: {left // _MIB}",
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


def _sharing_problems(ray: Ray, gpu: Host) -> Iterator[Problem]:
    head, worker, node = ray.head.requests, ray.worker.requests, gpu.node
    cpu_left = node.cpu_millicores - worker.millicores
    memory_left = node.memory_mib - worker.memory_gib * _MIB
    if 0 <= cpu_left < head.millicores <= node.cpu_millicores:
        yield Problem(
            "ray.head.requests.cpu",
            f"{_cpus(head.millicores)} CPUs do not fit beside a worker on a {gpu.name}; "
            f"nearest: {_cpus(cpu_left // 100 * 100)}",
        )
    if 0 <= memory_left < head.memory_gib * _MIB <= node.memory_mib:
        yield Problem(
            "ray.head.requests.memory_gib",
            f"{head.memory_gib} GiB do not fit beside a worker on a {gpu.name}; "
            f"nearest: {memory_left // _MIB}",
        )


def _cpus(millicores: int) -> str:
    return f"{millicores / 1000:g}"
