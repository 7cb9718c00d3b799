"""Quotas from pools, and how long Kueue waits. No Pulumi import."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from components.ray_manifest import READY_MINUTES
from stacks.parts.jobs.config import Job
from stacks.parts.jobs.script.config import Script
from stacks.parts.pools.nodes import Nodes
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.queues.config import StackQueues
from stacks.parts.queues.quotas import FlavorNodes, Quota, quotas
from stacks.parts.queues.readiness_rules import least_minutes, waiting_minutes
from stacks.parts.ray.config import StackRayCluster
from stacks.parts.servers.config import ModelServer


@dataclass(frozen=True)
class PlannedQueues:
    """`default_pool` is that of flavors which name none; `waiting` are minutes that what the stack
    itself puts into queues may take to be ready, by its field; `teams` are namespaces, too."""

    config: StackQueues
    pools: Mapping[str, PlannedPool]
    default_pool: str
    namespace: str
    waiting: Mapping[str, int]
    teams: tuple[str, ...] = ()

    @property
    def namespaces(self) -> tuple[str, ...]:
        """What the stack makes, its own first; the default one is there in every cluster."""
        return tuple(
            dict.fromkeys((self.namespace, *self.config.namespaces, *self.teams, "default"))
        )

    def pool_of(self, flavor: str) -> PlannedPool:
        return self.pools[self.config.flavors[flavor].pool or self.default_pool]

    @cached_property
    def flavor_nodes(self) -> dict[str, FlavorNodes]:
        """The nodes of each flavor whose pool there is."""
        found: dict[str, FlavorNodes] = {}
        for name, flavor in self.config.flavors.items():
            pool = self.pools.get(flavor.pool or self.default_pool)
            if pool is not None:
                found[name] = FlavorNodes(pool.name, pool.host, pool.bounds.max)
        return found

    @property
    def sound(self) -> bool:
        """Whether every flavor and every cluster queue that is named is there, and each flavor has
        a pool of its own. Of others no quotas are known."""
        kueue = self.config
        flavors = {it for queue in kueue.cluster_queues.values() for it in queue.flavors}
        behind = {it.cluster_queue for it in kueue.local_queues}
        pools = {it.field for it in self.flavor_nodes.values()}
        there = flavors <= kueue.flavors.keys() and behind <= kueue.cluster_queues.keys()
        return there and len(pools) == len(kueue.flavors)

    @property
    def flavor_pools(self) -> dict[str, Nodes]:
        return {name: self.pools[it.field].as_nodes for name, it in self.flavor_nodes.items()}

    @cached_property
    def quotas(self) -> dict[str, dict[str, Quota]]:
        """Each queue's quota of each flavor, by resource."""
        return quotas(self.config, self.flavor_nodes)

    def quotas_on(self, pool: str) -> dict[str, dict[str, Quota]]:
        """Those of the pool's flavor alone, which is what pods on its nodes can get."""
        own = self._flavors_of(pool)
        return {
            queue: {flavor: quota for flavor, quota in has.items() if flavor in own}
            for queue, has in self.quotas.items()
        }

    def asks_for(self, pool: str) -> bool:
        """Whether every queue that gives out the pool has a check, by which Kueue asks for its
        machines, and there is one."""
        own, kueue = self._flavors_of(pool), self.config
        queues = [it for name, it in kueue.cluster_queues.items() if own & {*kueue.shares(name)}]
        return bool(queues) and all(it.admission_checks for it in queues)

    def _flavors_of(self, pool: str) -> set[str]:
        return {name for name, it in self.flavor_nodes.items() if it.field == pool}

    @property
    def needed_minutes(self) -> dict[str, int]:
        pools = {self.pools[it.field].field: it.field for it in self.flavor_nodes.values()}
        capacities = {field: self.pools[name].config.capacity for field, name in pools.items()}
        return {**self.waiting, **waiting_minutes(capacities)}

    @property
    def ready_minutes(self) -> int:
        """How long Kueue leaves to what it has admitted."""
        asked = self.config.ready_minutes
        return least_minutes(self.needed_minutes) if asked is None else asked


def queued_minutes(
    ray: Mapping[str, StackRayCluster],
    servers: Mapping[str, ModelServer],
    jobs: Mapping[str, Job],
) -> dict[str, int]:
    """How long what waits in queues may take to be ready, by the field that says so."""
    scripts = {name: it for name, it in jobs.items() if isinstance(it, Script)}
    return {
        **{f"jobs.{name}.queue": READY_MINUTES for name, it in scripts.items() if it.queue},
        **{f"ray.{name}.queue": READY_MINUTES for name, it in ray.items() if it.queue},
        **{f"servers.{name}.minutes": it.minutes for name, it in servers.items() if it.queue},
    }
