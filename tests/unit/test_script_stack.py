"""A stack with scripts, as registered: what is made, in which order, and what stands in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pulumi
import pytest

from stacks.build import build
from stacks.config import validate
from tests.conftest import Recording, Register, changed
from tests.unit.script_samples import B200, CHAT, ON_RAY, QUEUES, RAY, STACK

BUCKETS = {"data": {"mount_path": "/data"}, "logs": {"mount_path": "/logs", "claim_gib": 5}}
QUEUED = {"queues": QUEUES, "jobs__train__queue": "lq"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "code").mkdir()
    (tmp_path / "train.py").write_text("print(1)\n")
    (tmp_path / "code" / "tune.py").write_text("print(2)\n")
    return tmp_path


@pytest.fixture
def made(register: Register, project: Path) -> Any:
    def of(stack: dict[str, Any], **values: Any) -> Recording:
        config = validate(changed(stack, **values))
        return register(lambda: build(config, {}, project))

    return of


def pod(recording: Recording) -> dict[str, Any]:
    (one,) = recording.named("train-job-set").inputs["spec"]["replicatedJobs"]
    return one["template"]["spec"]["template"]["spec"]


def variables(recording: Recording) -> dict[str, str]:
    return {it["name"]: it.get("value", "") for it in pod(recording)["containers"][0]["env"]}


def test_files_that_are_not_there_stop_it_before_any_resource(
    register: Register, tmp_path: Path
) -> None:
    config = validate(changed(STACK, jobs__train__file="trian.py"))
    (tmp_path / "train.py").write_text("")
    with pytest.raises(pulumi.RunError, match=r"trian\.py.* nearest: train\.py") as raised:
        build(config, {}, tmp_path)
    assert str(raised.value).startswith("The config has 1 mistake; nothing was changed.")


def test_its_pods_wait_for_the_controller_the_machines_and_the_queue(made: Any) -> None:
    recording = made(STACK, **QUEUED)
    before = recording.waits_for("train-job-set")
    assert {"jobset", "jobset-webhook", "gpu-pool", "queues", "train-files"} <= before
    # Kueue looks for a kind that there is.
    assert "jobset-release" in recording.waits_for("kueue-release")


def test_a_queue_of_jobsets_alone_installs_the_controller_too(made: Any) -> None:
    names = made(STACK, jobs=None, queues=QUEUES).names()
    assert "jobset-release" in names
    assert "jobset-release" not in made(STACK, jobs=None, queues={}).names()


def test_a_script_on_ray_alone_needs_no_controller(made: Any) -> None:
    assert "jobset" not in made(STACK, jobs={"tune": ON_RAY}, ray={"small": RAY}).names()


def test_it_runs_on_its_pool_alone_with_what_it_asks_for(made: Any) -> None:
    recording = made(STACK, jobs__train__environment={"EPOCHS": "2"}, jobs__train__shm_gib=4)
    found = pod(recording)
    assert found["nodeSelector"] == {"cloud.google.com/gke-nodepool": "gpu-pool"}
    assert found["containers"][0]["resources"]["limits"] == {
        "cpu": "8",
        "memory": "32Gi",
        "ephemeral-storage": "10Gi",
        "nvidia.com/gpu": "2",
    }
    assert found["containers"][0]["command"] == ["python3", "$(SCRIPT_DIR)/train.py"]
    assert (variables(recording)["SCRIPT_DIR"], variables(recording)["EPOCHS"]) == (
        "/etc/script",
        "2",
    )
    held = recording.named("train-job-set").replace_with
    assert recording.named("gpu-pool").urn in held


def test_it_tolerates_the_taints_of_its_pool(made: Any) -> None:
    taint = {"key": "team", "value": "a"}
    on_gpus = pod(made(STACK, pools__gpu__taints=[taint]))
    assert [it["key"] for it in on_gpus["tolerations"]] == ["nvidia.com/gpu", "team"]
    pools = {"cpu": STACK["pools"]["cpu"], "big": {"machine_type": "e2-standard-16", "nodes": 2}}
    pools["big"]["taints"] = [taint]
    on_cpus = pod(made(STACK, pools=pools, jobs__train__pool="big"))
    assert [it["key"] for it in on_cpus["tolerations"]] == ["team"]
    assert "tolerations" not in pod(
        made(
            STACK,
            jobs__train__pool="cpu",
            jobs__train__requests__cpu=2,
            jobs__train__requests__memory_gib=8,
        )
    )


def test_without_files_no_variable_says_where_they_are(made: Any) -> None:
    recording = made(STACK, jobs__train__file=None, jobs__train__command=["true"])
    assert "SCRIPT_DIR" not in variables(recording)
    assert "train-files" not in recording.names()


def test_a_server_that_it_calls_lets_it_in_and_it_knows_where_that_is(made: Any) -> None:
    recording = made(STACK, **CHAT, jobs__train__server="chat")
    (one,) = recording.named("train-job-set").inputs["spec"]["replicatedJobs"]
    labels = one["template"]["spec"]["template"]["metadata"]["labels"]
    policy = recording.named("chat-access").inputs["spec"]
    assert policy["ingress"][0]["from"][0] == {"podSelector": {"matchLabels": labels}}
    service = recording.named("chat-service").inputs
    address = f"http://{service['metadata']['name']}:{int(service['spec']['ports'][0]['port'])}"
    assert variables(recording)["SERVER_URL"] == address


def test_queue_and_priorities_are_the_stacks(made: Any) -> None:
    queues = {
        **QUEUES,
        "priorities": [{"name": "high", "value": 10}],
        "workload_priorities": [{"name": "first", "value": 10}],
    }
    recording = made(
        STACK,
        queues=queues,
        jobs__train__queue="lq",
        jobs__train__priority="high",
        jobs__train__workload_priority="first",
        jobs__train__retries=3,
        jobs__train__minutes=30,
    )
    job_set = recording.named("train-job-set").inputs
    labels = job_set["metadata"]["labels"]
    assert labels["kueue.x-k8s.io/queue-name"] == "lq"
    assert labels["kueue.x-k8s.io/priority-class"] == "first"
    assert job_set["spec"]["failurePolicy"]["maxRestarts"] == 3
    (one,) = job_set["spec"]["replicatedJobs"]
    assert one["template"]["spec"]["activeDeadlineSeconds"] == 1800
    assert pod(recording)["priorityClassName"] == "high"


def test_buckets_and_lustre_are_mounted_as_the_stacks_account(made: Any) -> None:
    lustre = {"name": "fast", "capacity_gib": 9000, "throughput_mbps_per_tib": 1000}
    recording = made(STACK, buckets=BUCKETS, lustre=lustre)
    mounts = {it["name"]: it["mountPath"] for it in pod(recording)["containers"][0]["volumeMounts"]}
    assert mounts["bucket-data"] == "/data"
    assert mounts["bucket-logs"] == "/logs"
    assert mounts["lustre-storage"] == "/lustre"
    assert pod(recording)["serviceAccountName"] == "lab"
    kinds = {it["name"]: set(it) for it in pod(recording)["volumes"]}
    assert "csi" in kinds["bucket-data"]
    assert "persistentVolumeClaim" in kinds["bucket-logs"]
    held = recording.named("train-job-set").replace_with
    assert recording.named("data-bucket").urn in held
    assert recording.named("lustre-instance").urn in held


def test_it_mounts_only_what_it_names(made: Any) -> None:
    recording = made(STACK, buckets=BUCKETS, jobs__train__mounts=[])
    assert [it["name"] for it in pod(recording)["volumes"]] == ["dshm", "files"]
    assert "serviceAccountName" not in pod(recording)


def pod_on_whole_machines(recording: Any) -> dict[str, Any]:
    """The template of its pods, which have what NCCL needs."""
    (one,) = recording.named("train-job-set").inputs["spec"]["replicatedJobs"]
    template = one["template"]["spec"]["template"]
    assert template["spec"]["nodeSelector"]["cloud.google.com/gke-nodepool"] == "gpu-pool"
    found = variables(recording)
    assert found["LD_LIBRARY_PATH"] == "/usr/local/nvidia/lib64"
    assert found["NCCL_NET"] == "gIB"
    return template


def test_whole_machines_have_their_interfaces_and_what_nccl_needs(made: Any) -> None:
    recording = made(B200, pools__gpu__interfaces="own")
    template = pod_on_whole_machines(recording)
    assert "networking.gke.io/interfaces" in template["metadata"]["annotations"]
    assert "resourceClaims" not in template["spec"]
    assert {"interfaces", "nccl"} <= recording.waits_for("train-job-set")


def test_pods_on_whole_machines_claim_interfaces_whose_networks_gke_makes(made: Any) -> None:
    recording = made(B200)
    spec = pod_on_whole_machines(recording)["spec"]
    assert spec["resourceClaims"] == [{"name": "mrdma", "resourceClaimTemplateName": "eight-mrdma"}]
    assert spec["containers"][0]["resources"]["claims"] == [{"name": "mrdma"}]
    assert {"rdma-claims-8-template", "nccl"} <= recording.waits_for("train-job-set")
    assert recording.named("gpu-pool").inputs["networkConfig"] == {
        "enablePrivateNodes": True,
        "acceleratorNetworkProfile": "auto",
    }


def test_pods_without_interfaces_have_nothing_of_nccls_plug_in(made: Any) -> None:
    recording = made(B200, pools__gpu__interfaces="none", jobs__train__gpus=2)
    assert not any(it.startswith("NCCL_") for it in variables(recording))
    assert "resourceClaims" not in pod(recording)
    assert "networkConfig" not in recording.named("gpu-pool").inputs


def test_on_autopilot_it_runs_on_nodes_that_come_for_it(made: Any) -> None:
    recording = made(
        STACK,
        cluster={"mode": "autopilot"},
        pools__cpu=None,
        jobs__train__pool=None,
        jobs__train__requests={"cpu": 2, "memory_gib": 4},
    )
    assert "nvidia.com/gpu" not in pod(recording)["containers"][0]["resources"]["limits"]
    assert pod(recording)["nodeSelector"]
    assert "controller" not in recording.named("jobset-release").inputs["values"]


def test_on_a_raycluster_it_is_a_rayjob_with_its_files_beside_the_launcher(made: Any) -> None:
    recording = made(STACK, jobs={"tune": ON_RAY}, ray={"small": RAY})
    files = recording.named("small-launchers-files").inputs["data"]
    (launcher,) = [it for it in files if it.startswith("tune-")]
    (brought,) = [it for it in files if it.endswith("-tune.py")]
    assert files[brought] == "print(2)\n"
    assert brought in files[launcher]
    entrypoint = recording.named("tune-job").inputs["spec"]["entrypoint"]
    assert entrypoint.endswith(f"bash /etc/launcher/{launcher}")
    assert "ScriptJobSet" not in str(recording.names())


def test_several_jobs_of_a_raycluster_share_one_configmap_that_they_wait_for(made: Any) -> None:
    second = {"type": "script", "command": ["echo", "done"], "ray": "small"}
    recording = made(STACK, jobs={"tune": ON_RAY, "tell": second}, ray={"small": RAY})
    (config_map,) = recording.of_type(":ConfigMap")
    assert config_map.name == "small-launchers-files"
    assert config_map.inputs["metadata"]["name"] == "small-launcher"
    for job in ("tune", "tell"):
        assert "small-launchers-files" in recording.waits_for(f"{job}-job")
        (launcher,) = [it for it in config_map.inputs["data"] if it.startswith(f"{job}-")]
        assert launcher in recording.named(f"{job}-job").inputs["spec"]["entrypoint"]


def test_a_script_beside_a_training_is_in_its_image(made: Any) -> None:
    training = {"type": "image-classifier"}
    jobs = {"tune": ON_RAY, "cats": training}
    config = validate(changed(STACK, jobs=jobs, ray={"small": RAY}, buckets=BUCKETS))
    alone = validate(changed(STACK, jobs={"cats": training}, ray={"small": RAY}, buckets=BUCKETS))
    assert config.ray["small"].image == alone.ray["small"].image
    assert config.ray["small"].demands.packages == alone.ray["small"].demands.packages
