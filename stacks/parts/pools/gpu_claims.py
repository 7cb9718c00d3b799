"""How many GPUs each pod claims where it has them by claims. No Pulumi import."""

from dataclasses import dataclass

from stacks.plan import Plan

_SIZES = (1, 2, 4, 8)


@dataclass(frozen=True, kw_only=True)
class Claimed:
    """`gpus` of a pod; with `whole` they are all of every machine that such pods are on."""

    gpus: int
    whole: bool


def paired(plan: Plan) -> tuple[Claimed, ...]:
    """Of workers of Ray, of scripts and of servers; and what jobs may ask for that are submitted
    later."""
    groups = [group for ray in plan.ray.values() for group in ray.groups.values()]
    found = [(it.gpus, pool) for it in groups for pool in it.pools]
    pools = plan.gpu_pools.values()
    found += [(size, it) for it in pools for size in _SIZES if size <= it.accelerators]
    found += [(it.gpus, pool) for it in plan.scripts.values() for pool in it.pools]
    found += [(it.config.gpus, it.pool) for it in plan.servers.values()]
    here = [(gpus, pool.accelerators) for gpus, pool in found if gpus and pool.gpus_claimed]
    return tuple(
        Claimed(gpus=gpus, whole=all(has == gpus for other, has in here if other == gpus))
        for gpus in dict.fromkeys(gpus for gpus, _ in here)
    )
