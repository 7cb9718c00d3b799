"""A stack with GPU nodes, and the rules between its parts."""

from abc import abstractmethod
from collections.abc import Iterator
from functools import cached_property

from pydantic import Field

from catalog import Allocatable, Interface, MachineType, NcclStack
from stacks.blocks.capacity import Queued
from stacks.blocks.cluster_stack import ClusterStack
from stacks.blocks.network import GpuNetwork
from stacks.blocks.pools import GpuPool, NodePool, Nodes
from stacks.problems import Problem, problem_of
from stacks.rules.placement import accelerator_problems, extra_pool_problems
from stacks.rules.ray_fit import Host
from stacks.rules.rdma import range_problems
from stacks.types import PoolKey


class GpuStack(ClusterStack, frozen=True):
    """`extra_gpu_pools` have more machines of `gpu_pool`'s type, had in other ways; workloads run
    on all of them."""

    network: GpuNetwork = GpuNetwork()
    extra_gpu_pools: dict[PoolKey, GpuPool] = Field(default_factory=dict)

    @property
    @abstractmethod
    def gpu_hosts(self) -> Nodes:
        """The nodes with GPUs, whoever makes them."""

    @property
    def gpu_field(self) -> str:
        return "gpu_nodes" if self.autopilot else "gpu_pool"

    @property
    def accelerated(self) -> dict[str, Nodes]:
        return {self.gpu_field: self.gpu_hosts}

    @property
    def queued(self) -> bool:
        """Whether machines come by a provisioning request, for all workers at once."""
        return isinstance(self.gpu_hosts.capacity, Queued)

    @property
    def extra_pools(self) -> dict[str, NodePool]:
        return {f"extra_gpu_pools.{key}": pool for key, pool in self.extra_gpu_pools.items()}

    @property
    def gpu_pools(self) -> dict[str, NodePool]:
        return {field: pool for field, pool in self.pools.items() if field != "cpu_pool"}

    @property
    def workers(self) -> int:
        """The GPU nodes that workloads have, with one worker of theirs on each."""
        pools = self.gpu_pools.values()
        return sum(pool.nodes for pool in pools) if pools else self.gpu_hosts.nodes

    @cached_property
    def gpu_machine(self) -> MachineType:
        return self.facts.machine(self.gpu_hosts.machine_type)

    @property
    def gpu_node(self) -> Allocatable:
        return self.left_on(self.gpu_hosts)

    @property
    def gpu_host(self) -> Host:
        return Host(self.gpu_machine, self.gpu_node)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        return self.gpu_machine.additional_interfaces

    def ranges(self) -> dict[str, str]:
        further = {"accelerators.range": self.network.accelerators.range}
        return {**super().ranges(), **(further if self.interfaces else {})}

    @property
    def nccl(self) -> NcclStack | None:
        return self.facts.nccl(self.gpu_machine.name)

    def features(self) -> tuple[str, ...]:
        return (*super().features(), *([] if self.nccl is None else [self.nccl.feature]))

    def rules(self) -> Iterator[Problem]:
        yield from super().rules()
        yield from accelerator_problems(
            self.facts, self.gpu_field, self.gpu_hosts, self.pools.get("cpu_pool")
        )
        for key, pool in self.extra_gpu_pools.items():
            yield from extra_pool_problems(f"extra_gpu_pools.{key}", pool, self.gpu_hosts)
        if not self.knows_machines:
            return
        yield from self._rdma_problems()

    def _rdma_problems(self) -> Iterator[Problem]:
        most = sum(pool.bounds.max for pool in self.gpu_pools.values()) or self.workers
        yield from range_problems(self.network.accelerators, self.gpu_machine, most)
        if self.nccl is not None and self.zone in self.facts.zones:
            machine = self.gpu_machine.name
            yield from problem_of("zone", lambda: self.facts.roce_profile(self.zone, machine))
