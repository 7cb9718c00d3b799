"""Whether a bucket or a Managed Lustre instance that exists already is what the stack mounts."""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from catalog import Catalog
from components.existing_facts import BucketFacts, LustreFacts
from stacks.problems import Problem

BUCKET_AT = "bucket.existing"
LUSTRE_AT = "lustre.existing"
_PEERING_AT = "network.peering"
# Cloud Storage documentation, "Bucket locations": what a region's name begins with, by the
# multi-region that holds it.
_MULTI_REGIONS = {"US": "us-", "EU": "europe-", "ASIA": "asia-"}


@dataclass(frozen=True, kw_only=True)
class BucketNeeds:
    """What the config says of the bucket."""

    region: str
    hierarchical_namespace: bool


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


def bucket_problems(found: BucketFacts, needs: BucketNeeds) -> Iterator[Problem]:
    """Uniform access: GoogleCloudPlatform/gcs-fuse-csi-driver docs/authentication.md, 5fcdc04a of
    2026-08-21."""
    field = f"{BUCKET_AT}.bucket"
    if not _is_near(found, needs.region):
        yield Problem(
            field,
            f'"{found.name}" is in {found.location}, and what pods in {needs.region} read of it '
            f"crosses regions, slow and paid for; nearest: a bucket in {needs.region.upper()}",
        )
    if not found.uniform_access:
        yield Problem(
            field,
            f'"{found.name}" has no uniform bucket-level access, without which pods cannot write '
            "as themselves; nearest: `gcloud storage buckets update "
            f"gs://{found.name} --uniform-bucket-level-access`",
        )
    if found.hierarchical_namespace != needs.hierarchical_namespace:
        has = "a hierarchical" if found.hierarchical_namespace else "no hierarchical"
        yield Problem(
            "bucket.hierarchical_namespace",
            f'"{found.name}" has {has} namespace, which is decided when a bucket is made; '
            f"nearest: {str(found.hierarchical_namespace).lower()}",
        )


def bucket_advice(found: BucketFacts, needs: BucketNeeds) -> Iterator[Problem]:
    """What costs more, but keeps nothing from working."""
    if _is_near(found, needs.region) and found.location != needs.region.upper():
        yield Problem(
            f"{BUCKET_AT}.bucket",
            f'"{found.name}" is in more regions than {needs.region}, which costs more and reads '
            f"slower; nearest: a bucket in {needs.region.upper()}",
        )
    if found.versioning:
        yield Problem(
            f"{BUCKET_AT}.bucket",
            f'"{found.name}" keeps old versions, so that every checkpoint that is deleted or '
            "written again is still paid for; nearest: a lifecycle rule for old versions",
        )


def lustre_problems(found: LustreFacts, needs: LustreNeeds, facts: Catalog) -> Iterator[Problem]:
    if found.state != "ACTIVE":
        yield Problem(
            f"{LUSTRE_AT}.instance",
            f'"{found.name}" is {found.state or "in no state that is known"} and cannot be '
            "mounted; nearest: an instance that is ACTIVE",
        )
    if found.zone != needs.zone:
        yield Problem(
            f"{LUSTRE_AT}.instance",
            f'"{found.name}" is in {found.zone}, and the nodes are in {needs.zone}; '
            f"nearest: an instance in {needs.zone}",
        )
    if found.network_id != needs.network_id:
        yield Problem(
            f"{LUSTRE_AT}.instance",
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
            f"{LUSTRE_AT}.instance",
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


def _is_near(found: BucketFacts, region: str) -> bool:
    """In the region, in a dual-region that has it, or in the multi-region around it."""
    if region.upper() in (found.location, *found.regions):
        return True
    around = _MULTI_REGIONS.get(found.location)
    return not found.regions and around is not None and region.startswith(around)
