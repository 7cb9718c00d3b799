"""The nodes of flavors, quotas from those, and how long Kueue waits. No Pulumi import.

Amounts are in millicores of CPU, MiB of memory and of ephemeral storage, and numbers of GPUs and
of TPU chips.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from components.base.naming import NameKind, cloud_name
from components.base.pod_manifest import GPU, TPU, accelerator_taint, accelerator_toleration
from components.base.taints import toleration
from components.queues.manifest import READY_MINUTES as LEAST_MINUTES
from components.queues.provisioning_manifest import QUEUED_TAINT, QUEUED_TOLERATION
from components.ray.manifest import READY_MINUTES
from stacks.parts.jobs.config import Job
from stacks.parts.jobs.script import Script
from stacks.parts.pools.config import FlexStart
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.queues.config import Amounts, StackQueues
from stacks.parts.queues.unqueued import NOTHING, Quota, Unqueued
from stacks.parts.ray.config import StackRayCluster
from stacks.parts.servers.config import ModelServer

# As long as a flex-start machine may run; for how long one may be waited for Google does not say.
_FLEX_START_MINUTES = 7 * 24 * 60
ACCELERATORS = (GPU, TPU)


@dataclass(frozen=True)
class Resource:
    """What Kubernetes calls a field of a config's amounts, the field's unit in ours, and the noun
    for what it counts."""

    name: str
    unit: int
    noun: str

    def shown(self, amount: int) -> str:
        """Never more than there is: rounded down to what the config's unit can say."""
        return f"{amount / self.unit:.12g}" if self.name == "cpu" else str(amount // self.unit)


RESOURCES = {
    "cpu": Resource("cpu", 1000, "CPUs"),
    "memory_gib": Resource("memory", 1024, "GiB of memory"),
    "gpus": Resource(GPU, 1, "GPUs"),
    "chips": Resource(TPU, 1, "TPU chips"),
    "ephemeral_storage_gib": Resource("ephemeral-storage", 1024, "GiB of ephemeral storage"),
}


@dataclass(frozen=True)
class PlannedQueues:
    """`default_pool` is that of flavors which name none; `waiting` are minutes that what the stack
    itself puts into queues may take to be ready, by its field; `teams` are namespaces, too.
    `unqueued` is what the stack runs on each pool past the queues."""

    config: StackQueues
    pools: Mapping[str, PlannedPool]
    default_pool: str
    namespace: str
    waiting: Mapping[str, int]
    teams: tuple[str, ...] = ()
    unqueued: Mapping[str, Unqueued] = field(default_factory=dict[str, Unqueued])

    @property
    def namespaces(self) -> tuple[str, ...]:
        """What the stack makes, its own first; the default one is there in every cluster."""
        return tuple(
            dict.fromkeys((self.namespace, *self.config.namespaces, *self.teams, "default"))
        )

    @cached_property
    def flavors(self) -> dict[str, PlannedPool]:
        """The pool of each flavor whose pool there is."""
        named = {name: it.pool or self.default_pool for name, it in self.config.flavors.items()}
        return {name: self.pools[pool] for name, pool in named.items() if pool in self.pools}

    def taints(self, flavor: str) -> list[dict[str, str]]:
        """Taints for which Kueue asks before it admits a workload to a flavor: either the workload
        tolerates them or the flavor adds the toleration.

        Of the taints on nodes Kueue knows only those of the flavor (kubernetes-sigs/kueue v0.19.2
        pkg/scheduler/flavorassigner/flavorassigner.go, checkFlavorForPodSets). Two of them get no
        toleration. Machines of a queued pool come only for pods that request a GPU (the
        `managedResources` of the ProvisioningRequestConfig:
        pkg/controller/admissionchecks/provisioning/controller.go, reqIsNeeded), so other pods would
        wait there for ever. Arm nodes run no image that was built for amd64."""
        pool = self.flavors[flavor]
        return [
            *([QUEUED_TAINT] if pool.queued else []),
            *([accelerator_taint(pool.accelerator)] if pool.accelerator and pool.queued else []),
            *({"key": it.key, "value": it.value, "effect": it.effect} for it in pool.tolerated),
        ]

    def tolerations(self, flavor: str) -> list[dict[str, str]]:
        """Tolerations that Kueue adds to the pods which it admits to a flavor, so that they start
        on its nodes.

        GKE taints nodes with accelerators, and Kubernetes adds the toleration to pods that request
        one and to no others (kubernetes/kubernetes plugin/pkg/admission/extendedresourcetoleration,
        v1.35.4)."""
        pool = self.flavors[flavor]
        accelerator = pool.accelerator
        return [
            *([QUEUED_TOLERATION] if pool.queued else []),
            *([accelerator_toleration(accelerator)] if accelerator and not pool.queued else []),
            *map(toleration, pool.taints),
        ]

    @property
    def sound(self) -> bool:
        """Whether every flavor and every cluster queue that is named is there, and each flavor has
        a pool of its own. Of others no quotas are known."""
        kueue = self.config
        flavors = {it for queue in kueue.cluster_queues.values() for it in queue.flavors}
        behind = {it.cluster_queue for it in kueue.local_queues}
        pools = {it.name for it in self.flavors.values()}
        there = flavors <= kueue.flavors.keys() and behind <= kueue.cluster_queues.keys()
        return there and len(pools) == len(kueue.flavors)

    @cached_property
    def quotas(self) -> dict[str, dict[str, Quota]]:
        """Each queue's quota of each flavor, by resource."""
        return quotas(self.config, self.flavors, self.unqueued)

    @cached_property
    def accelerators(self) -> frozenset[str]:
        """GPUs and TPU chips that some queue gives out, by their resource; none where the quotas
        are not known."""
        shares = (
            [quota for has in self.quotas.values() for quota in has.values()] if self.sound else []
        )
        return frozenset(it for it in (GPU, TPU) if any(quota.get(it) for quota in shares))

    def quotas_on(self, pool: str) -> dict[str, Quota]:
        """Of each queue that gives out the pool its quota there, which is what pods on the pool's
        nodes can get."""
        own = self._flavors_of(pool)
        return {
            queue: quota
            for queue, has in self.quotas.items()
            for flavor, quota in has.items()
            if flavor in own
        }

    def cluster_queue(self, queue: str) -> str | None:
        """What is behind a LocalQueue of the stack's namespace."""
        doors = [it for it in self.config.local_queues if it.name == queue]
        here = (it.cluster_queue for it in doors if it.namespace in (None, self.namespace))
        return next(here, None)

    def given_out(self, queue: str) -> dict[str, Quota]:
        """What a LocalQueue of the stack's namespace has of each pool, in the order in which Kueue
        tries them; nothing of one that there is not."""
        behind = self.cluster_queue(queue)
        has = {} if behind is None else self.quotas[behind]
        return {self.flavors[flavor].name: quota for flavor, quota in has.items()}

    def asks_for(self, pool: str) -> bool:
        """Whether every queue that gives out the pool has a check, by which Kueue asks for its
        machines, and there is one."""
        own, kueue = self._flavors_of(pool), self.config
        queues = [it for name, it in kueue.cluster_queues.items() if own & {*kueue.shares(name)}]
        return bool(queues) and all(it.admission_checks for it in queues)

    def _flavors_of(self, pool: str) -> set[str]:
        return {name for name, it in self.flavors.items() if it.name == pool}

    @property
    def needed_minutes(self) -> dict[str, int]:
        """How long pods may take to be ready, by the field that says so."""
        flex = [it for it in self.flavors.values() if isinstance(it.config.capacity, FlexStart)]
        machines = {f"{it.field}.capacity.mode": _FLEX_START_MINUTES for it in flex}
        return {**self.waiting, **machines}

    @property
    def least_minutes(self) -> int:
        return max((LEAST_MINUTES, *self.needed_minutes.values()))

    @property
    def ready_minutes(self) -> int:
        """How long Kueue leaves to what it has admitted."""
        asked = self.config.ready_minutes
        return self.least_minutes if asked is None else asked


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


def guard_name(stack: str) -> str:
    """Name of the policy that keeps the work of teams in their queues, which is the cluster's."""
    return cloud_name(NameKind.KUBERNETES, stack, "queue-guard")


def capacity_of(pool: PlannedPool) -> Quota:
    """What the most nodes that a pool can have leave to pods."""
    node = pool.host.node
    each = {
        "cpu": node.cpu_millicores,
        "memory": node.memory_mib,
        **{kind: node.accelerators if kind == pool.accelerator else 0 for kind in ACCELERATORS},
        "ephemeral-storage": node.ephemeral_storage_mib,
    }
    return {resource: amount * pool.bounds.max for resource, amount in each.items()}


def stated(amounts: Amounts) -> Quota:
    """What the config says of each resource."""
    said = {it.name: (getattr(amounts, field), it.unit) for field, it in RESOURCES.items()}
    return {name: round(it * unit) for name, (it, unit) in said.items() if it is not None}


def flavors_in_order(kueue: StackQueues, pools: Mapping[str, PlannedPool], queue: str) -> list[str]:
    """Flavors of a queue in the order in which Kueue tries them: the config's `order`, then flavors
    without accelerators, so that work which asks for none goes there while those have room."""
    shares, order = kueue.shares(queue), kueue.cluster_queues[queue].order
    first = [it for it in dict.fromkeys(order) if it in shares]

    def accelerated(flavor: str) -> bool:
        return flavor in pools and pools[flavor].accelerator is not None

    rest = sorted(shares.keys() - {*first}, key=lambda it: (accelerated(it), it))
    return [*first, *rest]


def left_of(pool: PlannedPool, unqueued: Mapping[str, Unqueued]) -> Quota:
    """What queues can give out of a pool: its capacity, less what the stack runs there without a
    queue."""
    taken = unqueued.get(pool.name, NOTHING).amounts
    return {name: max(0, it - taken.get(name, 0)) for name, it in capacity_of(pool).items()}


def quotas(
    kueue: StackQueues,
    pools: Mapping[str, PlannedPool],
    unqueued: Mapping[str, Unqueued] | None = None,
) -> dict[str, dict[str, Quota]]:
    """Each queue's quota of each of its flavors, by resource: what it says, else an even share of
    what the queues that say how much leave of what can be given out. `pools` are the flavors'."""
    found: dict[str, dict[str, Quota]] = {
        queue: {flavor: {} for flavor in flavors_in_order(kueue, pools, queue)}
        for queue in kueue.cluster_queues
    }
    for flavor, pool in pools.items():
        said = {
            queue: stated(kueue.shares(queue)[flavor])
            for queue in kueue.cluster_queues
            if flavor in found[queue]
        }
        for resource, capacity in left_of(pool, unqueued or {}).items():
            left = max(0, capacity - sum(it.get(resource, 0) for it in said.values()))
            sharing = sum(resource not in it for it in said.values())
            unit = unit_of(pool, resource)
            shares = _even_shares(left, sharing, unit)
            for queue, own in said.items():
                found[queue][flavor][resource] = own[resource] if resource in own else next(shares)
    return found


def unit_of(pool: PlannedPool, resource: str) -> int:
    """The least of a resource that a workload can use: of chips that several hosts have, a slice,
    whose hosts are one unit (GKE documentation, "About TPUs in GKE")."""
    topology = pool.topology
    if resource != TPU or topology is None or topology.hosts == 1:
        return 1
    return topology.chips


def _even_shares(amount: int, shares: int, unit: int) -> Iterator[int]:
    """Whole units each, where units are more than one. Of others what cannot be shared is left."""
    for place in range(shares):
        more = unit > 1 and place < amount // unit % shares
        yield (amount // unit // shares + more) * unit
