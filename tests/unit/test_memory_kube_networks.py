"""Additional pod networks of GKE: their objects, what pods ask of them and what nodes offer.

It cannot prove what the webhook of a real GKE cluster says: that webhook is not published.
"""

import json
from dataclasses import replace
from typing import Any

import pytest

from sandbox.kube import KubeError, MemoryKube, Node
from tests.unit.memory_kube_samples import (
    changed,
    container,
    gpu_nodes,
    job,
    make,
    only_pod,
    pod,
    ray_cluster,
    ray_ref,
    ref,
    refusal,
    scenario,
)

API = "networking.gke.io/v1"
RESOURCE = "networking.gke.io.networks/"
RDMA = 4


def params(name: str = "rdma-0", **spec: Any) -> dict[str, Any]:
    base = {"vpc": "rdma", "vpcSubnet": f"sub-{name}", "deviceMode": "RDMA"}
    given = {key: value for key, value in (base | spec).items() if value is not None}
    return make("GKENetworkParamSet", name, API, spec=given)


def network(name: str = "rdma-0", **spec: Any) -> dict[str, Any]:
    reference = {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": name}
    return make("Network", name, API, spec={"type": "Device", "parametersRef": reference} | spec)


def interfaces(*names: str, default: str = "eth0") -> dict[str, str]:
    listed = [{"interfaceName": "eth0", "network": "default"}]
    listed += [
        {"interfaceName": f"eth{number}", "network": name}
        for number, name in enumerate(names, start=1)
    ]
    return {
        "networking.gke.io/default-interface": default,
        "networking.gke.io/interfaces": json.dumps(listed),
    }


def networked(name: str = "p", *networks: str, **fields: Any) -> dict[str, Any]:
    return changed(pod(name, **fields), interfaces(*networks), "metadata", "annotations")


def node(name: str = "n", networks: int = RDMA, **allocatable: str) -> Node:
    return Node(
        name=name,
        pool="p",
        allocatable={"cpu": "8", "memory": "16Gi"} | allocatable,
        networks=tuple(("rdma", f"sub-rdma-{index}") for index in range(networks)),
    )


def with_networks(kube: MemoryKube, count: int = RDMA) -> MemoryKube:
    for index in range(count):
        kube.apply(params(f"rdma-{index}"))
        kube.apply(network(f"rdma-{index}"))
    return kube


def cluster_ref(kind: str, name: str = "rdma-0") -> Any:
    return ref(kind, name, namespace="", api_version=API)


@pytest.mark.parametrize(
    ("manifest", "ending"),
    [
        (changed(network(), ..., "spec", "type"), "spec.type: required value"),
        (network(type="Devices"), "spec.type: must be one of L2, L3, Device"),
        (network(typ="Device"), "spec.typ: unknown field, the nearest known one is type"),
        (
            changed(network(), ..., "spec", "parametersRef", "group"),
            "spec.parametersRef.group: required value",
        ),
        (
            changed(network(), "GKENetworkParams", "spec", "parametersRef", "kind"),
            '"GKENetworkParams" must be GKENetworkParamSet',
        ),
        (
            changed(network(), "networking.k8s.io", "spec", "parametersRef", "group"),
            '"networking.k8s.io" must be networking.gke.io',
        ),
        (
            changed(network(), "default", "spec", "parametersRef", "namespace"),
            "a GKENetworkParamSet belongs to no namespace",
        ),
        (
            changed(network(), ..., "spec", "parametersRef"),
            "spec.parametersRef: required value for a network of type Device",
        ),
        (make("Network", "n", API), "spec: required value"),
        (changed(network(), "x", "metadata", "namespace"), "a Network belongs to no namespace"),
        (network("Upper"), "start with a letter or digit and end with a letter or digit"),
        (params(deviceMode="Rdma"), "spec.deviceMode: must be one of DPDK-VFIO, NetDevice, RDMA"),
        (params(deviceMode=None), "One of PodIPV4Ranges or DeviceMode must be specified."),
        (
            params(podIPv4Ranges={"rangeNames": ["pods"]}),
            "PodIPv4Ranges and DeviceMode can not be specified at the same time",
        ),
        (
            params(podIPv4Ranges={"rangeNames": []}),
            "spec.podIPv4Ranges.rangeNames: must have at least 1 item",
        ),
        (params(vpc=None), "NetworkAttachment or (VPC + VPCSubnet) must be specified"),
        (
            params(networkAttachment="projects/p/regions/r/networkAttachments/a"),
            "excludes vpc, vpcSubnet, deviceMode and podIPv4Ranges",
        ),
        (
            params(vpcSubnet="projects/p/regions/r/subnetworks/s"),
            'is a path, GKE looks up the name "s"',
        ),
    ],
)
def test_a_mistake_in_a_network_is_refused_by_its_field(
    manifest: dict[str, Any], ending: str
) -> None:
    assert refusal(MemoryKube({}, []), manifest).endswith(ending)


@pytest.mark.parametrize(
    ("first", "second", "path"),
    [
        (network(), network(type="L2"), "spec.type"),
        (params(), params(vpcSubnet="other"), "spec.vpcSubnet"),
    ],
)
def test_networks_do_not_change(first: dict[str, Any], second: dict[str, Any], path: str) -> None:
    kube = MemoryKube({}, [])
    kube.apply(first)
    assert refusal(kube, second).endswith(f"{path}: field is immutable")
    kube.apply(first)


def test_a_network_is_ready_with_its_parameter_set() -> None:
    kube = MemoryKube({}, [])
    kube.apply(network())
    answer = kube.health(cluster_ref("Network"))
    assert not answer.ready
    assert answer.reason == 'gkenetworkparamsets.networking.gke.io "rdma-0" not found'
    assert kube.readiness(cluster_ref("Network")).ready
    kube.apply(params())
    assert kube.health(cluster_ref("Network")).reason == "Network is Ready"
    used = kube.get(cluster_ref("GKENetworkParamSet"))
    assert used is not None
    assert used["status"]["networkName"] == "rdma-0"


@pytest.mark.parametrize(
    ("parameters", "kind", "ending"),
    [
        ({}, "L3", "requires secondary range to be specified in params"),
        (
            {"deviceMode": None, "podIPv4Ranges": {"rangeNames": ["pods"]}},
            "Device",
            "Device type network requires device mode to be specified in params",
        ),
    ],
)
def test_a_network_is_not_ready_with_parameters_of_another_type(
    parameters: dict[str, Any], kind: str, ending: str
) -> None:
    kube = MemoryKube({}, [])
    kube.apply(params(**parameters))
    kube.apply(network(type=kind))
    assert kube.health(cluster_ref("Network")).reason.endswith(ending)


def test_a_device_subnet_belongs_to_one_parameter_set() -> None:
    kube = MemoryKube({}, [])
    kube.apply(params())
    kube.apply(params("twin", vpcSubnet="sub-rdma-0"))
    kube.apply(network("twin"))
    assert kube.health(cluster_ref("GKENetworkParamSet")).ready
    reason = kube.health(cluster_ref("GKENetworkParamSet", "twin")).reason
    assert reason.endswith("Subnet 'sub-rdma-0' is already in use by 'rdma-0'")
    assert kube.health(cluster_ref("Network", "twin")).reason.endswith(reason)


def test_a_parameter_set_serves_one_network() -> None:
    kube = with_networks(MemoryKube({}, []), 1)
    second = changed(network("second"), "rdma-0", "spec", "parametersRef", "name")
    kube.apply(second)
    reason = kube.health(cluster_ref("Network", "second")).reason
    assert reason == "GKENetworkParamSet rdma-0 is used by Network rdma-0"


def test_what_is_in_use_cannot_be_deleted() -> None:
    kube = with_networks(MemoryKube({}, [node()]), 1)
    kube.apply(networked("p", "rdma-0"))
    with pytest.raises(KubeError, match=r"in-use\): used by Pod default/p$"):
        kube.delete(cluster_ref("Network"))
    with pytest.raises(KubeError, match=r"gnp-controller\): used by Network rdma-0$"):
        kube.delete(cluster_ref("GKENetworkParamSet"))
    kube.delete(ref("Pod", "p"))
    kube.delete(cluster_ref("Network"))
    kube.delete(cluster_ref("GKENetworkParamSet"))
    assert kube.inventory() == {}


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
