"""Additional pod networks of GKE: their objects, what makes them ready and what holds them.

It cannot prove what the webhook of a real GKE cluster says: that webhook is not published.
"""

from typing import Any

import pytest

from kube.errors import KubeError
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    changed,
    ref,
    refusal,
)
from tests.unit.network_samples import (
    cluster_ref,
    network,
    networked,
    node,
    params,
    with_networks,
)


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
        (changed(network(), "x", "metadata", "namespace"), "a Network belongs to no namespace"),
        (network("Upper"), "start with a letter or digit and end with a letter or digit"),
        (params(deviceMode="Rdma"), "spec.deviceMode: must be one of DPDK-VFIO, NetDevice, RDMA"),
        (
            params(podIPv4Ranges={"rangeNames": []}),
            "spec.podIPv4Ranges.rangeNames: must have at least 1 item",
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


@pytest.mark.parametrize(
    ("parameters", "ending"),
    [
        ({"deviceMode": None}, "One of PodIPV4Ranges or DeviceMode must be specified."),
        (
            {"podIPv4Ranges": {"rangeNames": ["pods"]}},
            "PodIPv4Ranges and DeviceMode can not be specified at the same time",
        ),
        ({"vpc": None}, "NetworkAttachment or (VPC + VPCSubnet) must be specified"),
        (
            {"networkAttachment": "projects/p/regions/r/networkAttachments/a"},
            "can be specified: (VPC, VPCSubnet, DeviceMode, PodIPv4Ranges)",
        ),
        ({"vpcSubnet": "projects/p/regions/r/subnetworks/s"}, "/s not found in VPC: rdma"),
    ],
)
def test_a_parameter_set_that_contradicts_itself_is_taken_and_never_ready(
    parameters: dict[str, Any], ending: str
) -> None:
    kube = MemoryKube({}, [])
    kube.apply(params(**parameters))
    kube.apply(network())
    for kind in ("GKENetworkParamSet", "Network"):
        assert kube.health(cluster_ref(kind)).reason.endswith(ending)


@pytest.mark.parametrize(
    "reference", [..., {"group": "g", "kind": "GKENetworkParams", "name": "rdma-0"}]
)
def test_a_network_without_a_parameter_set_is_never_ready(reference: Any) -> None:
    kube = MemoryKube({}, [])
    kube.apply(changed(network(), reference, "spec", "parametersRef"))
    assert kube.health(cluster_ref("Network")).reason.endswith("refers to no GKENetworkParamSet")


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
