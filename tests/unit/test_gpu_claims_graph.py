"""A stack whose pods claim GPUs, as registered: what is installed for it, and what each pod claims.
That NVIDIA's drivers work on a node only real nodes show."""

from __future__ import annotations

from typing import Any

import pytest

from components.network.resource_claim_template import paired_devices
from stacks.config import validate
from tests.conftest import Recording, changed
from tests.parts.claim_samples import CLAIMED
from tests.programs import WITH_TOKEN, registered
from tests.unit.test_nccl_on_rdma import assert_on_gib, on_rdma


@pytest.fixture(scope="module")
def made() -> Recording:
    return up()


def up(**values: Any) -> Recording:
    return registered(validate(changed(CLAIMED, **values), secrets_set=WITH_TOKEN))


def claims_of(pod: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    (container,) = pod["containers"]
    assert container["resources"]["claims"] == [
        {"name": it["name"]} for it in pod["resourceClaims"]
    ]
    return [it["resourceClaimTemplateName"] for it in pod["resourceClaims"]], container


def devices_in(made: Recording, template: str) -> dict[str, Any]:
    return made.named(f"{template}-template").inputs["spec"]["spec"]["devices"]


def test_gke_installs_neither_its_driver_nor_its_device_plugin(made: Recording) -> None:
    node = made.named("gpu-pool").inputs["nodeConfig"]
    (gpus,) = node["guestAccelerators"]
    installed = gpus["gpuDriverInstallationConfig"]
    assert installed == {"gpuDriverVersion": "INSTALLATION_DISABLED"}
    assert {
        "gke-no-default-nvidia-gpu-device-plugin": "true",
        "nvidia.com/gpu.present": "true",
        "cloud.google.com/gke-nvidia-gpu-dra-driver": "true",
        "cloud.google.com/gke-networking-dra-driver": "true",
    }.items() <= node["labels"].items()
    assert "nvidia.com/gpu.present" not in made.named("cpu-pool").inputs["nodeConfig"]["labels"]


def test_the_stack_installs_both_and_gib_after_the_driver(made: Recording) -> None:
    release = made.named("gpu-claims-release").inputs
    address, _, digest = release["chart"].partition("@")
    assert address == "oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu"
    assert digest == "sha256:7a00373fdef1025f27ebb1d353719446bbbe6ec4697e9a503c5ffd7e4f1525dd"
    assert release["values"]["nvidiaDriverRoot"] == "/home/kubernetes/bin/nvidia"
    assert release["values"]["gpuResourcesEnabledOverride"] is True
    pod = made.named("gpu-driver-daemon-set").inputs["spec"]["template"]["spec"]
    (term,) = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    assert term["matchExpressions"][0]["values"] == ["gpu-pool"]
    assert "gpu-driver-daemon-set" in made.waits_for("gpu-claims-release")
    assert "gpu-driver-daemon-set" in made.waits_for("nccl-daemon-set")


def test_a_worker_claims_its_gpus_each_with_an_interface_beside_it(made: Recording) -> None:
    (group,) = made.one(":RayCluster").inputs["spec"]["workerGroupSpecs"]
    names, container = claims_of(group["template"]["spec"])
    assert names == ["four-pairs"]
    assert "nvidia.com/gpu" not in container["resources"]["limits"]
    # KubeRay finds no GPUs in the pod's resources.
    assert group["rayStartParams"] == {"num-gpus": "4"}
    found = devices_in(made, "pairs-4")
    wanted = paired_devices("mrdma.google.com", "req-mrdma", 4)
    assert [it["name"] for it in found["requests"]] == [it["name"] for it in wanted["requests"]]
    assert [it["requests"] for it in found["constraints"]] == [
        it["requests"] for it in wanted["constraints"]
    ]
    assert {"pairs-4-template", "gpu-claims-release", "nccl-daemon-set"} <= made.waits_for(
        "app-cluster"
    )


def test_a_script_claims_its_own_and_is_held_by_its_template(made: Recording) -> None:
    job_set = made.named("tune-job-set")
    (job,) = job_set.inputs["spec"]["replicatedJobs"]
    pod = job["template"]["spec"]["template"]["spec"]
    names, container = claims_of(pod)
    assert names == ["two-pairs"]
    assert "nvidia.com/gpu" not in container["resources"]["limits"]
    assert made.named("pairs-2-template").urn in job_set.replace_with


def test_a_server_claims_as_workers_do(made: Recording) -> None:
    pod = made.named("chat-deployment").inputs["spec"]["template"]["spec"]
    names, container = claims_of(pod)
    assert names == ["one-pairs"]
    assert "nvidia.com/gpu" not in container["resources"]["limits"]
    classes = [it["exactly"]["deviceClassName"] for it in devices_in(made, "pairs-1")["requests"]]
    assert classes == ["gpu.nvidia.com", "mrdma.google.com"]
    assert [it["name"] for it in pod["initContainers"]] == ["wait-for-nccl-plugin"]
    mounted = {it["mountPath"] for it in container["volumeMounts"]}
    assert {"/usr/local/gib", "/usr/local/nvidia", "/etc/nccl.conf"} <= mounted
    assert {"gpu-claims-release", "pairs-1-template", "nccl-daemon-set"} <= made.waits_for(
        "chat-deployment"
    )


def test_jobs_that_are_submitted_find_templates_of_every_size(made: Recording) -> None:
    found = {it.name for it in made.of_type(":ResourceClaimTemplate")}
    pairs = {f"pairs-{number}-template" for number in (1, 2, 4, 8)}
    assert found == pairs
    later = {"type": "script", "image": "a:1", "command": ["b"], "gpus": 1}
    requests = {"cpu": 1, "memory_gib": 2, "ephemeral_storage_gib": 1}
    more = up(jobs__later={**later, "requests": requests})
    assert {it.name for it in more.of_type(":ResourceClaimTemplate")} == found


def test_whole_machines_are_claimed_without_looking_for_pairs() -> None:
    made = up(ray__app__workers__gpu__gpus=8, jobs=None, servers=None)
    found = devices_in(made, "pairs-8")
    assert [it["exactly"]["count"] for it in found["requests"]] == [8, 8]
    assert "constraints" not in found


def test_nccl_fails_rather_than_take_tcp(made: Recording) -> None:
    assert on_rdma(made).keys() == {"app-cluster", "chat-deployment", "tune-job-set"}
    assert_on_gib(made)
