"""Rules for Network and GKENetworkParamSet of networking.gke.io/v1.

Fields are those of the published CRDs (GoogleCloudPlatform/gke-networking-api). Combinations of
fields are GKE's controller's (kubernetes/cloud-provider-gcp, gnpcontroller_validations.go), which
accepts such an object and never makes it Ready; here it is refused at once.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.kube.field_rules import Fields, ListOf, object_findings
from sandbox.kube.names import name_findings
from sandbox.kube.objects import JsonObject, dig, name_of

Finding = tuple[str, str]
PARAMS_KIND = "GKENetworkParamSet"
GROUP = "networking.gke.io"
# What holds a parameter set for as long as a Network refers to it.
GNP_FINALIZER = f"{GROUP}/gnp-controller"
_IPAM = "Internal|External"
_REFERENCE = Fields(
    {"group": "string", "kind": "string", "name": "string", "namespace": "string"},
    frozenset({"group", "kind", "name"}),
)
_NETWORK = Fields(
    {
        "IPAMMode": _IPAM,
        "IPAMMode6": _IPAM,
        "dnsConfig": Fields(
            {"nameservers": ListOf("string"), "searches": ListOf("string")},
            frozenset({"nameservers"}),
        ),
        "externalDHCP4": "boolean",
        "gateway4": "string",
        "gateway6": "string",
        "l2NetworkConfig": Fields({"prefixLength4": "integer", "vlanID": "integer"}),
        "networkLifecycle": "AnthosManaged|UserManaged",
        "nodeInterfaceMatcher": Fields({"interfaceName": "string"}),
        "parametersRef": _REFERENCE,
        "provider": "GKE",
        "routes": ListOf(Fields({"to": "string"}, frozenset({"to"}))),
        "stackType": "ipv4|ipv6|ipv4-ipv6",
        "type": "L2|L3|Device",
    },
    frozenset({"type"}),
)
_PARAMS = Fields(
    {
        "deviceMode": "DPDK-VFIO|NetDevice|RDMA",
        "networkAttachment": "string",
        "podIPv4Ranges": Fields({"rangeNames": ListOf("string")}, frozenset({"rangeNames"})),
        "vpc": "string",
        "vpcSubnet": "string",
    }
)
_SPECS = {"Network": _NETWORK, PARAMS_KIND: _PARAMS}


def network_findings(manifest: Mapping[str, Any]) -> list[Finding]:
    kind = manifest["kind"]
    found = [
        *name_findings(kind, name_of(manifest)),
        *object_findings(manifest, _SPECS[kind]),
    ]
    if found:
        return found
    return list((_network if kind == "Network" else _params)(manifest["spec"]))


def range_names(params_spec: Mapping[str, Any]) -> list[str]:
    return dig(params_spec, "podIPv4Ranges", "rangeNames") or []


def _network(spec: JsonObject) -> Iterator[Finding]:
    reference = spec.get("parametersRef")
    if reference is None:
        if spec["type"] != "L2":
            yield "spec.parametersRef", f"required value for a network of type {spec['type']}"
        return
    if reference["group"] != GROUP:
        yield "spec.parametersRef.group", f'"{reference["group"]}" must be {GROUP}'
    if reference["kind"].lower() != PARAMS_KIND.lower():
        yield "spec.parametersRef.kind", f'"{reference["kind"]}" must be {PARAMS_KIND}'
    if reference.get("namespace"):
        yield "spec.parametersRef.namespace", f"a {PARAMS_KIND} belongs to no namespace"


def _params(spec: JsonObject) -> Iterator[Finding]:
    ranges, mode = range_names(spec), spec.get("deviceMode")
    if spec.get("podIPv4Ranges") and not ranges:
        yield "spec.podIPv4Ranges.rangeNames", "must have at least 1 item"
        return
    given = [name for name in ("vpc", "vpcSubnet") if spec.get(name)]
    if spec.get("networkAttachment"):
        if given or mode or ranges:
            yield "spec.networkAttachment", "excludes vpc, vpcSubnet, deviceMode and podIPv4Ranges"
        return
    if len(given) < 2:
        yield "spec", "NetworkAttachment or (VPC + VPCSubnet) must be specified"
    for name in given:
        if "/" in spec[name]:
            short = spec[name].rpartition("/")[2]
            yield f"spec.{name}", f'"{spec[name]}" is a path, GKE looks up the name "{short}"'
    if mode and ranges:
        yield "spec", "PodIPv4Ranges and DeviceMode can not be specified at the same time"
    elif not mode and not ranges:
        yield "spec", "One of PodIPV4Ranges or DeviceMode must be specified."
