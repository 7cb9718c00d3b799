"""Whatever the Ray cluster asks for has to fit the nodes, or its pods stay pending for ever."""

from collections.abc import Iterator

from catalog import Allocatable, MachineType
from stacks.blocks.ray import Ray, RayHead
from stacks.problems import Problem

_MIB = 1024


def ray_problems(ray: Ray, machine: MachineType, node: Allocatable) -> Iterator[Problem]:
    """Every node has a worker, and one of them the head too."""
    for field, pod in (("ray.head", ray.head), ("ray.worker", ray.worker)):
        yield from _pod_problems(field, pod, machine, node)
    yield from _gpu_problems(ray, machine)
    yield from _sharing_problems(ray, machine, node)


def worker_gpus(ray: Ray, machine: MachineType) -> int:
    """The GPUs of one worker: what the config says, else all of the machine's."""
    if ray.worker.gpus is not None:
        return ray.worker.gpus
    return machine.accelerator.count if machine.accelerator else 0


def _pod_problems(
    field: str, pod: RayHead, machine: MachineType, node: Allocatable
) -> Iterator[Problem]:
    asked, most = pod.requests, pod.ceiling
    sizes = (
        ("requests", asked.millicores, asked.memory_gib),
        ("limits", most.millicores, most.memory_gib),
    )
    for part, millicores, memory_gib in sizes:
        if part == "limits" and pod.limits is None:
            continue
        if millicores > node.cpu_millicores:
            yield Problem(
                f"{field}.{part}.cpu",
                f"{_cpus(millicores)} CPUs are more than a node of {machine.name} leaves to pods; "
                f"nearest: {node.cpu_millicores // 1000}",
            )
        if memory_gib * _MIB > node.memory_mib:
            yield Problem(
                f"{field}.{part}.memory_gib",
                f"{memory_gib} GiB are more than a node of {machine.name} leaves to pods; "
                f"nearest: {node.memory_mib // _MIB}",
            )
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
    if pod.shared_memory_gib > most.memory_gib:
        yield Problem(
            f"{field}.shm_gib",
            f"{pod.shared_memory_gib} GiB of shared memory count as the pod's memory, which is "
            f"limited to {most.memory_gib} GiB; nearest: {most.memory_gib}",
        )


def _gpu_problems(ray: Ray, machine: MachineType) -> Iterator[Problem]:
    has = machine.accelerator.count if machine.accelerator else 0
    if worker_gpus(ray, machine) > has:
        yield Problem(
            "ray.worker.gpus",
            f"{ray.worker.gpus} GPUs are more than a node of {machine.name} has; nearest: {has}",
        )


def _sharing_problems(ray: Ray, machine: MachineType, node: Allocatable) -> Iterator[Problem]:
    head, worker = ray.head.requests, ray.worker.requests
    cpu_left = node.cpu_millicores - worker.millicores
    memory_left = node.memory_mib - worker.memory_gib * _MIB
    if 0 <= cpu_left < head.millicores <= node.cpu_millicores:
        yield Problem(
            "ray.head.requests.cpu",
            f"{_cpus(head.millicores)} CPUs do not fit beside a worker on a {machine.name}; "
            f"nearest: {_cpus(cpu_left // 100 * 100)}",
        )
    if 0 <= memory_left < head.memory_gib * _MIB <= node.memory_mib:
        yield Problem(
            "ray.head.requests.memory_gib",
            f"{head.memory_gib} GiB do not fit beside a worker on a {machine.name}; "
            f"nearest: {memory_left // _MIB}",
        )


def _cpus(millicores: int) -> str:
    return f"{millicores / 1000:g}"
