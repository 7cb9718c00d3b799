"""Pods: made from templates, placed on nodes, and running once what they refer to is there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sandbox.kube.objects import (
    JsonObject,
    Node,
    PodView,
    annotations_of,
    dig,
    labels_of,
    maps,
    name_of,
    namespace_of,
)
from sandbox.kube.scheduler import Candidate, place
from sandbox.kube.secrets import DIGESTS
from sandbox.kube.store import Store, owner_of
from sandbox.kube.volumes import claim_names, waits_because

# Kubernetes' own alphabet for generated names: no vowels, no look-alikes.
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
FINISHED = ("Succeeded", "Failed")
Missing = tuple[str, str]


def suffix(*parts: object, length: int = 5) -> str:
    """A stable stand-in for the random tail of generated names."""
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:length])


def template_hash(template: Mapping[str, Any]) -> str:
    return suffix(json.dumps(template, sort_keys=True), length=10)


def pod_from(
    template: Mapping[str, Any], *, name: str, namespace: str, labels: Mapping[str, str]
) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {**labels_of(template), **labels},
            "annotations": dict(annotations_of(template)),
        },
        "spec": {
            "restartPolicy": "Always",
            "serviceAccountName": "default",
            **dict(template["spec"]),
        },
    }


def keep_pods(store: Store, owner: JsonObject, wanted: Mapping[str, JsonObject]) -> None:
    """Makes the owner's pods those that are wanted, by name; finished ones stay for their owner."""
    for pod in store.owned_by(owner, "Pod"):
        if name_of(pod) not in wanted:
            store.remove(pod)
    for name, manifest in wanted.items():
        if store.get("v1", "Pod", namespace_of(owner), name) is None:
            store.add(manifest, owner=owner)


def phase(pod: Mapping[str, Any]) -> str:
    return dig(pod, "status", "phase") or "Pending"


def is_running(pod: Mapping[str, Any]) -> bool:
    return phase(pod) == "Running"


def why_pending(pod: Mapping[str, Any]) -> str:
    return dig(pod, "status", "message") or ""


def view(pod: Mapping[str, Any]) -> PodView:
    owner = owner_of(pod)
    return PodView(
        name=name_of(pod),
        namespace=namespace_of(pod),
        owner=f"{owner['kind']}/{owner['name']}" if owner else "",
        phase=phase(pod),
        node=dig(pod, "spec", "nodeName") or "",
        reason=why_pending(pod),
    )


def place_pods(store: Store, nodes: Sequence[Node]) -> None:
    alive = {
        f"{namespace_of(pod)}/{name_of(pod)}": pod
        for pod in store.all("Pod")
        if phase(pod) not in FINISHED
    }
    candidates = [
        Candidate(
            key=key,
            spec=pod["spec"],
            priority=store.priority(pod["spec"].get("priorityClassName")) or 0,
            node=dig(pod, "spec", "nodeName") or "",
            blocked=next(_blocks_scheduling(store, pod), ""),
        )
        for key, pod in alive.items()
    ]
    for key, spot in place(candidates, nodes).items():
        pod = alive[key]
        spec = {k: v for k, v in pod["spec"].items() if k != "nodeName"}
        if spot.node:
            spec["nodeName"] = spot.node
        moved = spec.get("nodeName") != pod["spec"].get("nodeName")
        pod = store.patch(pod, spec=spec)
        running = is_running(pod) and not moved
        store.patch(pod, status=_status(store, pod, spot.reason, running=running))


def _status(store: Store, pod: JsonObject, unplaced: str, *, running: bool) -> JsonObject:
    if unplaced:
        return {
            "phase": "Pending",
            "reason": "Unschedulable",
            "message": unplaced,
            "conditions": [_condition("PodScheduled", met=False), _condition("Ready", met=False)],
        }
    reason, message = ("", "") if running else next(_blocks_start(store, pod), ("", ""))
    status: JsonObject = {
        "phase": "Pending" if reason else "Running",
        "conditions": [_condition("PodScheduled"), _condition("Ready", met=not reason)],
    }
    return status | ({"reason": reason, "message": message} if reason else {})


def _condition(kind: str, *, met: bool = True) -> JsonObject:
    return {"type": kind, "status": "True" if met else "False"}


def _blocks_scheduling(store: Store, pod: JsonObject) -> Iterator[str]:
    spec, namespace = pod["spec"], namespace_of(pod)
    account = spec.get("serviceAccountName") or "default"
    if account != "default" and not store.get("v1", "ServiceAccount", namespace, account):
        yield (
            f"error looking up service account {namespace}/{account}: "
            f'serviceaccount "{account}" not found'
        )
    class_name = spec.get("priorityClassName")
    if store.priority(class_name) is None:
        yield f"no PriorityClass with name {class_name} was found"
    for name in claim_names(spec):
        claim = store.get("v1", "PersistentVolumeClaim", namespace, name)
        if claim is None:
            yield f'persistentvolumeclaim "{name}" not found'
        elif why := waits_because(store, claim):
            yield f'pod has unbound immediate PersistentVolumeClaims: "{name}": {why}'


def _blocks_start(store: Store, pod: JsonObject) -> Iterator[Missing]:
    namespace, spec = namespace_of(pod), pod["spec"]
    for volume in maps(spec.get("volumes")):
        for kind, name, keys, optional in _volume_references(volume):
            if why := _missing(store, kind, namespace, name, keys, optional=optional):
                text = f'MountVolume.SetUp failed for volume "{volume["name"]}" : {why}'
                yield "ContainerCreating", text
    for container in maps(spec.get("initContainers")) + maps(spec.get("containers")):
        for kind, name, keys, optional in _env_references(container):
            if why := _missing(store, kind, namespace, name, keys, optional=optional):
                yield "CreateContainerConfigError", f'container "{container["name"]}": {why}'


Reference = tuple[str, str, list[str], bool]


def _volume_references(volume: Mapping[str, Any]) -> Iterator[Reference]:
    sources = [volume, *maps(dig(volume, "projected", "sources"))]
    for source in sources:
        for field, kind in (("secret", "Secret"), ("configMap", "ConfigMap")):
            if reference := source.get(field):
                # A volume's own Secret is named by secretName, everywhere else it is name.
                name = reference.get("secretName") or reference.get("name") or ""
                keys = [item["key"] for item in maps(reference.get("items"))]
                yield kind, name, keys, bool(reference.get("optional"))


def _env_references(container: Mapping[str, Any]) -> Iterator[Reference]:
    for source in maps(container.get("envFrom")):
        for field, kind in (("secretRef", "Secret"), ("configMapRef", "ConfigMap")):
            if reference := source.get(field):
                yield kind, reference.get("name") or "", [], bool(reference.get("optional"))
    for variable in maps(container.get("env")):
        for field, kind in (("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap")):
            if reference := dig(variable, "valueFrom", field):
                optional = bool(reference.get("optional"))
                yield kind, reference.get("name") or "", [reference["key"]], optional


def _missing(
    store: Store, kind: str, namespace: str, name: str, keys: list[str], *, optional: bool
) -> str:
    if optional:
        return ""
    found = store.get("v1", kind, namespace, name)
    if found is None:
        return f'{kind.lower()} "{name}" not found'
    held = {*(found.get(DIGESTS) or {}), *(found.get("data") or {})}
    held |= {*(found.get("binaryData") or {})}
    lacking = [key for key in keys if key not in held]
    return f"couldn't find key {lacking[0]} in {kind} {namespace}/{name}" if lacking else ""
