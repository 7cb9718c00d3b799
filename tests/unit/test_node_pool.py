"""Node pools, as registered."""

from dataclasses import replace
from typing import Any

import pytest

from components.capacity import CapacityArgs, ReservationArgs
from components.gvnic_network import GvnicNetwork, GvnicNetworkArgs
from components.node_network import NodeNetwork
from components.node_pool import GpuArgs, NodeBoundsArgs, NodePool, NodePoolArgs
from components.node_taints import NodeTaintArgs
from tests.conftest import Recording, Register

CPU = NodePoolArgs(
    project="p",
    location="us-east1",
    zone="us-east1-b",
    cluster_name="demo",
    pool_name="cpu-pool",
    service_account="nodes@p",
    machine_type="e2-standard-4",
    nodes=2,
    bounds=NodeBoundsArgs(min=1, max=3),
    capacity=CapacityArgs(mode="on-demand"),
    disk_type="pd-balanced",
    disk_gb=100,
    max_pods_per_node=110,
    labels={"stack": "test"},
)
GPU = replace(
    CPU,
    pool_name="gpu-pool",
    machine_type="a4-highgpu-8g",
    nodes=8,
    bounds=None,
    capacity=CapacityArgs(mode="spot"),
    disk_type="hyperdisk-balanced",
    local_ssds=32,
    gpu=GpuArgs(type="nvidia-b200", count=8, driver="LATEST"),
)
FROM_ZERO = replace(GPU, nodes=0, bounds=NodeBoundsArgs(min=0, max=8))

NETWORKS = (
    NodeNetwork(name="gvnic-1", interface="eth1", rdma=False, network="gvnic", subnetwork="g-sub"),
    NodeNetwork(name="rdma-0", interface="eth2", rdma=True, network="rdma", subnetwork="r-sub-0"),
)


def made(register: Register, args: NodePoolArgs, **values: Any) -> Recording:
    return register(lambda: NodePool("pool", replace(args, **values)))


def test_a_gpu_pool_has_accelerators_driver_and_local_ssds(register: Register) -> None:
    node = made(register, GPU).one(":NodePool").inputs["nodeConfig"]
    assert node["guestAccelerators"] == [
        {
            "type": "nvidia-b200",
            "count": 8,
            "gpuDriverInstallationConfig": {"gpuDriverVersion": "LATEST"},
        }
    ]
    assert node["ephemeralStorageLocalSsdConfig"] == {"localSsdCount": 32}
    assert node["spot"] is True
    assert node["machineType"] == "a4-highgpu-8g"
    assert node["diskType"] == "hyperdisk-balanced"
    assert node["taints"] == [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    ]


def test_a_cpu_pool_has_none_of_that(register: Register) -> None:
    node = made(register, CPU).one(":NodePool").inputs["nodeConfig"]
    assert not {"guestAccelerators", "ephemeralStorageLocalSsdConfig", "taints"} & node.keys()
    assert node["spot"] is False


def test_nodes_run_as_their_own_account_behind_the_metadata_server(register: Register) -> None:
    node = made(register, GPU).one(":NodePool").inputs["nodeConfig"]
    assert node["serviceAccount"] == "nodes@p"
    assert node["workloadMetadataConfig"] == {"mode": "GKE_METADATA"}
    assert node["gvnic"] == {"enabled": True}
    assert node["resourceLabels"] == {"stack": "test"}


def test_secure_boot_is_off_only_where_drivers_have_to_load(register: Register) -> None:
    def secure(args: NodePoolArgs) -> bool:
        config = made(register, args).one(":NodePool").inputs["nodeConfig"]
        return config["shieldedInstanceConfig"]["enableSecureBoot"]

    assert secure(CPU) is True
    assert secure(GPU) is False


def test_bounds_count_the_whole_pool(register: Register) -> None:
    pool = made(register, CPU).one(":NodePool")
    assert pool.inputs["autoscaling"] == {
        "totalMinNodeCount": 1,
        "totalMaxNodeCount": 3,
        "locationPolicy": "ANY",
    }
    assert pool.inputs["nodeLocations"] == ["us-east1-b"]


def test_a_pool_without_bounds_has_its_nodes_at_all_times(register: Register) -> None:
    pool = made(register, GPU).one(":NodePool").inputs
    assert pool["nodeCount"] == 8
    assert not {"autoscaling", "initialNodeCount"} & pool.keys()


@pytest.mark.parametrize("args", [CPU, GPU])
def test_a_changed_size_never_replaces_the_pool(register: Register, args: NodePoolArgs) -> None:
    pool = made(register, args).one(":NodePool")
    assert pool.ignore_changes == ("initialNodeCount",)


