"""Which changes make the cluster anew, by what is on record of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from catalog import Catalog
from stacks import changes
from stacks.config import validate
from stacks.on_record import Record
from stacks.one_run import asked, differences
from stacks.plan import Plan
from stacks.refusal import CLUSTER
from stacks.refusal import SUBNETWORK as SUBNETWORK_TYPE
from stacks.two_runs import TwoRunsError
from tests.conftest import Recording, changed, stack_config
from tests.parts.existing_samples import IN_CLUSTER, ON_NETWORK, ON_PLATFORM, PLATFORM
from tests.programs import WITH_TOKEN, registered
from tests.unit.effect_changes import CHANGES
from tests.unit.effect_stacks import BASES

PROVIDER = "pulumi:providers:kubernetes"
# They follow from the mode.
OF_MODE = {"networkingMode", "datapathProvider"}
# Google's values, which the config says otherwise.
IN_OTHER_WORDS = {"enableAutopilot", "location"}
# The same in every cluster of a stack's own network.
CONSTANT = {
    "ipAllocationPolicy.clusterSecondaryRangeName",
    "ipAllocationPolicy.servicesSecondaryRangeName",
    "subnetwork",
}


@cache
def made_of(plan: Plan) -> Recording:
    return registered(plan, stack="test")


def made(config: dict[str, Any]) -> Recording:
    return made_of(validate(config, secrets_set=WITH_TOKEN))


# The mocks' ids do not end in names, as Google's do.
SUBNETWORK = {"subnetwork": "projects/p/regions/r/subnetworks/dev-nodes"}


def record(found: Recording, **of_cluster: Any) -> Record:
    """As if what was registered had been brought up."""
    resources = {
        it.urn: {
            "type": it.type,
            "outputs": {**it.inputs, **(SUBNETWORK | of_cluster if it.type == CLUSTER else {})},
        }
        for it in found.resources
    }
    return Record(resources)


def refusal(before: dict[str, Any], after: dict[str, Any], **of_cluster: Any) -> str:
    plan = validate(after, secrets_set=WITH_TOKEN)
    try:
        changes.check(plan, record(made(before), **of_cluster), "test")
    except TwoRunsError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"cluster__location": "regional"}, "stack.cluster.location: zonal -> regional"),
        ({"cluster__name": "other"}, "stack.cluster.name: dev -> other"),
        ({"name": "other"}, "stack.name: dev -> other"),
        ({"project": "other-project"}, "gcp:project: my-project -> other-project"),
        ({"network__subnet": "10.20.0.0/20"}, "network.subnet: 10.0.0.0/20 -> 10.20.0.0/20"),
        ({"network__pods": "10.64.0.0/14"}, "stack.network.pods: "),
        ({"network__services": "10.11.0.0/20"}, "stack.network.services: "),
        ({"network__control_plane": "10.10.5.0/28"}, "stack.network.control_plane: "),
    ],
)
def test_what_makes_the_cluster_anew_is_named_by_its_field(
    dev: dict[str, Any], change: dict[str, Any], line: str
) -> None:
    message = refusal(dev, changed(dev, **change))
    assert line in message
    everything = {"name", "project"} & change.keys()
    targeted = "pulumi destroy --stack test --target 'urn:"
    assert (targeted in message) is not bool(everything)
    assert message.count("pulumi up --stack test\n") == 1


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"network__subnet": "10.0.0.0/19"},
        {"network__mtu": 1460},
        {"cluster__release_channel": "STABLE"},
        {"labels": {"team": "research"}},
    ],
)
def test_what_the_cluster_follows_is_left_to_the_engine(
    dev: dict[str, Any], change: dict[str, Any]
) -> None:
    assert refusal(dev, changed(dev, **change)) == ""


def differing(
    config: dict[str, Any], subnet: dict[str, Any] | None = None, **outputs: Any
) -> list[str]:
    """What a cluster with these outputs is made anew for."""
    resources = {
        f"urn:pulumi:s::p::{token}::{name}": {"type": token, "outputs": it}
        for token, name, it in (
            (CLUSTER, "gke-cluster", outputs),
            *([(SUBNETWORK_TYPE, "network-subnet", subnet)] if subnet else []),
        )
    }
    there = Record(resources)
    (cluster,) = there.of_type(CLUSTER)
    plan = validate(config, secrets_set=WITH_TOKEN)
    return [str(it) for it in differences(plan, there, cluster)]


SHARED = "projects/host/global/networks/shared"


@pytest.mark.parametrize(
    ("config", "outputs", "line"),
    [
        (IN_CLUSTER, {"name": "mine"}, "stack.cluster.existing.name: none -> platform"),
        (ON_PLATFORM, {"name": "mine"}, f"stack.cluster.stack: none -> {PLATFORM}"),
        (
            stack_config("verl-b200-autopilot"),
            {"enableAutopilot": False},
            "stack.cluster.mode: standard -> autopilot",
        ),
        (ON_NETWORK, {"network": "mine-net"}, "stack.network.existing.network: mine-net -> shared"),
        (
            ON_NETWORK,
            {"network": SHARED, "subnetwork": "projects/host/regions/r/subnetworks/old"},
            "stack.network.existing.subnetwork: old -> nodes",
        ),
        (
            stack_config("dev"),
            {"network": SHARED},
            "stack.network.existing.network: shared -> none",
        ),
    ],
)
def test_a_cluster_that_comes_to_stand_elsewhere_is_made_anew(
    config: dict[str, Any], outputs: dict[str, Any], line: str
) -> None:
    assert differing(config, **outputs) == [line]


def test_a_cluster_that_leaves_its_stacks_own_network_is_told_as_the_config_says_it(
    dev: dict[str, Any],
) -> None:
    own = {"network": "projects/p/global/networks/dev-net"}
    adopted = refusal(dev, changed(dev, network=ON_NETWORK["network"]), **own)
    assert "  stack.network.existing.network: none -> shared\n" in adopted
    assert "  stack.network.existing.subnetwork: none -> nodes\n" in adopted
    named = changed(dev, cluster__name="dev")
    renamed = refusal(named, changed(named, name="other"), **own)
    assert "  stack.name: dev -> other\n" in renamed


def test_a_subnetwork_in_another_region_takes_the_cluster_along(dev: dict[str, Any]) -> None:
    subnet = {"name": "dev-nodes", "ipCidrRange": "10.0.0.0/20"}
    used = SUBNETWORK["subnetwork"]
    elsewhere = {**subnet, "region": "europe-west4"}
    assert differing(dev, elsewhere, subnetwork=used) == ["gcp:region: europe-west4 -> us-central1"]
    assert differing(dev, {**subnet, "region": "us-central1"}, subnetwork=used) == []


def test_data_that_goes_with_everything_is_named(b200: dict[str, Any]) -> None:
    message = refusal(b200, changed(b200, name="other"))
    assert "lustre-instance: all data on 9000 GiB lost" in message


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"name": "other"},
            "everything that the stack made; what runs now: jobs.nemo-rl-grpo-test1; ",
        ),
        (
            {"cluster__name": "other"},
            "`destroy` deletes what the stack has in gke-cluster. What runs there now ends: "
            "jobs.nemo-rl-grpo-test1. `up` deletes gke-cluster with its nodes, and makes all of it "
            "again.",
        ),
    ],
)
def test_a_job_that_runs_and_goes_with_it_is_named(
    b200: dict[str, Any], change: dict[str, Any], told: str
) -> None:
    assert told in refusal(b200, changed(b200, **change))


def test_a_cluster_without_jobs_has_none_that_ends(dev: dict[str, Any]) -> None:
    assert "now" not in refusal(dev, changed(dev, name="other"))
    assert "now" not in refusal(dev, changed(dev, network__subnet="10.20.0.0/20"))


def test_once_nothing_is_in_the_cluster_one_run_does_it(dev: dict[str, Any]) -> None:
    plan = validate(changed(dev, cluster__location="regional"), secrets_set=WITH_TOKEN)
    left = {
        it.urn: {"type": it.type, "outputs": it.inputs}
        for it in made(dev).resources
        if it.type != PROVIDER
    }
    changes.check(plan, Record(left), "test")
    changes.check(plan, Record(), "test")


@pytest.mark.parametrize("stack", ["b200-lustre", "dev", "serve-autopilot", "verl-b200-autopilot"])
def test_every_property_that_makes_it_anew_is_asked_after(stack: str) -> None:
    config = stack_config(stack)
    cluster = made(config).one("container/cluster:Cluster")
    catalog = Catalog.load()
    found = {
        path
        for path in leaves(cluster.inputs)
        if catalog.replaces(CLUSTER, path)
        if not path.startswith(cluster.ignore_changes)
        if path not in OF_MODE | CONSTANT
    }
    assert found <= set(asked(validate(config, secrets_set=WITH_TOKEN)))
    assert {"location", "name", "network", "project"} <= found


def leaves(value: dict[str, Any]) -> list[str]:
    return [path for path, _ in leaf_values(value)]


KEY = "projects/my-project/locations/us-central1/keyRings/{ring}/cryptoKeys/key"
AUTOPILOT = stack_config("serve-autopilot")
# By these the config reaches the cluster itself.
OF_CLUSTER = {"cluster", "cmek", "hardened", "name", "network", "project", "region", "zone"}
RUNNING = [
    *(
        (BASES[base], change)
        for base, change in CHANGES
        if {it.partition("__")[0] for it in change} & OF_CLUSTER
    ),
    (AUTOPILOT, {"cmek": KEY.format(ring="ring")}),
    (
        AUTOPILOT,
        {
            "cmek": KEY.format(ring="ring"),
            "hardened": True,
            "namespace": "work",
            "cluster__authorized_networks": [{"name": "office", "cidr": "203.0.113.0/24"}],
        },
    ),
    (changed(AUTOPILOT, cmek=KEY.format(ring="ring")), {"cmek": KEY.format(ring="other")}),
    (changed(AUTOPILOT, cmek=KEY.format(ring="ring")), {"cmek": None}),
]


@pytest.mark.parametrize("number", range(len(RUNNING)))
def test_every_change_of_the_config_that_replaces_the_cluster_is_refused(number: int) -> None:
    """The table of what the provider replaces decides, and not the list of fields."""
    before, change = RUNNING[number]
    after = changed(before, **change)
    clusters = [made(it).of_type(CLUSTER.partition(":")[2]) for it in (before, after)]
    if not all(clusters):
        return
    (was,), (will,) = clusters
    values = [dict(leaf_values(it.inputs)) for it in (was, will)]
    catalog = Catalog.load()
    replaced = {
        path
        for path in values[0].keys() | values[1].keys()
        if values[0].get(path) != values[1].get(path)
        if catalog.replaces(CLUSTER, path) and not path.startswith(will.ignore_changes)
        if path not in OF_MODE | CONSTANT
    }
    message = refusal(before, after)
    assert not replaced or "would be replaced" in message
    for path in replaced - {"network"} - IN_OTHER_WORDS:
        field, wanted = asked(validate(after, secrets_set=WITH_TOKEN))[path]
        assert f"-> {wanted if wanted is not None else 'none'}" in message, field


def test_a_key_that_an_autopilot_cluster_gets_is_named_with_both_values() -> None:
    first, second = KEY.format(ring="ring"), KEY.format(ring="other")
    with_key = changed(AUTOPILOT, cmek=first)
    assert f"stack.cmek: none -> {first}" in refusal(AUTOPILOT, with_key)
    assert f"stack.cmek: {first} -> {second}" in refusal(with_key, changed(with_key, cmek=second))
    assert f"stack.cmek: {first} -> none" in refusal(with_key, AUTOPILOT)
    assert "stack.cmek" not in refusal(with_key, with_key)


def leaf_values(value: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, it in value.items():
        if isinstance(it, dict):
            yield from leaf_values(it, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", it
