"""Until when machines stay that are had for a time alone: flex-start's own, and those that a queued
request got. Pure.

Source: GKE documentation, "About GPU, TPU, and H4D provisioning with flex-start provisioning mode":
a node runs for `maxRunDuration` at the most, and a request's nodes for its `maxRunDurationSeconds`,
by default seven days. What a request's conditions mean: kubernetes/autoscaler cluster-autoscaler
apis/provisioningrequest/autoscaling.x-k8s.io/v1/types.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from aistack.status.pools import nodes_in, pool_name
from aistack.status.snapshot import Snapshot
from kube.jobs import condition
from kube.objects import JsonObject, dig, name_of, namespace_of
from kube.reading import moment, whole
from stacks.refusal import NODE_POOL

_LONGEST = timedelta(days=7)
_MOST_SECONDS = 100 * 365 * 24 * 3600


@dataclass(frozen=True, kw_only=True)
class Lease:
    """The first machine `of` a pool or a request goes then at the latest, whatever runs on it."""

    of: str
    until: datetime


def leases(it: Snapshot) -> Sequence[Lease]:
    """The one that ends first comes first."""
    return sorted((*_of_pools(it), *_of_requests(it)), key=lambda lease: lease.until)


def _of_pools(it: Snapshot) -> Iterator[Lease]:
    for pool in it.made(NODE_POOL):
        said = str(dig(pool.inputs, "nodeConfig", "maxRunDuration")).removesuffix("s")
        name = pool_name(pool)
        made = [moment(node["metadata"]["creationTimestamp"]) for node in nodes_in(it, name)]
        if made and (seconds := _seconds(said)):
            yield Lease(of=f"pool {name}", until=min(made) + timedelta(seconds=seconds))


def _of_requests(it: Snapshot) -> Iterator[Lease]:
    for request in it.requests:
        got = condition(request, "Provisioned")
        if got is not None and not condition(request, "CapacityRevoked"):
            name = f"{namespace_of(request)}/{name_of(request)}"
            since = moment(got["lastTransitionTime"])
            yield Lease(of=f"request {name}", until=since + _longest(request))


def _longest(request: JsonObject) -> timedelta:
    seconds = _seconds(dig(request, "spec", "parameters", "maxRunDurationSeconds"))
    return timedelta(seconds=seconds) if seconds else _LONGEST


def _seconds(said: object) -> int:
    """Of what is no longer than a calendar, for anybody may write a request."""
    return min(whole(said), _MOST_SECONDS)
