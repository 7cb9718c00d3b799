"""Whether a cluster that exists already has what a stack uses, and whose a part is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from catalog import Catalog
from components.existing_facts import ClusterFacts
from components.labels import stack_labels
from stacks.beside import owner_problems
from stacks.parts.cluster.existing_rules import ClusterNeeds, cluster_advice, cluster_problems
from tests.unit.problem_lines import NETWORK_ID, lines, only

CLUSTER = ClusterFacts(
    project="p",
    location="us-east1",
    name="shared",
    zones=("us-east1-b",),
    network_id=NETWORK_ID,
    subnetwork_id="projects/host/regions/us-east1/subnetworks/nodes",
    pods_range="gke-pods",
    services_range="gke-services",
    endpoint="203.0.113.7",
    ca_certificate="Y2E=",
    version="1.35.2-gke.1842000",
    release_channel="REGULAR",
    autopilot=False,
    dataplane_v2=True,
    calico=False,
    multi_networking=True,
    private_nodes=True,
    workload_pool="p.svc.id.goog",
    ray_operator=True,
    gcs_fuse=True,
    lustre=True,
    lustre_legacy_port=False,
    custom_metrics=True,
    labels={"team": "platform"},
)
IN_CLUSTER = ClusterNeeds(
    project="p",
    region="us-east1",
    multi_networking=True,
    dranet=True,
    ray_operator=True,
    gcs_fuse=True,
    lustre_legacy_port=False,
    custom_metrics=True,
    network_id=NETWORK_ID,
    release_channel="REGULAR",
    features=("ray_operator", "lustre_csi"),
    machines=("a4-highgpu-8g",),
)
CATALOG = Catalog.load()
FIELD = "cluster.existing.cluster"


def test_a_cluster_that_has_all_that_is_needed_has_no_problem() -> None:
    assert lines(cluster_problems(CLUSTER, IN_CLUSTER, CATALOG)) == []
    assert lines(cluster_advice(CLUSTER, IN_CLUSTER)) == []


@pytest.mark.parametrize(
    ("found", "needs", "line"),
    [
        (
            {"location": "us-west1-a"},
            {},
            "cluster.existing.location: us-west1-a is not in us-east1, where the stack's nodes are "
            "to be; nearest: a cluster of us-east1",
        ),
        ({"autopilot": True}, {}, "cluster.mode: shared is autopilot, not standard; "),
        ({}, {"autopilot": True}, "cluster.mode: shared is standard, not autopilot; "),
        (
            {},
            {"release_channel": "RAPID"},
            "cluster.release_channel: shared is in REGULAR, not in RAPID; nearest: REGULAR, or ",
        ),
        (
            {"version": "1.32.1-gke.1729000"},
            {},
            "cluster.existing.cluster: GKE 1.32.1-gke.1729000 is older than lustre_csi needs; "
            "nearest: 1.35",
        ),
        (
            {"version": "1.30.0-gke.1747000"},
            {"features": ()},
            "cluster.existing.cluster: GKE 1.30.0-gke.1747000 is older than a4-highgpu-8g needs; ",
        ),
        (
            {"network_id": "projects/p/global/networks/default"},
            {},
            "network.existing.network: shared is on projects/p/global/networks/default, not on ",
        ),
        (
            {"multi_networking": False},
            {},
            "cluster.existing.cluster: shared has no multi-networking, so ",
        ),
        (
            {"dataplane_v2": False},
            {"multi_networking": False},
            "cluster.existing.cluster: shared is not on Dataplane V2, which ",
        ),
        (
            {"workload_pool": None},
            {},
            "cluster.existing.cluster: shared has no Workload Identity pool, and its pods are "
            "nobody to Google Cloud; nearest: `gcloud container clusters update shared "
            "--location=us-east1 --project=p --workload-pool=p.svc.id.goog`, by whoever owns it",
        ),
        (
            {"workload_pool": "other.svc.id.goog"},
            {},
            "cluster.existing.cluster: shared has the Workload Identity pool other.svc.id.goog, ",
        ),
        (
            {"ray_operator": False},
            {},
            "cluster.existing.cluster: shared has no Ray operator; nearest: `gcloud container "
            "clusters update shared --location=us-east1 --project=p "
            "--update-addons=RayOperator=ENABLED`, by whoever owns it",
        ),
        (
            {},
            {"ray_operator": False},
            "cluster.existing.cluster: shared has GKE's Ray operator, and two would ",
        ),
        (
            {"gcs_fuse": False},
            {},
            "cluster.existing.cluster: shared has no Cloud Storage FUSE CSI driver; ",
        ),
        (
            {"custom_metrics": False},
            {},
            "cluster.existing.cluster: shared does not scale pods by metrics that GKE ",
        ),
        (
            {"lustre": False},
            {},
            "cluster.existing.cluster: shared has no Managed Lustre CSI driver; ",
        ),
        (
            {"lustre_legacy_port": True},
            {},
            "cluster.existing.cluster: nodes of shared speak to Lustre on the legacy port, and the "
            "instance listens on the default one, so nothing mounts; nearest: an instance on the "
            "legacy port",
        ),
        (
            {},
            {"lustre_legacy_port": True},
            "cluster.existing.cluster: nodes of shared speak to Lustre on the default port, and "
            "the instance listens on the legacy one, so ",
        ),
    ],
)
def test_a_cluster_that_lacks_something_is_refused_for_just_that(
    found: dict[str, Any], needs: dict[str, Any], line: str
) -> None:
    problems = cluster_problems(replace(CLUSTER, **found), replace(IN_CLUSTER, **needs), CATALOG)
    assert only(problems).startswith(line)


NO_POLICIES = "shared enforces no network policies, so "
CALICO = (
    "shared enforces network policies by Calico, which takes pods for part of the range "
    "0.0.0.0/0, so "
)
ON_V2 = "; nearest: a cluster on Dataplane V2"
MODEST = ClusterNeeds(project="p", region="us-east1")


@pytest.mark.parametrize(("calico", "why"), [(False, NO_POLICIES), (True, CALICO)])
def test_teams_are_refused_where_network_policies_keep_them_not_apart(
    *, calico: bool, why: str
) -> None:
    cluster = replace(CLUSTER, dataplane_v2=False, calico=calico)
    teams = replace(MODEST, teams=True, guarded=True)
    line = f"{FIELD}: {why}pods of a team would reach those of the others{ON_V2}"
    assert only(cluster_problems(cluster, teams, CATALOG)) == line
    assert lines(cluster_advice(cluster, teams)) == []
    assert lines(cluster_problems(replace(cluster, dataplane_v2=True), teams, CATALOG)) == []


@pytest.mark.parametrize(("calico", "why"), [(False, NO_POLICIES), (True, CALICO)])
def test_a_stack_without_teams_is_warned_where_network_policies_guard_nothing(
    *, calico: bool, why: str
) -> None:
    cluster = replace(CLUSTER, dataplane_v2=False, calico=calico)
    guarded = replace(MODEST, guarded=True, reached_from_outside=True)
    line = f"{FIELD}: {why}every pod of the cluster reaches those of the stack{ON_V2}"
    assert lines(cluster_problems(cluster, guarded, CATALOG)) == []
    assert only(cluster_advice(cluster, guarded)) == line
    assert lines(cluster_advice(replace(cluster, dataplane_v2=True), guarded)) == []
    assert lines(cluster_advice(cluster, MODEST)) == []
    # Without a range Calico keeps pods apart as Dataplane V2 does.
    by_pods = replace(guarded, reached_from_outside=False)
    assert lines(cluster_advice(cluster, by_pods)) == ([] if calico else [line])


def test_what_a_stack_does_not_use_a_cluster_need_not_have() -> None:
    bare = replace(
        CLUSTER,
        ray_operator=False,
        gcs_fuse=False,
        lustre=False,
        custom_metrics=False,
        multi_networking=False,
        dataplane_v2=False,
        version="1.28.0-gke.0",
    )
    modest = ClusterNeeds(project="p", region="us-east1")
    assert lines(cluster_problems(bare, modest, CATALOG)) == []
    assert lines(cluster_problems(replace(bare, location="us-east1-c"), modest, CATALOG)) == []


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({"autopilot": True, "private_nodes": False}, "nodes of shared have public addresses"),
        ({"release_channel": "UNSPECIFIED"}, "tried with; Google puts it in STABLE on 2027-06-14"),
    ],
)
def test_what_may_surprise_in_a_cluster_is_advice(found: dict[str, Any], words: str) -> None:
    assert words in only(cluster_advice(replace(CLUSTER, **found), IN_CLUSTER))


class TestOwner:
    WHAT = "the cluster shared"

    def test_a_part_of_another_stack_is_to_be_referred_to(self) -> None:
        labels = stack_labels({"team": "platform"}, "Platform")
        line = only(owner_problems("cluster.existing.cluster", self.WHAT, labels, "dev"))
        assert line == (
            "cluster.existing.cluster: the cluster shared belongs to the stack platform, by its "
            "labels, which may change or delete it; nearest: a reference, "
            "`stack: ORG/PROJECT/platform`"
        )

    def test_a_part_of_the_stacks_own_is_not_somebody_elses(self) -> None:
        labels = stack_labels({}, "dev")
        line = only(owner_problems("cluster.existing.cluster", self.WHAT, labels, "dev"))
        assert "is this stack's own, by its labels, and would be deleted" in line

    def test_a_part_that_is_off_the_record_may_be_named_by_the_stack_that_made_it(self) -> None:
        labels = stack_labels({}, "dev")
        field = "cluster.existing.cluster"
        assert lines(owner_problems(field, self.WHAT, labels, "dev", on_record=False)) == []
        assert lines(owner_problems(field, self.WHAT, labels, "other", on_record=False)) != []

    @pytest.mark.parametrize(
        "labels", [{}, {"stack": "x"}, {"managed-by": "pulumi"}, {"managed-by": "t", "stack": "x"}]
    )
    def test_labels_of_others_are_not_ours(self, labels: dict[str, str]) -> None:
        assert lines(owner_problems("cluster.existing.cluster", self.WHAT, labels, "dev")) == []