def test_a_pool_with_bounds_begins_with_its_nodes(register: Register) -> None:
    pool = made(register, CPU).one(":NodePool").inputs
    assert pool["initialNodeCount"] == 2
    assert "nodeCount" not in pool


@pytest.mark.parametrize("mode", ["flex-start", "queued"])
@pytest.mark.parametrize("bounds", [None, NodeBoundsArgs(min=0, max=8)])
def test_machines_on_request_are_never_there_from_the_start(
    mode: str, bounds: NodeBoundsArgs | None
) -> None:
    with pytest.raises(ValueError, match=r"nearest: nodes=0, bounds=NodeBoundsArgs\(min=0, max=8"):
        replace(GPU, capacity=CapacityArgs(mode=mode), bounds=bounds)


def test_scarce_machines_are_upgraded_without_spare_ones(register: Register) -> None:
    gpu = made(register, GPU).one(":NodePool").inputs["upgradeSettings"]
    cpu = made(register, CPU).one(":NodePool").inputs["upgradeSettings"]
    assert (gpu["maxSurge"], gpu["maxUnavailable"]) == (0, 1)
    assert (cpu["maxSurge"], cpu["maxUnavailable"]) == (1, 0)


def test_there_is_time_for_scarce_capacity(register: Register) -> None:
    assert made(register, GPU).one(":NodePool").create_timeout == "120m"


def test_the_selector_is_the_accelerator_or_else_the_pool(register: Register) -> None:
    gpu, cpu = made(register, GPU), made(register, CPU)
    assert gpu.outputs[gpu.named("pool").urn]["node_selector"] == {
        "cloud.google.com/gke-accelerator": "nvidia-b200"
    }
    assert cpu.outputs[cpu.named("pool").urn]["node_selector"] == {
        "cloud.google.com/gke-nodepool": "cpu-pool"
    }


def test_a_pool_of_one_network_and_no_promises_asks_for_nothing_more(register: Register) -> None:
    for args in (CPU, GPU):
        pool = made(register, args).one(":NodePool").inputs
        assert not {"networkConfig", "placementPolicy", "queuedProvisioning"} & pool.keys()
        foreign = {"reservationAffinity", "flexStart", "maxRunDuration"}
        assert not foreign & pool["nodeConfig"].keys()
        assert pool["management"] == {"autoRepair": True, "autoUpgrade": True}


def test_further_interfaces_keep_their_order_and_nodes_stay_private(register: Register) -> None:
    pool = made(register, GPU, additional_networks=NETWORKS).one(":NodePool").inputs
    assert pool["networkConfig"] == {
        "enablePrivateNodes": True,
        "additionalNodeNetworkConfigs": [
            {"network": "gvnic", "subnetwork": "g-sub"},
            {"network": "rdma", "subnetwork": "r-sub-0"},
        ],
    }


def test_of_managed_interfaces_gke_makes_the_networks_and_pods_claim_them(
    register: Register,
) -> None:
    inputs = made(register, GPU, managed_interfaces=True).one(":NodePool").inputs
    assert inputs["networkConfig"] == {
        "enablePrivateNodes": True,
        "acceleratorNetworkProfile": "auto",
    }
    label = {"cloud.google.com/gke-networking-dra-driver": "true"}
    assert inputs["nodeConfig"]["labels"] == label


def test_managed_interfaces_have_no_networks_of_others(register: Register) -> None:
    with pytest.raises(ValueError, match=r"additional_networks; nearest: one of the two$"):
        made(register, GPU, managed_interfaces=True, additional_networks=NETWORKS)


def test_a_pool_is_replaced_with_its_networks_though_no_property_depends_on_them(
    register: Register,
) -> None:
    def program() -> None:
        net = GvnicNetwork(
            "gvnic-1",
            GvnicNetworkArgs(
                project="p",
                region="r",
                base_name="b",
                key="gvnic-1",
                subnet_range="10.0.0.0/24",
                internal_range="10.0.0.0/16",
                mtu=8896,
            ),
        )
        network, subnetwork = net.plain_names
        one = NodeNetwork(
            name="gvnic-1",
            interface="eth1",
            rdma=False,
            network=network,
            subnetwork=subnetwork,
            made=(net.vpc, net.subnetwork),
        )
        assert {type(network), type(subnetwork)} == {str}
        NodePool("pool", replace(GPU, additional_networks=[one]))

    recording = register(program)
    pool = recording.named("pool-pool")
    networks = {recording.named(it).urn for it in ("gvnic-1-vpc", "gvnic-1-subnet")}
    assert networks <= pool.replace_with
    assert networks <= pool.dependencies
    assert not networks & pool.property_dependencies["networkConfig"]


