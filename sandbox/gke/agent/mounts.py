"""Pods that kwok leaves alone: those with claims until the storage behind their volumes answers,
and those with GPUs until their node has a driver that runs their image."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from kube.objects import JsonObject, dig, labels_of, maps, name_of
from sandbox.gke.agent.live import Live
from sandbox.gke.agent.machines import NODE, is_machine, read
from sandbox.gke.gpu_drivers import crashes, needs
from sandbox.kube.pods import why_pending
from sandbox.kube.volumes import claim_names, unmountable
from sandbox.live_kube.api import Api, Kind

# sandbox/control_plane/data/kwok.yaml, pod-ready.
WAITS = "mounts.gke.sandbox/wait"
CLAIM: Kind = ("v1", "PersistentVolumeClaim")
VOLUME: Kind = ("v1", "PersistentVolume")


def waiting(pod: JsonObject) -> JsonObject:
    """The pod as it is admitted."""
    spec = pod["spec"]
    if not claim_names(spec) and not any(needs(it) for it in maps(spec.get("containers"))):
        return pod
    labels = {**labels_of(pod), WAITS: "true"}
    return {**pod, "metadata": {**pod["metadata"], "labels": labels}}


def mount(api: Api, live: Live, why_not: Callable[[Mapping[str, Any]], str]) -> None:
    """Let go of the pods whose volumes can be mounted and whose images run; the others say why
    not."""
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
    drivers = {name_of(it): read(it).driver for it in live.objects(NODE) if is_machine(it)}
    for pod in held:
        driver = drivers.get(pod["spec"]["nodeName"], 0)
        why = next(chain(unmountable(store, pod), crashes(pod["spec"], driver)), "")
        if why != why_pending(pod):
            pod = api.patch(pod, {"status": {"message": why or None}}, "status")
        if not why:
            pod = api.patch(pod, {"metadata": {"labels": {WAITS: None}}})
        live.put(pod)
