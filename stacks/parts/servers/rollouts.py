"""How the pods of a changed server come: beside those before, or in their place. No Pulumi import.

What counts pods that are still ending differs. A Deployment makes the successor of a pod as soon as
that pod is to be deleted (kubernetes/kubernetes issue #107920), Kueue then gives its quota to the
successor (kubernetes-sigs/kueue v0.19.2 pkg/controller/jobframework/reconciler.go:306-322), and
kube-scheduler, which finds the node still taken, deletes pods of a lower priority on another one
rather than wait, where the successor's class lets it: a fine-tuning, for instance. Only a
Deployment that recreates waits until no pod of before is left (kubernetes/kubernetes v1.35
pkg/controller/deployment/recreate.go, oldPodsRunning).
"""

from math import ceil

from components.servers.manifest import Rollout
from stacks.parts.pools.config import SpecificReservation
from stacks.parts.pools.nodes import Amounts
from stacks.parts.pools.room import resident_fields
from stacks.parts.queues.config import StackQueues
from stacks.parts.servers.plan import PlannedServer
from stacks.plan import Plan


def rollout_of(plan: Plan, server: PlannedServer) -> Rollout:
    """As the config says, else beside those before where nothing bounds how many there may be."""
    asked = server.config.rollout
    surges = asked == "surge" if asked is not None else _is_unbounded(plan, server)
    if surges:
        return Rollout.SURGE
    preempts = may_preempt(plan.stack.queues, server.config.priority)
    return Rollout.RECREATE if preempts else Rollout.ONE_BY_ONE


def may_preempt(queues: StackQueues | None, priority: str | None) -> bool:
    """Whether kube-scheduler deletes pods of other classes of the stack for pods of this one."""
    classes = queues.priorities if queues else ()
    default = next((it for it in classes if it.default), None)
    own = next((it for it in classes if it.name == priority), default)
    value, preempts = (0, True) if own is None else (own.value, own.preempts)
    of_others = [it.value for it in classes] + ([0] if default is None else [])
    return preempts and any(it < value for it in of_others)


def most_nodes_needed(plan: Plan, server: PlannedServer) -> int:
    """Nodes of the pool that hold all servers there may be on it, and one of this more, wherever
    they are."""
    needed = 0
    for one in plan.servers.values():
        if one.pool.name == server.pool.name:
            pods = one.config.most + (one.name == server.name)
            needed += ceil(pods / max(1, Amounts.of_node(one.pool.host).holds(one.pod)))
    return needed


def shares_its_pool(plan: Plan, server: PlannedServer) -> bool:
    """Whether pods of something else than servers may be on nodes of the pool."""
    pool, servers = server.pool, {it.field for it in plan.servers.values()}
    given_out = plan.queues is not None and bool(plan.queues.quotas_on(pool.name))
    return given_out or not servers.issuperset(resident_fields(plan, pool))


def _is_unbounded(plan: Plan, server: PlannedServer) -> bool:
    pool = server.pool
    if server.config.queue is not None or isinstance(pool.config.capacity, SpecificReservation):
        return False
    # Before a node is made for it, a pod that may takes the node of another.
    if may_preempt(plan.stack.queues, server.config.priority) and shares_its_pool(plan, server):
        return False
    if plan.autopilot:
        return True
    room = most_nodes_needed(plan, server) <= pool.bounds.max
    return room and not shares_its_pool(plan, server)
