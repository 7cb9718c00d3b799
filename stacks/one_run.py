"""What no run of the engine can do, and what does it instead: a cluster that is made anew.

The provider of the objects in it comes from it, so the engine deletes all of them before it
replaces the provider, and by then has closed it: "grpc: the client connection is closing"
(pulumi/pulumi #14650, with 3.256.0 still so). A cluster that a run of its own deletes takes them
along in order.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from components.base.naming import network_name
from components.network.network import PODS_RANGE, SERVICES_RANGE
from stacks.data_loss import data_lost
from stacks.on_record import Record, Recorded
from stacks.parts.cluster.config import ClusterLocation, ClusterMode
from stacks.plan import Plan
from stacks.refusal import CLUSTER, NETWORK, NODE_POOL, SUBNETWORK
from stacks.running_work import ended
from stacks.standing import Standing
from stacks.two_runs import Difference, TwoRuns
from stacks.workloads import JOBS

PROVIDER = "pulumi:providers:kubernetes"
_REGION = "gcp:region"
_LOCATION = "stack.cluster.location"
_MODE = "stack.cluster.mode"
_EXISTING = "stack.network.existing"
_MODES = {False: ClusterMode.STANDARD, True: ClusterMode.AUTOPILOT}
_DISK_KEY = "clusterAutoscaling.autoProvisioningDefaults.bootDiskKmsKey"
# Properties that a cluster may have or lack, of which both are on record.
_WITHOUT = frozenset({_DISK_KEY})
_NONE = "none"
# What a network's name has behind the stack's.
_OF_NETWORK = network_name("s").removeprefix("s")
WHY = (
    "for then the engine replaces the provider of everything in the cluster, too, and cannot "
    "delete what is there (pulumi/pulumi #14650)"
)


@dataclass(frozen=True)
class ClusterDifference(Difference):
    """`everything`: its network, too, cannot follow."""

    everything: bool = False


def replacing(plan: Plan, record: Record) -> Iterator[TwoRuns]:
    """Once the provider is gone, with everything in the cluster, one run does the rest."""
    for provider in record.of_type(PROVIDER):
        for cluster in record.of_type(CLUSTER):
            if found := list(differences(plan, record, cluster)):
                yield _two_runs(found, cluster, provider, record)


def standing(record: Record) -> Standing:
    """What the cluster on record keeps as long as it is there."""
    values: dict[str, str] = {}
    for cluster in record.of_type(CLUSTER):
        block = _at(cluster.outputs, "privateClusterConfig.masterIpv4CidrBlock")
        values |= {"network.control_plane": str(block)} if block else {}
        for subnet in record.of_type(SUBNETWORK):
            if subnet.outputs.get("name") == short(cluster.outputs.get("subnetwork")):
                ranges = subnet.outputs.get("secondaryIpRanges") or ()
                values |= {f"network.{it['rangeName']}": it["ipCidrRange"] for it in ranges}
    pools = [it.outputs for it in record.of_type(NODE_POOL)]
    return Standing(values, [(_most_nodes(it) + 1, it["maxPodsPerNode"]) for it in pools])


def _most_nodes(pool: Mapping[str, Any]) -> int:
    scaled = pool.get("autoscaling") or {}
    bounds = (scaled.get("maxNodeCount"), scaled.get("totalMaxNodeCount"), pool.get("nodeCount"))
    return next((int(it) for it in bounds if it), 0)


def differences(plan: Plan, record: Record, cluster: Recorded) -> Iterator[ClusterDifference]:
    """What makes the cluster on record anew."""
    if existing := plan.stack.cluster.existing:
        field = "stack.cluster.existing.name"
        yield ClusterDifference(field, _NONE, existing.name, everything=True)
        return
    if platform := plan.stack.cluster.stack:
        yield ClusterDifference("stack.cluster.stack", _NONE, platform, everything=True)
        return
    own = {str(it.outputs.get("name")) for it in record.of_type(NETWORK)}
    has_own = short(cluster.outputs.get("network")) in own
    for path, (field, wanted) in asked(plan).items():
        before = _at(cluster.outputs, path)
        if path in _WITHOUT:
            # The provider reads an absent one as no text.
            before, wanted = before or _NONE, wanted or _NONE
        # What is off is not always on record.
        before = bool(before) if isinstance(wanted, bool) else short(before)
        if before in (None, wanted) or not plan.facts.replaces(CLUSTER, path):
            continue
        if path == "location":
            field = _of_place(plan, before)
        if path == "network" and not has_own:
            field = f"{_EXISTING}.network"
        everything = path in ("project", "network") or field == _REGION
        words = _in_words(plan, (path, field), (before, wanted), has_own=has_own)
        yield ClusterDifference(field, *words, everything=everything)
    yield from _of_subnetwork(plan, record, str(cluster.outputs.get("subnetwork")))


def _in_words(
    plan: Plan, at: tuple[str, str], values: tuple[Any, Any], *, has_own: bool
) -> tuple[Any, Any]:
    """As the config says them; `at` are property and field, and with `has_own` the cluster is in a
    network of the stack's own."""
    (path, field), (before, wanted) = at, values
    if field == _MODE:
        return _MODES[before].value, _MODES[wanted].value
    if field == _LOCATION:
        return _kind_of_place(before), plan.stack.cluster.location.value
    if field.startswith(_EXISTING):
        return _NONE if has_own else before, wanted if plan.stack.network.existing else _NONE
    if path == "network":
        return before.removesuffix(_OF_NETWORK), plan.stack.name
    return values


