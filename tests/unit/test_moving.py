"""A stack leaves a cluster that it did not make, by what is on record of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from components.base.existing_facts import ClusterFacts
from stacks.config import validate
from stacks.moving import entering, leaving
from stacks.on_record import Record
from tests.conftest import changed
from tests.programs import WITH_TOKEN
from tests.unit.effect_stacks import BASES
from tests.unit.test_existing_rules import CLUSTER

THERE = {"existing": {"name": "platform", "location": "us-central1"}}
URN = "urn:pulumi:a::b::pulumi:providers:kubernetes::gke-kubernetes"
# As this release writes it, and as earlier ones did.
OWN, FORMERLY_OWN = (
    f"urn:pulumi:a::b::gke-ai-stacks:{it}:GkeCluster$pulumi:providers:kubernetes::gke-kubernetes"
    for it in ("index", "gke_cluster")
)
OBJECT = "kubernetes:core/v1:ServiceAccount"
FORGET = "PULUMI_K8S_DELETE_UNREACHABLE=true pulumi refresh --stack test"


def in_cluster(
    server: str, provider: str = URN, *, objects: bool = True, known_as: str | None = None
) -> Record:
    config = {
        "current-context": "platform",
        "clusters": [{"name": "platform", "cluster": {"server": server}}],
    }
    outputs = {"kubeconfig": json.dumps(config), "clusterIdentifier": known_as}
    inside = {f"urn:pulumi:a::b::{OBJECT}::account": {"type": OBJECT}} if objects else {}
    return Record({provider: {"type": "pulumi:providers:kubernetes", "outputs": outputs}, **inside})


def test_for_a_cluster_of_its_own_objects_go_first() -> None:
    plan = validate(BASES["plain"], secrets_set=WITH_TOKEN)
    record = in_cluster("https://192.0.2.1")
    (said,) = (str(it.refusal(record, "test")) for it in leaving(plan, record, "test"))
    assert "(stack.cluster): platform at https://192.0.2.1 -> one that the stack makes" in said
    assert f"pulumi destroy --stack test --target {URN} --target-dependents" in said
    assert f"Or, where platform is gone with all that was in it: `{FORGET}`" in said


@pytest.mark.parametrize("provider", [OWN, FORMERLY_OWN])
def test_what_was_in_a_cluster_of_its_own_that_is_gone_is_forgotten_and_not_destroyed(
    provider: str,
) -> None:
    plan = validate(BASES["plain"], secrets_set=WITH_TOKEN)
    record = in_cluster("https://192.0.2.1", provider)
    (said,) = (str(it.refusal(record, "test")) for it in leaving(plan, record, "test"))
    assert "own cluster platform at https://192.0.2.1 is on record no more" in said
    commands = [it.strip() for it in said.splitlines() if it.startswith("  ")]
    assert commands == [FORGET, "pulumi up --stack test"]


def test_a_provider_of_nothing_is_replaced_in_one_run() -> None:
    plan = validate(BASES["plain"], secrets_set=WITH_TOKEN)
    for urn in (URN, OWN, FORMERLY_OWN):
        assert (
            list(leaving(plan, in_cluster("https://192.0.2.1", urn, objects=False), "test")) == []
        )


def test_it_stays_in_the_one_that_it_is_in() -> None:
    plan = validate(changed(BASES["plain"], cluster=THERE, network=None), secrets_set=WITH_TOKEN)
    record = in_cluster("https://192.0.2.1")
    assert list(leaving(plan, record, "test")) == []
    assert list(leaving(plan, Record(), "test")) == []


@pytest.mark.parametrize(("endpoint", "moved"), [("192.0.2.1", False), ("192.0.2.2", True)])
def test_another_such_cluster_is_known_by_its_control_plane(endpoint: str, moved: bool) -> None:
    found: ClusterFacts = replace(CLUSTER, endpoint=endpoint)
    assert bool(list(entering(found, in_cluster("https://192.0.2.1")))) is moved


@pytest.mark.parametrize(("name", "moved"), [("a.b.gke.goog", False), ("c.b.gke.goog", True)])
def test_a_cluster_whose_owner_gives_it_another_endpoint_is_the_same(
    name: str, *, moved: bool
) -> None:
    found = replace(CLUSTER, endpoint="192.0.2.2", dns_name=name)
    record = in_cluster("https://192.0.2.1", known_as="a.b.gke.goog")
    assert bool(list(entering(found, record))) is moved
