"""The networks of GPU nodes' further interfaces: who needs them, and what a change takes along."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from cli.urns import token_of
from kube.objects import Ref
from sandbox.cloud.kinds.cluster import Cluster
from tests.stacks.conftest import IN_EVERY_TEST, Sandbox, by_tier, changed, replaced, unexpected

# The RayCluster and the job of each.
NAMES = {
    "verl-b200": ("b200-ray-cluster", "verl-grpo"),
    "verl-b200-autopilot": ("b200-ray-cluster", "verl-grpo"),
}
STACKS = tuple(NAMES)
SandboxOf = Callable[[str], Sandbox]
_GKE = "kubernetes:networking.gke.io/v1"
OTHER_RANGE = "network.accelerators.range=172.16.0.0/16"


def inputs(sandbox: Sandbox, token: str) -> list[dict[str, Any]]:
    return [one["inputs"] for one in sandbox.state()["resources"] if one["type"] == token]


def selects(template: dict[str, Any], pool: dict[str, Any]) -> bool:
    """Whether pods are sent to the pool, as far as its name and its GPUs say."""
    [gpus] = pool["nodeConfig"]["guestAccelerators"]
    own = {"gke-nodepool": pool["name"], "gke-accelerator": gpus["type"]}
    selector = template["spec"].get("nodeSelector") or {}
    return all(
        selector.get(f"cloud.google.com/{label}", value) == value for label, value in own.items()
    )


def asked_by_workers(sandbox: Sandbox, pool: dict[str, Any]) -> list[dict[str, str]] | None:
    """VPC and subnetwork behind each interface that Ray's workers on the pool ask for, in their
    order; None where it has none."""
    networks = {it["metadata"]["name"]: it for it in inputs(sandbox, f"{_GKE}:Network")}
    parameters = {
        it["metadata"]["name"]: it for it in inputs(sandbox, f"{_GKE}:GKENetworkParamSet")
    }
    clusters = inputs(sandbox, "kubernetes:ray.io/v1:RayCluster")
    groups = [group for ray in clusters for group in ray["spec"]["workerGroupSpecs"]]
    template = next((it["template"] for it in groups if selects(it["template"], pool)), None)
    if template is None:
        return None
    annotations = (template.get("metadata") or {}).get("annotations") or {}
    listed = json.loads(annotations.get("networking.gke.io/interfaces", "[]"))
    behind = [
        parameters[networks[it["network"]]["spec"]["parametersRef"]["name"]]["spec"]
        for it in listed
        if it["network"] != "default"
    ]
    return [{"network": it["vpc"], "subnetwork": it["vpcSubnet"]} for it in behind]


@pytest.mark.parametrize("stack", by_tier(*IN_EVERY_TEST))
def test_workers_ask_for_the_networks_of_their_pool_one_by_one(
    brought_up: SandboxOf, stack: str
) -> None:
    sandbox = brought_up(stack)
    pools = inputs(sandbox, "gcp:container/nodePool:NodePool")
    pools = [pool for pool in pools if "guestAccelerators" in pool["nodeConfig"]]
    asked = [asked_by_workers(sandbox, pool) for pool in pools]
    clusters = inputs(sandbox, "kubernetes:ray.io/v1:RayCluster")
    assert bool(pools and clusters) == any(it is not None for it in asked)
    for pool, networks in zip(pools, asked, strict=True):
        attached = (pool.get("networkConfig") or {}).get("additionalNodeNetworkConfigs", [])
        assert networks in (None, attached)


@pytest.mark.thorough
@pytest.mark.parametrize("stack", STACKS)
def test_destroy_takes_pods_then_network_objects_then_networks_and_is_never_refused(
    brought_up: SandboxOf, stack: str
) -> None:
    result = brought_up(stack).succeed("destroy")
    assert unexpected(result) == []
    tokens = [token_of(resource.urn) for resource in result.report.resources]

    def places(*wanted: str) -> list[int]:
        return [place for place, token in enumerate(tokens) if token in wanted]

    ray = places("kubernetes:ray.io/v1:RayCluster")
    objects = places(f"{_GKE}:Network")
    parameters = places(f"{_GKE}:GKENetworkParamSet")
    subnetworks = places("gcp:compute/subnetwork:Subnetwork")
    vpcs = places("gcp:compute/network:Network")
    assert len(objects) == len(parameters) == len(subnetworks) - 1 == 9
    assert max(ray) < min(objects)
    assert max(objects) < max(parameters)
    cluster_subnet = [
        place
        for place, resource in enumerate(result.report.resources)
        if resource.urn.endswith("::network-subnet")
    ]
    assert max(parameters) < min(set(subnetworks) - set(cluster_subnet))
    assert max(parameters) < min(vpcs)


# Autopilot's nodes stay in their networks when pods have gone, for as long as the cluster is there.
@pytest.mark.thorough
@pytest.mark.parametrize("stack", [it for it in STACKS if "autopilot" not in it])
@pytest.mark.parametrize("change", [OTHER_RANGE, "network.accelerators.prefix_length=23"])
def test_other_ranges_replace_networks_and_pods_in_an_order_that_is_never_refused(
    brought_up: SandboxOf, stack: str, change: str
) -> None:
    sandbox = brought_up(stack)
    names = set(replaced(sandbox.succeed("preview", change)))
    assert {"gvnic-1-subnet", "rdma-subnet-rdma-0", "interfaces-network-rdma-7"} <= names
    ray, job = NAMES[stack]
    assert {f"{ray}-cluster", f"{job}-job"} <= names
    assert not {"gke-cluster", "network-vpc", "gvnic-1-vpc", "rdma-vpc"} & names
    for settings in ([change], []):
        sandbox.succeed("up", *settings)
        assert changed(sandbox.succeed("preview", *settings)) == {}
        assert {pod.name: pod.reason for pod in sandbox.pods() if not pod.node} == {}


@pytest.mark.thorough
@pytest.mark.parametrize("stack", STACKS)
def test_a_worker_whose_network_is_gone_says_which_and_holds_ray_where_it_waits_for_workers(
    brought_up: SandboxOf, stack: str
) -> None:
    sandbox = brought_up(stack)
    other_workers = f"ray.{NAMES[stack][0]}.workers.gpu-worker-group.requests.cpu=90"
    cloud = sandbox.cloud
    cluster = next(cloud.find(Cluster.token))
    gone = Ref(api_version="networking.gke.io/v1", kind="Network", name="rdma-3")
    del cloud.kubernetes(cluster.id)["objects"][gone.key]
    cloud.save()

    failed = sandbox.run("up", other_workers)
    if stack == "verl-b200-autopilot":
        # There a Ray cluster waits for machines, and is there once its head is.
        assert failed.ok
        said = " ".join(pod.reason for pod in sandbox.pods() if not pod.node)
    else:
        assert not failed.ok
        said = "\n".join(failed.report.diagnostics)
        assert "RayCluster" in said
    assert 'networks.networking.gke.io "rdma-3" not found' in said

    sandbox.succeed("refresh", other_workers)
    sandbox.succeed("up", other_workers)
    assert {pod.name: pod.reason for pod in sandbox.pods() if not pod.node} == {}


@pytest.mark.thorough
def test_a_replaced_gpu_pool_takes_nccls_installer_with_it_as_the_real_providers_have_it(
    brought_up: SandboxOf,
) -> None:
    preview = brought_up("b200-lustre").succeed("preview", "pools.gpu.max_pods_per_node=64")
    assert replaced(preview) == [
        "gpu-pool",
        "nccl-daemon-set",
        "nemo-rl-grpo-test1-job",
        "ray-a4-gpu-spot-cluster",
    ]
