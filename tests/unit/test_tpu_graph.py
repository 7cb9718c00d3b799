"""The cloud side of the TPU stacks as a graph: networks, clusters, slices, claims, bucket."""

from typing import Any

import pytest

from tests.conftest import Recording, Register
from tests.parts.preset_samples import ON_AUTOPILOT
from tests.unit.stack_graphs import at, built, fingerprint

FIXED, ELASTIC = "tpu-multislice", "tpu-elastic"
RAY = "maxtext-tpu-cluster"
OWN = at("pools__v6e-16__interfaces", "own")
BETWEEN = {f"net-{n}-{part}" for n in (1, 2) for part in ("vpc", "subnet", "internal")}


def pool(made: Recording, number: int = 0) -> dict[str, Any]:
    return made.named(f"v6e-16-{number}-pool").inputs


def claim(made: Recording) -> dict[str, Any]:
    return made.one(":ResourceClaimTemplate").inputs


def test_an_elastic_job_is_submitted_once_rays_head_is_up_and_waits_for_slices_itself(
    register: Register,
) -> None:
    def waits(stack: str, **values: Any) -> str:
        cluster = built(register, stack, **values).one(":RayCluster").inputs
        return cluster["metadata"]["annotations"]["pulumi.com/waitFor"]

    assert waits(ELASTIC) == "condition=HeadPodReady"
    all_of_it = "jsonpath={.status.state}=ready"
    assert waits(FIXED) == all_of_it
    # Spot slices come when workers are pending, which may take hours.
    assert waits(ELASTIC, jobs=None) == "condition=HeadPodReady"


@pytest.mark.parametrize(
    ("machine", "count"),
    [("ct6e-standard-4t", 2), ("ct6e-standard-8t", 4), ("ct6e-standard-1t", 1)],
)
def test_on_autopilot_the_machine_says_how_many_interfaces_there_are_to_claim(
    register: Register, machine: str, count: int
) -> None:
    topology = {"ct6e-standard-8t": "2x4", "ct6e-standard-1t": "1x1"}.get(machine, "4x4")
    made = built(
        register,
        FIXED,
        **ON_AUTOPILOT,
        pools__tpu={"machine_type": machine, "topology": topology, "slices": 2},
        **at("pools__v6e-16", None),
        **at(f"ray__{RAY}__workers__tpu-group__requests", {"cpu": 8, "memory_gib": 100}),
        jobs=None,
    )
    requests = claim(made)["spec"]["spec"]["devices"]["requests"]
    assert requests[0]["exactly"]["count"] == count


def test_no_slice_waits_for_another_or_for_the_cpu_pool(register: Register) -> None:
    made = built(register, FIXED, **OWN, **at("pools__v6e-16__slices", 3))
    for number in range(3):
        waits = made.waits_for(f"v6e-16-{number}-pool")
        others = {f"v6e-16-{n}-pool" for n in range(3) if n != number}
        assert {"gke-cluster", "net-1-subnet", "net-2-subnet"} <= waits
        assert not waits & {*others, "cpu-pool", "bucket-bucket", "net-1-internal", "network-nat"}


def test_the_cluster_waits_for_no_network_between_slices(register: Register) -> None:
    assert not built(register, FIXED, **OWN).waits_for("gke-cluster") & {*BETWEEN, "bucket-bucket"}


def test_one_switch_protects_what_holds_data_or_is_hard_to_get_back(register: Register) -> None:
    made = built(register, FIXED, **OWN, deletion_protection=True)
    kept = {"network-vpc", "network-subnet", "gke-cluster", "bucket-bucket"}
    between = {name for name in BETWEEN if not name.endswith("internal")}
    assert {it.name for it in made.resources if it.protect} == kept | between


def test_one_slice_more_is_one_pool_more_and_touches_no_job_and_no_pod(register: Register) -> None:
    two, three = built(register, FIXED), built(register, FIXED, **at("pools__v6e-16__slices", 3))
    assert three.names() - two.names() == {"v6e-16-2", "v6e-16-2-pool"}
    assert not two.names() - three.names()
    before = {it.urn: it.inputs for it in two.resources}
    after = {it.urn: it.inputs for it in three.resources}
    different = {urn.rpartition("::")[2] for urn in before if before[urn] != after[urn]}
    assert different == {f"{RAY}-cluster", f"{RAY}-launchers-files"}
    (was,) = two.one(":RayCluster").inputs["spec"]["workerGroupSpecs"]
    (now,) = three.one(":RayCluster").inputs["spec"]["workerGroupSpecs"]
    assert now == was | {"replicas": 3, "minReplicas": 3, "maxReplicas": 3}
    assert two.named(f"{RAY}-launchers-files").inputs["data"]["slices"] == "2\n"
    assert three.named(f"{RAY}-launchers-files").inputs["data"]["slices"] == "3\n"


def test_when_the_first_slice_goes_the_second_stays_as_it_is(register: Register) -> None:
    both = built(register, FIXED)
    second = built(register, FIXED, **at("pools__v6e-16__slices", [1]))
    assert both.names() - second.names() == {"v6e-16-0", "v6e-16-0-pool"}
    was, now = both.named("v6e-16-1-pool"), second.named("v6e-16-1-pool")
    assert (now.urn, now.inputs) == (was.urn, was.inputs)
    assert now.inputs["name"] == "v6e-16-1"
    assert second.one(":RayCluster").inputs["spec"]["workerGroupSpecs"][0]["replicas"] == 1


def test_one_slice_alone_stays_what_it_is_beside_another_unless_it_is_to_stay_alone(
    register: Register,
) -> None:
    one = at("pools__v6e-16__slices", 1)
    assert pool(built(register, FIXED, **one)) == pool(built(register, FIXED))
    alone = built(register, FIXED, **one, **at("pools__v6e-16__interfaces", "none"))
    assert "networkConfig" not in pool(alone)
    assert not alone.of_type(":ResourceClaimTemplate")


def test_slices_named_by_number_are_those_counted_from_zero(register: Register) -> None:
    counted, named = (
        built(register, FIXED),
        built(register, FIXED, **at("pools__v6e-16__slices", [0, 1])),
    )
    assert fingerprint(counted) == fingerprint(named)
