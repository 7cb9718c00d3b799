"""Statuses that rules wrote into a store, sent to the API server where they differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kube.objects import JsonObject, Ref, maps
from sandbox.gke.agent.live import Live
from sandbox.kube.store import Store
from sandbox.live_kube.api import Api, Kind

_WHEN = "lastTransitionTime"


def send_statuses(api: Api, live: Live, store: Store, kinds: tuple[Kind, ...], now: str) -> None:
    """`now` is the time of what has changed."""
    for kind in kinds:
        for obj in live.objects(kind):
            decided = store.find(Ref.of(obj))
            before = obj.get("status") or {}
            if decided is None or obj["metadata"].get("deletionTimestamp"):
                continue
            if (status := dated(decided.get("status") or {}, before, now)) != before:
                live.put(api.patch(obj, {"status": status}, "status"))


def dated(status: Mapping[str, Any], before: Mapping[str, Any], now: str) -> JsonObject:
    """A status whose conditions say since when they hold."""
    known = {each["type"]: each for each in maps(before.get("conditions"))}
    conditions: list[JsonObject] = []
    for each in maps(status.get("conditions")):
        old = known.get(each["type"], {})
        since = old.get(_WHEN) if old.get("status") == each["status"] else None
        conditions.append({**each, _WHEN: since or now})
    return {**status, **({"conditions": conditions} if conditions else {})}
