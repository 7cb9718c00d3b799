"""The programs of examples/ under mocks: what they register, which the provider's schema and the
API server's own checks take. That Google makes it, this does not show."""

from __future__ import annotations

from collections import Counter

import pytest

from components.build_backend import PACKAGE
from sandbox.memory_kube.admission import check
from sandbox.providers.manifests import manifest_of
from sandbox.providers.schema import GcpSchema
from tests.examples.runs import PROGRAMS, Run

_GROUND = {
    "ClusterNetwork": 1,
    "GkeCluster": 1,
    "NodeServiceAccount": 1,
    "ProjectApis": 1,
}
COMPONENTS: dict[str, dict[str, int]] = {
    "a4-rdma": {
        "DeviceNetworks": 1,
        "GvnicNetwork": 1,
        "NcclRdmaInstaller": 1,
        "NodePool": 2,
        "RdmaNetwork": 1,
    },
    "l4-pool": {"NodePool": 2},
    "lustre": {"LustreInstance": 1, "LustreVolume": 1, "NodePool": 1, "PrivateServiceAccess": 1},
    "ray-queue": {
        "Bucket": 1,
        "BucketGrant": 1,
        "KubeServiceAccount": 1,
        "Kueue": 1,
        "KueueQueues": 1,
        "LocalQueues": 1,
        "NodePool": 2,
        "RayCluster": 1,
        "WebhookAccess": 1,
    },
    "tpu-slices": {
        "GvnicNetwork": 2,
        "NodePool": 1,
        "ResourceClaimTemplate": 1,
        "TpuSlicePool": 2,
    },
}
# Of the cloud and of Kubernetes, without the provider that the cluster brings.
RESOURCES = {"a4-rdma": 44, "l4-pool": 13, "lustre": 20, "ray-queue": 27, "tpu-slices": 21}


def test_the_library_has_one_name_in_a_process(run: Run) -> None:
    loaded = {it.partition(".")[0] for it in run.modules}
    assert PACKAGE in loaded
    assert not loaded & {"catalog", "components", "stacks"}


def test_every_program_is_expected() -> None:
    assert set(PROGRAMS) == set(COMPONENTS) == set(RESOURCES)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_makes_its_components(run: Run, program: str) -> None:
    made = run.programs[program]
    tokens = Counter(it.type.rpartition(":")[2] for it in made if it.type.startswith("gke-ai:"))
    assert tokens == {**_GROUND, **COMPONENTS[program]}
    clouds = [it for it in made if it.type.startswith(("gcp:", "kubernetes:"))]
    assert len(clouds) == RESOURCES[program]
    names = [(it.type, it.name) for it in made]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_in_the_cluster_has_its_provider(run: Run, program: str) -> None:
    for it in run.programs[program]:
        if it.custom and it.type.startswith("kubernetes:"):
            assert "pulumi:providers:kubernetes::cluster" in it.provider, it.name


@pytest.mark.parametrize("program", PROGRAMS)
def test_google_and_kubernetes_take_every_input(run: Run, program: str) -> None:
    schema = GcpSchema.load()
    for it in run.programs[program]:
        if it.type.startswith("gcp:"):
            assert schema.check(it.type, it.inputs) == [], it.name
        elif it.type.startswith("kubernetes:"):
            check(manifest_of(it.type, it.inputs))


def test_an_a4_has_ten_interfaces_and_pods_find_nine(run: Run) -> None:
    (pool,) = (it for it in run.of_type("a4-rdma", "nodePool:NodePool") if "b200" in it.name)
    networks = pool.inputs["networkConfig"]["additionalNodeNetworkConfigs"]
    assert [it["network"] for it in networks] == ["a4-gvnic-1-net", *["a4-rdma-net"] * 8]
    devices = [it.inputs for it in run.of_type("a4-rdma", ":GKENetworkParamSet")]
    modes = [it["spec"]["deviceMode"] for it in devices]
    assert modes == ["NetDevice", *["RDMA"] * 8]
    (vpc,) = (it for it in run.of_type("a4-rdma", "network:Network") if "rdma" in it.name)
    assert vpc.inputs["networkProfile"].endswith("/us-central1-b-vpc-roce")


def test_each_slice_is_in_both_networks_which_pods_claim(run: Run) -> None:
    slices = [it for it in run.of_type("tpu-slices", "nodePool:NodePool") if "slice" in it.name]
    assert [it.inputs["nodeCount"] for it in slices] == [4, 4]
    for it in slices:
        networks = it.inputs["networkConfig"]["additionalNodeNetworkConfigs"]
        assert [one["network"] for one in networks] == ["tpu-dcn-0-net", "tpu-dcn-1-net"]
    (claims,) = run.of_type("tpu-slices", ":ResourceClaimTemplate")
    (request,) = claims.inputs["spec"]["spec"]["devices"]["requests"]
    assert request["exactly"]["count"] == len(slices)


def test_the_claim_is_on_the_instance(run: Run) -> None:
    (volume,) = run.of_type("lustre", ":PersistentVolume")
    csi = volume.inputs["spec"]["csi"]
    assert csi["volumeHandle"] == "my-project/us-central1-a/lustre"
    assert csi["volumeAttributes"] == {"ip": "10.12.0.2", "filesystem": "lustre"}
    (claim,) = run.of_type("lustre", ":PersistentVolumeClaim")
    assert claim.inputs["spec"]["volumeName"] == volume.inputs["metadata"]["name"]


def test_kueue_admits_the_ray_cluster_whose_account_alone_has_the_bucket(run: Run) -> None:
    (ray,) = run.of_type("ray-queue", ":RayCluster")
    (queue,) = run.of_type("ray-queue", ":LocalQueue")
    assert ray.inputs["metadata"]["labels"] == {
        "kueue.x-k8s.io/queue-name": queue.inputs["metadata"]["name"]
    }
    (grant,) = run.of_type("ray-queue", ":BucketIAMMember")
    pods = [
        ray.inputs["spec"]["headGroupSpec"]["template"]["spec"],
        *(it["template"]["spec"] for it in ray.inputs["spec"]["workerGroupSpecs"]),
    ]
    for pod in pods:
        assert grant.inputs["member"].endswith(
            f"/subject/ns/default/sa/{pod['serviceAccountName']}"
        )
        (mounted,) = (it["csi"] for it in pod["volumes"] if "csi" in it)
        assert mounted["volumeAttributes"]["bucketName"] == grant.inputs["bucket"]
