"""The all-gather's Job, as registered."""

from dataclasses import replace
from typing import Any

from components.nccl_test import NcclTest, NcclTestArgs
from components.script_file import versioned_file_name
from tests.conftest import Recording, Register

POOL = {"cloud.google.com/gke-accelerator": "nvidia-b200"}
ARGS = NcclTestArgs(
    namespace="rl",
    test_name="nccl-test",
    image="diagnostic:1",
    script="echo test",
    node_selector=POOL,
    annotations={"networking.gke.io/default-interface": "eth0"},
    labels={"stack": "test"},
    gpus_per_node=8,
    min_bus_bandwidth_gbps=0.0,
)


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: NcclTest("nccl", replace(ARGS, **values)))


def job(register: Register, **values: Any) -> dict[str, Any]:
    return made(register, **values).named("nccl-job").inputs["spec"]


def container(register: Register, **values: Any) -> dict[str, Any]:
    return job(register, **values)["template"]["spec"]["containers"][0]


def environment(register: Register, **values: Any) -> dict[str, str]:
    return {it["name"]: it["value"] for it in container(register, **values)["env"]}


def test_every_pod_has_a_node_of_its_own_and_a_number(register: Register) -> None:
    for nodes in (2, 4):
        spec = job(register, nodes=nodes)
        assert spec["completionMode"] == "Indexed"
        assert spec["completions"] == spec["parallelism"] == nodes
        assert environment(register, nodes=nodes)["NODES"] == str(nodes)
    gpus = {"nvidia.com/gpu": "8"}
    assert container(register)["resources"] == {"requests": gpus, "limits": gpus}
    assert environment(register)["GPUS_PER_NODE"] == "8"


def test_one_failed_pod_fails_the_test(register: Register) -> None:
    spec = job(register)
    assert spec["backoffLimit"] == 0
    assert spec["activeDeadlineSeconds"] == 1800


def test_pods_find_each_other_by_name(register: Register) -> None:
    recording = made(register)
    service = recording.one(":Service").inputs
    assert service["spec"] == {
        "clusterIP": "None",
        "selector": {"batch.kubernetes.io/job-name": "nccl-test"},
        "publishNotReadyAddresses": True,
    }
    made_job = recording.named("nccl-job").inputs
    assert made_job["metadata"]["name"] == "nccl-test"
    assert made_job["spec"]["template"]["spec"]["subdomain"] == service["metadata"]["name"]
    given = environment(register)
    assert (given["HOST_PREFIX"], given["SUBDOMAIN"]) == ("nccl-test", "nccl-test")


def test_pods_are_on_the_gpu_nodes_and_on_their_networks(register: Register) -> None:
    template = job(register)["template"]
    assert template["metadata"]["annotations"] == {"networking.gke.io/default-interface": "eth0"}
    assert template["spec"]["nodeSelector"] == POOL
    assert template["spec"]["tolerations"][0]["key"] == "nvidia.com/gpu"


def test_pods_see_the_plugin_the_driver_and_shared_memory(register: Register) -> None:
    where = {it["name"]: it["mountPath"] for it in container(register)["volumeMounts"]}
    assert where == {
        "nvidia": "/usr/local/nvidia",
        "gib": "/usr/local/gib",
        "shared-memory": "/dev/shm",
        "script": "/etc/script",
    }
    volumes = {it["name"]: it for it in job(register, shm_gib=64)["template"]["spec"]["volumes"]}
    assert volumes.keys() == where.keys()
    assert volumes["shared-memory"]["emptyDir"] == {"medium": "Memory", "sizeLimit": "64Gi"}


def test_it_waits_for_the_plugin_on_a_node_that_is_new(register: Register) -> None:
    (waits,) = job(register)["template"]["spec"]["initContainers"]
    assert "/usr/local/gib/scripts/set_nccl_env.sh" in waits["command"][-1]
    assert {it["name"] for it in waits["volumeMounts"]} == {"nvidia", "gib"}


def test_it_passes_at_any_speed_unless_one_is_wanted(register: Register) -> None:
    assert float(environment(register)["MIN_BUS_BANDWIDTH_GBPS"]) == 0
    wanted = environment(register, min_bus_bandwidth_gbps=300.5)
    assert wanted["MIN_BUS_BANDWIDTH_GBPS"] == "300.5"


def test_it_runs_the_script_that_it_is_given(register: Register) -> None:
    for script in ("echo test", "echo other"):
        name = versioned_file_name("all-gather.sh", script)
        assert container(register, script=script)["command"] == ["bash", f"/etc/script/{name}"]
        data = made(register, script=script).one(":ConfigMap").inputs["data"]
        assert data == {name: script}


def test_what_trains_on_the_nodes_waits_until_they_passed(register: Register) -> None:
    recording = made(register)
    outputs = recording.outputs[recording.named("nccl").urn]
    assert {**outputs, "job": None} == {"job": None, "job_name": "nccl-test", "node_selector": POOL}
    assert {"nccl-service", "nccl-script"} <= recording.waits_for("nccl-job")


def test_a_changed_test_is_another_and_a_failed_one_is_run_again(register: Register) -> None:
    made_job = made(register).named("nccl-job")
    assert made_job.replace_on_changes == ("spec",)
    assert made_job.delete_before_replace
    assert made_job.create_timeout == "31m"
    assert made_job.inputs["metadata"]["annotations"] == {"pulumi.com/replaceUnready": "true"}