def test_nodes_are_placed_close_together_when_asked(register: Register) -> None:
    pool = made(register, GPU, placement="COMPACT").one(":NodePool").inputs
    assert pool["placementPolicy"] == {"type": "COMPACT"}


def test_a_reservation_is_the_only_place_that_machines_come_from(register: Register) -> None:
    reserved = CapacityArgs(
        mode="reservation", reservation=ReservationArgs(name="b200s", project="owner")
    )
    node = made(register, GPU, capacity=reserved).one(":NodePool").inputs["nodeConfig"]
    assert node["spot"] is False
    assert node["reservationAffinity"] == {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": ["projects/owner/reservations/b200s"],
    }


def test_any_reservation_needs_no_name(register: Register) -> None:
    open_ones = CapacityArgs(mode="any-reservation")
    node = made(register, GPU, capacity=open_ones).one(":NodePool").inputs["nodeConfig"]
    assert node["reservationAffinity"] == {"consumeReservationType": "ANY_RESERVATION"}


@pytest.mark.parametrize("mode", ["flex-start", "queued"])
def test_a_pool_on_request_begins_empty_and_is_never_repaired(
    register: Register, mode: str
) -> None:
    on_request = CapacityArgs(mode=mode, max_run_seconds=3600)
    pool = made(register, FROM_ZERO, capacity=on_request).one(":NodePool").inputs
    node = pool["nodeConfig"]
    assert (node["flexStart"], node["maxRunDuration"], node["spot"]) == (True, "3600s", False)
    assert node["reservationAffinity"] == {"consumeReservationType": "NO_RESERVATION"}
    assert pool["management"] == {"autoRepair": False, "autoUpgrade": True}
    assert pool["initialNodeCount"] == 0
    assert pool["autoscaling"] == {
        "totalMinNodeCount": 0,
        "totalMaxNodeCount": 8,
        "locationPolicy": "ANY",
    }


@pytest.mark.parametrize("mode", ["flex-start", "queued"])
def test_how_machines_on_request_are_upgraded_is_left_to_gke(register: Register, mode: str) -> None:
    pool = made(register, FROM_ZERO, capacity=CapacityArgs(mode=mode)).one(":NodePool").inputs
    assert "upgradeSettings" not in pool


def test_only_queued_machines_need_a_provisioning_request(register: Register) -> None:
    queued, flexible = (
        made(register, FROM_ZERO, capacity=CapacityArgs(mode=mode)).one(":NodePool").inputs
        for mode in ("queued", "flex-start")
    )
    assert queued["queuedProvisioning"] == {"enabled": True}
    assert "queuedProvisioning" not in flexible


def test_a_pool_of_nobodys_own_says_nothing_of_labels_and_taints(register: Register) -> None:
    node = made(register, CPU).one(":NodePool").inputs["nodeConfig"]
    assert not {"labels", "taints"} & node.keys()


@pytest.mark.parametrize("args", [CPU, GPU], ids=["cpu", "gpu"])
def test_a_teams_pool_has_its_labels_and_taints_beside_the_pools_own(
    register: Register, args: NodePoolArgs
) -> None:
    team = NodeTaintArgs(key="team", value="vision", effect="NoExecute")
    plain = made(register, args).one(":NodePool").inputs["nodeConfig"]
    node = made(register, args, node_labels={"team": "vision"}, taints=[team]).one(":NodePool")
    assert node.inputs["nodeConfig"] == {
        **plain,
        "labels": {"team": "vision"},
        "taints": [
            *plain.get("taints", []),
            {"key": "team", "value": "vision", "effect": "NO_EXECUTE"},
        ],
    }


@pytest.mark.parametrize(
    "values",
    [
        {"node_labels": {"kubernetes.io/team": "a"}},
        {"taints": [NodeTaintArgs(key="nvidia.com/gpu", value="a", effect="NoSchedule")]},
    ],
)
def test_what_gke_keeps_for_itself_is_refused_before_any_resource(
    register: Register, values: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match="keep for themselves; nearest: "):
        made(register, GPU, **values)


@pytest.mark.parametrize(
    "values",
    [
        {"gpu": None},
        {"gpu": GpuArgs(type="nvidia-h200-141gb", count=8, driver="LATEST")},
        {"managed_interfaces": True},
        {"additional_networks": NETWORKS},
    ],
)
def test_other_accelerators_or_interfaces_make_another_pool(
    register: Register, values: dict[str, Any]
) -> None:
    before = made(register, GPU).one(":NodePool").replacement_trigger
    assert before is not None
    assert made(register, GPU, nodes=4).one(":NodePool").replacement_trigger == before
    assert made(register, GPU, **values).one(":NodePool").replacement_trigger != before
