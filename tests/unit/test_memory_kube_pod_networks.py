"""What pods ask of GKE's additional networks, and what nodes offer of them.

It cannot prove what the webhook of a real GKE cluster says: that webhook is not published.
"""

import json
from dataclasses import replace

import pytest

from kube.errors import KubeError
from kube.objects import Node
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    changed,
    container,
    gpu_nodes,
    job,
    only_pod,
    pod,
    ray_cluster,
    ray_ref,
    ref,
    refusal,
    scenario,
)
from tests.unit.network_samples import (
    RDMA,
    RESOURCE,
    cluster_ref,
    interfaces,
    network,
    networked,
    node,
    params,
    with_networks,
)


@pytest.mark.parametrize(
    ("annotations", "ending"),
    [
        ({"networking.gke.io/interfaces": "[{"}, "objects with interfaceName and network"),
        ({"networking.gke.io/interfaces": '["eth0"]'}, "objects with interfaceName and network"),
        (
            {"networking.gke.io/interfaces": '[{"interfaceName": "eth1"}]'},
            "networking.gke.io/interfaces[0].network: required value",
        ),
        (
            {
                "networking.gke.io/interfaces": json.dumps(
                    [{"interfaceName": "eth1", "network": n} for n in ("rdma-0", "rdma-1")]
                )
            },
            'networking.gke.io/interfaces[1].interfaceName: duplicate value "eth1"',
        ),
        (
            interfaces("rdma-0", default="eth9"),
            '"eth9" is none of the interfaces in networking.gke.io/interfaces',
        ),
    ],
)
def test_a_bad_list_of_interfaces_is_refused_and_keeps_a_controllers_pods_waiting(
    annotations: dict[str, str], ending: str
) -> None:
    kube = with_networks(MemoryKube({}, [node()]), 2)
    start = 'admission webhook "networking.gke.io" denied the request: '
    text = refusal(kube, changed(pod(), annotations, "metadata", "annotations"))
    assert text.startswith(start)
    assert text.endswith(ending)
    template = {"annotations": annotations, "labels": {}}
    kube.apply(changed(job(), template, "spec", "template", "metadata"))
    assert only_pod(kube).phase == "Pending"
    assert only_pod(kube).reason == text


@pytest.mark.parametrize("own", ["default", "pod-network"])
def test_the_clusters_own_network_needs_no_object(own: str) -> None:
    kube = MemoryKube({}, [node()])
    annotations = interfaces() | {
        "networking.gke.io/interfaces": json.dumps([{"interfaceName": "eth0", "network": own}])
    }
    kube.apply(changed(pod(), annotations, "metadata", "annotations"))
    assert only_pod(kube).phase == "Running"


def test_a_pod_waits_for_the_object_of_its_network() -> None:
    kube = MemoryKube({}, [node()])
    kube.apply(networked("p", "rdma-0"))
    assert only_pod(kube).reason == 'networks.networking.gke.io "rdma-0" not found'
    kube.apply(network())
    assert only_pod(kube).reason == (
        'network "rdma-0" is not ready: gkenetworkparamsets.networking.gke.io "rdma-0" not found'
    )
    kube.apply(params())
    assert only_pod(kube).phase == "Running"


@pytest.mark.parametrize("nodes", [[node(networks=0)], [replace(node(), networks=(("x", "y"),))]])
def test_a_pod_waits_where_no_node_has_its_network(nodes: list[Node]) -> None:
    kube = with_networks(MemoryKube({}, nodes), 1)
    kube.apply(networked("p", "rdma-0"))
    assert only_pod(kube).reason == (
        f"0/1 nodes are available: 1 Insufficient {RESOURCE}rdma-0, "
        f"1 Insufficient {RESOURCE}rdma-0.IP."
    )
    kube.set_nodes([node()])
    assert only_pod(kube).phase == "Running"


def test_two_pods_do_not_share_a_device() -> None:
    kube = with_networks(MemoryKube({}, [node()]), 2)
    kube.apply(networked("a", "rdma-0"))
    kube.apply(networked("b", "rdma-0"))
    kube.apply(networked("c", "rdma-1"))
    assert [each.phase for each in kube.pods()] == ["Running", "Pending", "Running"]
    kube.set_nodes([node(), node("m")])
    assert {each.phase for each in kube.pods()} == {"Running"}


def test_a_request_that_the_manifest_makes_itself_is_not_made_twice() -> None:
    kube = with_networks(MemoryKube({}, [node()]), 1)
    asked = {"limits": {f"{RESOURCE}rdma-0": "1", f"{RESOURCE}rdma-0.IP": "1"}}
    beside = {"containers": [container(), container("second", resources=asked)]}
    manifest = changed(networked("p", "rdma-0"), beside, "spec")
    kube.apply(manifest)
    assert only_pod(kube).phase == "Running"


def test_a_finished_pod_gives_its_network_back() -> None:
    kube = with_networks(MemoryKube({}, [node()]), 1)
    template = {"annotations": interfaces("rdma-0"), "labels": {}}
    kube.apply(changed(job(), template, "spec", "template", "metadata"))
    with pytest.raises(KubeError, match=r"used by Pod default/train-"):
        kube.delete(cluster_ref("Network"))
    assert kube.wait_for(ref("Job", "train", api_version="batch/v1")).ready
    kube.delete(cluster_ref("Network"))


def test_pods_share_a_network_with_addresses() -> None:
    kube = MemoryKube({}, [node(pods="2")])
    kube.apply(params(deviceMode=None, podIPv4Ranges={"rangeNames": ["pods"]}))
    kube.apply(network(type="L3"))
    kube.apply(networked("a", "rdma-0"))
    kube.apply(networked("b", "rdma-0"))
    assert {each.phase for each in kube.pods()} == {"Running"}
    (shown,) = kube.nodes()
    assert shown.allocatable[f"{RESOURCE}rdma-0.IP"] == "2"
    assert f"{RESOURCE}rdma-0" not in shown.allocatable


def test_a_ray_cluster_whose_nodes_lack_a_network_says_which() -> None:
    kube = with_networks(scenario(), RDMA)
    kube.delete(ray_ref())
    worker = ("spec", "workerGroupSpecs", 0, "template", "metadata")
    annotations = interfaces(*(f"rdma-{index}" for index in range(RDMA)))
    cluster = changed(ray_cluster(), {"annotations": annotations}, *worker)
    places = tuple(("rdma", f"sub-rdma-{index}") for index in range(RDMA - 1))
    kube.set_nodes([replace(each, networks=places) for each in gpu_nodes()])
    kube.apply(cluster)
    answer = kube.health(ray_ref())
    assert not answer.ready
    assert f"8 Insufficient {RESOURCE}rdma-3, " in answer.reason
    assert "rdma-2" not in answer.reason
    whole = (*places, ("rdma", "sub-rdma-3"))
    kube.set_nodes([replace(each, networks=whole) for each in gpu_nodes()])
    assert kube.health(ray_ref()).ready
