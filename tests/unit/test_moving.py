"""A stack leaves a cluster that it did not make, by what is on record of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from components.existing_facts import ClusterFacts
from stacks.config import validate
from stacks.moving import entering, leaving
from stacks.on_record import Record
from tests.conftest import changed
from tests.programs import WITH_TOKEN
from tests.unit.effect_stacks import BASES
from tests.unit.test_existing_cluster_rules import CLUSTER

THERE = {"existing": {"name": "platform", "location": "us-central1"}}
URN = "urn:pulumi:a::b::pulumi:providers:kubernetes::gke-kubernetes"


def in_cluster(server: str) -> Record:
    config = {
        "current-context": "platform",
        "clusters": [{"name": "platform", "cluster": {"server": server}}],
    }
    outputs = {"kubeconfig": json.dumps(config)}
    return Record({URN: {"type": "pulumi:providers:kubernetes", "outputs": outputs}})


def test_for_a_cluster_of_its_own_objects_go_first() -> None:
    plan = validate(BASES["plain"], secrets_set=WITH_TOKEN)
    record = in_cluster("https://192.0.2.1")
    (said,) = (str(it.refusal(record, "test")) for it in leaving(plan, record))
    assert "stack.cluster: platform at https://192.0.2.1 -> one that the stack makes" in said
    assert f"pulumi destroy --stack test --target '{URN}' --target-dependents" in said


def test_it_stays_in_the_one_that_it_is_in() -> None:
    plan = validate(changed(BASES["plain"], cluster=THERE, network=None), secrets_set=WITH_TOKEN)
    record = in_cluster("https://192.0.2.1")
    assert list(leaving(plan, record)) == []
    assert list(leaving(plan, Record())) == []


@pytest.mark.parametrize(("endpoint", "moved"), [("192.0.2.1", False), ("192.0.2.2", True)])
def test_another_such_cluster_is_known_by_its_control_plane(endpoint: str, moved: bool) -> None:
    found: ClusterFacts = replace(CLUSTER, endpoint=endpoint)
    assert bool(list(entering(found, in_cluster("https://192.0.2.1")))) is moved
