"""The cluster's mode, version and zone, who may reach it, and when GKE may upgrade it. No Pulumi
import.

Sources: GKE documentation, "Authorized networks", read 2026-11-22; "Maintenance windows and
exclusions", section "Limitations" (no exclusion of minor or node upgrades after the end of
support), in a public copy read 2026-11-26.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial

from components.base.cidr import is_reserved, on_the_internet
from components.cluster.control_plane import ControlPlaneEndpoint
from stacks import clock
from stacks.beside import beside_problems
from stacks.parts.cluster.config import ClusterLocation, ExclusionScope, StackCluster
from stacks.parts.cluster.maintenance_rules import FIELD, maintenance_problems, shown_moment
from stacks.plan import Plan
from stacks.problems import Problem, problem_of, repeats

_OF_MADE = (
    *("name", "location", "version", "endpoint", "authorized_networks", "maintenance"),
    "security_group",
    *("binary_authorization", "intranode_visibility"),
)
# With private nodes, as all here are; with public ones 50 (GKE documentation, "Add authorized
# networks for control plane access", Limitations, 2026-11-22).
_MOST_AUTHORIZED = 100
# Of a /8: the IANA's registry of IPv4 addresses has 256 rows, one for each (IANA, "IPv4 Address
# Space Registry", whose rows hrbrmstr.github.io/iptools/reference/iana_assignments.html counts;
# read 2026-11-27).
_MOST_ON_THE_INTERNET = 1 << 24


def existing_problems(plan: Plan) -> Iterator[Problem]:
    """A cluster that is not made here is one of two, and its owner decides the rest."""
    cluster = plan.stack.cluster
    if cluster.is_made:
        return
    if cluster.existing is not None and cluster.stack is not None:
        yield Problem(
            "cluster.stack", "the cluster is named by cluster.existing, too; nearest: one of both"
        )
    whose = "the cluster is there already, with its own"
    yield from beside_problems("cluster", cluster, _OF_MADE, whose)


def mode_problems(plan: Plan) -> Iterator[Problem]:
    cluster = plan.stack.cluster
    if plan.autopilot and cluster.is_made and cluster.location is ClusterLocation.ZONAL:
        yield Problem(
            "cluster.location", "Autopilot clusters are always regional; nearest: regional"
        )


def gke_problems(plan: Plan) -> Iterator[Problem]:
    """The version has what the stack uses."""
    if plan.gke_version is None:
        return
    channel, today = plan.stack.cluster.release_channel, clock.now().date()
    for pool in plan.pools.values():
        check = partial(
            plan.facts.check_gke,
            plan.gke_version,
            *plan.features,
            machine=pool.machine.name,
            channel=channel,
            today=today,
        )
        yield from problem_of("cluster.version", check)


def support_problems(plan: Plan) -> Iterator[Problem]:
    """GKE counts an exclusion without an end up to the end of support of the cluster's minor
    version, and takes none that would end before it starts (GoogleCloudPlatform/cluster-toolkit
    pull requests 6063 of 2026-08-03 and 4986 of 2025-12-12)."""
    cluster, calendar = plan.stack.cluster, plan.facts.gke_calendar
    if cluster.maintenance is None or not cluster.is_made:
        return
    channel, version = cluster.release_channel, plan.gke_version
    known = None if version is None else calendar.end_of_support(version, channel)
    # Of the channel's default, which moves on, and of what is newer than the calendar.
    last = max(calendar.last_end_of_support(channel), clock.now().date())
    end = known or last
    named = "the newest version that is known" if known is None else f"GKE {version}"
    for place, one in enumerate(cluster.maintenance.exclusions):
        if one.end is None and one.start.astimezone(UTC).date() >= end:
            yield Problem(
                f"{FIELD}.exclusions[{place}].start",
                f"{shown_moment(one.start)} is not before {end}, when the support of {named} ends "
                f"in the channel {channel}, and with it an exclusion without an end; nearest: "
                f"{end - timedelta(days=1)}T00:00:00Z",
            )
        elif (
            one.end is not None
            and one.scope is not ExclusionScope.NO_UPGRADES
            and one.end.astimezone(UTC).date() > end
        ):
            yield Problem(
                f"{FIELD}.exclusions[{place}].end",
                f"{shown_moment(one.end)} is after {end}, when the support of {named} ends in the "
                f"channel {channel}, and no exclusion of this scope goes on after that; nearest: "
                f"{end}T00:00:00Z, or no end, which is that day",
            )


def profile_problems(plan: Plan) -> Iterator[Problem]:
    """Google has a network profile for RDMA in the zone of such machines."""
    for one in plan.interface_sets:
        if one.machine.rdma_nics and one.zone in plan.facts.zones:
            own = next((it for it in one.pools if plan.pools[it].config.zone is not None), None)
            yield from problem_of(
                "zone" if own is None else f"pools.{own}.zone",
                partial(plan.facts.roce_profile, one.zone, one.machine.name),
            )


def closed_problems(plan: Plan) -> Iterator[Problem]:
    """What `hardened` cannot derive stands in the config; keys are where what they encrypt is (GKE
    documentation, "Use customer-managed encryption keys" and "Encrypt Secrets at the application
    layer"; Cloud Storage documentation, "Customer-managed encryption keys")."""
    stack, cluster = plan.stack, plan.stack.cluster
    if cluster.autopilot and cluster.intranode_visibility is not None:
        yield Problem(
            "cluster.intranode_visibility",
            "Autopilot clusters always have it; nearest: leave it out",
        )
    key = stack.cmek
    if key is not None and (place := key.split("/")[3]) != stack.region:
        near = key.replace(f"/locations/{place}/", f"/locations/{stack.region}/")
        yield Problem(
            "cmek",
            f"the key is in {place}, and what it encrypts in {stack.region}; nearest: {near}",
        )
    if not stack.hardened:
        return
    if not cluster.is_made:
        yield Problem(
            "hardened", "the cluster is there already, closed as its owner has it; nearest: false"
        )
        return
    if key is None:
        yield Problem(
            "cmek",
            "missing: a hardened stack encrypts with a key of yours; nearest: projects/"
            f"{stack.project}/locations/{stack.region}/keyRings/my-ring/cryptoKeys/my-key",
        )
    if stack.namespace == "default":
        yield Problem(
            "namespace",
            "default is not the stack's, which sets no Pod Security level there; nearest: "
            f"{stack.name}",
        )
    public = plan.hardening.endpoint is ControlPlaneEndpoint.PUBLIC
    if cluster.authorized_networks is None and public:
        yield Problem(
            "cluster.authorized_networks",
            "missing: the control plane of a hardened stack does not answer everywhere; nearest: "
            "the ranges of those who use it, or cluster.endpoint dns",
        )
    answered = on_the_internet(it.cidr for it in cluster.authorized_networks or ())
    if public and answered > _MOST_ON_THE_INTERNET:
        yield Problem(
            "cluster.authorized_networks",
            f"together they are {answered:,} addresses of the Internet, more than a /8 "
            f"({_MOST_ON_THE_INTERNET:,}), a whole row of the IANA's registry, and a hardened "
            "stack does not answer everywhere; nearest: the ranges of those who use it, or "
            "cluster.endpoint dns without this key",
        )


def endpoint_problems(plan: Plan) -> Iterator[Problem]:
    """Ranges narrow addresses and no name (hashicorp/terraform-provider-google-beta
    resource_container_cluster.go:7116, 93c65b2d, sends none beside a name alone), and of a private
    address they are ranges that a VPC network can have (GKE: "is not a reserved network, which is
    required for private endpoints", terraform-google-modules/terraform-google-kubernetes-engine
    issue 153)."""
    ranges, field = plan.stack.cluster.authorized_networks, "cluster.authorized_networks"
    if not plan.stack.cluster.is_made or ranges is None:
        return
    match plan.hardening.endpoint:
        case ControlPlaneEndpoint.DNS:
            yield Problem(
                field,
                "the control plane answers by its name alone, which ranges do not narrow; nearest: "
                "leave it out, or cluster.endpoint public",
            )
        case ControlPlaneEndpoint.PRIVATE:
            for place, one in enumerate(ranges):
                if not is_reserved(one.cidr):
                    yield Problem(
                        f"{field}[{place}].cidr",
                        f"{one.cidr} is on the Internet, and a private address answers the VPC "
                        "network alone; nearest: a range of yours such as 10.0.0.0/8",
                    )
        case ControlPlaneEndpoint.PUBLIC:
            if not ranges:
                # Virtual machines of Google Cloud are not let in either
                # (components/cluster/cluster.py, gcp_public_cidrs_access_enabled).
                yield Problem(
                    field,
                    "an empty list lets in the cluster's own nodes alone, so that `up` fails at "
                    "the first object in the cluster; nearest: the ranges of those who use it, or "
                    "cluster.endpoint private, or cluster.endpoint dns without this key",
                )


RULES = (
    existing_problems,
    mode_problems,
    gke_problems,
    support_problems,
    profile_problems,
    closed_problems,
    endpoint_problems,
)


def cluster_problems(cluster: StackCluster, now: datetime) -> Iterator[Problem]:
    """No range twice, no more of them than GKE takes of a cluster with private nodes, and times for
    upgrades as it takes them."""
    if cluster.maintenance is not None:
        yield from maintenance_problems(cluster.maintenance, now)
    ranges = cluster.authorized_networks or ()
    for place, cidr in repeats(it.cidr for it in ranges):
        yield Problem(
            f"cluster.authorized_networks[{place}]",
            f"{cidr} is there twice; nearest: leave it out",
        )
    if len(ranges) > _MOST_AUTHORIZED:
        yield Problem(
            "cluster.authorized_networks",
            f"{len(ranges)} ranges are more than GKE takes; nearest: {_MOST_AUTHORIZED} of them",
        )
