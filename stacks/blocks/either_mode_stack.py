"""A stack that works on a Standard cluster and on Autopilot."""

from collections.abc import Iterable

from stacks.blocks.gpu_stack import GpuStack
from stacks.blocks.pools import CpuPool, GpuPool, NodePool, Nodes
from stacks.problems import Problem
from stacks.rules.cluster_mode import autopilot_problems, standard_problems


class EitherModeStack(GpuStack, frozen=True):
    """A Standard cluster takes `gpu_pool` and maybe `cpu_pool`, Autopilot takes `gpu_nodes`."""

    cpu_pool: CpuPool | None = None
    gpu_pool: GpuPool | None = None
    gpu_nodes: Nodes | None = None

    @property
    def pools(self) -> dict[str, NodePool]:
        if self.gpu_pool is None:
            return {}
        cpu = self.cpu_pool or CpuPool()
        return {"cpu_pool": cpu, "gpu_pool": self.gpu_pool, **self.extra_pools}

    @property
    def gpu_hosts(self) -> Nodes:
        hosts = self.gpu_nodes if self.autopilot else self.gpu_pool
        # The mode's rules ask for it before anything else does.
        assert hosts is not None
        return hosts

    def mode_rules(self) -> Iterable[Problem]:
        return autopilot_problems(self) if self.autopilot else standard_problems(self)
