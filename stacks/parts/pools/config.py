"""Nodes: pools of a Standard cluster, and on Autopilot what pods ask for; and the six ways to have
machines. No Pulumi import."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from catalog import DiskType, GpuDriver
from catalog.spot_notice import Notice
from stacks.problems import ForeignKeysError
from stacks.types import (
    Block,
    DiskGb,
    DiskImageName,
    FlagName,
    FlagValue,
    LeastNodes,
    MachineTypeName,
    Moment,
    NodeCount,
    PodsPerNode,
    ProjectId,
    ReservationPart,
    RunHours,
    SliceNumbers,
    TopologyName,
    Zone,
)

_OF_A_RESERVATION = frozenset({"name", "project", "block", "sub_block", "reservation"})


class _WithoutReservation(Block, frozen=True):
    @model_validator(mode="before")
    @classmethod
    def _takes_no_reservation(cls, value: Any) -> Any:
        given: dict[str, Any] = value if isinstance(value, dict) else {}
        if foreign := sorted(_OF_A_RESERVATION & given.keys()):
            keys = " and ".join(foreign)
            raise ForeignKeysError(
                foreign,
                f"{given.get('mode')} machines never come from a reservation, so {keys} cannot "
                f"stand here; nearest: mode: reservation, or no {keys}",
            )
        return value


class OnDemand(_WithoutReservation, frozen=True):
    """At the list price, if Google has some."""

    mode: Literal["on-demand"] = "on-demand"
    """The way to have machines."""


class Spot(_WithoutReservation, frozen=True):
    """Cheaper, and taken away whenever Google wants it back."""

    mode: Literal["spot"] = "spot"
    """The way to have machines."""
    grace_seconds: Notice | None = None
    """Seconds from Google's notice to the node's end; by default 120 for new pools with
    accelerators on Standard from GKE 1.35 on."""


class SpecificReservation(Block, frozen=True):
    """Machines that were paid for beforehand.

    Given, `zone` and `machine_type` are held against the stack's before anything is made.
    """

    mode: Literal["reservation"]
    """The way to have machines."""
    name: ReservationPart
    """The reservation's name."""
    project: ProjectId | None = None
    """Its owner's project, where it is shared."""
    block: ReservationPart | None = None
    """One block of the reservation."""
    sub_block: ReservationPart | None = None
    """One sub-block of that block."""
    zone: Zone | None = None
    """Where the reservation says that it is."""
    machine_type: MachineTypeName | None = None
    """What the reservation says that it holds."""
    ends: Moment | None = None
    """When a reservation of calendar mode ends, an RFC 3339 time."""


class AnyReservation(_WithoutReservation, frozen=True):
    """Whatever open reservation fits, and on-demand machines when none does."""

    mode: Literal["any-reservation"]
    """The way to have machines."""


class FlexStart(_WithoutReservation, frozen=True):
    """Machines come when there are any, each for at most `max_run_hours`."""

    mode: Literal["flex-start"]
    """The way to have machines."""
    max_run_hours: RunHours = 168
    """Hours after which a machine goes."""


class Queued(_WithoutReservation, frozen=True):
    """Flex-start for all machines of a workload at once, as its provisioning request asks."""

    mode: Literal["queued"]
    """The way to have machines."""
    max_run_hours: RunHours = 168
    """Hours after which a machine goes."""


Capacity = Annotated[
    OnDemand | Spot | SpecificReservation | AnyReservation | FlexStart | Queued,
    Field(discriminator="mode"),
]


class Autoscaling(Block, frozen=True):
    """Bounds of a pool that scales."""

    min: LeastNodes
    """Fewest nodes."""
    max: NodeCount
    """Most nodes."""


class Disk(Block, frozen=True):
    """Boot disk of a node."""

    size_gb: DiskGb = 100
    """Size in GB."""
    type: DiskType | None = None
    """Kind of disk; by default what the machine type boots from best."""


