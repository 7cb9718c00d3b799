"""Spot machines that Google has taken back: the node pools without nodes, by a fault rule."""

from __future__ import annotations

from cli.errors import UserError
from sandbox.cloud.kinds.pools import POOL
from sandbox.cloud.resource import Resource
from sandbox.cloud.view import View
from sandbox.faults import Preempt


def preempted_pools(cloud: View, rules: list[Preempt]) -> list[str]:
    """Ids of the pools that the rules name.

    Raises UserError for a rule that names no pool, or one whose machines cannot be taken back.
    """
    pools = list(cloud.find(POOL))
    found: set[str] = set()
    for rule in rules:
        hit = [pool for pool in pools if rule.hits(pool["name"], _cluster_name(pool))]
        fixed = [pool["name"] for pool in hit if not _is_spot(pool)]
        if not hit or fixed:
            spot = ", ".join(sorted(pool["name"] for pool in pools if _is_spot(pool)))
            why = f"{', '.join(fixed)} is not spot" if fixed else "there is no such node pool"
            raise UserError(
                f'--fault: preempt: pool "{rule.pool}" of cluster "{rule.cluster}": {why}; '
                f"nearest: {spot or 'none, no spot pool is up'}"
            )
        found |= {pool.id for pool in hit}
    return sorted(found)


def _is_spot(pool: Resource) -> bool:
    return bool((pool["nodeConfig"] or {}).get("spot"))


def _cluster_name(pool: Resource) -> str:
    return pool.id.split("/clusters/")[1].split("/")[0]
