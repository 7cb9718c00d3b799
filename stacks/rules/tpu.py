"""TPU slices and the networks between them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

from catalog import Catalog, MachineType
from catalog.errors import nearest_names
from components.cidr import node_addresses, prefix_for_nodes
from stacks.blocks.capacity import Queued
from stacks.blocks.network import DcnNetwork
from stacks.blocks.ray import Ray, RayOperator
from stacks.blocks.tpu_slices import TpuSlices
from stacks.problems import Problem, problem_of
from stacks.rules.cluster_mode import location_problems, no_pool
from stacks.rules.queues import queue_problems

if TYPE_CHECKING:
    from stacks.tpu_training_config import TpuTraining


def mode_problems(config: TpuTraining) -> Iterator[Problem]:
    """Autopilot makes nodes and the networks between slices itself."""
    if isinstance(config.tpu.capacity, Queued):
        yield Problem(
            "tpu.capacity.mode",
            "queued slices come by a provisioning request each, which Ray's pods here do not make; "
            "nearest: flex-start",
        )
    if not config.autopilot:
        return
    if config.cpu_pool is not None:
        yield no_pool("cpu_pool", "leave it out")
    if "dcn" in config.network.model_fields_set:
        yield Problem(
            "network.dcn",
            "Autopilot connects slices by networks of its own; nearest: leave it out",
        )
    for key in ("disk", "max_pods_per_node", "threads_per_core"):
        if key in config.tpu.model_fields_set:
            yield Problem(f"tpu.{key}", "Autopilot decides it for its nodes; nearest: leave it out")
    yield from location_problems(config.cluster)
    if config.tpu.capacity.mode == "any-reservation":
        yield Problem(
            "tpu.capacity.mode",
            "Autopilot takes TPUs only from a reservation that is named; nearest: reservation",
        )


def ray_problems(ray: Ray, namespace: str) -> Iterator[Problem]:
    """A worker is on each of the slices that the stack makes, and nothing queues.

    Sources: GKE documentation, "Ray on GKE" (the add-on brings KubeRay and its TPU webhook);
    ray-project/kuberay helm-chart/kuberay-operator, feeaf72fa of 2026-08-19 (has none).
    """
    if ray.operator is RayOperator.HELM:
        yield Problem(
            "ray.operator",
            "KubeRay's chart has no webhook for TPUs, so hosts would not know their slice; "
            "nearest: addon",
        )
    if ray.worker.gpus is not None:
        yield Problem("ray.worker.gpus", "TPU hosts have no GPUs; nearest: leave it out")
    if ray.autoscaling is not None:
        yield Problem(
            "ray.autoscaling",
            "a worker is on each slice for as long as the slice is there; nearest: leave it out, "
            "and say in tpu.slices which there are",
        )
    yield from queue_problems(None, "ray.queue", ray.queue, namespace)


def slice_problems(facts: Catalog, tpu: TpuSlices) -> Iterator[Problem]:
    """The machine type has TPUs, and the topology is one that its generation has."""
    machine = facts.machines[tpu.machine_type]
    if machine.accelerator is None or machine.accelerator.kind != "tpu":
        with_tpus = [
            it.name
            for it in facts.machines.values()
            if it.accelerator and it.accelerator.kind == "tpu"
        ]
        yield Problem(
            "tpu.machine_type",
            f"{machine.name} has no TPUs; nearest: {', '.join(with_tpus[:3])}",
        )
        return
    if not facts.topologies(machine.name):
        shaped = [name for name in facts.machines if facts.topologies(name)]
        yield Problem(
            "tpu.machine_type",
            f"the catalog knows no topology of {machine.name}; "
            f"nearest: {nearest_names(machine.name, shaped)}",
        )
        return
    numbers = tpu.slices
    if len(set(numbers)) < len(numbers):
        yield Problem(
            "tpu.slices",
            f"{list(numbers)} names a slice twice; nearest: {sorted(set(numbers))}",
        )
    flags = [it.name for it in tpu.libtpu_flags]
    for number, name in enumerate(flags):
        if name in flags[:number]:
            yield Problem(
                f"tpu.libtpu_flags[{number}]",
                f"{name} is there twice, and only the last counts; nearest: leave it out",
            )
    # Looks the topology up, too.
    yield from problem_of(
        "tpu.topology", lambda: facts.check_ray_topology(machine.name, tpu.topology)
    )


def dcn_problems(network: DcnNetwork, machine: MachineType, nodes: int) -> Iterator[Problem]:
    """A network for each further interface at most, each with an address for every node."""
    names = [it.name for it in network.dcn]
    for number, one in enumerate(network.dcn):
        where = f"network.dcn[{number}]"
        if one.name in names[:number]:
            free = next(name for n in count(2) if (name := f"{one.name}-{n}") not in names)
            yield Problem(f"{where}.name", f"{one.name} is there already; nearest: {free}")
        if node_addresses(one.range) < nodes:
            yield Problem(
                f"{where}.range",
                f"{one.range} is too small for {nodes} nodes; "
                f"nearest: a /{prefix_for_nodes(nodes)}",
            )
    most = len(machine.additional_interfaces)
    if len(names) > most:
        yield Problem(
            "network.dcn",
            f"{len(names)} networks are more than the further interfaces of {machine.name}; "
            f"nearest: {most}",
        )
