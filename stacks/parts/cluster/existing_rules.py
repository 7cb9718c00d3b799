"""Whether a GKE cluster that exists already has what the stack uses of it.

What can be turned on is not turned on here: the cluster is somebody else's. Commands are those of
GKE's documentation, "Enable the Ray operator", "Cloud Storage FUSE CSI driver", "Managed Lustre CSI
driver", "Workload Identity Federation for GKE"; read 2026-11-22. That DRANET needs Dataplane V2:
GoogleCloudPlatform/cluster-toolkit modules/compute/gke-node-pool, enable_dranet, 10470803.

A GKE cluster enforces network policies by Dataplane V2 or by Calico (hashicorp/
terraform-provider-google-beta google-beta/services/container/resource_container_cluster.go,
datapath_provider and network_policy, 93c65b2d60). Some policies here let in what is no pod by the
range 0.0.0.0/0, and Calico compares a range with the address of every sender, pods too
(projectcalico/calico libcalico-go/lib/backend/k8s/conversion/conversion.go,
k8sPeerToCalicoFields, fb7b1d4c); Dataplane V2 takes it for what is no pod (Cilium's documentation,
"Layer 3 Policies", IP/CIDR based, docs.cilium.io/en/stable/security/policy/layer3, read
2026-11-27).
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from catalog import Catalog, GkeVersion, ReleaseChannel
from components.base.existing_facts import ClusterFacts
from stacks import clock
from stacks.problems import Problem, problem_of

AT = "cluster.existing"
_FIELD = f"{AT}.cluster"


@dataclass(frozen=True, kw_only=True)
class ClusterNeeds:
    """What the stack's config says and uses; `features` are the catalog's names of it.

    `multi_networking` is for nodes with further interfaces. `ray_operator` is whether GKE is to run
    KubeRay, None where nothing needs it. `lustre_legacy_port` is None without Lustre, or whether
    its servers listen on the port of older nodes. `groups` is whether teams are of Google groups.
    `teams` is whether the stack has any, `guarded` whether network policies guard its own pods, of
    which some are `reached_from_outside` of the cluster, too.
    `network_id` is the network that the stack names beside the cluster, if any, and
    `release_channel` the one that it asks for, if any.
    """

    project: str
    region: str
    autopilot: bool = False
    multi_networking: bool = False
    dranet: bool = False
    ray_operator: bool | None = None
    gcs_fuse: bool = False
    lustre_legacy_port: bool | None = None
    custom_metrics: bool = False
    groups: bool = False
    teams: bool = False
    guarded: bool = False
    reached_from_outside: bool = False
    network_id: str | None = None
    release_channel: str | None = None
    features: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()


def cluster_problems(found: ClusterFacts, needs: ClusterNeeds, facts: Catalog) -> Iterator[Problem]:
    """Why the stack cannot use it."""
    yield from _place_problems(found, needs)
    yield from _version_problems(found, needs, facts)
    yield from _network_problems(found, needs)
    yield from _identity_problems(found, needs)
    yield from _group_problems(found, needs)
    if needs.teams and not found.dataplane_v2:
        yield _without_borders(found, "pods of a team would reach those of the others")
    yield from _addon_problems(found, needs)


def cluster_advice(found: ClusterFacts, needs: ClusterNeeds) -> Iterator[Problem]:
    """What may surprise, but keeps nothing from working."""
    open_ = needs.reached_from_outside if found.calico else needs.guarded
    if open_ and not needs.teams and not found.dataplane_v2:
        yield _without_borders(found, "every pod of the cluster reaches those of the stack")
    if found.autopilot and not found.private_nodes:
        yield Problem(
            _FIELD,
            f"nodes of {found.name} have public addresses, for its default is not private nodes; "
            "nearest: private nodes as the cluster's default, by whoever owns it",
        )
    if found.release_channel == "UNSPECIFIED":
        # GKE documentation, "No channel release notes" (rancher/rancher #56879 of 2026-08-25).
        yield Problem(
            _FIELD,
            f"{found.name} is in no release channel, which this stack was not tried with; "
            "Google puts it in STABLE on 2027-06-14; nearest: REGULAR, by whoever owns it",
        )


def _place_problems(found: ClusterFacts, needs: ClusterNeeds) -> Iterator[Problem]:
    location = found.location
    if location != needs.region and location.rpartition("-")[0] != needs.region:
        yield Problem(
            f"{AT}.location",
            f"{location} is not in {needs.region}, where the stack's nodes are to be; "
            f"nearest: a cluster of {needs.region}",
        )
    if found.autopilot != needs.autopilot:
        mode, other = ("autopilot", "standard") if found.autopilot else ("standard", "autopilot")
        yield Problem("cluster.mode", f"{found.name} is {mode}, not {other}; nearest: {mode}")
    wanted = needs.release_channel
    if wanted is not None and wanted != found.release_channel:
        yield Problem(
            "cluster.release_channel",
            f"{found.name} is in {found.release_channel}, not in {wanted}; "
            f"nearest: {found.release_channel}, or leave it out",
        )


def _version_problems(
    found: ClusterFacts, needs: ClusterNeeds, facts: Catalog
) -> Iterator[Problem]:
    """As for a cluster that is made; this one's owner upgrades it."""
    version = GkeVersion.parse(found.version)
    for machine in needs.machines or (None,):
        broken = problem_of(
            _FIELD,
            partial(
                facts.check_gke,
                version,
                *needs.features,
                machine=machine,
                channel=_channel_of(found),
                today=clock.now().date(),
            ),
        )
        if broken:
            yield from broken
            return


