"""TPU slices, as registered; that GKE makes a slice of them no test here can prove."""

from dataclasses import replace
from typing import Any

import pytest

from components.capacity import CapacityArgs, ReservationArgs
from components.node_network import NodeNetwork
from components.node_taints import NodeTaintArgs
from components.tpu_slice_pool import TpuSlicePool, TpuSlicePoolArgs
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
ONE_HOST = replace(SLICE, machine_type="ct6e-standard-8t", topology="2x4", hosts=1)
ON_REQUEST = ["flex-start", "queued"]


def made(register: Register, args: TpuSlicePoolArgs = SLICE, **values: Any) -> Recording:
    return register(lambda: TpuSlicePool("slice", replace(args, **values)))


def pool(register: Register, args: TpuSlicePoolArgs = SLICE, **values: Any) -> dict[str, Any]:
    return made(register, args, **values).one(":NodePool").inputs


def reserved() -> CapacityArgs:
    return CapacityArgs(mode="reservation", reservation=ReservationArgs(name="tpus"))


@pytest.mark.parametrize("mode", ["on-demand", "any-reservation", "reservation"])
def test_all_hosts_are_there_from_the_start_and_none_is_ever_added(
    register: Register, mode: str
) -> None:
    capacity = reserved() if mode == "reservation" else CapacityArgs(mode=mode)
    inputs = pool(register, capacity=capacity)
    assert inputs["nodeCount"] == 4
    assert not {"initialNodeCount", "autoscaling", "queuedProvisioning"} & inputs.keys()
    assert inputs["management"] == {"autoRepair": True, "autoUpgrade": True}
    assert inputs["nodeConfig"]["spot"] is False


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


@pytest.mark.parametrize("mode", ["on-demand", *ON_REQUEST])
def test_several_hosts_are_placed_as_their_topology_says(register: Register, mode: str) -> None:
    inputs = pool(register, from_zero=mode != "on-demand", capacity=CapacityArgs(mode=mode))
    assert inputs["placementPolicy"] == {"type": "COMPACT", "tpuTopology": "4x4"}


def test_a_single_host_is_not_placed(register: Register) -> None:
    inputs = pool(register, ONE_HOST)
    assert "placementPolicy" not in inputs
    assert inputs["nodeCount"] == 1


def test_a_slice_of_another_shape_machine_or_network_is_another_slice(register: Register) -> None:
    made_pool = made(register).one(":NodePool")
    assert made_pool.replace_on_changes == (
        *("placementPolicy.tpuTopology", "nodeConfig.machineType", "networkConfig"),
    )
    assert made_pool.delete_before_replace


def test_a_slice_is_upgraded_without_a_spare_host(register: Register) -> None:
    assert pool(register)["upgradeSettings"] == {
        "strategy": "SURGE",
        "maxSurge": 0,
        "maxUnavailable": 1,
    }


@pytest.mark.parametrize("mode", ON_REQUEST)
def test_how_hosts_on_request_are_upgraded_is_left_to_gke(register: Register, mode: str) -> None:
    inputs = pool(register, from_zero=True, capacity=CapacityArgs(mode=mode))
    assert "upgradeSettings" not in inputs


@pytest.mark.parametrize("mode", ON_REQUEST)
def test_hosts_on_request_are_never_there_from_the_start(mode: str) -> None:
    with pytest.raises(ValueError, match="nearest: from_zero=True"):
        replace(SLICE, capacity=CapacityArgs(mode=mode))


def test_a_reservation_is_the_only_place_that_hosts_come_from(register: Register) -> None:
    assert pool(register, capacity=reserved())["nodeConfig"]["reservationAffinity"] == {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": ["tpus"],
    }


def test_hosts_have_what_every_node_has(register: Register) -> None:
    node = pool(register)["nodeConfig"]
    assert node["serviceAccount"] == "nodes@p"
    assert node["workloadMetadataConfig"] == {"mode": "GKE_METADATA"}
    assert node["gvnic"] == {"enabled": True}
    assert node["resourceLabels"] == {"stack": "test"}
    assert node["machineType"] == "ct6e-standard-4t"
    assert (node["diskType"], node["diskSizeGb"]) == ("hyperdisk-balanced", 200)


def test_secure_boot_is_on_where_no_kernel_module_loads(register: Register) -> None:
    shielded = pool(register)["nodeConfig"]["shieldedInstanceConfig"]
    assert shielded == {"enableIntegrityMonitoring": True, "enableSecureBoot": True}


def test_gke_labels_and_taints_tpu_nodes_itself(register: Register) -> None:
    node = pool(register, dranet=False)["nodeConfig"]
    assert not {"labels", "taints", "guestAccelerators"} & node.keys()


def test_the_host_runs_one_thread_a_core_unless_told_otherwise(register: Register) -> None:
    def threads(**values: Any) -> Any:
        return pool(register, **values)["nodeConfig"]["advancedMachineFeatures"]

    assert threads() == {"threadsPerCore": 1}
    assert threads(threads_per_core=2) == {"threadsPerCore": 2}


def test_pods_may_claim_the_further_networks_of_labelled_nodes(register: Register) -> None:
    inputs = pool(register)
    assert inputs["nodeConfig"]["labels"] == {"cloud.google.com/gke-networking-dra-driver": "true"}
    assert inputs["networkConfig"] == {
        "enablePrivateNodes": True,
        "additionalNodeNetworkConfigs": [
            {"network": "net-1", "subnetwork": "sub-1"},
            {"network": "net-2", "subnetwork": "sub-2"},
        ],
    }


def test_networks_to_claim_have_to_be_there() -> None:
    with pytest.raises(ValueError, match=r"dranet of slice-0 .* none; nearest: dranet=False$"):
        replace(SLICE, additional_networks=())
    assert not replace(SLICE, additional_networks=(), dranet=False).additional_networks


def test_there_is_time_for_scarce_capacity(register: Register) -> None:
    assert made(register).one(":NodePool").create_timeout == "120m"


def test_a_slice_is_in_one_zone_under_its_own_name(register: Register) -> None:
    recording = made(register)
    inputs = recording.one(":NodePool").inputs
    assert (inputs["nodeLocations"], inputs["location"]) == (["us-east5-b"], "us-east5")
    assert (inputs["cluster"], inputs["name"]) == ("demo", "slice-0")
    assert inputs["maxPodsPerNode"] == 32
    assert recording.outputs[recording.named("slice").urn]["pool_name"] == "slice-0"


def test_a_teams_slice_has_its_labels_beside_that_of_claims_and_its_taints(
    register: Register,
) -> None:
    team = NodeTaintArgs(key="team", value="vision", effect="NoSchedule")
    node = pool(register, node_labels={"team": "vision"}, taints=[team])["nodeConfig"]
    assert node["labels"] == {
        "cloud.google.com/gke-networking-dra-driver": "true",
        "team": "vision",
    }
    assert node["taints"] == [{"key": "team", "value": "vision", "effect": "NO_SCHEDULE"}]
    assert "taints" not in pool(register)["nodeConfig"]


def test_a_policy_stands_beside_the_topology_that_it_places(register: Register) -> None:
    inputs = pool(register, policy="slices-4x4")
    placed = {"type": "", "tpuTopology": "4x4", "policyName": "slices-4x4"}
    assert inputs["placementPolicy"] == placed
    assert "placementPolicy" not in pool(register, ONE_HOST)
