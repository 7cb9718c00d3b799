"""Which pools can come just in time. No Pulumi import."""

from collections.abc import Iterator

from stacks.parts.pools.plan import PlannedPool
from stacks.plan import Plan
from stacks.problems import Problem


def late_problems(plan: Plan) -> Iterator[Problem]:
    """Of Autopilot the rules of its mode speak."""
    for pool in plan.pools.values():
        if pool.late and not plan.autopilot and (why := _why_not(pool)):
            yield Problem(f"{pool.field}.when", f"{why}; nearest: early")


def _why_not(pool: PlannedPool) -> str | None:
    if pool.kind == "cpu":
        return (
            f"{pool.machine.name} has no accelerators, and what those with some would wait for "
            "runs on such nodes"
        )
    if pool.from_zero:
        return (
            f"{pool.config.capacity.mode} machines with {pool.kind.upper()}s come when pods ask "
            "for them, and none is paid for before"
        )
    return None
