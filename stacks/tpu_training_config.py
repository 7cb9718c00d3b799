"""Config of a stack that trains with MaxText on TPU slices, to a bucket. No Pulumi import."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import ClassVar, Literal

from catalog import MachineType, Topology
from stacks.blocks.bucket import GcsFuseSidecar
from stacks.blocks.bucket_stack import BucketStack
from stacks.blocks.capacity import FlexStart, Queued
from stacks.blocks.maxtext_job import MaxTextJob
from stacks.blocks.network import DcnNetwork
from stacks.blocks.pools import Autoscaling, CpuPool, NodePool, Nodes
from stacks.blocks.ray_stack import RayStack
from stacks.blocks.tpu_slices import TpuSlices
from stacks.problems import Problem
from stacks.rules.maxtext import maxtext_problems
from stacks.rules.maxtext_memory import Chips, memory_problems
from stacks.rules.placement import idle_problems
from stacks.rules.ray_fit import Host, head_problems, worker_problems
from stacks.rules.tpu import dcn_problems, mode_problems, ray_problems, slice_problems

# Synthetic data, and a model that is trained from nothing.
REQUIRED_SECRETS: tuple[str, ...] = ()


class TpuTraining(BucketStack, RayStack, frozen=True):
    """TPU slices, networks between them, a bucket, Ray on all, and a MaxText training."""

    image: ClassVar[str] = "ray_tpu"

    kind: Literal["tpu-training"]
    network: DcnNetwork = DcnNetwork()
    cpu_pool: CpuPool | None = None
    tpu: TpuSlices
    job: MaxTextJob | None = None

    @cached_property
    def tpu_machine(self) -> MachineType:
        return self.facts.machine(self.tpu.machine_type)

    @property
    def topology(self) -> Topology:
        return self.facts.topology(self.tpu.machine_type, self.tpu.topology)

    @property
    def slices(self) -> int:
        return len(self.tpu.slices)

    @property
    def pools(self) -> dict[str, NodePool]:
        if self.autopilot:
            return {}
        return {"cpu_pool": self.cpu_pool or CpuPool(), "tpu": self._hosts}

    @property
    def accelerated(self) -> dict[str, Nodes]:
        return {"tpu": self._hosts}

    @property
    def claims(self) -> int:
        """Further interfaces of a worker; GKE's own profile gives it all that the machine has."""
        if self.autopilot:
            return len(self.tpu_machine.additional_interfaces)
        return len(self.network.dcn)

    @property
    def multi_networking(self) -> bool:
        return bool(self.network.dcn) and not self.autopilot

    @property
    def mount_limits(self) -> GcsFuseSidecar:
        """None but the config's own: the sidecar may take what it needs of nodes that have nothing
        else to do. Autopilot has every container limited."""
        asked = self.bucket.mount.sidecar
        if self.autopilot:
            return super().mount_limits
        unlimited = GcsFuseSidecar(cpu=0, memory_gib=0, ephemeral_storage_gib=0)
        return unlimited.model_copy(update=asked.model_dump(exclude_none=True))

    @property
    def run_name(self) -> str:
        assert self.job is not None
        return self.job.run_name or self.job.name

    @property
    def maxtext_version(self) -> str:
        released = self.facts.component("maxtext").version
        # The lock has a version for everything that GKE does not choose.
        assert released is not None
        return released

    def ranges(self) -> dict[str, str]:
        return super().ranges() if not self.autopilot else self.network.own_ranges()

    def features(self) -> tuple[str, ...]:
        claimed = [] if not self.claims else ["dranet_autopilot" if self.autopilot else "dranet"]
        return (*super().features(), *claimed)

    def mode_rules(self) -> Iterable[Problem]:
        return mode_problems(self)

    def rules(self) -> Iterator[Problem]:
        yield from super().rules()
        if not self.knows_machines:
            return
        broken = tuple(slice_problems(self.facts, self.tpu))
        yield from broken
        if broken:
            return
        if not self.autopilot:
            yield from dcn_problems(self.network, self.tpu_machine, self._hosts.nodes)
            yield from idle_problems(self.facts, self.pools["cpu_pool"])
        yield from ray_problems(self.ray, self.namespace)
        threads = 2 if self.autopilot else self.tpu.threads_per_core
        left = self.facts.allocatable(self.tpu.machine_type, self.tpu.disk.size_gb, threads)
        host = Host(self.tpu_machine, left)
        yield from worker_problems(self.ray, host, self.sidecar)
        yield from head_problems(self.ray, self.cpu_host, self.sidecar)
        if self.job is not None:
            yield from self._job_problems(self.job)

    def _job_problems(self, job: MaxTextJob) -> Iterator[Problem]:
        chips = self.topology.chips
        found = tuple(
            maxtext_problems(job, run_name=self.run_name, chips=chips, slices=self.slices)
        )
        yield from found
        # What a chip has to hold is not known where the cut is wrong.
        cut = any(it.field.startswith(("job.ici", "job.dcn")) for it in found)
        if not cut and (accelerator := self.tpu_machine.accelerator):
            there = Chips(chips, self.slices, accelerator.memory_gib)
            yield from memory_problems(self.facts.maxtext, job, there)

    @property
    def _hosts(self) -> NodePool:
        """The hosts of all slices, as one pool for the rules that count nodes."""
        known = self.facts.topologies(self.tpu.machine_type) if self.knows_tpus else {}
        hosts = known[self.tpu.topology].hosts if self.tpu.topology in known else 1
        nodes = hosts * self.slices
        waits = isinstance(self.tpu.capacity, FlexStart | Queued)
        # Together they may be more than one pool has.
        return NodePool.model_construct(
            machine_type=self.tpu.machine_type,
            nodes=nodes,
            autoscaling=Autoscaling.model_construct(min=0, max=nodes) if waits else None,
            capacity=self.tpu.capacity,
            disk=self.tpu.disk,
            max_pods_per_node=self.tpu.max_pods_per_node,
        )

    @property
    def knows_tpus(self) -> bool:
        return self.tpu.machine_type in self.facts.machines
