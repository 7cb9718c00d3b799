"""Pods with claims: kwok leaves one alone until the storage behind its volumes answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sandbox.gke.agent.live import Live
from sandbox.kube.objects import JsonObject, dig, labels_of
from sandbox.kube.pods import why_pending
from sandbox.kube.volumes import claim_names, unmountable
from sandbox.live_kube.api import Api, Kind

# sandbox/control_plane/data/kwok.yaml, pod-ready.
WAITS = "mounts.gke.sandbox/wait"
CLAIM: Kind = ("v1", "PersistentVolumeClaim")
VOLUME: Kind = ("v1", "PersistentVolume")


def waiting(pod: JsonObject) -> JsonObject:
    """The pod as it is admitted."""
    if not claim_names(pod["spec"]):
        return pod
    labels = {**labels_of(pod), WAITS: "true"}
    return {**pod, "metadata": {**pod["metadata"], "labels": labels}}


def mount(api: Api, live: Live, why_not: Callable[[Mapping[str, Any]], str]) -> None:
    """Let go of the pods whose volumes can be mounted; the others say why theirs cannot."""
    held = [
        pod
        for pod in live.objects(("v1", "Pod"))
        if WAITS in labels_of(pod) and dig(pod, "spec", "nodeName")
    ]
    if not held:
        return
    live.refresh(CLAIM, VOLUME)
    store = live.store()
    store.mounts = why_not
    for pod in held:
        why = next(unmountable(store, pod), "")
        if why != why_pending(pod):
            pod = api.patch(pod, {"status": {"message": why or None}}, "status")
        if not why:
            pod = api.patch(pod, {"metadata": {"labels": {WAITS: None}}})
        live.put(pod)
