"""The preset gcsfuse-checkpoint, a training with its checkpoints in a bucket, as a graph."""

from typing import Any

import pytest

from components.base.pod_manifest import STAYS
from tests.conftest import Recording, Register
from tests.unit.stack_graphs import (
    assert_may_use_its_bucket_alone,
    at,
    before_ray,
    built,
    options_of,
    pods_of,
)

JOB = "pytorch-image-classifier"
KUBERAY = ("kuberay-release", "kuberay-namespace")


def up(register: Register, **values: Any) -> Recording:
    return built(register, "gcsfuse-checkpoint", **values)


def test_it_is_all_that_the_scenario_asks_for(register: Register) -> None:
    made = up(register)
    cluster = made.named("gke-cluster").inputs
    assert cluster["location"] == "us-east4-c"
    assert cluster["releaseChannel"] == {"channel": "RAPID"}
    assert "minMasterVersion" not in cluster
    assert cluster["addonsConfig"]["gcsFuseCsiDriverConfig"] == {"enabled": True}
    assert cluster["workloadIdentityConfig"]
    pool = made.named("gpu-pool").inputs
    assert pool["nodeCount"] == 4
    assert "autoscaling" not in pool
    assert pool["nodeConfig"]["machineType"] == "g2-standard-8"


def test_the_stacks_own_kuberay_is_on_a_cpu_node_and_the_add_on_is_off(register: Register) -> None:
    made = up(register)
    addons = made.named("gke-cluster").inputs["addonsConfig"]
    assert not [it for it in addons.get("rayOperatorConfigs", []) if it["enabled"]]
    values = made.named("kuberay-release").inputs["values"]
    assert values["nodeSelector"] == {"cloud.google.com/gke-nodepool": "cpu-pool"}
    assert set(KUBERAY) <= before_ray(made)


def test_with_the_add_on_there_is_no_second_kuberay(register: Register) -> None:
    made = up(register, cluster__ray_operator="addon")
    (addon,) = made.named("gke-cluster").inputs["addonsConfig"]["rayOperatorConfigs"]
    assert addon["enabled"] is True
    assert not set(KUBERAY) & made.names()


def test_four_workers_have_one_gpu_each_and_the_head_none(register: Register) -> None:
    made = up(register)
    assert made.one(":RayCluster").inputs["spec"]["workerGroupSpecs"][0]["replicas"] == 4
    head, worker = (it["spec"]["containers"][0]["resources"] for it in pods_of(made))
    assert worker["limits"]["nvidia.com/gpu"] == "1"
    assert "nvidia.com/gpu" not in head["limits"]


def test_every_pod_mounts_the_bucket_with_the_sidecar_of_the_scenario(register: Register) -> None:
    for pod in pods_of(up(register)):
        mounts = [it["mountPath"] for it in pod["spec"]["containers"][0]["volumeMounts"]]
        assert "/mnt/cluster_storage" in mounts
        assert pod["spec"]["serviceAccountName"] == "pytorch-distributed-training"
        assert pod["metadata"]["annotations"] == {
            **STAYS,
            "gke-gcsfuse/volumes": "true",
            "gke-gcsfuse/cpu-limit": "0",
            "gke-gcsfuse/memory-limit": "5Gi",
            "gke-gcsfuse/ephemeral-storage-limit": "10Gi",
        }


def test_the_account_may_use_the_objects_of_that_bucket_alone(register: Register) -> None:
    assert_may_use_its_bucket_alone(up(register), "ns/default/sa/pytorch-distributed-training")


def test_the_job_trains_on_all_workers_and_writes_where_they_all_mount(register: Register) -> None:
    options = options_of(up(register))
    assert (options["workers"], options["gpus_per_worker"]) == ("4", "1")
    assert options["storage_path"] == "/mnt/cluster_storage"
    assert options["run_name"] == "finetune-resnet"


@pytest.mark.parametrize(
    ("data", "given"),
    [
        ("generated", "generated"),
        ("bees/small", "/mnt/cluster_storage/bees/small"),
        ("https://example.com/bees.zip", "https://example.com/bees.zip"),
    ],
)
def test_data_of_the_bucket_is_read_where_it_is_mounted(
    register: Register, data: str, given: str
) -> None:
    assert options_of(up(register, **at(f"jobs__{JOB}__data", data)))["data"] == given


def test_a_run_without_a_name_has_the_jobs(register: Register) -> None:
    assert options_of(up(register, **at(f"jobs__{JOB}__run_name", None)))["run_name"] == JOB


def test_the_code_comes_from_this_tree_and_packages_are_pinned(register: Register) -> None:
    made = up(register)
    assert {"train", "checkpoints"} <= {
        it.partition("-")[0].removesuffix(".py")
        for it in made.named("gcsfuse-checkpoint-launchers-files").inputs["data"]
    }
    environment = made.named(f"{JOB}-job").inputs["spec"]["runtimeEnvYAML"]
    assert '"torch==' in environment
    assert '"torchvision==' in environment
    assert "git" not in environment
    own = (
        up(register, **at(f"jobs__{JOB}__install_torch", False)).named(f"{JOB}-job").inputs["spec"]
    )
    assert "torch" not in own["runtimeEnvYAML"]


def test_the_job_waits_for_ray_and_ray_for_nodes_and_the_bucket(register: Register) -> None:
    made = up(register)
    assert "gcsfuse-checkpoint-cluster" in made.waits_for(f"{JOB}-job")
    assert {"gpu-pool", "cpu-pool", "bucket-user-grant"} <= before_ray(made)
    assert "gke-cluster" not in made.waits_for("bucket-bucket")


def test_without_a_job_ray_waits_for_whatever_is_submitted(register: Register) -> None:
    made = up(register, jobs=None)
    assert not made.of_type(":RayJob")
    assert "gcsfuse-checkpoint-cluster" in made.names()
