"""RayClusters without a job of the stack whose workers' nodes are made anew: what people run there
stops, and no agreement is asked for it. With a job the stack says it of the job."""

from collections.abc import Iterator, Mapping
from typing import Any

import pulumi

from catalog.durations import Durations
from stacks.parts.pools.plan import PlannedPool
from stacks.plan import Plan
from stacks.refusal import NODE_POOL, renews_nodes
from stacks.warned_steps import warn_of


def install(plan: Plan) -> None:
    """Has `preview` and `up` say it."""

    def lost(args: pulumi.ResourceHookArgs) -> str | None:
        return warning(plan, args.type, args.name, args.old_inputs or {}, args.new_inputs or {})

    warn_of("lost-workers", "before_update", (NODE_POOL,), lost)


def warning(
    plan: Plan, token: str, name: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> str | None:
    """What to say of an update; None where no workers lose their nodes by it."""
    pool = next((it for it in plan.pools.values() if it.has(name)), None)
    if pool is None or not renews_nodes(token, old, new):
        return None
    clusters = sorted(_idle_on(plan, pool))
    takes = Durations.load().renewal(token, new)
    if not clusters or takes is None:
        return None
    many = len(clusters) > 1
    lose = "RayClusters {} lose their" if many else "RayCluster {} loses its"
    return (
        f"{pool.field}: GKE makes the nodes of {name} anew, one after the other, in "
        f"{_long(takes.low)} to {_long(takes.high)}. {lose.format(', '.join(clusters))} workers on "
        "them, and what people run there loses what it has in memory. To keep it: a second pool "
        "beside this one, and this one away once its work has ended"
    )


def _idle_on(plan: Plan, pool: PlannedPool) -> Iterator[str]:
    for ray in plan.ray.values():
        on_it = any(it.field == pool.field for group in ray.groups.values() for it in group.pools)
        if on_it and not ray.jobs:
            yield ray.name


def _long(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.0f} h"
