"""Machines that pods of different kinds share."""

from collections.abc import Iterator

from catalog import MachineType
from stacks.parts.pools.capacity import Capacity, Queued
from stacks.problems import Problem


def without_interfaces_problems(field: str, machine: MachineType) -> Iterator[Problem]:
    """Pods that share a machine leave its further interfaces, and their networks, unused."""
    if machine.additional_interfaces:
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
