"""Whether a Managed Lustre instance that exists already is what the stack mounts. No Pulumi
import."""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from catalog import Catalog
from components.base.existing_facts import LustreFacts
from stacks.problems import Problem

_AT = "lustre.existing"
_PEERING_AT = "network.peering"


@dataclass(frozen=True, kw_only=True)
class LustreNeeds:
    """What the config says of the instance, and the network of the cluster that mounts it.

    `capacity_gib` is the least that the stack's work needs, if it says. `legacy_port` is the port
    of the cluster's nodes. `let_in_from` is where the stack's own firewall rule lets servers in
    from, if it makes one.
    """

    zone: str
    network_id: str
    filesystem: str
    legacy_port: bool
    capacity_gib: int | None = None
    let_in_from: str | None = None


def lustre_problems(found: LustreFacts, needs: LustreNeeds, facts: Catalog) -> Iterator[Problem]:
    if found.state != "ACTIVE":
        yield Problem(
            f"{_AT}.instance",
            f'"{found.name}" is {found.state or "in no state that is known"} and cannot be '
            "mounted; nearest: an instance that is ACTIVE",
        )
    if found.zone != needs.zone:
        yield Problem(
            f"{_AT}.instance",
            f'"{found.name}" is in {found.zone}, and the nodes are in {needs.zone}; '
            f"nearest: an instance in {needs.zone}",
        )
    if found.network_id != needs.network_id:
        yield Problem(
            f"{_AT}.instance",
            f'"{found.name}" is reached from {found.network_id}, and the nodes are in '
            f"{needs.network_id}; nearest: an instance of that network",
        )
    if found.filesystem != needs.filesystem:
        yield Problem(
            "lustre.filesystem",
            f'the file system of "{found.name}" is {found.filesystem}, not {needs.filesystem}; '
            f"nearest: {found.filesystem}",
        )
    if needs.capacity_gib is not None and found.capacity_gib < needs.capacity_gib:
        yield Problem(
            "lustre.capacity_gib",
            f'"{found.name}" has {found.capacity_gib} GiB, less than {needs.capacity_gib}; '
            f"nearest: {found.capacity_gib}",
        )
    if found.legacy_port != needs.legacy_port:
        servers, nodes = (
            facts.lustre.port_of(legacy=it) for it in (found.legacy_port, needs.legacy_port)
        )
        yield Problem(
            f"{_AT}.instance",
            f'"{found.name}" listens on port {servers}, and the nodes speak on {nodes}, so nothing '
            f"mounts; nearest: an instance on port {nodes}",
        )

    if needs.let_in_from is not None and not _is_in(found, needs.let_in_from):
        yield Problem(
            _PEERING_AT,
            f"servers are let in from {needs.let_in_from}, and those of "
            f'"{found.name}" are at {_address(found)}; nearest: the range around it that '
            "`gcloud compute addresses list --global` shows",
        )


def lustre_advice(found: LustreFacts, needs: LustreNeeds, facts: Catalog) -> Iterator[Problem]:
    """Whether the network's owner lets servers in cannot be seen (pulumi-gcp 10.2.0, compute: of
    firewalls there is no function), and whoever runs this need not be one who may make rules."""
    if needs.let_in_from is None:
        yield Problem(
            _PEERING_AT,
            f'not said, so whoever owns the network has to let the servers of "{found.name}" in on '
            f"tcp:{facts.lustre.port_of(legacy=found.legacy_port)}, or nothing mounts; no function "
            "of the provider reads firewall rules; nearest: the range that "
            "`gcloud compute addresses list --global` shows, and the stack makes such a rule",
        )


def _address(found: LustreFacts) -> str:
    return found.mount_point.partition("@")[0]


def _is_in(found: LustreFacts, cidr: str) -> bool:
    """One that is not ACTIVE may have no address yet."""
    address = _address(found)
    return not address or IPv4Address(address) in IPv4Network(cidr)
