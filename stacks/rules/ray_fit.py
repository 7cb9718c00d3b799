"""Whatever a pod asks for has to fit its node, or it stays pending for ever."""

from collections.abc import Iterator
from dataclasses import dataclass

from catalog import Allocatable, MachineType, Sidecar
from stacks.parts.ray.config import PodSizes
from stacks.problems import Problem
from stacks.resources import Resources

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

    def __add__(self, other: "Beside") -> "Beside":
        return Beside(
            self.cpu_millicores + other.cpu_millicores,
            self.memory_mib + other.memory_mib,
            self.ephemeral_storage_mib + other.ephemeral_storage_mib,
        )


NOTHING = Beside()


def pod_problems(
    field: str, pod: PodSizes, host: Host, sidecar: Sidecar | None, more: Beside = NOTHING
) -> Iterator[Problem]:
    """A pod alone fits a node of its host, with the `sidecar` of its bucket and `more` beside its
    container."""
    yield from _size_problems(f"{field}.requests", pod.requests, host, _sidecar(sidecar) + more)
    if pod.limits is not None:
        yield from _size_problems(f"{field}.limits", pod.limits, host, NOTHING)
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


def _sidecar(found: Sidecar | None) -> Beside:
    if found is None:
        return NOTHING
    return Beside(found.cpu_millicores, found.memory_mib, found.ephemeral_storage_mib)


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


def interface_problems(field: str, gpus: int, machine: MachineType) -> Iterator[Problem]:
    """GKE gives a device interface to one pod alone."""
    has = machine.accelerator.count if machine.accelerator else 0
    if gpus < has and machine.additional_interfaces:
        yield Problem(
            field,
            f"{gpus} of the {has} GPUs of {machine.name} would leave the others without a network, "
            f"for its interfaces go to one pod; nearest: {has}",
        )


def _offered(left: int) -> str:
    return str(left) if left > 0 else "a smaller bucket.mount.sidecar"


def _cpus(millicores: int) -> str:
    return f"{millicores / 1000:g}"
