"""The autoscaler's word on pods that no new node would take, as an event of the pod."""

from __future__ import annotations

from collections.abc import Mapping

from kube.objects import JsonObject, name_of, namespace_of
from sandbox.kube.store import Store
from sandbox.live_kube.api import Api

_REASON = "NotTriggerScaleUp"


class ScaleEvents:
    """Tells each pod once, and again when the reason changes."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._told: dict[str, str] = {}

    def tell(self, store: Store, waiting: Mapping[str, str], now: str) -> None:
        """`waiting` has reasons by namespace/name."""
        told: dict[str, str] = {}
        for key, why in waiting.items():
            namespace, _, name = key.partition("/")
            pod = store.get("v1", "Pod", namespace, name)
            if pod is None:
                continue
            uid = pod["metadata"]["uid"]
            told[uid] = why
            if self._told.get(uid) != why:
                self._api.apply(_event(pod, why, now))
        self._told = told


def _event(pod: JsonObject, why: str, now: str) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": f"{name_of(pod)}.not-trigger-scale-up",
            "namespace": namespace_of(pod),
        },
        "involvedObject": {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": name_of(pod),
            "namespace": namespace_of(pod),
            "uid": pod["metadata"]["uid"],
        },
        "type": "Normal",
        "reason": _REASON,
        "message": f"pod didn't trigger scale-up: {why}",
        "source": {"component": "cluster-autoscaler"},
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
    }
