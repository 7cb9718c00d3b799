"""What follows from the pools: machines, hosts, counts. No Pulumi import."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from catalog import Catalog, Interface, MachineType, NcclStack, Topology
from catalog.families import NvlinkDomain
from catalog.node_room import DEFAULT_DISK_GB
from components.base.naming import NameKind, cloud_name
from components.base.taints import NodeTaintArgs
from stacks.parts.pools.config import (
    CPU_POOL,
    DEFAULT_CPU_POOL,
    DEFAULT_FLAGS,
    Autoscaling,
    FlexStart,
    LibtpuFlag,
    Pool,
    Queued,
    Spot,
)
from stacks.parts.pools.nodes import Host

Kind = Literal["cpu", "gpu", "tpu"]
InterfaceMode = Literal["managed", "own", "none"]
# Under single pods on Autopilot: a machine for each, of a family with fast cores.
AUTOPILOT_CPU_FAMILY = "c2"


@dataclass(frozen=True, kw_only=True)
class PlannedPool:
    """A pool with what its machine is; `host` is one of its nodes with what it leaves to pods.

    `topology` is a TPU slice's, and `domain` what machines are one of whose GPUs speak NVLink to
    those of others. Onto `placed` nodes Kueue assigns pods by a topology, before the pods are
    pending. On Autopilot nodes come as pods ask for them.
    """

    name: str
    config: Pool
    machine: MachineType
    zone: str
    host: Host
    autopilot: bool
    topology: Topology | None = None
    domain: NvlinkDomain | None = None
    interface_mode: InterfaceMode = "none"
    placed: bool = False
    prefix: str = ""

    @property
    def pool_name(self) -> str:
        """GKE's name of the pool; in a cluster that others share it begins with the stack's."""
        return cloud_name(NameKind.NODE_POOL, f"{self.prefix}{self.name}", "pool")

    def slice_name(self, number: int) -> str:
        return cloud_name(NameKind.NODE_POOL, f"{self.prefix}{self.name}", str(number))

    def has(self, resource: str) -> bool:
        """Whether a NodePool of this logical name is its own, or was: slices come and go."""
        own = resource.removesuffix("-pool")
        whole, _, number = own.rpartition("-")
        return own == self.name or (
            self.kind == "tpu" and number.isdecimal() and whole == self.name
        )

    @property
    def field(self) -> str:
        return f"pools.{self.name}"

    @property
    def kind(self) -> Kind:
        return kind_of(self.machine)

    @property
    def under_single_pods(self) -> bool:
        """Whether the cluster's own pods may be at home there: a machine with further interfaces is
        for one computation."""
        return self.kind == "cpu" and not self.machine.additional_interfaces

    @property
    def accelerators(self) -> int:
        """GPUs or chips of a node."""
        return 0 if self.machine.accelerator is None else self.machine.accelerator.count

    @property
    def accelerator(self) -> str | None:
        """Extended resource that pods request for the accelerators of a node."""
        accelerator = self.machine.accelerator
        return None if accelerator is None else accelerator.resource

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
        least = 0 if self.from_zero else self.nodes
        fixed = Autoscaling.model_construct(min=least, max=self.nodes)
        return self.config.autoscaling or fixed

    @property
    def waits(self) -> bool:
        """Whether machines come when there is work for them."""
        return isinstance(self.config.capacity, FlexStart | Queued)

    @property
    def is_spot(self) -> bool:
        return isinstance(self.config.capacity, Spot)

    @property
    def from_zero(self) -> bool:
        """Whether the pool begins with no machines, and each comes when a pod is pending. A spot
        pool with accelerators that began with all of them would fail, and `up` with it, where one
        is out of stock."""
        spot = isinstance(self.config.capacity, Spot)
        return self.waits or (spot and self.kind != "cpu" and self.never_pending is None)

    @property
    def never_pending(self) -> str | None:
        """Why no pod for the pool is ever pending for its machines, so that the autoscaler would
        add none: the pool has a fixed number of them. Pods that claim GPUs need a PCIe root, which
        the autoscaler leaves empty for a machine that does not exist yet (GoogleCloudPlatform/
        cluster-autoscaler pkg/cloudprovider/gke/dynamicresources/network.go:102, 7d25050); pods
        with a topology are gated until Kueue has found their nodes (kubernetes-sigs/kueue
        pkg/cache/scheduler/tas_flavor_snapshot.go, ff69552e)."""
        if self.gpus_claimed:
            return "pods claim the GPUs, and the cluster autoscaler adds no machine for a claim"
        if self.placed and not self.queued:
            return "Kueue assigns pods to nodes that exist, and no pod is pending before that"
        return None

    @property
    def scales(self) -> bool:
        """Whether GKE's autoscaler changes the number of nodes."""
        return self.from_zero or self.config.autoscaling is not None

    @property
    def late(self) -> bool:
        """Whether it waits for what its work needs."""
        return self.config.when == "just-in-time"

    @property
    def queued(self) -> bool:
        """Whether machines come by a provisioning request, for all pods at once."""
        return isinstance(self.config.capacity, Queued)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The further interfaces of a node in networks of the stack's; those of TPUs, and where GKE
        makes the networks, are claimed."""
        own = self.kind != "tpu" and self.interface_mode == "own"
        return self.machine.additional_interfaces if own else ()

    @property
    def managed(self) -> bool:
        """Whether GKE makes the networks of the further interfaces."""
        return self.interface_mode == "managed"

    @property
    def gpus_claimed(self) -> bool:
        """Whether pods claim GPUs, with the interfaces beside them, and no device plug-in has
        any."""
        return self.kind == "gpu" and self.config.gpus_by == "claim"

    def claims(self, networks: int) -> int:
        """Interfaces that a pod claims which has a node alone; GKE's own profile gives the node all
        that the machine has. Those of GPUs are claimed where they speak RDMA; `networks` are the
        stack's own between TPU slices."""
        if self.managed:
            machine = self.machine
            return machine.rdma_nics if self.kind == "gpu" else len(machine.additional_interfaces)
        return networks if self.kind == "tpu" and self.interface_mode == "own" else 0

    @property
    def rdma(self) -> bool:
        """Whether pods can have interfaces by which GPUs speak RDMA."""
        return bool(self.machine.rdma_nics) and self.interface_mode != "none"

    def nccl(self, facts: Catalog) -> NcclStack | None:
        """What NCCL needs for these interfaces, if they speak RDMA."""
        return facts.nccl(self.machine.name) if self.rdma else None

    @property
    def flags(self) -> tuple[LibtpuFlag, ...]:
        """Of libtpu and Megascale. The defaults were found on v6e; of TPU7x, whose chips are two
        devices each, nobody has said that they help."""
        if self.config.libtpu_flags is not None:
            return self.config.libtpu_flags
        return () if self.machine.family == "tpu7x" else DEFAULT_FLAGS

    @property
    def taints(self) -> list[NodeTaintArgs]:
        return [
            NodeTaintArgs(key=it.key, value=it.value, effect=it.effect) for it in self.config.taints
        ]

    @property
    def tolerated(self) -> list[NodeTaintArgs]:
        """What pods for the pool do not mind: its taints, and GKE's own of an architecture that is
        not that of most nodes."""
        if self.domain is None:
            return self.taints
        own = NodeTaintArgs(
            key="kubernetes.io/arch", value=self.domain.architecture, effect="NoSchedule"
        )
        return [*self.taints, own]

    @property
    def keeps_away(self) -> bool:
        """Whether pods that do not tolerate the taints find no room there."""
        return any(it.effect != "PreferNoSchedule" for it in self.taints)


