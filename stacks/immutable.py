"""What cannot become what the config asks for while it is in use, held against what the stack has
on record."""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network
from typing import Any

from catalog import FactError
from catalog.lustre import check_growth
from components.base.cidr import next_free
from components.base.naming import network_name
from components.cluster.control_plane import ControlPlaneEndpoint
from stacks.commands import of_stack
from stacks.config import ConfigError
from stacks.on_record import Record
from stacks.one_run import PROVIDER
from stacks.parts.pools.node_labels import only
from stacks.parts.queues.plan import PlannedQueues
from stacks.plan import Plan
from stacks.refusal import ADDRESS, CLUSTER, LUSTRE, RELEASE

# What Kueue calls what a flavor with a topology keeps.
_FIELDS = {
    "topology": "topologyName",
    "node labels": "nodeLabels",
    "tolerations": "tolerations",
}
# The field of a flavor that each comes from.
_OF_FLAVOR = {"topology": "topology", "node labels": "pool", "tolerations": "pool"}
_KEEPER = "a flavor with a topology"
_KUEUE = "kubernetes:kueue.x-k8s.io/v1beta2"


def check(plan: Plan, record: Record) -> None:
    """Raises ConfigError."""
    if found := [*_found(plan, record)]:
        raise ConfigError(found)


def _found(plan: Plan, record: Record) -> Iterator[str]:
    for each in (overlapping, shrinking, of_topologies, installed_here, moved_endpoint):
        yield from each(plan, record)


def installed_here(plan: Plan, record: Record) -> Iterator[str]:
    """What the stack has brought into a cluster of others, it would take away again."""
    cluster = plan.stack.cluster.existing
    for it in () if cluster is None else cluster.operators:
        if record.get(RELEASE, f"{it}-release") is not None:
            yield (
                f"stack.cluster.existing.operators: {it} is in the cluster by this stack, and "
                f"would go with it; nearest: operators without {it}"
            )


def moved_endpoint(plan: Plan, record: Record) -> Iterator[str]:
    """A Kubernetes provider that does not know its cluster by its name yet takes another address
    for another cluster, and is replaced with all that is in it (pulumi/pulumi-kubernetes
    provider/pkg/provider/provider.go, DiffConfig, 94977969)."""
    known = all(it.outputs.get("clusterIdentifier") for it in record.of_type(PROVIDER))
    if known or not plan.stack.cluster.is_made:
        return
    wanted = plan.hardening.endpoint
    for it in record.of_type(CLUSTER):
        before = _endpoint(it.outputs)
        if before is not wanted:
            yield (
                f"stack.cluster.endpoint: {wanted} is another address than {before}, and the stack "
                "does not know its cluster by more than that yet; nearest: one "
                f"`{of_stack('pulumi up')}` with cluster.endpoint {before}, then {wanted}"
            )


def _endpoint(outputs: Mapping[str, Any]) -> ControlPlaneEndpoint:
    address = (outputs.get("controlPlaneEndpointsConfig") or {}).get("ipEndpointsConfig") or {}
    if not address.get("enabled", True):
        return ControlPlaneEndpoint.DNS
    private = (outputs.get("privateClusterConfig") or {}).get("enablePrivateEndpoint")
    return ControlPlaneEndpoint.PRIVATE if private else ControlPlaneEndpoint.PUBLIC


def overlapping(plan: Plan, record: Record) -> Iterator[str]:
    """A range of the peering goes once the peering has another one, and Google has no two in one
    network that overlap."""
    if not plan.stack.makes_peering:
        return
    wanted = IPv4Network(plan.stack.network.peering)
    for it in record.of_type(ADDRESS):
        had = IPv4Network(f"{it.outputs['address']}/{it.outputs['prefixLength']}")
        stays = str(it.outputs["network"]).rpartition("/")[2] == network_name(plan.stack.name)
        if stays and had != wanted and had.overlaps(wanted):
            near = next_free(wanted.prefixlen, [*plan.ranges.values(), str(had)])
            yield (
                f"stack.network.peering: {wanted} overlaps {had}, which it is now and stays until "
                f"{wanted} is there; nearest: {near}"
            )


def shrinking(plan: Plan, record: Record) -> Iterator[str]:
    """A Lustre instance that stays, of which the catalog says what may become of it. Of another
    name or tier it is another instance."""
    lustre = None if plan.stack.lustre is None else plan.stack.lustre.made
    if lustre is None:
        return
    for it in record.of_type(LUSTRE):
        gib, speed = (int(it.outputs[key]) for key in ("capacityGib", "perUnitStorageThroughput"))
        if (it.outputs["instanceId"], speed) != (lustre.name, lustre.throughput_mbps_per_tib):
            continue
        try:
            check_growth(plan.facts.lustre_tier(speed), gib, lustre.capacity_gib)
        except FactError as error:
            yield f"stack.lustre.capacity_gib: {error}, or another lustre.name: an empty instance"


def of_topologies(plan: Plan, record: Record) -> Iterator[str]:
    """Kueue changes neither the levels of a topology nor what a flavor with one says of its nodes,
    and deletes no flavor that a queue names (kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2
    topology_types.go and resourceflavor_types.go, judged by the real API server)."""
    planned = plan.queues
    if planned is None:
        return
    queues = planned.config
    for it in record.of_type(f"{_KUEUE}:Topology"):
        name = it.outputs["metadata"]["name"]
        levels = [one["nodeLabel"] for one in it.outputs["spec"]["levels"]]
        if name in queues.topologies and levels != list(queues.topologies[name].levels):
            yield (
                f"stack.queues.topologies.{name}.levels: a topology's levels stay what they are, "
                f"{', '.join(levels)}; nearest: a topology by another name, and a flavor by "
                "another name that has it"
            )
    for it in record.of_type(f"{_KUEUE}:ResourceFlavor"):
        name, before = it.outputs["metadata"]["name"], it.outputs["spec"]
        if "topologyName" not in before or name not in queues.flavors:
            continue
        kept = _kept(plan, planned, name)
        changed = {what for what, now in kept.items() if (before.get(_FIELDS[what]) or None) != now}
        flavor, pool = f"queues.flavors.{name}", planned.flavors[name].name
        for what in _FIELDS:
            if what not in changed:
                continue
            # Without other node labels it is the same pool, of which something was changed.
            own = what == "tolerations" and "node labels" not in changed
            where = f"pools.{pool}" if own else f"{flavor}.{_OF_FLAVOR[what]}"
            kept_by = f"{flavor} has a topology, and such a flavor" if own else _KEEPER
            yield (
                f"stack.{where}: {kept_by} keeps its {what}; nearest: a flavor by another name in "
                "its place"
            )


def _kept(plan: Plan, planned: PlannedQueues, flavor: str) -> dict[str, Any]:
    """What a flavor may never change."""
    return {
        "topology": planned.config.flavors[flavor].topology,
        "node labels": only(plan, planned.flavors[flavor]),
        "tolerations": planned.tolerations(flavor) or None,
    }
