"""Additional pod networks: which are ready, what nodes offer of them, and which pods hold them.

What makes one Ready: kubernetes/cloud-provider-gcp, pkg/controller/gkenetworkparamset, commit
4e245312 of 2026-08-19. Left out, for no stack has them: attachments and secondary ranges that are
not there, and a device on the default VPC.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kube.objects import JsonObject, Node, annotations_of, dig, maps, name_of
from kube.pod_networks import networks_of
from sandbox.gke.pod_webhooks import NETWORK_RESOURCE
from sandbox.kube.pods import FINISHED, phase
from sandbox.kube.store import Store

Problem = tuple[str, str]
PARAMS_KIND = "GKENetworkParamSet"
GROUP = "networking.gke.io"
# What holds a parameter set for as long as a Network refers to it.
GNP_FINALIZER = f"{GROUP}/gnp-controller"
_API = f"{GROUP}/v1"
_DEFAULT_PODS = "110"


def params_problem(store: Store, params: Mapping[str, Any]) -> Problem | None:
    """Why a GKENetworkParamSet is not Ready, as reason and message."""
    spec = params["spec"]
    if problem := _combination_problem(spec):
        return problem
    for other in store.all(PARAMS_KIND):
        if name_of(other) == name_of(params):
            return None
        if spec.get("deviceMode") and other["spec"].get("vpcSubnet") == spec.get("vpcSubnet"):
            return "DeviceModeSubnetAlreadyInUse", (
                "GNP with deviceMode can't reference a subnet already in use. "
                f"Subnet '{spec['vpcSubnet']}' is already in use by '{name_of(other)}'"
            )
    return None


def _combination_problem(spec: JsonObject) -> Problem | None:
    """What may not stand together: validateFieldCombinations, and a subnetwork that is none."""
    mode, ranges = spec.get("deviceMode"), _range_names(spec)
    place = [spec.get(name) for name in ("vpc", "vpcSubnet")]
    if spec.get("networkAttachment"):
        if any(place) or mode or ranges:
            return "GNPConfigInvalid", (
                "When NetworkAttachment is specified, none of the following can be specified: "
                "(VPC, VPCSubnet, DeviceMode, PodIPv4Ranges)"
            )
        return None
    if not all(place):
        return "GNPConfigInvalid", "NetworkAttachment or (VPC + VPCSubnet) must be specified"
    if not ranges and not mode:
        return "SecondaryRangeAndDeviceModeUnspecified", (
            "One of PodIPV4Ranges or DeviceMode must be specified."
        )
    if ranges and mode:
        return "DeviceModeCantBeUsedWithSecondaryRange", (
            "PodIPv4Ranges and DeviceMode can not be specified at the same time"
        )
    if "/" in spec["vpcSubnet"]:
        return "SubnetNotFound", f"subnet: {spec['vpcSubnet']} not found in VPC: {spec['vpc']}"
    if "/" in spec["vpc"]:
        return "VPCNotFound", f"VPC: {spec['vpc']} not found"
    return None


def _range_names(spec: Mapping[str, Any]) -> list[str]:
    return dig(spec, "podIPv4Ranges", "rangeNames") or []


def network_problem(store: Store, network: Mapping[str, Any]) -> Problem | None:
    """Why the parameters of a Network are not ready, as reason and message."""
    wanted = params_of(network)
    if wanted is None:
        # No controller is known to make such a Network ready, and none is published for L2.
        return "ParamsNotReady", f"Network {name_of(network)} refers to no {PARAMS_KIND}"
    params = store.get(_API, PARAMS_KIND, "", wanted)
    if params is None:
        return "ParamsNotReady", f'gkenetworkparamsets.networking.gke.io "{wanted}" not found'
    if problem := params_problem(store, params):
        return "GNPParamsNotReady", f"{PARAMS_KIND} {wanted} is not Ready: {problem[1]}"
    first = users_of(store, params)[0]
    if name_of(first) != name_of(network):
        return "GNPParamsNotReady", f"{PARAMS_KIND} {wanted} is used by Network {name_of(first)}"
    spec, kind = params["spec"], network["spec"].get("type")
    if kind == "L3" and spec.get("vpc") and not _range_names(spec):
        return "L3SecondaryMissing", (
            "L3 type network referring to params with (VPC + VPCSUbnet) pair requires secondary "
            "range to be specified in params"
        )
    if kind != "L3" and spec.get("networkAttachment"):
        return "NetworkAttachmentUnsupported", (
            "NetworkAttachment is only allowed for L3 type networks."
        )
    if kind == "Device" and not spec.get("deviceMode"):
        return "DeviceModeMissing", (
            "Device type network requires device mode to be specified in params"
        )
    return None


def params_of(network: Mapping[str, Any]) -> str | None:
    """The parameter set of a Network; a reference to anything else is nobody's."""
    reference = dig(network, "spec", "parametersRef") or {}
    return reference["name"] if reference.get("kind", "").lower() == PARAMS_KIND.lower() else None


