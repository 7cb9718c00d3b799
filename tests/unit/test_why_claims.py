"""Which claim of devices cannot be met, and why, from what a scheduler looks at."""

from __future__ import annotations

from typing import Any

import pytest

from aistack.why.device_selector import selects
from aistack.why.devices import Devices
from aistack.why.snapshot import Reason
from aistack.why.verdict import verdict
from components.network.resource_claim_template import paired_devices
from sandbox.gke.agent.slices import PCIE_ROOT
from tests.unit.why_samples import job, pod, snapshot

_GPU = {"driver": "gpu.nvidia.com", "type": {"type": {"string": "gpu"}}}
_NIC = {"driver": "dra.net", "type": {"dra.net/rdma": {"bool": True}}}
_CLASSES = {
    "gpu.nvidia.com": "device.driver == 'gpu.nvidia.com' && "
    "device.attributes['gpu.nvidia.com'].type == 'gpu'",
    "mrdma.google.com": 'device.driver == "dra.net" && device.attributes["dra.net"].rdma',
    "netdev.google.com": 'device.driver == "dra.net" && !device.attributes["dra.net"].rdma',
}
_REFUSED = "0/2 nodes are available: 2 cannot allocate all claims. still not schedulable"


def _class(name: str, expression: str) -> dict[str, Any]:
    spec = {"selectors": [{"cel": {"expression": expression}}]}
    return {"metadata": {"name": name}, "spec": spec}


def _slice(kind: dict[str, Any], count: int, *, node: str = "a", at_a_root: int = 2) -> Any:
    devices = [
        {
            "name": f"{number}",
            "attributes": kind["type"] | {PCIE_ROOT: {"string": f"pci{number // at_a_root}"}},
        }
        for number in range(count)
    ]
    spec = {
        "driver": kind["driver"],
        "nodeName": node,
        "pool": {"name": node},
        "devices": devices,
    }
    return {"metadata": {"name": f"{node}-{kind['driver']}"}, "spec": spec}


def _requests(**counts: int) -> dict[str, Any]:
    requests = [
        {"name": f"r{number}", "exactly": {"deviceClassName": _name(name), "count": count}}
        for number, (name, count) in enumerate(counts.items())
    ]
    return {"requests": requests}


def _name(short: str) -> str:
    return next((it for it in _CLASSES if it.startswith(short)), short)


def _pairs(number: int) -> dict[str, Any]:
    found = paired_devices("mrdma.google.com", "nic", number)
    requests = [
        {"name": it["name"], "exactly": {"deviceClassName": it["exactly"]["device_class_name"]}}
        for it in found["requests"]
    ]
    bound = [
        {"matchAttribute": it["match_attribute"], "requests": it["requests"]}
        for it in found["constraints"]
    ]
    return {"requests": requests, "constraints": bound}


def _claim(name: str, devices: dict[str, Any], *given: tuple[str, int], node: str = "a") -> Any:
    results = [{"driver": driver, "pool": node, "device": f"{number}"} for driver, number in given]
    status: dict[str, Any] = {}
    if results:
        status = {
            "allocation": {"devices": {"results": results}},
            "reservedFor": [{"resource": "pods", "name": name}],
        }
    metadata = {"name": name, "namespace": "default"}
    return {"metadata": metadata, "spec": {"devices": devices}, "status": status}


_ALL = tuple(_class(*it) for it in _CLASSES.items())


def _told(
    devices: dict[str, Any],
    *slices: Any,
    others: tuple[Any, ...] = (),
    selector: dict[str, str] | None = None,
    message: str = _REFUSED,
    **seen: Any,
) -> Reason:
    scheduled = {"type": "PodScheduled", "status": "False", "message": message}
    member = pod(
        phase="Pending",
        conditions=[scheduled],
        resourceClaimStatuses=[{"name": "pairs", "resourceClaimName": "own"}],
    )
    del member.pod["spec"]["nodeName"]
    member.pod["spec"]["resourceClaims"] = [
        {"name": "pairs", "resourceClaimTemplateName": "template"}
    ]
    member.pod["spec"]["nodeSelector"] = selector or {}
    nodes = [{"metadata": {"name": name, "labels": {"on": name}}} for name in ("a", "b")]
    known = {"classes": _ALL, "slices": slices} | seen
    claims = (_claim("own", devices), *others)
    found = verdict(
        snapshot(job(), member, nodes=nodes, devices=Devices(claims=claims, **known))
    ).reason
    assert found is not None
    return found


def test_a_class_that_the_cluster_does_not_have() -> None:
    found = _told(_requests(gold=1), message="0/1: request r0: device class gold does not exist")
    assert found.cause == "device-class-missing"
    assert found.sentence == (
        "The claim pairs asks for a device of class gold, and the cluster has no such class."
    )
    assert "gpu.nvidia.com, mrdma.google.com, netdev.google.com" in found.advice


def test_a_driver_that_publishes_nothing() -> None:
    found = _told(_requests(mrdma=8), _slice(_GPU, 8))
    assert found.cause == "no-devices"
    assert found.sentence == (
        "The claim pairs asks for 8 devices of class mrdma.google.com, and no node publishes any."
    )


