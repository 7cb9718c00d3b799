"""A stack whose workloads may wait in Kueue's queues."""

from collections.abc import Iterator

from stacks.blocks.gpu_stack import GpuStack
from stacks.blocks.kueue import Kueue
from stacks.blocks.pools import NodePool
from stacks.problems import Problem
from stacks.quotas import FlavorNodes, Quota, quotas
from stacks.rules.queues import kueue_problems, pool_problems


class QueueStack(GpuStack, frozen=True):
    """Without `kueue` nothing queues."""

    kueue: Kueue | None = None

    @property
    def namespaces(self) -> tuple[str, ...]:
        """What the stack makes, its own first; the default one is there in every cluster."""
        own = () if self.kueue is None else self.kueue.namespaces
        return tuple(dict.fromkeys((self.namespace, *own, "default")))

    @property
    def flavor_nodes(self) -> dict[str, FlavorNodes]:
        """The nodes of each flavor, as far as its pool is known."""
        if self.kueue is None:
            return {}
        pools = {**self.pools, **self.accelerated}
        found: dict[str, FlavorNodes] = {}
        for name, flavor in self.kueue.flavors.items():
            field = flavor.pool or self.gpu_field
            if field in pools:
                pool = pools[field]
                count = pool.bounds.max if isinstance(pool, NodePool) else pool.nodes
                found[name] = FlavorNodes(field, self.host_of(pool), count)
        return found

    @property
    def quotas(self) -> dict[str, dict[str, Quota]]:
        """Each queue's quota of each flavor, by resource."""
        return {} if self.kueue is None else quotas(self.kueue, self.flavor_nodes)

    def rules(self) -> Iterator[Problem]:
        yield from super().rules()
        if self.kueue is None or not self.knows_machines:
            return
        others = [it for it in {**self.pools, **self.accelerated} if it != self.gpu_field]
        broken = tuple(pool_problems(self.kueue, [*others, self.gpu_field]))
        yield from broken
        yield from kueue_problems(
            self.facts,
            self.kueue,
            nodes={} if broken else self.flavor_nodes,
            namespaces=self.namespaces,
        )
