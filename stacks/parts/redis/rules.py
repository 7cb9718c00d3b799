"""A Redis that a Ray head can keep its state in, and a RayCluster that can go again. No Pulumi
import."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from stacks.parts.ray.plan import PlannedRay
from stacks.plan import Plan
from stacks.problems import Problem

# KubeRay has gcsFaultToleranceOptions from 1.3.0 on, which takes this Ray and newer ones (Ray
# documentation, "GCS fault tolerance in KubeRay", Prerequisites, and "KubeRay upgrade guide").
_OLDEST_RAY = "2.38.0"
# The LocalQueue of what names none (kubernetes-sigs/kueue v0.19.2
# pkg/controller/jobframework/defaults.go, setDefaultLocalQueue).
_EVERYBODYS = "default"


def use_problems(plan: Plan) -> Iterator[Problem]:
    """What is kept has a place, and the place is used."""
    kept = _kept(plan)
    for ray in kept if plan.stack.redis is None else ():
        yield Problem(
            f"{ray.field}.head.redis",
            "true, and the stack has no Redis; nearest: false, or redis: {} in the stack",
        )
    if plan.stack.redis is not None and not kept:
        near = next((f", or {it.field}.head.redis true" for it in plan.ray.values()), "")
        yield Problem("redis", f"no RayCluster keeps anything there; nearest: leave it out{near}")


def head_problems(plan: Plan) -> Iterator[Problem]:
    """A head can keep its state, and its RayCluster can go: only once a Job of KubeRay's has
    cleared Redis."""
    for ray in _kept(plan):
        field = f"{ray.field}.head.redis"
        queue = _queue(plan, ray)
        if queue is not None:
            # kubernetes-sigs/kueue pkg/controller/jobframework/reconciler.go:766, v0.19.2.
            yield Problem(
                field,
                f"Kueue would keep the Job that clears Redis suspended, and the RayCluster in the "
                f"queue {queue} could never go; nearest: false, or a RayCluster without a queue",
            )
        if plan.autopilot:
            # ray-project/kuberay issue 4721: it asks for 200m, and Autopilot for 250m or 500m.
            yield Problem(
                field,
                "Autopilot refuses the Job that clears Redis, for it asks for too little CPU, and "
                "the RayCluster could never go; nearest: false, or cluster.mode standard",
            )
        if _numbers(ray.version) < _numbers(_OLDEST_RAY):
            yield Problem(
                f"{ray.field}.version",
                f"KubeRay keeps the state of Ray {_OLDEST_RAY} and newer ones in Redis, not of "
                f"{ray.version}; nearest: {_OLDEST_RAY}, or {ray.field}.head.redis false",
            )


def range_problems(plan: Plan) -> Iterator[Problem]:
    """Beside a Lustre instance there is room in the range that both are in."""
    stack, block = plan.stack, IPv4Network(plan.stack.network.peering)
    # Of Redis a /29: SDK of pulumi-gcp 10.2.0, redis.Instance reservedIpRange, 2026-11-22.
    least = plan.facts.lustre.range_prefix_length - 1
    if stack.makes_peering and stack.makes_lustre and stack.redis and block.prefixlen > least:
        yield Problem(
            "network.peering",
            f"{block} is filled by Lustre, and Redis takes 8 addresses more; "
            f"nearest: {block.supernet(new_prefix=least)}",
        )


RULES = (use_problems, head_problems, range_problems)


def _kept(plan: Plan) -> list[PlannedRay]:
    """RayClusters whose heads keep what they know."""
    return [it for it in plan.ray.values() if it.config.head.redis]


def _queue(plan: Plan, ray: PlannedRay) -> str | None:
    queues = plan.queues
    given = queues is not None and queues.cluster_queue(_EVERYBODYS) is not None
    return ray.config.queue or (_EVERYBODYS if given else None)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
