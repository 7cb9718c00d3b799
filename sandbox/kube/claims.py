"""Devices that pods claim: the claims that are made of templates, and what they wait for.

As in Kubernetes' resource claim controller, each pod has claims of its own, which go with it.
What a pod waits for: kubernetes/kubernetes pkg/controller/resourceclaim/controller.go:633 and
pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go:599, v1.35.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube.names import chart_name
from kube.objects import DeviceRequest, JsonObject, Node, dig, maps, name_of, namespace_of
from sandbox.kube.pods import FINISHED, phase, suffix
from sandbox.kube.store import Store

API = "resource.k8s.io/v1"
# The classes that GKE's DRANET brings, by the kind of interface.
DEVICE_CLASSES = {"gvnic": "netdev.google.com", "rdma": "mrdma.google.com"}
# Those of NVIDIA's own driver, by which pods claim GPUs.
GPU_CLASS = "gpu.nvidia.com"
# A channel of an NVLink domain, one a node (its deviceclass-compute-domain-default-channel.yaml).
CHANNEL_CLASS = "compute-domain-default-channel.nvidia.com"
GPU_CLAIMS_CHART = "dra-driver-nvidia-gpu"
_Claim = Mapping[str, Any]


def make_claims(store: Store, nodes: Sequence[Node]) -> None:
    """A ResourceClaim for each template that a pod names and that is there."""
    del nodes
    for pod in store.all("Pod"):
        if phase(pod) in FINISHED:
            continue
        for claim in _of_templates(pod):
            template = _template(store, pod, claim)
            if template is not None and _made(store, pod, claim) is None:
                store.add(_claim(pod, claim, template), owner=pod)


def devices_claimed(store: Store, pod: Mapping[str, Any]) -> tuple[DeviceRequest, ...]:
    made = [_made(store, pod, claim) for claim in _of_templates(pod)]
    requests = [
        request["exactly"]
        for claim in made
        for request in maps(dig(claim, "spec", "devices", "requests"))
    ]
    return tuple(
        DeviceRequest(
            device_class=request["deviceClassName"],
            count=request["count"] if request["allocationMode"] == "ExactCount" else None,
        )
        for request in requests
    )


def waits_for_claims(store: Store, pod: Mapping[str, Any]) -> Iterator[str]:
    for claim in maps(pod["spec"].get("resourceClaims")):
        if name := claim.get("resourceClaimName"):
            yield f'resourceclaim.resource.k8s.io "{name}" not found'
        elif _made(store, pod, claim) is None:
            name = claim["resourceClaimTemplateName"]
            yield (
                f'PodResourceClaim {claim["name"]}: resource claim template "{name}": '
                f'resourceclaimtemplate.resource.k8s.io "{name}" not found'
            )
    there = {*DEVICE_CLASSES.values(), *_brought_classes(store)}
    for request in devices_claimed(store, pod):
        if request.device_class not in there:
            yield f"device class {request.device_class} does not exist"


def _brought_classes(store: Store) -> Iterator[str]:
    """By the chart of NVIDIA's driver, as its values say."""
    for each in store.all("Release"):
        if chart_name(each["spec"]["chart"]) == GPU_CLAIMS_CHART:
            yield from classes_of(each["spec"].get("values") or {})


def classes_of(values: Mapping[str, Any]) -> list[str]:
    """What pods may claim where the chart has these values."""
    of = {"gpus": GPU_CLASS, "computeDomains": CHANNEL_CLASS}
    return [it for part, it in of.items() if dig(values, "resources", part, "enabled") is not False]


def _of_templates(pod: Mapping[str, Any]) -> list[JsonObject]:
    claims = maps(pod["spec"].get("resourceClaims"))
    return [claim for claim in claims if claim.get("resourceClaimTemplateName")]


def _template(store: Store, pod: Mapping[str, Any], claim: _Claim) -> JsonObject | None:
    name = claim["resourceClaimTemplateName"]
    return store.get(API, "ResourceClaimTemplate", namespace_of(pod), name)


def _made(store: Store, pod: Mapping[str, Any], claim: _Claim) -> JsonObject | None:
    return store.get(API, "ResourceClaim", namespace_of(pod), _name(pod, claim))


def _name(pod: Mapping[str, Any], claim: _Claim) -> str:
    own, name = name_of(pod), claim["name"]
    return f"{own}-{name}-{suffix(namespace_of(pod), own, name)}"


def _claim(pod: JsonObject, claim: _Claim, template: JsonObject) -> JsonObject:
    return {
        "apiVersion": API,
        "kind": "ResourceClaim",
        "metadata": {"name": _name(pod, claim), "namespace": namespace_of(pod)},
        "spec": template["spec"]["spec"],
    }
