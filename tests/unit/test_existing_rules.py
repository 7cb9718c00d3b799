"""Whether what exists already has what a stack uses, and whose it is; refusals and advice one a row
in existing_refusals.yaml: what is found, what is needed, and how the one line begins, or for advice
words of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from catalog import Catalog
from components.base.existing_facts import (
    BucketFacts,
    ClusterFacts,
    DiskImageFacts,
    LustreFacts,
    NetworkFacts,
    RepositoryFacts,
)
from components.base.labels import stack_labels
from stacks import beside
from stacks.beside import owner_problems
from stacks.parts.buckets import existing_rules as bucket_rules
from stacks.parts.buckets.existing_rules import BucketNeeds, bucket_advice, bucket_problems
from stacks.parts.cluster import existing_rules as cluster_rules
from stacks.parts.cluster.existing_rules import ClusterNeeds, cluster_advice, cluster_problems
from stacks.parts.images import existing_rules as image_rules
from stacks.parts.images.existing_rules import (
    RepositoryNeeds,
    disk_advice,
    disk_problems,
    repository_advice,
    repository_problems,
)
from stacks.parts.images.plan import DiskImage
from stacks.parts.lustre import existing_rules as lustre_rules
from stacks.parts.lustre.existing_rules import LustreNeeds, lustre_advice, lustre_problems
from stacks.parts.network import existing_rules as network_rules
from stacks.parts.network.existing_rules import NetworkNeeds, network_advice, network_problems
from stacks.problems import Problem
from tests.parts.rule_mutants import BROKEN, Statement, statements, turned_round, without
from tests.unit.problem_lines import NETWORK_ID, lines, only

CATALOG = Catalog.load()
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
FIELD = "cluster.existing.cluster"
NETWORK = NetworkFacts(
    project="host",
    region="us-east1",
    name="shared",
    network_id=NETWORK_ID,
    subnetwork_name="nodes",
    subnetwork_id="projects/host/regions/us-east1/subnetworks/nodes",
    subnetwork_network_id=NETWORK_ID,
    nodes_range="10.0.0.0/20",
    secondary_ranges={"gke-pods": "10.8.0.0/16", "gke-services": "10.9.0.0/20"},
    private_google_access=True,
    nats=("nat",),
)
ON_NETWORK = NetworkNeeds(
    pods_range="gke-pods",
    services_range="gke-services",
    pools=((10, 110), (3, 32)),
    made={"control_plane": "10.10.4.0/28"},
)
REPOSITORY = RepositoryFacts(
    project="p",
    location="us-east1",
    name="mirror",
    format="DOCKER",
    mode="REMOTE_REPOSITORY",
    upstream="https://nvcr.io",
    labels={},
)
OF_NVCR = RepositoryNeeds(host="nvcr.io", streams=True)
VIRTUAL: dict[str, Any] = {"mode": "VIRTUAL_REPOSITORY", "upstream": None}
DISK = "pools.gpu.secondary_boot_disk"
BUCKET = BucketFacts(
    name="our-data",
    url="gs://our-data",
    location="US-EAST1",
    regions=(),
    hierarchical_namespace=True,
    uniform_access=True,
    versioning=False,
    labels={},
)
OF_BUCKET = BucketNeeds(region="us-east1", hierarchical_namespace=True)
LUSTRE = LustreFacts(
    project="p",
    zone="us-east1-b",
    name="fast",
    network_id=NETWORK_ID,
    mount_point="10.10.0.2@tcp:/lustre",
    filesystem="lustre",
    capacity_gib=9000,
    legacy_port=False,
    state="ACTIVE",
    labels={},
)
OF_LUSTRE = LustreNeeds(
    zone="us-east1-b",
    network_id=NETWORK_ID,
    filesystem="lustre",
    legacy_port=False,
    capacity_gib=9000,
)


@dataclass(frozen=True)
class Owned:
    """By the labels of this stack of ours, which is `dev` to itself."""

    stack: str = "dev"


Judge = Callable[[Any, Any], Iterable[Problem]]
# What is found, what is needed, who refuses it and who advises.
KINDS: dict[str, tuple[Any, Any, Judge, Judge]] = {
    "cluster": (
        CLUSTER,
        IN_CLUSTER,
        lambda found, needs: cluster_problems(found, needs, CATALOG),
        cluster_advice,
    ),
    "network": (NETWORK, ON_NETWORK, network_problems, network_advice),
    "repository": (
        REPOSITORY,
        OF_NVCR,
        lambda found, needs: repository_problems(found, needs, CATALOG),
        repository_advice,
    ),
    "disk": (
        DiskImageFacts(project="p", name="trainer", status="READY"),
        DiskImage(project="p", name="trainer", images=("nvcr.io/a:1", "b:2")),
        lambda found, _: disk_problems(DISK, found),
        lambda _, needs: disk_advice(DISK, needs),
    ),
    "bucket": (BUCKET, OF_BUCKET, bucket_problems, bucket_advice),
    "owner": (
        Owned(),
        Owned(),
        lambda found, needs: owner_problems(
            FIELD, "the cluster shared", stack_labels({"team": "a"}, found.stack), needs.stack
        ),
        lambda _, __: (),
    ),
    "lustre": (
        LUSTRE,
        OF_LUSTRE,
        lambda found, needs: lustre_problems(found, needs, CATALOG),
        lambda found, needs: lustre_advice(found, needs, CATALOG),
    ),
}
STATEMENTS = [
    it
    for module in (*(bucket_rules, cluster_rules, image_rules, lustre_rules, network_rules),)
    for it in statements(module)
] + statements(beside, "owner_problems")
ROWS: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("existing_refusals.yaml").read_text()
)


def holds(row: dict[str, Any]) -> bool:
    """Whether it is refused for just that, or passes and is advised against."""
    (kind,) = row.keys() & KINDS.keys()
    found, needs, problems, advice = KINDS[kind]
    found, needs = replace(found, **row[kind]), replace(needs, **row.get("needs", {}))
    try:
        said, advised = lines(problems(found, needs)), lines(advice(found, needs))
    except BROKEN:
        return False
    if "says" in row:
        told = [it for it in said if it.startswith(row["says"])]
        return bool(told) and len(said) == row.get("lines", 1)
    return (kind == "cluster" or not said) and len(advised) == 1 and row["advice"] in advised[0]


@pytest.mark.parametrize("row", ROWS, ids=lambda it: it.get("says") or it["advice"])
def test_what_lacks_something_is_refused_for_just_that_and_what_costs_is_advice(
    row: dict[str, Any],
) -> None:
    assert holds(row)


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda it: it.name)
def test_a_statement_that_is_not_there_is_missed(statement: Statement) -> None:
    with without(statement):
        assert not all(map(holds, ROWS))


@pytest.mark.parametrize(
    "statement", [it for it in STATEMENTS if it.conditional], ids=lambda it: it.name
)
def test_a_condition_that_is_turned_round_is_noticed(statement: Statement) -> None:
    with turned_round(statement):
        assert not all(map(holds, ROWS))


def test_a_cluster_that_has_all_that_is_needed_has_no_problem() -> None:
    assert lines(cluster_problems(CLUSTER, IN_CLUSTER, CATALOG)) == []
    assert lines(cluster_advice(CLUSTER, IN_CLUSTER)) == []


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
    "labels", [{}, {"stack": "x"}, {"managed-by": "pulumi"}, {"managed-by": "t", "stack": "x"}]
)
def test_labels_of_others_are_not_ours(labels: dict[str, str]) -> None:
    assert lines(owner_problems(FIELD, "the cluster shared", labels, "dev")) == []


def test_a_part_that_is_off_the_record_may_be_named_by_the_stack_that_made_it() -> None:
    labels = stack_labels({}, "dev")
    assert lines(owner_problems(FIELD, "it", labels, "dev", on_record=False)) == []
    assert lines(owner_problems(FIELD, "it", labels, "other", on_record=False)) != []


def test_a_network_that_has_all_that_is_needed_has_no_problem() -> None:
    assert lines(network_problems(NETWORK, ON_NETWORK)) == []
    assert lines(network_advice(NETWORK, ON_NETWORK)) == []


def test_the_largest_mtu_is_as_good_as_none_that_matters() -> None:
    jumbo = replace(ON_NETWORK, mtu=8896, jumbo_for="Managed Lustre")
    assert lines(network_advice(NETWORK, jumbo)) == []
    assert lines(network_advice(NETWORK, replace(ON_NETWORK, mtu=1460))) == []


@pytest.mark.parametrize(
    ("host", "upstream"),
    [
        ("nvcr.io", "https://nvcr.io"),
        ("nvcr.io", "https://nvcr.io/"),
        ("docker.io", "DOCKER_HUB"),
        ("docker.io", "https://registry-1.docker.io"),
        ("index.docker.io", "DOCKER_HUB"),
        ("registry.example.com:5000", "https://registry.example.com:5000"),
        # Repositories of Artifact Registry, whose own upstreams nobody reads here.
        ("nvcr.io", "projects/p/locations/us/repositories/r"),
        ("nvcr.io", "https://us-docker.pkg.dev/p/r"),
    ],
)
def test_a_mirror_of_the_registry_has_no_problem(host: str, upstream: str) -> None:
    found, needs = replace(REPOSITORY, upstream=upstream), replace(OF_NVCR, host=host)
    assert lines(repository_problems(found, needs, CATALOG)) == []
    assert lines(repository_advice(found, needs)) == []


def test_a_virtual_one_is_as_good_where_nothing_streams() -> None:
    needs = replace(OF_NVCR, streams=False)
    assert lines(repository_advice(replace(REPOSITORY, **VIRTUAL), needs)) == []


def test_storage_that_has_all_that_is_needed_has_no_problem() -> None:
    assert lines(bucket_problems(BUCKET, OF_BUCKET)) == []
    assert lines(bucket_advice(BUCKET, OF_BUCKET)) == []
    assert lines(lustre_problems(LUSTRE, OF_LUSTRE, CATALOG)) == []
    let_in = replace(OF_LUSTRE, let_in_from="10.10.0.0/22")
    assert lines(lustre_problems(LUSTRE, let_in, CATALOG)) == []
    assert lines(lustre_advice(LUSTRE, let_in, CATALOG)) == []
