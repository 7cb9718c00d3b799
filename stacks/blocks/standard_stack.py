"""A stack whose cluster is a Standard one, so that it makes its pools."""

from stacks.blocks.cluster import StandardCluster
from stacks.blocks.gpu_stack import GpuStack
from stacks.blocks.pools import CpuPool, GpuPool, NodePool, Nodes


class StandardStack(GpuStack, frozen=True):
    cluster: StandardCluster = StandardCluster()
    cpu_pool: CpuPool = CpuPool()
    gpu_pool: GpuPool

    @property
    def pools(self) -> dict[str, NodePool]:
        return {"cpu_pool": self.cpu_pool, "gpu_pool": self.gpu_pool, **self.extra_pools}

    @property
    def gpu_hosts(self) -> Nodes:
        return self.gpu_pool
