"""The longest names that a config may have: what is made of them is within the clouds' limits."""

from typing import Any

import pytest

from stacks.config import validate
from tests.programs import registered

LIMIT = 63
SMALL = {"requests": {"cpu": 2, "memory_gib": 8}}
TPU = {"machine_type": "ct6e-standard-4t", "topology": "4x4", "slices": [9999]}


def longest(start: str, length: int) -> str:
    return f"{start}-{'x' * 60}"[:length]


STACK: dict[str, Any] = {
    "name": longest("stack", 40),
    "project": "my-project",
    "region": "us-central1",
    "zone": "us-central1-c",
    "pools": {
        longest("h100", 30): {"machine_type": "a3-highgpu-8g", "nodes": 2},
        longest("mega", 30): {"machine_type": "a3-megagpu-8g", "nodes": 2},
    },
    "network": {
        "dcn": [
            {"name": longest(start, 20), "range": f"10.{number}.0.0/16"}
            for start, number in (("one", 50), ("two", 60))
        ]
    },
}


# Claims of its pods are not for a cluster with the others.
SLICES = {**STACK, "zone": "us-central1-b", "pools": {longest("tpu", 30): TPU}}


@pytest.mark.parametrize("kind", [":Network", ":Subnetwork", ":Firewall", ":NodePool"])
def test_names_in_the_cloud_are_no_longer_than_it_takes(kind: str) -> None:
    for stack in (STACK, SLICES):
        made = registered(validate(stack)).of_type(kind)
        names = [it.inputs["name"] for it in made if it.type.startswith("gcp:")]
        assert len(names) == len(set(names)) > 1
        assert max(map(len, names)) <= LIMIT


def test_a_compute_class_has_a_name_that_is_a_label() -> None:
    pools = {longest("tpu", 30): TPU}
    autopilot = {"cluster": {"mode": "autopilot"}, "network": {}, "zone": "us-central1-b"}
    cluster = {"head": SMALL, "workers": {"tpus": SMALL}}
    config = {**STACK, **autopilot, "pools": pools, "ray": {"main": cluster}}
    found = registered(validate(config))
    name = found.one(":ComputeClass").inputs["metadata"]["name"]
    template = found.one(":RayCluster").inputs["spec"]["workerGroupSpecs"][0]["template"]
    assert template["spec"]["nodeSelector"]["cloud.google.com/compute-class"] == name
    assert len(name) <= LIMIT
