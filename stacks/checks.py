"""What is wrong between the parts of a stack. No Pulumi import."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from catalog import Catalog
from stacks.object_names import name_problems
from stacks.parts.buckets import rules as buckets
from stacks.parts.cluster import rules as cluster
from stacks.parts.cluster.rules import cluster_problems
from stacks.parts.jobs import rules as jobs
from stacks.parts.lustre import rules as lustre
from stacks.parts.network import rules as network
from stacks.parts.pools import room
from stacks.parts.pools import rules as pools
from stacks.parts.queues import rules as queues
from stacks.parts.ray import rules as ray
from stacks.parts.redis import rules as redis
from stacks.parts.servers import rules as servers
from stacks.parts.teams import rules as teams
from stacks.plan import Plan
from stacks.problems import Problem, problem_of
from stacks.stack import Stack

# What names another part, or a fact, that everything else is derived from.
REFERENCES: tuple[Callable[[Stack, Catalog], Iterator[Problem]], ...] = (
    pools.references,
    ray.references,
    jobs.references,
    servers.references,
    lustre.references,
)
RULES: tuple[Callable[[Plan], Iterator[Problem]], ...] = (
    *pools.RULES,
    *network.RULES,
    *cluster.RULES,
    *lustre.RULES,
    *buckets.RULES,
    *ray.RULES,
    *redis.RULES,
    *jobs.RULES,
    *servers.RULES,
    *queues.RULES,
    *teams.RULES,
    room.room_problems,
    name_problems,
)


def _cluster(workers: str, *, redis: bool) -> dict[str, Any]:
    """A RayCluster that fits any node."""
    pod = {"requests": {"cpu": 1, "memory_gib": 1}}
    return {"head": {**pod, "redis": redis}, "workers": {workers: pod}}


# What stands in for a part that cannot be read: several, of which rules say different things.
STAND_INS: Mapping[str, tuple[Any, ...]] = {
    "pools": (
        {"machine_type": "g2-standard-8", "nodes": 1},
        {"machine_type": "ct6e-standard-4t", "topology": "2x2", "slices": 1},
        {"machine_type": "e2-standard-4", "nodes": 1},
    ),
    "lustre": (
        {"name": "lustre", "capacity_gib": 9000, "throughput_mbps_per_tib": 1000},
        {"name": "lustre", "capacity_gib": 18000, "throughput_mbps_per_tib": 500},
    ),
    "buckets": ({},),
    "redis": ({},),
    "ray": (_cluster("cpu", redis=False), _cluster("gpu", redis=True)),
}


def references_of(stack: Stack) -> Iterator[Problem]:
    """Names that lead nowhere. Of a config with any there is no plan."""
    plan = Plan(stack)
    if not _unknown(plan):
        for check in REFERENCES:
            yield from check(stack, plan.facts)


def problems_of(stack: Stack, now: datetime | None = None) -> Iterator[Problem]:
    """Each once, of a config whose names all lead somewhere; `now` is what a maintenance window is
    held against."""
    yield from cluster_problems(stack.cluster, now or datetime.now(UTC))
    plan = Plan(stack)
    unknown = _unknown(plan)
    # Without facts nothing more is known.
    yield from unknown or dict.fromkeys(one for rule in RULES for one in rule(plan))


def _unknown(plan: Plan) -> list[Problem]:
    """What is wrong with the catalog's additions."""
    return problem_of("catalog", lambda: plan.facts)