def test_devices_on_other_nodes_than_those_that_are_selected() -> None:
    found = _told(_requests(gpu=1), _slice(_GPU, 8), selector={"on": "b"})
    assert found.cause == "no-devices"
    assert found.sentence.endswith("none of the nodes that it selects publishes any.")


def test_fewer_on_any_node_than_a_pod_claims_though_all_nodes_have_enough() -> None:
    found = _told(_requests(gpu=12), _slice(_GPU, 8), _slice(_GPU, 8, node="b"))
    assert found.cause == "too-few-devices"
    assert found.sentence == (
        "The claim pairs asks for 12 devices of class gpu.nvidia.com, and a node publishes 8 at "
        "the most."
    )


def test_interfaces_of_another_kind_are_not_counted() -> None:
    plain = {"driver": "dra.net", "type": {"dra.net/rdma": {"bool": False}}}
    found = _told(_requests(mrdma=1), _slice(plain, 4))
    assert found.cause == "no-devices"


def test_devices_that_others_have_and_who_they_are() -> None:
    given = [("gpu.nvidia.com", number) for number in range(7)]
    others = (_claim("big", {}, *given[:6]), _claim("small", {}, *given[6:]))
    found = _told(_requests(gpu=2), _slice(_GPU, 8), others=others)
    assert found.cause == "devices-taken"
    assert found.sentence == (
        "The claim pairs asks for 2 devices of class gpu.nvidia.com, and a node has 1 free at the "
        "most: default/big has 6, default/small has 1."
    )


def test_a_full_node_is_not_told_of_while_another_has_enough() -> None:
    """Then something else is in the way, which the scheduler does not say."""
    others = (_claim("big", {}, *[("gpu.nvidia.com", number) for number in range(8)]),)
    slices = (_slice(_GPU, 8), _slice(_GPU, 8, node="b"))
    found = _told(_requests(gpu=2), *slices, others=others)
    assert found.cause == "claim-not-allocated"
    assert found.sentence == (
        "No node has 2 devices of class gpu.nvidia.com free, which the claim pairs asks for."
    )


def test_pairs_at_one_root_of_which_a_machine_has_too_few() -> None:
    """All GPUs are at one root, and each interface is at one of its own."""
    found = _told(_pairs(4), _slice(_GPU, 8, at_a_root=8), _slice(_NIC, 8, at_a_root=4))
    assert found.cause == "claim-not-allocated"
    found = _told(_pairs(4), _slice(_GPU, 8, at_a_root=8), _slice(_NIC, 8, at_a_root=2))
    assert found.cause == "devices-apart"
    assert found.sentence == (
        "The claim pairs asks 4 times for devices of gpu.nvidia.com and mrdma.google.com at one "
        "pcieRoot, and a node publishes 2 such at the most."
    )
    assert found.advice.startswith("Claim 2 at the most")


def test_a_driver_that_publishes_no_roots() -> None:
    bare = _slice(_NIC, 8)
    for device in bare["spec"]["devices"]:
        del device["attributes"][PCIE_ROOT]
    found = _told(_pairs(1), _slice(_GPU, 8), bare)
    assert found.cause == "devices-apart"
    assert "a node publishes none such" in found.sentence
    assert "publish pcieRoot" in found.advice


def test_pairs_whose_other_half_has_gone_to_another() -> None:
    """Two GPUs and two interfaces are free, at two roots."""
    gpus = [("gpu.nvidia.com", number) for number in range(2)]
    nics = [("dra.net", number) for number in range(2, 4)]
    others = (_claim("gpus", {}, *gpus), _claim("nics", {}, *nics))
    found = _told(_pairs(2), _slice(_GPU, 4), _slice(_NIC, 4), others=others)
    assert found.cause == "devices-taken"
    assert found.sentence == (
        "The claim pairs asks 2 times for devices of gpu.nvidia.com and mrdma.google.com at one "
        "pcieRoot, and a node has none such free at the most: default/nics has 2, default/gpus has "
        "2."
    )


def test_who_may_not_see_devices_is_told_what_the_claim_asks_for() -> None:
    found = _told(_requests(gpu=2, mrdma=2), classes=None, slices=None)
    assert found.cause == "claim-not-allocated"
    assert "2 devices of class gpu.nvidia.com and 2 devices of class mrdma" in found.sentence


@pytest.mark.parametrize(
    ("expression", "is_selected"),
    [
        ("device.driver == 'd'", True),
        ('device.driver == "e"', False),
        ('device.attributes["d"].kind == "x" && device.attributes["d"].fast', True),
        ('!device.attributes["d"].fast', False),
        ('device.attributes["d"].fast == false', False),
        ('device.attributes["d"].kind == "X"', False),
        ('device.attributes["d"].cores == 8', True),
        ('device.attributes["d"].absent', False),
        ('device.capacity["d"].memory.isGreaterThan(quantity("40Gi"))', True),
    ],
)
def test_a_device_is_selected(expression: str, is_selected: bool) -> None:
    attributes = {"kind": {"string": "x"}, "d/fast": {"bool": True}, "cores": {"int": 8}}
    assert selects([expression], "d", {"name": "0", "attributes": attributes}) is is_selected