def not_ready(obj: Mapping[str, Any]) -> str:
    """The message of a Ready condition that is not met (a Network's or a GKENetworkParamSet's)."""
    conditions = maps(dig(obj, "status", "conditions"))
    bad = [each for each in conditions if each["type"] == "Ready" and each["status"] != "True"]
    return bad[0]["message"] if bad else ""


def users_of(store: Store, params: Mapping[str, Any]) -> list[JsonObject]:
    """The Networks that refer to a parameter set, oldest first."""
    return [network for network in store.all("Network") if params_of(network) == name_of(params)]


def networks_asked(state: JsonObject, pod: Mapping[str, Any]) -> list[tuple[str, str]]:
    """VPC and subnetwork of each additional network of a pod, in the order of its interfaces;
    `state` is the cluster's."""
    store = Store(state)
    found: list[tuple[str, str]] = []
    for name in networks_of(annotations_of(pod)):
        network = store.get(_API, "Network", "", name)
        params = params_of(network) if network else None
        behind = store.get(_API, PARAMS_KIND, "", params) if params else None
        if behind is not None:
            found.append((behind["spec"]["vpc"], behind["spec"]["vpcSubnet"]))
    return found


def pods_on(store: Store, network: Mapping[str, Any]) -> list[JsonObject]:
    """The pods that hold an interface of a Network."""
    return [
        pod
        for pod in store.all("Pod")
        if dig(pod, "spec", "nodeName")
        and phase(pod) not in FINISHED
        and name_of(network) in networks_of(annotations_of(pod))
    ]


def waits_for_networks(store: Store, pod: Mapping[str, Any]) -> Iterator[str]:
    for name in networks_of(annotations_of(pod)):
        network = store.get(_API, "Network", "", name)
        if network is None:
            yield f'networks.networking.gke.io "{name}" not found'
        elif why := not_ready(network):
            yield f'network "{name}" is not ready: {why}'


def with_networks(store: Store, nodes: Sequence[Node]) -> list[Node]:
    """Nodes with the resources that GKE's device plugin gives them: each interface is one device,
    and a network with addresses of its own takes as many pods as the node does."""
    networks = [network for network in store.all("Network") if not not_ready(network)]
    return [_offer(store, node, networks) if node.networks else node for node in nodes]


def _offer(store: Store, node: Node, networks: Sequence[JsonObject]) -> Node:
    offered: dict[str, str] = {}
    for network in networks:
        reference = params_of(network) or ""
        params = store.get(_API, PARAMS_KIND, "", reference) or {}
        place = (dig(params, "spec", "vpc"), dig(params, "spec", "vpcSubnet"))
        resource = NETWORK_RESOURCE + name_of(network)
        if not (count := node.networks.count(place)):
            continue
        if network["spec"].get("type") == "Device":
            offered |= {resource: str(count), f"{resource}.IP": str(count)}
        else:
            offered[f"{resource}.IP"] = node.allocatable.get("pods", _DEFAULT_PODS)
    return replace(node, allocatable={**node.allocatable, **offered})
