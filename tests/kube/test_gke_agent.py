"""GKE's own parts beside a real API server and scheduler: nodes, autoscaling, networks, devices and
the end of Jobs. The simulated cloud is written by hand here, as no Pulumi engine is asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from components.base.taints import NodeTaintArgs, toleration
from kube.objects import JsonObject, Ref, dig, name_of
from sandbox.control_plane import ControlPlane
from sandbox.live_kube.api import Api, ApiError, Kind
from tests.kube.conftest import eventually
from tests.kube.written_cloud import CLUSTER, resource, write

NODE: Kind = ("v1", "Node")
POD: Kind = ("v1", "Pod")
GPU = "nvidia.com/gpu"
RDMA = {"network": "rdma-net", "subnetwork": "rdma-sub"}


def pool(name: str, machine: str, most: int, **config: object) -> JsonObject:
    node = {"machineType": machine, "spot": True, **config}
    auto = {"totalMinNodeCount": 0, "totalMaxNodeCount": most}
    networks = {"additionalNodeNetworkConfigs": [RDMA, RDMA]}
    return resource(
        "NodePool", name=name, nodeConfig=node, autoscaling=auto, networkConfig=networks
    )


def write_cloud(file: Path, *preempted: str, team: str = "vision") -> None:
    theirs = {
        "labels": {"team": team},
        "taints": [{"key": "team", "value": team, "effect": "NO_SCHEDULE"}],
    }
    dranet = {"cloud.google.com/gke-networking-dra-driver": "true"}
    pools = {
        "cpu": resource(
            "NodePool", name="cpu", initialNodeCount=1, nodeConfig={"machineType": "n2-standard-4"}
        ),
        "gpu": pool("gpu", "a3-ultragpu-8g", 3),
        "dra": pool("dra", "a3-ultragpu-8g", 1, labels=dranet),
        "team": pool("team", "a3-ultragpu-8g", 1, **theirs),
    }
    write(file, pools, preempted)


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("cloud") / "cloud.json"
    write_cloud(file)
    return file


@pytest.fixture(scope="module")
def api(cloud: Path) -> Iterator[Api]:
    plane = ControlPlane(cloud.parent / "plane", cluster=CLUSTER, cloud_file=cloud)
    try:
        plane.start()
        yield Api(plane.kubeconfig)
    finally:
        plane.remove()


def pod(name: str, pool_name: str, gpus: int = 1, **more: Any) -> JsonObject:
    container = {"name": "c", "image": "x", "resources": {"limits": {GPU: gpus}}}
    selector = {"cloud.google.com/gke-nodepool": pool_name}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", **more.pop("metadata", {})},
        "spec": {"nodeSelector": selector, "containers": [container], **more},
    }


def live(api: Api, obj: JsonObject) -> JsonObject:
    return api.get(Ref.of(obj)) or {}


def runs(obj: JsonObject) -> bool:
    return dig(obj, "status", "phase") == "Running"


def nodes(api: Api, name: str) -> list[str]:
    found, _ = api.list(NODE, f"cloud.google.com/gke-nodepool={name}")
    return sorted(map(name_of, found))


def test_a_cluster_starts_with_the_nodes_that_its_pools_keep(api: Api):
    assert nodes(api, "cpu") == ["gke-c-cpu-0"]
    assert nodes(api, "gpu") == []


def test_pods_that_wait_bring_the_nodes_they_need_and_a_preemption_takes_them(
    api: Api, cloud: Path
):
    two = [pod("full-a", "gpu", 8), pod("full-b", "gpu", 8)]
    for each in two:
        api.apply(each)
    for each in two:
        eventually(lambda each=each: live(api, each), runs)
    assert nodes(api, "gpu") == ["gke-c-gpu-0", "gke-c-gpu-1"]

    write_cloud(cloud, "gpu")
    for each in two:
        eventually(lambda each=each: live(api, each), lambda found: not found)
    assert nodes(api, "gpu") == []

    write_cloud(cloud)
    api.apply(two[0])
    eventually(lambda: live(api, two[0]), runs)
    api.delete(two[0])


def test_a_pod_that_no_node_would_take_is_told_so_and_brings_none(api: Api):
    api.apply(too_large := pod("too-large", "dra", 9))
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "too-large.not-trigger-scale-up", "namespace": "default"},
    }

    told = eventually(lambda: live(api, event), bool)
    assert f"1 Insufficient {GPU}" in told["message"]
    assert nodes(api, "dra") == []
    api.delete(too_large)


def test_a_teams_pool_takes_its_pods_alone_and_its_nodes_follow_a_change(api: Api, cloud: Path):
    stranger = pod("stranger", "team")
    taint = NodeTaintArgs(key="team", value="vision", effect="NoSchedule")
    member = pod("member", "team", tolerations=[toleration(taint)])
    api.apply(stranger)
    api.apply(member)
    eventually(lambda: live(api, member), runs)
    assert dig(live(api, stranger), "spec", "nodeName") is None
    api.delete(stranger)

    write_cloud(cloud, team="speech")
    eventually(lambda: spoken(api), lambda seen: seen == ("speech", ["speech"]))
    # NoSchedule lets stay what is there.
    assert runs(live(api, member))
    assert nodes(api, "team") == ["gke-c-team-0"]
    api.delete(member)
    write_cloud(cloud)


def spoken(api: Api) -> tuple[str | None, list[str]]:
    """What the one node of the team's pool says of the team, by its label and by its taints."""
    (node,), _ = api.list(NODE, "cloud.google.com/gke-nodepool=team")
    taints = dig(node, "spec", "taints") or []
    values = [taint["value"] for taint in taints if taint["key"] == "team"]
    return dig(node, "metadata", "labels", "team"), values


