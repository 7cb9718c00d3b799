"""TPU slices, as registered; that GKE makes a slice of them no test here can prove."""

from dataclasses import replace
from typing import Any

import pytest

from components.base.capacity import CapacityArgs
from components.base.component import check_arguments
from components.network.node_network import NodeNetwork
from components.pools.tpu_slice_pool import TpuSlicePool, TpuSlicePoolArgs
from tests.conftest import Recording, Register

NETWORKS = tuple(
    NodeNetwork(
        name=f"dcn-{number}",
        interface=f"eth{number}",
        rdma=False,
        network=f"net-{number}",
        subnetwork=f"sub-{number}",
    )
    for number in (1, 2)
)
SLICE = TpuSlicePoolArgs(
    project="p",
    location="us-east5",
    zone="us-east5-b",
    cluster_name="demo",
    pool_name="slice-0",
    service_account="nodes@p",
    machine_type="ct6e-standard-4t",
    accelerator="tpu-v6e-slice",
    topology="4x4",
    hosts=4,
    from_zero=False,
    capacity=CapacityArgs(mode="on-demand"),
    disk_type="hyperdisk-balanced",
    disk_gb=200,
    max_pods_per_node=32,
    dranet=True,
    additional_networks=NETWORKS,
    labels={"stack": "test"},
    threads_per_core=1,
)
ON_REQUEST = ["flex-start", "queued"]


def made(register: Register, args: TpuSlicePoolArgs = SLICE, **values: Any) -> Recording:
    return register(lambda: TpuSlicePool("slice", replace(args, **values)))


def pool(register: Register, args: TpuSlicePoolArgs = SLICE, **values: Any) -> dict[str, Any]:
    return made(register, args, **values).one(":NodePool").inputs


def test_a_spot_slice_comes_with_its_pods_so_that_none_in_stock_fails_nothing(
    register: Register,
) -> None:
    inputs = pool(register, from_zero=True, capacity=CapacityArgs(mode="spot"))
    assert "nodeCount" not in inputs
    assert inputs["initialNodeCount"] == 0
    assert inputs["autoscaling"] == {"minNodeCount": 0, "maxNodeCount": 4, "locationPolicy": "ANY"}
    assert inputs["nodeConfig"]["spot"] is True
    assert inputs["management"] == {"autoRepair": True, "autoUpgrade": True}


@pytest.mark.parametrize("mode", ON_REQUEST)
def test_a_slice_on_request_begins_with_no_host_and_comes_whole(
    register: Register, mode: str
) -> None:
    capacity = CapacityArgs(mode=mode, max_run_seconds=3600)
    inputs = pool(register, from_zero=True, capacity=capacity)
    assert "nodeCount" not in inputs
    assert inputs["initialNodeCount"] == 0
    assert inputs["autoscaling"] == {
        "minNodeCount": 0,
        "maxNodeCount": 4,
        "locationPolicy": "ANY",
    }
    assert inputs["management"] == {"autoRepair": False, "autoUpgrade": True}
    node = inputs["nodeConfig"]
    assert (node["flexStart"], node["maxRunDuration"], node["spot"]) == (True, "3600s", False)
    assert node["reservationAffinity"] == {"consumeReservationType": "NO_RESERVATION"}
    assert inputs.get("queuedProvisioning") == ({"enabled": True} if mode == "queued" else None)


def test_a_slice_of_another_shape_machine_or_network_is_another_slice(register: Register) -> None:
    made_pool = made(register).one(":NodePool")
    assert made_pool.replace_on_changes == (
        *("placementPolicy.tpuTopology", "nodeConfig.machineType", "networkConfig"),
    )
    assert made_pool.delete_before_replace


@pytest.mark.parametrize("mode", ON_REQUEST)
def test_hosts_on_request_are_never_there_from_the_start(mode: str) -> None:
    with pytest.raises(ValueError, match="nearest: from_zero=True"):
        check_arguments(replace(SLICE, capacity=CapacityArgs(mode=mode)))


def test_the_host_runs_one_thread_a_core_unless_told_otherwise(register: Register) -> None:
    def threads(**values: Any) -> Any:
        return pool(register, **values)["nodeConfig"]["advancedMachineFeatures"]

    assert threads() == {"threadsPerCore": 1}
    assert threads(threads_per_core=2) == {"threadsPerCore": 2}


def test_networks_to_claim_have_to_be_there() -> None:
    with pytest.raises(ValueError, match=r"^dranet: .* none; nearest: dranet=False$"):
        check_arguments(replace(SLICE, additional_networks=()))
    assert not replace(SLICE, additional_networks=(), dranet=False).additional_networks


def test_there_is_time_for_scarce_capacity(register: Register) -> None:
    assert made(register).one(":NodePool").create_timeout == "120m"


def test_a_slice_is_in_one_zone_under_its_own_name(register: Register) -> None:
    recording = made(register)
    inputs = recording.one(":NodePool").inputs
    assert (inputs["nodeLocations"], inputs["location"]) == (["us-east5-b"], "us-east5")
    assert (inputs["cluster"], inputs["name"]) == ("demo", "slice-0")
    assert inputs["maxPodsPerNode"] == 32
    outputs = recording.outputs[recording.named("slice").urn]
    assert outputs["pool_name"] == "slice-0"
    shape = {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
        "cloud.google.com/gke-tpu-topology": "4x4",
    }
    assert outputs["accelerator_selector"] == shape
    assert outputs["node_selector"] == {"cloud.google.com/gke-nodepool": "slice-0", **shape}
