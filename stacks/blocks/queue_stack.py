"""A stack whose workloads may wait in Kueue's queues."""

from collections.abc import Iterator

from stacks.blocks.gpu_stack import GpuStack
from stacks.blocks.kueue import Kueue
from stacks.blocks.pools import NodePool, Nodes
from stacks.problems import Problem
from stacks.quotas import FlavorNodes, Quota, quotas
from stacks.rules.queue_nodes import check_problems, topology_problems
from stacks.rules.queues import kueue_problems, pool_problems
from stacks.rules.readiness import least_minutes, readiness_problems, waiting_minutes


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
    def flavor_pools(self) -> dict[str, Nodes]:
        """The config of each flavor's nodes."""
        pools = {**self.pools, **self.accelerated}
        return {flavor: pools[it.field] for flavor, it in self.flavor_nodes.items()}

    @property
    def quotas(self) -> dict[str, dict[str, Quota]]:
        """Each queue's quota of each flavor, by resource."""
        return {} if self.kueue is None else quotas(self.kueue, self.flavor_nodes)

    @property
    def queued_minutes(self) -> dict[str, int]:
        """How long what the stack itself puts into queues may take to be ready, by its field."""
        return {}

    @property
    def ready_minutes(self) -> int:
        """How long Kueue leaves to what it has admitted."""
        asked = None if self.kueue is None else self.kueue.ready_minutes
        return least_minutes(self._needed_minutes) if asked is None else asked

    @property
    def _needed_minutes(self) -> dict[str, int]:
        pools = self.flavor_pools
        nodes = self.flavor_nodes.items()
        return {
            **self.queued_minutes,
            **waiting_minutes({it.field: pools[flavor].capacity for flavor, it in nodes}),
        }

    def rules(self) -> Iterator[Problem]:
        yield from super().rules()
        if self.kueue is None or not self.knows_machines:
            return
        others = [it for it in {**self.pools, **self.accelerated} if it != self.gpu_field]
        broken = tuple(pool_problems(self.kueue, [*others, self.gpu_field]))
        yield from broken
        yield from readiness_problems(self.kueue.ready_minutes, self._needed_minutes)
        yield from kueue_problems(
            self.facts,
            self.kueue,
            nodes={} if broken else self.flavor_nodes,
            namespaces=self.namespaces,
        )
        named = {flavor for it in self.kueue.cluster_queues.values() for flavor in it.flavors}
        if not broken and named <= self.kueue.flavors.keys():
            yield from self._node_problems(self.kueue)

    def _node_problems(self, kueue: Kueue) -> Iterator[Problem]:
        pools = self.flavor_pools
        yield from check_problems(kueue, pools)
        machines = {it: self.facts.machine(pool.machine_type) for it, pool in pools.items()}
        yield from topology_problems(kueue, pools, machines)