def least_host(pools: Sequence[PlannedPool]) -> Host:
    """Of pools with the machines of the first the one that leaves least to pods: disks may
    differ."""
    alike = [it.host for it in pools if it.machine.name == pools[0].machine.name]
    return min(alike, key=lambda it: it.node.ephemeral_storage_mib)


def kind_of(machine: MachineType) -> Kind:
    return "cpu" if machine.accelerator is None else machine.accelerator.kind


def planned_pools(
    pools: Mapping[str, Pool],
    facts: Catalog,
    modes: Mapping[str, InterfaceMode],
    *,
    zone: str,
    autopilot: bool,
    streaming: bool = False,
    placed: Collection[str] = (),
    prefix: str = "",
) -> dict[str, PlannedPool]:
    """By the user's names; a Standard cluster has a pool for single pods in any case. `streaming`
    is whether nodes may stream images, which takes memory of them; onto pools in `placed` Kueue
    assigns pods by a topology."""
    found = {
        name: replace(
            _planned(
                name,
                pool,
                facts,
                zone=zone,
                autopilot=autopilot,
                streaming=streaming,
                prefix=prefix,
            ),
            interface_mode=modes[name],
            placed=name in placed,
        )
        for name, pool in pools.items()
    }
    if autopilot or any(it.under_single_pods for it in found.values()):
        return found
    own = _planned(
        CPU_POOL,
        DEFAULT_CPU_POOL,
        facts,
        zone=zone,
        autopilot=False,
        streaming=streaming,
        prefix=prefix,
    )
    return {CPU_POOL: own, **found}


def autopilot_cpu_host(facts: Catalog) -> Host:
    """The largest node under single pods that Autopilot has."""
    family = [it for it in facts.machines.values() if it.family == AUTOPILOT_CPU_FAMILY]
    largest = max(family, key=lambda it: it.vcpus)
    return Host(largest, facts.allocatable(largest.name, image_streaming=True))


def _planned(
    name: str,
    pool: Pool,
    facts: Catalog,
    *,
    zone: str,
    autopilot: bool,
    streaming: bool,
    prefix: str,
) -> PlannedPool:
    machine = facts.machine(pool.machine_type)
    threads = pool.threads_per_core if kind_of(machine) == "tpu" and not autopilot else 2
    disk_gb = DEFAULT_DISK_GB if autopilot else pool.disk.size_gb
    room = facts.allocatable(
        machine.name,
        disk_gb,
        threads,
        max_pods=pool.max_pods_per_node,
        image_streaming=streaming or pool.secondary_boot_disk is not None,
    )
    return PlannedPool(
        name=name,
        config=pool,
        machine=machine,
        zone=pool.zone or zone,
        host=Host(machine, room),
        autopilot=autopilot,
        topology=facts.topologies(machine.name).get(pool.topology or ""),
        domain=facts.nvlink_domain(machine.name),
        prefix=prefix,
    )
