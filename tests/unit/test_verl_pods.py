"""The volume and the Ray pods of the verl stacks, as registered."""

from typing import Any

import pytest

from tests.conftest import Register
from tests.unit.stack_graphs import built, pods_of

B200, H200, AUTOPILOT = "verl-b200", "verl-h200", "verl-b200-autopilot"
STACKS = [B200, H200, AUTOPILOT]
GKE = "cloud.google.com"


def container(pod: dict[str, Any]) -> dict[str, Any]:
    (only,) = pod["spec"]["containers"]
    return only


def mounts(pod: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What is mounted, by its path."""
    volumes = {it["name"]: it for it in pod["spec"]["volumes"]}
    return {it["mountPath"]: volumes[it["name"]] for it in container(pod)["volumeMounts"]}


@pytest.mark.parametrize("stack", STACKS)
def test_volume_and_claim_are_the_scenarios_but_for_what_fails(
    register: Register, stack: str
) -> None:
    made = built(register, stack)
    volume, claim = (made.named(f"bucket-volume-{it}").inputs["spec"] for it in ("volume", "claim"))
    assert volume["capacity"] == {"storage": "768Gi"}
    assert claim["resources"]["requests"] == {"storage": "768Gi"}
    assert volume["storageClassName"] == claim["storageClassName"] == "gcsfuse-sc"
    assert volume["accessModes"] == claim["accessModes"] == ["ReadWriteMany"]
    assert volume["mountOptions"] == [
        "implicit-dirs",
        "metadata-cache:negative-ttl-secs:0",
        "metadata-cache:ttl-secs:0",
        "metadata-cache:stat-cache-max-size-mb:32",
        "file-cache:max-size-mb:0",
        "read_ahead_kb=1024",
        "write:enable-streaming-writes:true",
        "write:global-max-blocks:8",
        "file-system:rename-dir-limit:200000",
    ]
    assert volume["csi"] == {
        "driver": "gcsfuse.csi.storage.gke.io",
        "volumeHandle": made.named("bucket-bucket").inputs["name"],
        "volumeAttributes": {
            "skipCSIBucketAccessCheck": "true",
            "gcsfuseMetadataPrefetchOnMount": "false",
        },
    }


@pytest.mark.parametrize("stack", [B200, H200])
def test_the_head_is_on_the_cpu_pool_and_offers_ray_no_cpu(register: Register, stack: str) -> None:
    made = built(register, stack)
    head, _ = pods_of(made)
    assert head["spec"]["nodeSelector"] == {f"{GKE}/gke-nodepool": "cpu-pool"}
    asked = {"cpu": "12", "memory": "32Gi", "ephemeral-storage": "9Gi"}
    assert container(head)["resources"] == {"requests": asked, "limits": asked}
    group = made.one(":RayCluster").inputs["spec"]["headGroupSpec"]
    assert group["rayStartParams"] == {"dashboard-host": "0.0.0.0", "num-cpus": "0"}


@pytest.mark.parametrize("stack", [B200, H200, AUTOPILOT])
def test_the_sidecar_of_a_worker_holds_what_its_eight_ranks_save_at_once(
    register: Register, stack: str
) -> None:
    head, worker = pods_of(built(register, stack))
    sizes = [
        (
            it["metadata"]["annotations"]["gke-gcsfuse/cpu-limit"],
            it["metadata"]["annotations"]["gke-gcsfuse/memory-limit"],
        )
        for it in (head, worker)
    ]
    assert sizes == [("250m", "1Gi"), ("2000m", "1Gi")]


def test_on_autopilot_pods_ask_for_their_machines(register: Register) -> None:
    head, worker = pods_of(built(register, AUTOPILOT))
    assert head["spec"]["nodeSelector"] == {
        f"{GKE}/compute-class": "Performance",
        f"{GKE}/machine-family": "c2",
    }
    assert worker["spec"]["nodeSelector"] == {
        f"{GKE}/compute-class": "Performance",
        f"{GKE}/gke-accelerator": "nvidia-b200",
        f"{GKE}/gke-accelerator-count": "8",
        f"{GKE}/gke-gpu-driver-version": "latest",
        f"{GKE}/gke-spot": "true",
        "topology.kubernetes.io/zone": "us-central1-b",
    }


def test_on_autopilot_pods_name_the_reservation_that_they_are_for(register: Register) -> None:
    capacity = {
        "mode": "reservation",
        "name": "r",
        "project": "shared-project",
        "block": "b",
        "sub_block": "s",
    }
    made = built(register, AUTOPILOT, pools__gpu__capacity=capacity)
    selector = pods_of(made)[1]["spec"]["nodeSelector"]
    assert f"{GKE}/gke-spot" not in selector
    prefix = f"{GKE}/reservation-"
    given = {key.removeprefix(prefix): it for key, it in selector.items() if prefix in key}
    assert given == {
        "affinity": "specific",
        "name": "r",
        "project": "shared-project",
        "blocks": "b",
        "subblocks": "s",
    }


@pytest.mark.parametrize("stack", STACKS)
def test_a_worker_takes_a_whole_machine(register: Register, stack: str) -> None:
    made = built(register, stack)
    group = made.one(":RayCluster").inputs["spec"]["workerGroupSpecs"][0]
    assert (group["minReplicas"], group["replicas"], group["maxReplicas"]) == (2, 2, 2)
    _, worker = pods_of(made)
    asked = {
        "cpu": "220",
        "memory": "2800Gi",
        "nvidia.com/gpu": "8",
        "ephemeral-storage": "1000Gi",
    }
    assert container(worker)["resources"] == {"requests": asked, "limits": asked}
    assert worker["metadata"]["annotations"]["gke-gcsfuse/volumes"] == "true"
    assert {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"} in worker[
        "spec"
    ]["tolerations"]


@pytest.mark.parametrize("stack", STACKS)
def test_a_worker_sees_driver_plugin_bucket_scratch_and_shared_memory(
    register: Register, stack: str
) -> None:
    _, worker = pods_of(built(register, stack))
    seen = mounts(worker)
    assert seen["/usr/local/nvidia"]["hostPath"] == {"path": "/home/kubernetes/bin/nvidia"}
    assert seen["/usr/local/gib"]["hostPath"] == {"path": "/home/kubernetes/bin/gib"}
    assert seen["/dev/shm"]["emptyDir"] == {"medium": "Memory", "sizeLimit": "250Gi"}
    assert seen["/tmp"]["emptyDir"] == {}
    assert "persistentVolumeClaim" in seen["/data"]
    variables = {it["name"]: it["value"] for it in container(worker)["env"]}
    assert variables["LD_LIBRARY_PATH"] == "/usr/local/nvidia/lib64"
    assert variables["NCCL_NET"] == "gIB"


def test_the_head_sees_the_bucket_and_keeps_rays_logs_on_its_own_disk(register: Register) -> None:
    head, _ = pods_of(built(register, B200))
    seen = mounts(head)
    assert "persistentVolumeClaim" in seen["/data"]
    assert seen["/tmp/ray"]["emptyDir"] == {}
    assert not {"/usr/local/gib", "/usr/local/nvidia"} & seen.keys()


def test_every_pod_copies_verl_from_the_bucket_before_ray_starts(register: Register) -> None:
    head, worker = pods_of(built(register, B200))
    names = [[it["name"] for it in pod["spec"]["initContainers"]] for pod in (head, worker)]
    assert names == [["setup"], ["wait-for-nccl-plugin", "setup"]]
    for pod in (head, worker):
        setup = pod["spec"]["initContainers"][-1]
        assert setup["command"][3:] == ["setup", "/data/verl", "/opt/verl", "v0.6.1"]
        assert setup["image"] == container(pod)["image"]
        assert "/opt/verl" in mounts(pod)


def test_a_bucket_filled_by_hand_is_not_waited_for(register: Register) -> None:
    made = built(register, B200, jobs={"verl-grpo": {"type": "verl", "preparation": None}})
    assert "verl-grpo-preparation-job" not in made.names()
    head, _ = pods_of(made)
    assert head["spec"]["initContainers"][-1]["command"][4:] == ["/data/verl", "/opt/verl"]


def test_without_a_job_nothing_is_prepared_and_nothing_copied(register: Register) -> None:
    made = built(register, B200, jobs=None)
    assert not [name for name in made.names() if name.startswith("verl-grpo")]
    head, worker = pods_of(made)
    assert "initContainers" not in head["spec"]
    assert [it["name"] for it in worker["spec"]["initContainers"]] == ["wait-for-nccl-plugin"]
