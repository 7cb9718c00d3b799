"""Ray's pods in the TPU stacks: what they ask for, see and wait for."""

from functools import partial
from typing import Any

import pytest

from catalog import Catalog
from stacks.problems import problem_of
from tests.conftest import Recording, Register
from tests.unit.stack_graphs import before_ray, built

STACKS = ["tpu-multislice", "tpu-elastic"]
FIXED = STACKS[0]
WORKERS = "ray__maxtext-tpu-cluster__workers__tpu-group"
ZONES = {"v6e": "us-central1-b", "v5e": "us-central1-a", "v5p": "us-central1-a"}
NAMES = {"v6e": "tpu-v6e-slice", "v5e": "tpu-v5-lite-podslice", "v5p": "tpu-v5p-slice"}
MACHINES = [name for name, it in Catalog.load().machines.items() if it.family.startswith("ct")]


def known_to_ray(machine: str) -> list[str]:
    catalog = Catalog.load()
    known = catalog.topologies(machine)
    return [
        name
        for name in known
        if not problem_of("", partial(catalog.check_ray_topology, machine, name))
    ]


# Of each machine the smallest are enough for every change.
SHAPES = [
    pytest.param(machine, topology, marks=[] if number < 3 else pytest.mark.thorough)
    for machine in MACHINES
    for number, topology in enumerate(known_to_ray(machine))
]


def group(made: Recording) -> dict[str, Any]:
    (found,) = made.one(":RayCluster").inputs["spec"]["workerGroupSpecs"]
    return found


def test_pods_wait_for_slices_claims_grant_and_nat(register: Register) -> None:
    waits = before_ray(built(register, FIXED))
    assert {"v6e-16-0-pool", "v6e-16-1-pool", "cpu-pool", "claims-2-template"} <= waits
    assert {"bucket-user-grant", "account-account", "network-nat"} <= waits


def test_pods_let_go_of_what_they_hold_before_it_is_replaced(register: Register) -> None:
    made = built(register, FIXED)
    names = ("bucket-bucket", "claims-2-template", "v6e-16-0-pool", "v6e-16-1-pool")
    held = {made.named(name).urn for name in names}
    assert made.one(":RayCluster").replace_with == held
    assert made.one(":RayJob").replace_with == {*held, made.one(":RayCluster").urn}


@pytest.mark.parametrize(("machine", "topology"), SHAPES)
def test_every_topology_of_every_machine_works_by_config_alone(
    register: Register, machine: str, topology: str
) -> None:
    shape = Catalog.load().topology(machine, topology)
    zone = ZONES[shape.generation]
    interfaces = len(Catalog.load().machine(machine).additional_interfaces)
    dcn = [{"name": f"net-{n}", "range": f"172.{16 + n}.0.0/16"} for n in range(interfaces)]
    made = built(
        register,
        FIXED,
        zone=zone,
        pools__slice={"machine_type": machine, "topology": topology, "slices": 2},
        network={"dcn": dcn, "subnet": "10.0.0.0/16", "pods": "10.128.0.0/9"},
        # The model does not fit the smallest slices.
        jobs=None,
        **{"pools__v6e-16": None, f"{WORKERS}__requests": {"cpu": 4, "memory_gib": 16}},
    )
    for number in (0, 1):
        inputs = made.named(f"slice-{number}-pool").inputs
        assert inputs["name"] == f"slice-{number}"
        assert inputs["nodeCount"] == shape.hosts
        placed = inputs.get("placementPolicy", {}).get("tpuTopology")
        assert placed == (topology if shape.hosts > 1 else None)
    workers = group(made)
    assert workers.get("numOfHosts", 1) == shape.hosts
    pod = workers["template"]["spec"]
    chips = shape.chips // shape.hosts
    assert pod["containers"][0]["resources"]["limits"]["google.com/tpu"] == str(chips)
    assert pod["nodeSelector"]["cloud.google.com/gke-tpu-accelerator"] == NAMES[shape.generation]
    assert ("resourceClaims" in pod) == bool(interfaces)
