"""Whether a bucket or a Lustre instance that exists already is what a stack mounts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from catalog import Catalog
from components.existing_facts import BucketFacts, LustreFacts
from stacks.parts.buckets.existing_rules import BucketNeeds, bucket_advice, bucket_problems
from stacks.parts.lustre.existing_rules import LustreNeeds, lustre_advice, lustre_problems
from tests.unit.problem_lines import NETWORK_ID, lines, only

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
CATALOG = Catalog.load()


def test_storage_that_has_all_that_is_needed_has_no_problem() -> None:
    assert lines(bucket_problems(BUCKET, OF_BUCKET)) == []
    assert lines(bucket_advice(BUCKET, OF_BUCKET)) == []
    assert lines(lustre_problems(LUSTRE, OF_LUSTRE, CATALOG)) == []
    let_in = replace(OF_LUSTRE, let_in_from="10.10.0.0/22")
    assert lines(lustre_problems(LUSTRE, let_in, CATALOG)) == []
    assert lines(lustre_advice(LUSTRE, let_in, CATALOG)) == []


@pytest.mark.parametrize(
    ("found", "needs", "line"),
    [
        (
            {"location": "US-WEST1"},
            {},
            'bucket.existing.bucket: "our-data" is in US-WEST1, and what pods in us-east1 read of '
            "it crosses regions, slow and paid for; nearest: a bucket in US-EAST1",
        ),
        ({"location": "EU"}, {}, 'bucket.existing.bucket: "our-data" is in EU, and what pods in '),
        (
            {"location": "US", "regions": ("US-WEST1", "US-CENTRAL1")},
            {},
            'bucket.existing.bucket: "our-data" is in US, and what pods in us-east1 ',
        ),
        (
            {"uniform_access": False},
            {},
            'bucket.existing.bucket: "our-data" has no uniform bucket-level access, without which ',
        ),
        (
            {"hierarchical_namespace": False},
            {},
            'bucket.hierarchical_namespace: "our-data" has no hierarchical namespace, which is '
            "decided when a bucket is made; nearest: false",
        ),
        (
            {},
            {"hierarchical_namespace": False},
            'bucket.hierarchical_namespace: "our-data" has a hierarchical namespace, which is '
            "decided when a bucket is made; nearest: true",
        ),
    ],
)
def test_a_bucket_that_pods_cannot_use_well_is_refused(
    found: dict[str, Any], needs: dict[str, Any], line: str
) -> None:
    problems = bucket_problems(replace(BUCKET, **found), replace(OF_BUCKET, **needs))
    assert only(problems).startswith(line)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({"location": "US"}, "is in more regions than us-east1"),
        ({"location": "US", "regions": ("US-EAST1", "US-WEST1")}, "is in more regions than"),
        ({"versioning": True}, "keeps old versions"),
    ],
)
def test_a_bucket_that_costs_more_is_advice(found: dict[str, Any], words: str) -> None:
    bucket = replace(BUCKET, **found)
    assert words in only(bucket_advice(bucket, OF_BUCKET))
    assert lines(bucket_problems(bucket, OF_BUCKET)) == []


@pytest.mark.parametrize(
    ("found", "line"),
    [
        ({"state": "CREATING"}, 'lustre.existing.instance: "fast" is CREATING and cannot be '),
        ({"state": ""}, 'lustre.existing.instance: "fast" is in no state that is known and '),
        ({"zone": "us-east1-c"}, 'lustre.existing.instance: "fast" is in us-east1-c, and the '),
        (
            {"network_id": "projects/p/global/networks/other"},
            'lustre.existing.instance: "fast" is reached from projects/p/global/networks/other, ',
        ),
        (
            {"filesystem": "other"},
            'lustre.filesystem: the file system of "fast" is other, not lustre; nearest: other',
        ),
        (
            {"capacity_gib": 4500},
            'lustre.capacity_gib: "fast" has 4500 GiB, less than 9000; nearest: 4500',
        ),
        (
            {"legacy_port": True},
            'lustre.existing.instance: "fast" listens on port 6988, and the nodes speak on 988, so '
            "nothing mounts; nearest: an instance on port 988",
        ),
    ],
)
def test_a_lustre_instance_that_nodes_cannot_mount_is_refused(
    found: dict[str, Any], line: str
) -> None:
    assert only(lustre_problems(replace(LUSTRE, **found), OF_LUSTRE, CATALOG)).startswith(line)


def test_servers_elsewhere_than_where_they_are_let_in_from_are_refused() -> None:
    let_in = replace(OF_LUSTRE, let_in_from="10.20.0.0/22")
    assert only(lustre_problems(LUSTRE, let_in, CATALOG)).startswith(
        'network.peering: servers are let in from 10.20.0.0/22, and those of "fast" are at '
        "10.10.0.2; nearest: the range around it that"
    )
    coming = replace(LUSTRE, state="CREATING", mount_point="")
    assert only(lustre_problems(coming, let_in, CATALOG)).startswith("lustre.existing.instance: ")


@pytest.mark.parametrize(("legacy", "port"), [(False, "tcp:988"), (True, "tcp:6988")])
def test_servers_that_somebody_else_has_to_let_in_are_told_with_their_port(
    legacy: bool, port: str
) -> None:
    line = only(lustre_advice(replace(LUSTRE, legacy_port=legacy), OF_LUSTRE, CATALOG))
    assert line.startswith("network.peering: not said, so whoever owns the network has to let")
    assert f" in on {port}, or nothing mounts" in line
