"""What cannot become what the config asks for is refused, by what is on record of it."""

from typing import Any

import pytest

from stacks.config import ConfigError, validate
from stacks.immutable import check
from stacks.on_record import Record
from tests.conftest import changed
from tests.parts.samples import BARE
from tests.programs import registered
from tests.unit.effect_stacks import BASES
from tests.unit.test_config_effects import SECRETS

URN = "urn:pulumi:b200-lustre::gke-ai-stacks::gcp:lustre/instance:Instance::lustre-instance"


def record(gib: int, speed: int = 1000, name: str = "rl-demo-gpu-lustre") -> Record:
    # As the real provider has it: numbers of 64 bits are texts.
    outputs = {
        "instanceId": name,
        "capacityGib": str(gib),
        "perUnitStorageThroughput": str(speed),
    }
    return Record({URN: {"type": "gcp:lustre/instance:Instance", "outputs": outputs}})


def test_an_instance_does_not_shrink(b200: dict[str, Any]) -> None:
    plan = validate(b200, secrets_set=SECRETS)
    with pytest.raises(
        ConfigError, match=r"lustre.capacity_gib: 9000 .*nearest: 18000, or another"
    ):
        check(plan, record(18000))


@pytest.mark.parametrize(
    "there",
    [record(9000), record(18000, speed=500), record(18000, name="other"), Record()],
    ids=["of the same size", "of another tier", "of another name", "not there"],
)
def test_what_is_made_anew_may_be_smaller(b200: dict[str, Any], there: Record) -> None:
    check(validate(b200, secrets_set=SECRETS), there)


def test_an_instance_grows(b200: dict[str, Any]) -> None:
    check(validate(changed(b200, lustre__capacity_gib=18000), secrets_set=SECRETS), record(9000))


def as_made(config: dict[str, Any]) -> Record:
    """As if the config had been brought up."""
    made = registered(validate(config, secrets_set=SECRETS), stack="test").resources
    return Record({it.urn: {"type": it.type, "outputs": it.inputs} for it in made})


def test_the_levels_of_a_topology_stay() -> None:
    queued = BASES["queues"]
    there = as_made(queued)
    levels = ["cloud.google.com/gce-topology-block"]
    after = changed(queued, queues__topologies__nodes__levels=levels)
    check(validate(queued, secrets_set=SECRETS), there)
    with pytest.raises(ConfigError, match=r"topologies.nodes.levels: .*nearest: a topology by ano"):
        check(validate(after, secrets_set=SECRETS), there)


QUEUED = BASES["queues"]
_RELEASE = {"type": "kubernetes:helm.sh/v3:Release", "outputs": {}}
TAINTED = {"pools__spot__taints": [{"key": "team", "value": "a"}]}
FREE = {f"queues__flavors__{it}__topology": None for it in ("first", "spot")}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"queues__flavors__spot__topology": "blocks"}, r"spot.topology: .* topology; nearest: a "),
        (FREE, r"first.topology: .* keeps its topology; nearest"),
        (
            TAINTED,
            r"stack.pools.spot: queues.flavors.spot has a topology, .* keeps its tolerations;",
        ),
        (
            {"queues__flavors__spot__pool": "gpu", "queues__flavors__first__pool": "spot"},
            r"first.pool: .* keeps its node labels;",
        ),
    ],
    ids=["another topology", "none", "taints", "another pool"],
)
def test_what_a_flavor_with_a_topology_says_of_its_nodes_stays(
    change: dict[str, Any], line: str
) -> None:
    with pytest.raises(ConfigError, match=line):
        check(validate(changed(QUEUED, **change), secrets_set=SECRETS), as_made(QUEUED))


@pytest.mark.parametrize(
    "change", [{}, {"pools__spot__labels": {"a": "b"}, "pools__spot__nodes": 3}]
)
def test_what_its_nodes_are_beside_that_may_change(change: dict[str, Any]) -> None:
    check(validate(changed(QUEUED, **change), secrets_set=SECRETS), as_made(QUEUED))


@pytest.mark.parametrize("change", [TAINTED, {}])
def test_a_flavor_without_a_topology_follows_its_pool(change: dict[str, Any]) -> None:
    after = validate(changed(QUEUED, **change), secrets_set=SECRETS)
    check(after, as_made(changed(QUEUED, **FREE)))


INSIDE = changed(QUEUED, cluster={"existing": {"name": "theirs", "location": "us-central1"}})


def test_an_operator_that_the_stack_installed_is_nobody_elses() -> None:
    after = validate(changed(INSIDE, cluster__existing__operators=["kueue"]), secrets_set=SECRETS)
    there = Record({"urn:pulumi:a::b::kubernetes:helm.sh/v3:Release::kueue-release": _RELEASE})
    check(after, Record())
    with pytest.raises(ConfigError, match=r"existing.operators: kueue is in the cluster by "):
        check(after, there)


RL = BASES["rl"]


@pytest.mark.parametrize("block", ["10.10.2.0/23", "10.10.0.0/23"])
def test_another_range_of_the_peering_does_not_overlap_the_one_that_is_there(block: str) -> None:
    after = validate(changed(RL, network__peering=block), secrets_set=SECRETS)
    line = rf"network.peering: {block} overlaps 10.10.0.0/22, .*nearest: 10.0.16.0/23"
    with pytest.raises(ConfigError, match=line):
        check(after, as_made(RL))


@pytest.mark.parametrize(
    "change", [{}, {"network__peering": "10.96.0.0/16"}, {"lustre": None, "jobs": None}]
)
def test_a_range_that_overlaps_none_is_taken(change: dict[str, Any]) -> None:
    check(validate(changed(RL, **change), secrets_set=SECRETS), as_made(RL))


def with_cluster(known_as: str | None, **outputs: Any) -> Record:
    """A cluster, and the provider of what is in it."""
    cluster, provider = "gcp:container/cluster:Cluster", "pulumi:providers:kubernetes"
    return Record(
        {
            f"urn:pulumi:a::b::{cluster}::gke-cluster": {"type": cluster, "outputs": outputs},
            f"urn:pulumi:a::b::{provider}::gke-kubernetes": {
                "type": provider,
                "outputs": {"clusterIdentifier": known_as},
            },
        }
    )


def test_another_endpoint_waits_until_the_provider_knows_its_cluster_by_name() -> None:
    plan = validate(changed(BARE, cluster={"endpoint": "dns"}), secrets_set=SECRETS)
    told = "dns is another address than public, .*nearest: one `pulumi up` with cluster.endpoint"
    with pytest.raises(ConfigError, match=told):
        check(plan, with_cluster(None))
    check(plan, with_cluster("gke-1.us-central1.gke.goog"))
    check(validate(BARE, secrets_set=SECRETS), with_cluster(None))
    check(plan, Record())


@pytest.mark.parametrize(
    ("endpoint", "outputs"),
    [
        ("private", {"privateClusterConfig": {"enablePrivateEndpoint": True}}),
        ("dns", {"controlPlaneEndpointsConfig": {"ipEndpointsConfig": {"enabled": False}}}),
    ],
)
def test_an_endpoint_stays_what_is_on_record(endpoint: str, outputs: dict[str, Any]) -> None:
    plan = validate(changed(BARE, cluster={"endpoint": endpoint}), secrets_set=SECRETS)
    check(plan, with_cluster(None, **outputs))
