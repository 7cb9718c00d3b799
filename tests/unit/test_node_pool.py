"""Node pools, as registered."""

from dataclasses import replace
from typing import Any

from components.node_pool import GpuArgs, NodePool, NodePoolArgs
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
    min_nodes=1,
    max_nodes=3,
    spot=False,
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
    min_nodes=8,
    max_nodes=8,
    spot=True,
    disk_type="hyperdisk-balanced",
    local_ssds=32,
    gpu=GpuArgs(type="nvidia-b200", count=8, driver="LATEST"),
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
    assert "taints" not in node


def test_a_cpu_pool_has_none_of_that(register: Register) -> None:
    node = made(register, CPU).one(":NodePool").inputs["nodeConfig"]
    assert not {"guestAccelerators", "ephemeralStorageLocalSsdConfig"} & node.keys()
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


def test_a_changed_size_never_replaces_the_pool(register: Register) -> None:
    pool = made(register, GPU).one(":NodePool")
    assert pool.inputs["initialNodeCount"] == 8
    assert pool.ignore_changes == ("initialNodeCount",)


def test_scarce_machines_are_upgraded_without_spare_ones(register: Register) -> None:
    gpu = made(register, GPU).one(":NodePool").inputs["upgradeSettings"]
    cpu = made(register, CPU).one(":NodePool").inputs["upgradeSettings"]
    assert (gpu["maxSurge"], gpu["maxUnavailable"]) == (0, 1)
    assert (cpu["maxSurge"], cpu["maxUnavailable"]) == (1, 0)


def test_there_is_time_for_scarce_capacity(register: Register) -> None:
    assert made(register, GPU).one(":NodePool").create_timeout == "90m"


def test_the_selector_is_the_accelerator_or_else_the_pool(register: Register) -> None:
    gpu, cpu = made(register, GPU), made(register, CPU)
    assert gpu.outputs[gpu.named("pool").urn]["node_selector"] == {
        "cloud.google.com/gke-accelerator": "nvidia-b200"
    }
    assert cpu.outputs[cpu.named("pool").urn]["node_selector"] == {
        "cloud.google.com/gke-nodepool": "cpu-pool"
    }
