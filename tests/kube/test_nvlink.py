"""The documented stack of one NVLink domain on a real control plane: kube-scheduler gives each pod
of its job a channel, and all of its node's interfaces. NVIDIA's controller, driver and IMEX do not
run; the agent makes the template and publishes what they would."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kube.objects import JsonObject, Ref, dig, maps
from tests.kube.conftest import LiveSandbox, eventually
from tests.kube.documented import documented
from tests.stacks.conftest import changed

STACK = "rack"
SMALLER = ("pools.gb200.nodes=2", "jobs.train.nodes=2")


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSandbox]:
    with documented(tmp_path_factory, STACK, *SMALLER) as sandbox:
        yield sandbox


def given(live: LiveSandbox) -> list[list[JsonObject]]:
    claims = live.server.list("resource.k8s.io/v1", "ResourceClaim")
    found = [maps(dig(it, "status", "allocation", "devices", "results")) for it in claims]
    return [it for it in found if it]


def pods(live: LiveSandbox, begin: str) -> list[JsonObject]:
    return [it for it in live.server.list("v1", "Pod") if it["metadata"]["name"].startswith(begin)]


def running(live: LiveSandbox) -> list[JsonObject]:
    return [it for it in pods(live, "held") if dig(it, "status", "phase") == "Running"]


def held(number: int) -> JsonObject:
    """As the job's pods, but that nothing ends it."""
    templates = {"nvlink": "train-channel", "mrdma": "four-mrdma"}
    claims = [{"name": name, "resourceClaimTemplateName": it} for name, it in templates.items()]
    resources = {"claims": [{"name": name} for name in templates]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"held-{number}", "namespace": "default"},
        "spec": {
            "containers": [{"name": "c", "image": "x", "resources": resources}],
            "resourceClaims": claims,
            "tolerations": [{"operator": "Exists"}],
        },
    }


def test_the_jobs_pods_have_a_channel_and_their_nodes_interfaces(live: LiveSandbox) -> None:
    def ended() -> list[JsonObject]:
        return [it for it in pods(live, "train") if dig(it, "status", "phase") == "Succeeded"]

    found = eventually(ended, lambda it: len(it) == 2)
    # Kube-scheduler has given them devices: without, they would wait. One that has ended gives
    # its own back, and the other may then be on the same node. The status of one that has ended
    # may name the one claim that was made again beside its end (kubernetes v1.36.0
    # pkg/controller/resourceclaim/controller.go, syncPod applies the new claims alone).
    assert all(
        {one["name"] for one in it["spec"]["resourceClaims"]} == {"mrdma", "nvlink"} for it in found
    )
    assert all(it["spec"]["nodeName"] for it in found)


def test_a_node_gives_one_pod_its_channel_and_all_interfaces(live: LiveSandbox) -> None:
    for number in range(3):
        live.server.acting_as("kubectl").apply(held(number))
    eventually(lambda: running(live), lambda it: len(it) == 2)
    found = eventually(lambda: given(live), lambda it: len(it) == 4)
    drivers = sorted((one[0]["driver"], len(one)) for one in found)
    assert drivers == [("compute-domain.nvidia.com", 1)] * 2 + [("dra.net", 4)] * 2
    devices = [(it["driver"], it["pool"], it["device"]) for one in found for it in one]
    assert len(devices) == len(set(devices))
    there = running(live)
    assert len(there) == len({it["spec"]["nodeName"] for it in there}) == 2
    for number in range(3):
        live.server.acting_as("kubectl").delete(Ref.of(held(number)))


def test_nothing_is_left_to_do_and_it_goes_again(live: LiveSandbox) -> None:
    assert changed(live.succeed("preview", *SMALLER)) == {}
    assert live.succeed("destroy", *SMALLER).cloud == {}
