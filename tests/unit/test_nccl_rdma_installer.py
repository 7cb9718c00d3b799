"""The installer's DaemonSet, as registered; that gIB works on a node only real nodes show."""

from dataclasses import replace
from typing import Any

import pulumi_kubernetes as k8s
import pytest

from catalog import Catalog
from components.nccl.gib import NODE_GIB_DIR, gib_mounts, gib_volumes
from components.nccl.rdma_installer import NcclRdmaInstaller, NcclRdmaInstallerArgs
from tests.conftest import Recording, Register, inside

POOL = {"cloud.google.com/gke-nodepool": "gpu"}
ARGS = NcclRdmaInstallerArgs(
    image="plugin:1",
    pause_image="pause:1",
    node_selectors=[POOL],
    labels={"stack": "test"},
    installer_name="nccl-rdma-installer",
)


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: NcclRdmaInstaller("gib", replace(ARGS, **values), opts=inside()))


def pod(register: Register, **values: Any) -> dict[str, Any]:
    spec = made(register, **values).one(":DaemonSet").inputs["spec"]
    return spec["template"]["spec"]


def test_it_writes_into_the_nodes_own_directories(register: Register) -> None:
    spec = pod(register)
    on_node = {it["name"]: it["hostPath"]["path"] for it in spec["volumes"]}
    installer = spec["initContainers"][0]
    (script,) = installer["args"]
    for mount in installer["volumeMounts"]:
        assert mount["mountPath"] == f"/usr/local{on_node[mount['name']]}"
        assert f"/. {mount['mountPath']}\n" in script


def test_pods_find_it_where_it_was_written(register: Register) -> None:
    written = {it["hostPath"]["path"] for it in pod(register)["volumes"]}
    assert NODE_GIB_DIR in written
    read = {it["name"]: it["hostPath"]["path"] for it in gib_volumes()}
    assert all(any(one.startswith(path) for one in written) for path in read.values())
    assert [it["name"] for it in gib_mounts()] == list(read)
    assert all(it["readOnly"] for it in gib_mounts())


@pytest.mark.parametrize("machine", ["a4-highgpu-8g", "a3-ultragpu-8g", "a4x-highgpu-4g"])
def test_no_family_of_standard_nodes_gets_a_second_nccl(register: Register, machine: str) -> None:
    """GoogleCloudPlatform/container-engine-accelerators 2da1c92f of 2026-05-06 took it out of the
    installers for all of them: it would lie before the image's own in LD_LIBRARY_PATH."""
    nccl = Catalog.load().nccl(machine)
    assert nccl is not None
    installer = pod(register, image=nccl.plugin_image)["initContainers"][0]
    assert "--install-nccl" not in installer["args"][0]


def test_on_autopilot_its_nodes_are_those_of_googles_own_manifest(register: Register) -> None:
    """Autopilot knows the pod of nccl-rdma-installer-autopilot.yaml, and that one alone."""
    nccl = Catalog.load().nccl("a4-highgpu-8g")
    assert nccl is not None
    spec = pod(register, autopilot=True, accelerators=nccl.installer_accelerators)
    assert "nodeSelector" not in spec
    (term,) = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    assert term["matchExpressions"] == [
        {
            "key": "cloud.google.com/gke-accelerator",
            "operator": "In",
            "values": ["nvidia-h200-141gb", "nvidia-b200"],
        }
    ]


def test_only_autopilot_needs_a_namespace_for_it(register: Register) -> None:
    assert made(register).of_type(":Namespace") == []
    recording = made(register, autopilot=True)
    assert recording.one(":Namespace").inputs["metadata"]["name"] == "rdma-system"
    assert "gib-namespace" in recording.waits_for("gib-daemon-set")


def test_nodes_of_each_pool_get_it_whatever_else_they_have_in_common(register: Register) -> None:
    """The second of these pools is known by its GPUs, and so is the third."""
    gpus = {"cloud.google.com/gke-accelerator": "nvidia-b200"}
    spec = pod(register, node_selectors=[POOL, gpus, dict(gpus)])
    assert "nodeSelector" not in spec
    affinity = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert affinity["nodeSelectorTerms"] == [
        {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}
        for one in (POOL, gpus)
        for key, value in one.items()
    ]


def test_what_uses_its_nodes_waits_for_the_plugin_on_them(register: Register) -> None:
    def build() -> None:
        installer = NcclRdmaInstaller("gib", ARGS, opts=inside())
        spec: Any = {"containers": [], "nodeSelector": installer.once_ready(POOL)}
        k8s.core.v1.Pod("user", spec=spec)

    recording = register(build)
    assert recording.named("user").inputs["spec"]["nodeSelector"] == POOL
    assert "gib-daemon-set" in recording.waits_for("user")
    assert recording.one(":DaemonSet").create_timeout == "30m"


def test_two_installers_look_after_their_own_pods(register: Register) -> None:
    for name in ("nccl-rdma-installer", "nccl-rdma-h200"):
        daemon_set = made(register, installer_name=name).one(":DaemonSet").inputs
        assert daemon_set["metadata"]["name"] == name
        wanted = daemon_set["spec"]["selector"]["matchLabels"]
        labels = daemon_set["spec"]["template"]["metadata"]["labels"]
        assert wanted == {"k8s-app": name}
        assert wanted.items() <= labels.items()