def _kind_of_place(place: str) -> str:
    return (ClusterLocation.ZONAL if place.count("-") > 1 else ClusterLocation.REGIONAL).value


def asked(plan: Plan) -> dict[str, tuple[str, Any]]:
    """By property of the cluster the field that it comes from and its value, of networks the last
    part of it."""
    stack, network = plan.stack, plan.stack.network
    named = "stack.name" if stack.cluster.name is None else "stack.cluster.name"
    found: dict[str, tuple[str, Any]] = {
        "project": ("gcp:project", stack.project),
        "location": (_LOCATION, plan.location),
        "name": (named, plan.cluster_name),
        "enableAutopilot": (_MODE, plan.autopilot),
        "privateClusterConfig.masterIpv4CidrBlock": (
            "stack.network.control_plane",
            network.control_plane,
        ),
    }
    if plan.autopilot:
        # The nodes of a Standard cluster are in pools, which follow.
        found[_DISK_KEY] = ("stack.cmek", stack.cmek)
    policy = ("clusterSecondaryRangeName", "servicesSecondaryRangeName")
    pods, services = (f"ipAllocationPolicy.{it}" for it in policy)
    there = network.existing
    if there is None:
        return {**found, "network": ("stack.name", network_name(stack.name))}
    return {
        **found,
        "network": (f"{_EXISTING}.network", there.network),
        "subnetwork": (f"{_EXISTING}.subnetwork", there.subnetwork),
        pods: (f"{_EXISTING}.pods_range", there.pods_range),
        services: (f"{_EXISTING}.services_range", there.services_range),
    }


def _of_place(plan: Plan, before: Any) -> str:
    """The field that moves a cluster from `before`, a region or a zone."""
    if str(before).count("-") != plan.location.count("-"):
        return _LOCATION
    return "gcp:zone" if plan.location == plan.stack.zone else _REGION


def _of_subnetwork(plan: Plan, record: Record, used: str) -> Iterator[ClusterDifference]:
    """Of that which the stack makes for the cluster, and cannot change under it."""
    if not plan.stack.makes_network:
        return
    network = plan.stack.network
    for subnet in record.of_type(SUBNETWORK):
        if subnet.outputs.get("name") != short(used):
            continue
        region = subnet.outputs.get("region")
        if region != plan.stack.region:
            yield ClusterDifference(_REGION, region, plan.stack.region, everything=True)
        nodes = str(subnet.outputs.get("ipCidrRange"))
        # Google lets it grow in place.
        if not IPv4Network(nodes).subnet_of(IPv4Network(network.subnet)):
            yield ClusterDifference("stack.network.subnet", nodes, network.subnet)
        wanted = {PODS_RANGE: network.pods, SERVICES_RANGE: network.services}
        for it in subnet.outputs.get("secondaryIpRanges") or ():
            name, block = it.get("rangeName"), it.get("ipCidrRange")
            if block != wanted.get(name, block):
                yield ClusterDifference(f"stack.network.{name}", block, wanted[name])


def _two_runs(
    found: list[ClusterDifference], cluster: Recorded, provider: Recorded, record: Record
) -> TwoRuns:
    everything = any(it.everything for it in found)
    return TwoRuns(
        what=f"{cluster.name} would be replaced, and no single run does that",
        differences=found,
        why=WHY,
        targets=() if everything else (provider.urn,),
        loss=of_everything(record) if everything else of_cluster(cluster, record),
    )


def of_cluster(cluster: Recorded, record: Record) -> str:
    """What becomes of a cluster and of all that is in it."""
    name, runs = cluster.name, running_jobs(record)
    ends = [f"What runs there now ends: {', '.join(runs)}."] if runs else []
    return " ".join(
        [
            f"`destroy` deletes what the stack has in {name}.",
            *ends,
            f"`up` deletes {name} with its nodes, and makes all of it again.",
        ]
    )


def running_jobs(record: Record) -> list[str]:
    """By their keys in the config."""
    return [
        f"jobs.{it.name.removesuffix('-job-set').removesuffix('-job')}"
        for token in JOBS
        for it in record.of_type(token)
        if not ended(it)
    ]


_EVERYTHING = "everything that the stack made"


def of_everything(record: Record, what: str = _EVERYTHING) -> str:
    """What a destroy of the whole stack makes of it, or of the part that holds its data."""
    lost = ((it.name, data_lost(it.type, it.outputs)) for it in record.resources)
    data = (f"{name}: {what}" for name, what in lost if what is not None)
    runs = running_jobs(record) if what == _EVERYTHING else []
    jobs = [f"what runs now: {', '.join(runs)}"] if runs else []
    return f"With `destroy` goes {'; '.join([what, *jobs, *data])}."


def _at(outputs: Mapping[str, Any], path: str) -> Any:
    found: Any = outputs
    for key in path.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def short(value: Any) -> Any:
    """The name at the end of a resource's full one; a range stays what it is, and so does a key,
    of which rings have some with the same name."""
    is_path = isinstance(value, str) and value.count("/") > 1 and "/cryptoKeys/" not in value
    return value.rpartition("/")[2] if is_path else value
