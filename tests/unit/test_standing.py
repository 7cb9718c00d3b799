"""What a message offers where a cluster runs: nothing that makes it anew, where a way in place is
known. The record is written by hand; that Google keeps these ranges is not shown."""

import re
from typing import Any

import pytest

from stacks.config import ConfigError, validate
from stacks.on_record import Record
from stacks.one_run import standing
from stacks.refusal import CLUSTER, NODE_POOL, SUBNETWORK
from stacks.standing import NOTHING, Standing
from tests.conftest import changed
from tests.parts.samples import BARE

CPUS = {"machine_type": "e2-standard-8", "nodes": 40}
STACK = changed(BARE, pools__cpu=CPUS, network={"pods": "10.8.0.0/16", "subnet": "10.0.0.0/20"})
RANGES = {"pods": "10.8.0.0/16", "services": "10.16.0.0/20"}


def stands() -> Standing:
    """Of what `STACK` makes."""
    secondary = [{"rangeName": name, "ipCidrRange": it} for name, it in RANGES.items()]
    made: dict[str, tuple[str, dict[str, Any]]] = {
        "gke-cluster": (
            CLUSTER,
            {
                "subnetwork": "projects/p/regions/r/subnetworks/bare-nodes",
                "privateClusterConfig": {"masterIpv4CidrBlock": "10.20.0.0/28"},
            },
        ),
        "nodes": (SUBNETWORK, {"name": "bare-nodes", "secondaryIpRanges": secondary}),
        "cpu-pool": (NODE_POOL, {"nodeCount": 40, "maxPodsPerNode": 110}),
        "gpu-pool": (
            NODE_POOL,
            {"nodeCount": 0, "autoscaling": {"maxNodeCount": 1}, "maxPodsPerNode": 110},
        ),
    }
    found = {f"urn:x::{name}": {"type": it[0], "outputs": it[1]} for name, it in made.items()}
    return standing(Record(found))


def said(known: Standing, **values: Any) -> str:
    with pytest.raises(ConfigError) as refused:
        validate(changed(STACK, **values), standing=known)
    (line,) = refused.value.lines
    return line


@pytest.mark.parametrize(
    ("nodes", "way"),
    [
        (260, "220 of the nodes in a pool that is new, with max_pods_per_node 64: the cluster"),
        (480, "440 of the nodes in a pool that is new, with max_pods_per_node 32: the cluster"),
        (1000, "960 of the nodes in a pool that is new, with max_pods_per_node 16: the cluster"),
    ],
)
def test_more_nodes_than_the_pods_range_has_room_for_have_fewer_pods(nodes: int, way: str) -> None:
    assert re.search("nearest: a /1[45]$", said(NOTHING, pools__cpu__nodes=nodes))
    assert f"nearest: {way} keeps 10.8.0.0/16 as long as" in said(stands(), pools__cpu__nodes=nodes)


def test_more_than_any_pool_there_has_addresses_for_is_fewer_nodes() -> None:
    many = {"machine_type": "e2-standard-8", "nodes": 1000}
    line = said(stands(), pools__cpu__nodes=1000, pools__more=many, pools__most=many)
    assert "nearest: fewer nodes: the cluster keeps 10.8.0.0/16 as long as" in line


@pytest.mark.parametrize(
    "values",
    [
        {"lustre": {"name": "a", "capacity_gib": 10000, "throughput_mbps_per_tib": 1000}},
        {"cluster__version": "new"},
        {"network__services": "10.16.0.0/30"},
    ],
    ids=lambda it: next(iter(it)),
)
def test_what_costs_the_cluster_nothing_is_offered_as_on_a_new_one(values: dict[str, Any]) -> None:
    known = Standing({**stands().values, "network.services": "10.16.0.0/30"})
    assert said(known, **values) == said(NOTHING, **values)


def test_such_a_pool_is_taken_in_place() -> None:
    more = {"machine_type": "e2-standard-8", "nodes": 220, "max_pods_per_node": 64}
    validate(changed(STACK, pools__more=more), standing=stands())


def test_another_range_gives_way_to_one_that_the_cluster_has() -> None:
    line = said(stands(), network__subnet="10.8.0.0/20")
    assert (
        "network.pods: 10.8.0.0/16 overlaps subnet 10.8.0.0/20; nearest: another range in " in line
    )
    assert line.endswith("network.subnet: the cluster keeps 10.8.0.0/16 as long as it is there")


def test_a_range_of_the_cluster_that_was_changed_goes_back() -> None:
    line = said(stands(), network__pods="10.0.0.0/16")
    assert line.endswith("nearest: 10.8.0.0/16, which the cluster keeps as long as it is there")


def test_machines_of_another_zone_have_a_pool_there() -> None:
    b200 = {"machine_type": "a4-highgpu-8g", "nodes": 1, "capacity": {"mode": "spot"}}
    values = {"pools__gpu": b200, "zone": "us-central1-a"}
    assert "nearest: the zone us-central1-b" in said(NOTHING, **values)
    assert "nearest: pools.gpu.zone us-central1-b" in said(stands(), **values)
