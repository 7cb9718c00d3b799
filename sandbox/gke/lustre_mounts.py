"""Why the nodes of a simulated cluster cannot mount a Managed Lustre instance.

Servers and clients speak on one port. Which: GoogleCloudPlatform/lustre-csi-driver 89f1eb73,
pkg/kmod_installer/kmod_installer.go and pkg/csi_driver/controller.go. What a failed mount says: its
docs/troubleshooting.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING, Any

from catalog import GkeVersion
from sandbox.cloud.kinds.firewall import Firewall
from sandbox.cloud.kinds.lustre import LustreInstance, address_of, port_of
from sandbox.cloud.kinds.network import find_network, on_network, refers
from sandbox.cloud.resource import Resource

if TYPE_CHECKING:
    from kube.objects import Mounts
    from sandbox.cloud.view import View


def lustre_mounts(cluster: Resource, cloud: View) -> Mounts:
    """Says why a PersistentVolume's `csi` source cannot be mounted; empty when it can."""

    def why_not(csi: Mapping[str, Any], /) -> str:
        if csi.get("driver") != cloud.catalog.lustre.csi_driver:
            return ""
        if not _addon(cluster).get("enabled"):
            return f"driver name {csi['driver']} not found in the list of registered CSI drivers"
        attributes: Mapping[str, str] = csi.get("volumeAttributes") or {}
        address, filesystem = attributes.get("ip", ""), attributes.get("filesystem", "")
        if reason := _unreachable(address, filesystem, cluster, cloud):
            return f'Could not mount "{address}@tcp:/{filesystem}": {reason}'
        return ""

    return why_not


def _unreachable(address: str, filesystem: str, cluster: Resource, cloud: View) -> str:
    network = find_network(cloud, cluster["network"] or "default", cluster["project"])
    instances = on_network(cloud, LustreInstance.token, network)
    instance = next((it for it in instances if address_of(it) == address), None)
    if instance is None:
        return f"no Managed Lustre instance of network {network['name']} has this address"
    if instance["filesystem"] != filesystem:
        return (
            f"exit status 2: instance {instance['instanceId']} has the file system "
            f"{instance['filesystem']}"
        )
    server, client = port_of(instance, cloud), _port_of_nodes(cluster, cloud)
    if server != client:
        return (
            f"exit status 5: instance {instance['instanceId']} listens on port {server}, and the "
            f"nodes of {cluster['name']} speak on port {client}; nearest: gkeSupportEnabled and "
            "enableLegacyLustrePort both, or neither"
        )
    if not any(_lets_in(rule, address, server) for rule in _rules(network, cloud)):
        return (
            f"exit status 5: no firewall rule of network {network['name']} lets tcp:{server} in "
            f"from {address}"
        )
    return ""


def _addon(cluster: Resource) -> Mapping[str, Any]:
    return (cluster["addonsConfig"] or {}).get("lustreCsiDriverConfig") or {}


def _port_of_nodes(cluster: Resource, cloud: View) -> int:
    version = GkeVersion.parse(cluster.outputs["masterVersion"])
    since = cloud.catalog.feature("lustre_default_port").minimum_gke
    legacy = bool(_addon(cluster).get("enableLegacyLustrePort")) or not version.meets(since)
    return cloud.catalog.lustre.port_of(legacy=legacy)


def _rules(network: Resource, cloud: View) -> list[Resource]:
    """Rules that let something into the network; none that refuses is simulated."""
    return [
        rule
        for rule in cloud.find(Firewall.token)
        if refers(rule["network"], network, rule["project"])
        and rule["direction"] != "EGRESS"
        and not rule["disabled"]
    ]


def _lets_in(rule: Resource, address: str, port: int) -> bool:
    host = IPv4Address(address)
    sources = (IPv4Network(text) for text in rule["sourceRanges"] or [] if ":" not in text)
    return any(host in source for source in sources) and any(
        _covers(one, port) for one in rule["allows"] or []
    )


def _covers(allowed: Mapping[str, Any], port: int) -> bool:
    if allowed["protocol"] not in ("tcp", "6", "all"):
        return False
    ports = allowed.get("ports")
    return not ports or any(_holds(text, port) for text in ports)


def _holds(text: str, port: int) -> bool:
    low, _, high = str(text).partition("-")
    return int(low) <= port <= int(high or low)