def _channel_of(found: ClusterFacts) -> ReleaseChannel:
    """Of a cluster in none Google offers what Regular has."""
    known = found.release_channel in list(ReleaseChannel)
    return ReleaseChannel(found.release_channel) if known else ReleaseChannel.REGULAR


def _network_problems(found: ClusterFacts, needs: ClusterNeeds) -> Iterator[Problem]:
    if needs.network_id is not None and found.network_id != needs.network_id:
        yield Problem(
            "network.existing.network",
            f"{found.name} is on {found.network_id}, not on {needs.network_id}; "
            f"nearest: {found.network_id.rpartition('/')[2]}, or leave it out",
        )
    if needs.multi_networking and not found.multi_networking:
        yield Problem(
            _FIELD,
            f"{found.name} has no multi-networking, so its nodes' further interfaces cannot be "
            "used; nearest: a cluster that has it, and Dataplane V2",
        )
    wants_v2 = needs.multi_networking or needs.dranet
    if wants_v2 and not found.dataplane_v2:
        yield Problem(
            _FIELD,
            f"{found.name} is not on Dataplane V2, which further interfaces of nodes need and no "
            "cluster changes to; nearest: a cluster that is",
        )


def _identity_problems(found: ClusterFacts, needs: ClusterNeeds) -> Iterator[Problem]:
    pool = f"{needs.project}.svc.id.goog"
    if found.workload_pool == pool:
        return
    what = (
        "no Workload Identity pool, and its pods are nobody to Google Cloud"
        if found.workload_pool is None
        else f"the Workload Identity pool {found.workload_pool}, and grants are to those of {pool}"
    )
    yield Problem(
        _FIELD, f"{found.name} has {what}; nearest: {_update(found, f'--workload-pool={pool}')}"
    )


def _group_problems(found: ClusterFacts, needs: ClusterNeeds) -> Iterator[Problem]:
    if needs.groups and found.security_group is None:
        flag = "--security-group=gke-security-groups@DOMAIN"
        yield Problem(
            _FIELD,
            f"{found.name} knows no groups, and teams are of groups; "
            f"nearest: {_update(found, flag)}",
        )


def _without_borders(found: ClusterFacts, consequence: str) -> Problem:
    why = (
        "enforces network policies by Calico, which takes pods for part of the range 0.0.0.0/0"
        if found.calico
        else "enforces no network policies"
    )
    return Problem(
        _FIELD, f"{found.name} {why}, so {consequence}; nearest: a cluster on Dataplane V2"
    )


def _addon_problems(found: ClusterFacts, needs: ClusterNeeds) -> Iterator[Problem]:
    if needs.ray_operator and not found.ray_operator:
        yield _without(found, "Ray operator", "RayOperator")
    if needs.ray_operator is False and found.ray_operator:
        yield Problem(
            _FIELD,
            f"{found.name} has GKE's Ray operator, and two would work on the same objects; "
            "nearest: that one",
        )
    if needs.gcs_fuse and not found.gcs_fuse:
        yield _without(found, "Cloud Storage FUSE CSI driver", "GcsFuseCsiDriver")
    if needs.custom_metrics and not found.custom_metrics:
        yield Problem(
            _FIELD,
            f"{found.name} does not scale pods by metrics that GKE reads from them; "
            f"nearest: {_update(found, '--hpa-profile=performance')}",
        )
    if needs.lustre_legacy_port is None:
        return
    if not found.lustre:
        yield _without(found, "Managed Lustre CSI driver", "LustreCsiDriver")
    elif found.lustre_legacy_port != needs.lustre_legacy_port:
        wants, has = ("the legacy", "the default")[:: 1 if needs.lustre_legacy_port else -1]
        yield Problem(
            _FIELD,
            f"nodes of {found.name} speak to Lustre on {has} port, and the instance listens on "
            f"{wants} one, so nothing mounts; nearest: an instance on {has} port",
        )


def _without(found: ClusterFacts, what: str, addon: str) -> Problem:
    near = _update(found, f"--update-addons={addon}=ENABLED")
    return Problem(_FIELD, f"{found.name} has no {what}; nearest: {near}")


def _update(found: ClusterFacts, flag: str) -> str:
    words = [found.name, f"--location={found.location}", f"--project={found.project}", flag]
    return f"`gcloud container clusters update {shlex.join(words)}`, by whoever owns it"
