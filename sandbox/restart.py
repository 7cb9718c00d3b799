"""From a preemption to the next step of the training, by parts: what the cloud and the nodes do
when machines come back. The engine has no part in it.

How long Google has no machine is not said: it may be days. What a training computes again since its
last checkpoint is its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.durations import RAY_CLUSTER, Durations, is_awaited
from catalog.durations_table import Seconds
from cli.urns import name_of, token_of
from sandbox.image_pulls import DAEMON_SET, POOL, PULL, Ground, images_of

_RAY_JOB = "kubernetes:ray.io/v1:RayJob"


@dataclass(frozen=True)
class Part:
    """Of a restart; those that begin together have the same `starts_with`, and the slowest of them
    counts."""

    name: str
    starts_with: str
    seconds: Seconds


def restart_parts(
    resources: Iterable[Mapping[str, Any]], pool: str, durations: Durations
) -> list[Part]:
    """`resources` are of a stack that is up, `pool` is the logical name of the one whose machines
    went."""
    ground = Ground()
    known = {one["urn"]: one.get("inputs") or {} for one in resources}
    for urn, inputs in known.items():
        ground.learn(urn, inputs, made=False)
    (urn,) = (it for it in ground.pools if name_of(it) == pool)

    def seconds(token: str, operation: str, inputs: Mapping[str, Any]) -> Seconds:
        return durations.span(token, operation, inputs)

    parts = [Part("machines", "preemption", seconds(POOL, "create", known[urn]))]
    for one, inputs in known.items():
        if token_of(one) == DAEMON_SET and is_awaited(inputs):
            parts.append(Part(name_of(one), "machines", seconds(DAEMON_SET, "create", inputs)))
        if token_of(one) == RAY_CLUSTER:
            way = ground.way(images_of(inputs), [urn])
            parts.append(Part("image", "machines", seconds(PULL, "create", way)))
            parts.append(Part("Ray workers", "image", seconds(RAY_CLUSTER, "create", inputs)))
        if token_of(one) == _RAY_JOB:
            parts.append(Part("job", "Ray workers", seconds(_RAY_JOB, "create", inputs)))
    return parts


def total(parts: Iterable[Part]) -> float:
    """Likely seconds: of the parts that begin together the slowest."""
    slowest: dict[str, float] = {}
    for part in parts:
        start = part.starts_with
        slowest[start] = max(slowest.get(start, 0.0), part.seconds.likely)
    return sum(slowest.values())
