"""A few combinations in which every two blocks meet that can."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations as pairs
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.parts.combinations import combinations, put_right

# Another one draws other combinations.
SEED = int(os.environ.get("COMBINATIONS_SEED", "20261124"))
_DRAWN = 300


def drawn(count: int, strategy_seed: int = SEED) -> list[dict[str, Any]]:
    """The same raw configs for the same seed."""
    found: list[dict[str, Any]] = []

    @seed(strategy_seed)
    @settings(
        max_examples=count,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(combinations())
    def collect(raw: dict[str, Any]) -> None:
        found.append(raw)

    collect()
    return found


@cache
def covering(count: int) -> Sequence[dict[str, Any]]:
    """Legal configs: first those that bring most pairs of blocks together that none before had."""
    legal = _legal()
    wanted = [_pairs(it) for it in legal]
    chosen: list[dict[str, Any]] = []
    seen: set[tuple[str, str]] = set()
    left = set(range(len(legal)))
    while left and len(chosen) < count:
        best = max(left, key=lambda at: (len(wanted[at] - seen), -at))
        left.remove(best)
        seen |= wanted[best]
        chosen.append(legal[best])
    return chosen


def missed(count: int) -> set[tuple[str, str]]:
    """Pairs of blocks that only further ones have."""
    there = set[tuple[str, str]]().union(*map(_pairs, _legal()))
    return there.difference(*map(_pairs, covering(count)))


@cache
def _legal() -> Sequence[dict[str, Any]]:
    return [it[0] for raw in drawn(_DRAWN) if (it := put_right(raw)) and _can_be_tried(it[0])]


def _can_be_tried(raw: Mapping[str, Any]) -> bool:
    """The sandbox answers no admission checks of Kueue's."""
    return "admission_checks" not in raw.get("queues", {})


def blocks_of(raw: Mapping[str, Any]) -> frozenset[str]:
    """What a config has, by short names."""
    return frozenset(name for name, has in _BLOCKS.items() if has(raw)) | frozenset(_named(raw))


def _pairs(raw: Mapping[str, Any]) -> set[tuple[str, str]]:
    return set(pairs(sorted(blocks_of(raw)), 2))


_BLOCKS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "autopilot": lambda raw: raw.get("cluster", {}).get("mode") == "autopilot",
    "zonal": lambda raw: raw.get("cluster", {}).get("location") == "zonal",
    "helm": lambda raw: raw.get("cluster", {}).get("ray_operator") == "helm",
    "maintenance": lambda raw: "maintenance" in raw.get("cluster", {}),
    "namespace": lambda raw: "namespace" in raw,
    "network": lambda raw: "network" in raw,
    "lustre": lambda raw: "lustre" in raw,
    "redis": lambda raw: "redis" in raw,
    "one bucket": lambda raw: len(raw.get("buckets", {})) == 1,
    "two buckets": lambda raw: len(raw.get("buckets", {})) == 2,
    "lifecycle": lambda raw: any("lifecycle" in it for it in raw.get("buckets", {}).values()),
    "queues": lambda raw: "queues" in raw,
    "cohort": lambda raw: "spare" in raw.get("queues", {}).get("cluster_queues", {}),
    "one ray cluster": lambda raw: len(raw.get("ray", {})) == 1,
    "two ray clusters": lambda raw: len(raw.get("ray", {})) == 2,
}


def _named(raw: Mapping[str, Any]) -> Iterator[str]:
    for name, pool in raw["pools"].items():
        machine = pool["machine_type"]
        kind = "rdma" if machine.startswith(("a4", "a3-ultra")) else name[:3]
        yield f"{kind} pool"
        yield from (key for key in ("autoscaling", "taints", "labels", "topology") if key in pool)
        yield pool.get("capacity", {}).get("mode", "on-demand")
    for part in ("priorities", "workload_priorities", "topologies"):
        if part in raw.get("queues", {}):
            yield part
    for cluster in raw.get("ray", {}).values():
        groups = list(cluster["workers"].values())
        yield f"ray on {groups[0]['pools'][0][:3]}"
        yield from ["two groups"] * (len(groups) > 1)
        yield from ["two pools in a group"] * any(len(it["pools"]) > 1 for it in groups)
        yield from (f"ray {it}" for it in ("queue", "autoscaling", "nccl_test") if it in cluster)
    for job in raw.get("jobs", {}).values():
        yield job["type"]
    for server in raw.get("servers", {}).values():
        yield server["engine"]
        yield from (f"server {it}" for it in ("queue", "autoscaling") if it in server)
