"""What is wrong between the parts of a stack. No Pulumi import."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from catalog import Catalog
from stacks.parts.buckets import rules as buckets
from stacks.parts.cluster import rules as cluster
from stacks.parts.jobs import rules as jobs
from stacks.parts.lustre import rules as lustre
from stacks.parts.network import rules as network
from stacks.parts.pools import rules as pools
from stacks.parts.queues import rules as queues
from stacks.parts.ray import rules as ray
from stacks.parts.servers import rules as servers
from stacks.plan import Plan
from stacks.problems import Problem, problem_of
from stacks.rules.cluster import cluster_problems
from stacks.stack import Stack

# What names another part, or a fact, that everything else is derived from.
REFERENCES: tuple[Callable[[Stack, Catalog], Iterator[Problem]], ...] = (
    pools.references,
    ray.references,
    jobs.references,
    servers.references,
)
RULES: tuple[Callable[[Plan], Iterator[Problem]], ...] = (
    *pools.RULES,
    *network.RULES,
    *cluster.RULES,
    *lustre.RULES,
    *buckets.RULES,
    *ray.RULES,
    *jobs.RULES,
    *servers.RULES,
    *queues.RULES,
)


def problems_of(stack: Stack, now: datetime | None = None) -> Iterator[Problem]:
    """Each once. Where something that others are derived from is not there, no more is said of
    those; `now` is what a maintenance window is held against."""
    yield from cluster_problems(stack.cluster, now or datetime.now(UTC))
    plan = Plan(stack)
    unknown = problem_of("catalog", lambda: plan.facts)
    yield from unknown
    if unknown:
        return
    broken = [one for check in REFERENCES for one in check(stack, plan.facts)]
    found = broken or [one for rule in RULES for one in rule(plan)]
    yield from dict.fromkeys(found)