class LibtpuFlag(Block, frozen=True):
    """A flag of libtpu's."""

    name: FlagName
    """Begins with `xla_` or `megascale_`."""
    value: FlagValue | None = None
    """Left out, the flag is switched on."""

    @property
    def argument(self) -> str:
        return f"--{self.name}" if self.value is None else f"--{self.name}={self.value}"


# Overlaps communication between chips with computing: the scenario's recipe for v6e, but for fused
# collectives, which libtpu 0.0.46 refuses to compile with these there and on v5p (train_compile;
# AI-Hypercomputer/maxdiffusion turns them off on v6e for it).
DEFAULT_FLAGS = tuple(
    LibtpuFlag(name=name, value=value)
    for name, value in (
        ("xla_tpu_scoped_vmem_limit_kib", "122880"),
        ("xla_tpu_use_minor_sharding_for_major_trivial_input", "true"),
        ("xla_tpu_relayout_group_size_threshold_for_reduce_scatter", "1"),
        ("xla_tpu_assign_all_reduce_scatter_layout", None),
        ("xla_tpu_enable_async_collective_fusion", "false"),
        ("xla_tpu_overlap_compute_collective_tc", "true"),
        ("xla_enable_async_all_gather", "true"),
    )
)


class Taint(Block, frozen=True):
    """Keeps pods away that do not tolerate it; those of this stack do."""

    key: str
    """Key of the taint."""
    value: str = ""
    """Value of the taint."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = "NoSchedule"
    """What happens to pods that do not tolerate it."""


When = Literal["early", "just-in-time"]


class Pool(Block, frozen=True):
    """Machines of one type, with GPUs, TPUs or neither. Those with TPUs come in whole slices of one
    `topology`, and take no `nodes`."""

    machine_type: MachineTypeName
    """A machine type that the zone offers."""
    nodes: NodeCount | None = None
    """Machines; some capacity modes have none until pods are pending."""
    zone: Zone | None = None
    """Zone of the nodes; by default the stack's."""
    capacity: Capacity = OnDemand()
    """How the machines are had."""
    autoscaling: Autoscaling | None = None
    """Bounds between which GKE adds nodes for pending pods."""
    disk: Disk = Disk()
    """Boot disk of each node."""
    secondary_boot_disk: DiskImageName | None = None
    """A disk image with the pool's container images, for a disk on each node: `global/images/NAME`,
    or `projects/PROJECT/global/images/NAME`. Only in Standard clusters."""
    max_pods_per_node: PodsPerNode = 110
    """Most pods on a node."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Kubernetes labels of the nodes."""
    taints: tuple[Taint, ...] = ()
    """Kubernetes taints of the nodes, which the stack's work tolerates."""
    driver_version: GpuDriver = GpuDriver.LATEST
    """NVIDIA driver that GKE installs; with `disabled` somebody else does, with `operator` NVIDIA's
    GPU Operator. Only with GPUs."""
    interfaces: Literal["managed", "own", "none"] | None = None
    """Networks of further interfaces; by default `managed` where GKE has it and nothing else has
    its own."""
    gpus_by: Literal["device-plugin", "claim"] = "device-plugin"
    """How pods get GPUs; by `claim` 1, 2 or 4 come with the interfaces beside them."""
    when: When = "early"
    """When machines are taken: once the cluster stands, or once all else that their work needs is
    there; only with accelerators."""
    compact_placement: bool = False
    """Nodes close together, all from one zone; only with GPUs, and for H4D."""
    topology: TopologyName | None = None
    """Shape of a slice; only with TPUs."""
    slices: SliceNumbers | None = None
    """How many slices, or a list of their numbers from 0; only with TPUs."""
    threads_per_core: Literal[1, 2] = 1
    """With 1 a node has half its vCPUs."""
    libtpu_flags: tuple[LibtpuFlag, ...] | None = None
    """Flags of libtpu and Megascale; by default those for v6e, on TPU7x none."""


# Where the cluster's own pods run, in a Standard cluster whose stack names no such pool; two nodes,
# so that an upgrade leaves one.
CPU_POOL = "cpu"
DEFAULT_CPU_POOL = Pool(machine_type="e2-standard-4", nodes=2)