def test_a_claim_is_allocated_from_the_devices_of_a_new_node(api: Api):
    exactly = {"deviceClassName": "mrdma.google.com", "allocationMode": "All"}
    request = {"name": "nics", "exactly": exactly}
    api.apply(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": "all-mrdma", "namespace": "default"},
            "spec": {"spec": {"devices": {"requests": [request]}}},
        }
    )
    claiming = pod("claiming", "dra")
    claiming["spec"]["resourceClaims"] = [
        {"name": "nics", "resourceClaimTemplateName": "all-mrdma"}
    ]
    api.apply(claiming)

    eventually(lambda: live(api, claiming), runs)
    (claim,), _ = api.list(("resource.k8s.io/v1", "ResourceClaim"))
    (device,) = claim["status"]["allocation"]["devices"]["results"]
    assert (device["driver"], device["pool"]) == ("dra.net", "gke-c-dra-0")


def test_a_pod_gets_its_network_which_then_cannot_go(api: Api):
    params = {
        "apiVersion": "networking.gke.io/v1",
        "kind": "GKENetworkParamSet",
        "metadata": {"name": "rdma-0"},
        "spec": {"vpc": "rdma-net", "vpcSubnet": "rdma-sub", "deviceMode": "RDMA"},
    }
    reference = {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": "rdma-0"}
    network = {
        "apiVersion": "networking.gke.io/v1",
        "kind": "Network",
        "metadata": {"name": "rdma-0"},
        "spec": {"type": "Device", "parametersRef": reference},
    }
    interfaces = json.dumps([{"interfaceName": "eth1", "network": "rdma-0"}])
    user = pod(
        "user", "gpu", metadata={"annotations": {"networking.gke.io/interfaces": interfaces}}
    )
    user["metadata"] |= {"name": "user", "namespace": "default"}
    api.apply(params)
    api.apply(network)
    eventually(
        lambda: live(api, network),
        lambda found: (
            {each["status"] for each in dig(found, "status", "conditions") or []} == {"True"}
        ),
    )

    api.apply(user)
    made = eventually(lambda: live(api, user), runs)
    asked = made["spec"]["containers"][0]["resources"]["limits"]
    assert asked["networking.gke.io.networks/rdma-0"] == "1"
    with pytest.raises(ApiError, match=r"Network rdma-0 is used by pods default/user"):
        api.delete(network)
    api.delete(user, at_once=True)
    eventually(lambda: live(api, user), lambda found: not found)
    api.delete(params)
    assert live(api, params)["metadata"]["deletionTimestamp"]
    eventually(lambda: _deleted(api, network), bool)
    eventually(lambda: live(api, params), lambda found: not found)


def _deleted(api: Api, obj: JsonObject) -> bool:
    try:
        api.delete(obj)
    except ApiError:
        return False
    return True


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"vpc": "a/b", "vpcSubnet": "s", "deviceMode": "RDMA"}, "VPC: a/b not found"),
        ({"vpc": "v", "deviceMode": "RDMA"}, "VPC + VPCSubnet"),
        ({"vpc": "v", "vpcSubnet": "s"}, "One of PodIPV4Ranges or DeviceMode"),
    ],
)
def test_a_parameter_set_that_contradicts_itself_is_never_ready(
    api: Api, change: JsonObject, why: str
):
    wrong = {
        "apiVersion": "networking.gke.io/v1",
        "kind": "GKENetworkParamSet",
        "metadata": {"name": "wrong"},
        "spec": change,
    }
    api.apply(wrong)
    found = eventually(lambda: live(api, wrong), lambda it: bool(dig(it, "status", "conditions")))
    (ready,) = found["status"]["conditions"]
    assert (ready["type"], ready["status"]) == ("Ready", "False")
    assert why in ready["message"]
    api.delete(wrong)
    eventually(lambda: live(api, wrong), lambda it: not it)


def test_a_job_ends_by_itself_and_a_queued_one_when_it_is_told(api: Api):
    spec = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}
    job: JsonObject = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "quick", "namespace": "default"},
        "spec": {"template": {"spec": spec}},
    }
    queue = {"kueue.x-k8s.io/queue-name": "q"}
    queued = {**job, "metadata": {**job["metadata"], "name": "queued", "labels": queue}}
    api.apply(queued)
    api.apply(job)

    eventually(lambda: live(api, job), _succeeded)
    (training,) = eventually(lambda: api.list(POD, "job-name=queued")[0], lambda all: runs(all[0]))
    assert not _succeeded(live(api, queued))
    ends = {"pod-complete.stage.kwok.x-k8s.io/delay": "1s"}
    api.patch(training, {"metadata": {"annotations": ends}})
    eventually(lambda: live(api, queued), _succeeded)


def _succeeded(job: JsonObject) -> bool:
    return dig(job, "status", "succeeded") == 1
