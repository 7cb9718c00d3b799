"""What follows from the pools: machines, hosts, counts. No Pulumi import."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from catalog import Catalog, Interface, MachineType, Topology
from catalog.allocatable import DEFAULT_DISK_GB
from components.naming import NameKind, cloud_name
from components.node_taints import NodeTaintArgs
from stacks.parts.pools.autopilot_nodes import AUTOPILOT_CPU_FAMILY
from stacks.parts.pools.capacity import FlexStart, Queued
from stacks.parts.pools.config import CPU_POOL, DEFAULT_CPU_POOL, Pool
from stacks.parts.pools.nodes import Autoscaling, GpuPool, NodePool, Nodes
from stacks.parts.pools.tpu_slices import DEFAULT_FLAGS, TpuSlices
from stacks.rules.ray_fit import Host

Kind = Literal["cpu", "gpu", "tpu"]


@dataclass(frozen=True, kw_only=True)
class PlannedPool:
    """A pool with what its machine is; `host` is one of its nodes with what it leaves to pods.

    `topology` is a TPU slice's. On Autopilot nodes come as pods ask for them.
    """

    name: str
    config: Pool
    machine: MachineType
    zone: str
    host: Host
    autopilot: bool
    topology: Topology | None = None
    prefix: str = ""

    @property
    def pool_name(self) -> str:
        """GKE's name of the pool; in a cluster that others share it begins with the stack's."""
        return cloud_name(NameKind.NODE_POOL, f"{self.prefix}{self.name}", "pool")

    def slice_name(self, number: int) -> str:
        return cloud_name(NameKind.NODE_POOL, f"{self.prefix}{self.name}", str(number))

    @property
    def field(self) -> str:
        return f"pools.{self.name}"

    @property
    def kind(self) -> Kind:
        accelerator = self.machine.accelerator
        return "cpu" if accelerator is None else accelerator.kind

    @property
    def accelerators(self) -> int:
        """GPUs or chips of a node."""
        return 0 if self.machine.accelerator is None else self.machine.accelerator.count

    @property
    def slices(self) -> tuple[int, ...]:
        return self.config.slices or ()

    @property
    def nodes(self) -> int:
        """The nodes that workloads use."""
        if self.topology is not None:
            return self.topology.hosts * len(self.slices)
        return self.config.nodes or 0

    @property
    def bounds(self) -> Autoscaling:
        """How few and how many nodes there may be."""
        fixed = Autoscaling.model_construct(min=self.nodes, max=self.nodes)
        if self.kind == "tpu" and self.waits:
            return Autoscaling.model_construct(min=0, max=self.nodes)
        return self.config.autoscaling or fixed

    @property
    def waits(self) -> bool:
        """Whether machines come when there is work for them."""
        return isinstance(self.config.capacity, FlexStart | Queued)

    @property
    def queued(self) -> bool:
        """Whether machines come by a provisioning request, for all pods at once."""
        return isinstance(self.config.capacity, Queued)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The further interfaces of a GPU node; those of TPUs are claimed by pods."""
        return self.machine.additional_interfaces if self.kind == "gpu" else ()

    @property
    def taints(self) -> list[NodeTaintArgs]:
        return [
            NodeTaintArgs(key=it.key, value=it.value, effect=it.effect) for it in self.config.taints
        ]

    @property
    def keeps_away(self) -> bool:
        """Whether pods that do not tolerate the taints find no room there."""
        return any(it.effect != "PreferNoSchedule" for it in self.taints)

    @property
    def as_nodes(self) -> Nodes:
        """The pool as rules take it that know no other parts."""
        pool = self.config
        of_all = {
            "machine_type": pool.machine_type,
            "nodes": self.nodes,
            "capacity": pool.capacity,
        }
        if self.autopilot:
            return Nodes.model_construct(**of_all)
        of_pool = {
            **of_all,
            "autoscaling": self.bounds if self.kind == "tpu" else pool.autoscaling,
            "disk": pool.disk,
            "max_pods_per_node": pool.max_pods_per_node,
        }
        if self.kind != "gpu":
            return NodePool.model_construct(**of_pool)
        return GpuPool.model_construct(
            **of_pool,
            driver_version=pool.driver_version,
            compact_placement=pool.compact_placement,
        )

    @property
    def as_slices(self) -> TpuSlices:
        """The TPU pool as rules and trainers take it."""
        return slices_of(self.config)


def slices_of(pool: Pool) -> TpuSlices:
    """A TPU pool's slices as rules take them that know no other parts."""
    flags = pool.libtpu_flags
    return TpuSlices.model_construct(
        machine_type=pool.machine_type,
        topology=pool.topology or "",
        slices=pool.slices or (),
        capacity=pool.capacity,
        threads_per_core=pool.threads_per_core,
        disk=pool.disk,
        max_pods_per_node=pool.max_pods_per_node,
        libtpu_flags=DEFAULT_FLAGS if flags is None else flags,
    )


def planned_pools(
    pools: Mapping[str, Pool], facts: Catalog, *, zone: str, autopilot: bool, prefix: str = ""
) -> dict[str, PlannedPool]:
    """By the user's names; a Standard cluster has a CPU pool in any case."""
    found = {
        name: _planned(name, pool, facts, zone=zone, autopilot=autopilot, prefix=prefix)
        for name, pool in pools.items()
    }
    if autopilot or any(it.kind == "cpu" for it in found.values()):
        return found
    own = _planned(CPU_POOL, DEFAULT_CPU_POOL, facts, zone=zone, autopilot=False, prefix=prefix)
    return {CPU_POOL: own, **found}


def autopilot_cpu_host(facts: Catalog) -> Host:
    """The largest node under single pods that Autopilot has."""
    family = [it for it in facts.machines.values() if it.family == AUTOPILOT_CPU_FAMILY]
    largest = max(family, key=lambda it: it.vcpus)
    return Host(largest, facts.allocatable(largest.name))


def _planned(
    name: str, pool: Pool, facts: Catalog, *, zone: str, autopilot: bool, prefix: str
) -> PlannedPool:
    machine = facts.machine(pool.machine_type)
    is_tpu = machine.accelerator is not None and machine.accelerator.kind == "tpu"
    threads = pool.threads_per_core if is_tpu and not autopilot else 2
    disk_gb = DEFAULT_DISK_GB if autopilot else pool.disk.size_gb
    known = facts.topologies(machine.name) if is_tpu else {}
    return PlannedPool(
        name=name,
        config=pool,
        machine=machine,
        zone=pool.zone or zone,
        host=Host(machine, facts.allocatable(machine.name, disk_gb, threads)),
        autopilot=autopilot,
        topology=known.get(pool.topology or ""),
        prefix=prefix,
    )
