"""The documented stack of one NVLink domain on a real control plane: kube-scheduler gives each pod
of its job a channel, and all of its node's interfaces. NVIDIA's controller, driver and IMEX do not
run; the agent makes the template and publishes what they would."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sandbox.forget import forget
from sandbox.kube.objects import JsonObject, dig, maps
from sandbox.workspace import Workspace
from tests.kube.conftest import LiveSandbox, eventually
from tests.stacks.conftest import CANARY, changed
from tests.stacks.test_machines import CONFIGS, sandbox_of

STACK = "rack"
SMALLER = ("pools.gb200.nodes=2", "jobs.train.nodes=2")


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSandbox]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUGGING_FACE_TOKEN", CANARY)
        folder = tmp_path_factory.mktemp(STACK)
        sandbox = LiveSandbox(sandbox_of(CONFIGS[STACK], folder).workspace)
        try:
            sandbox.succeed("up", *SMALLER)
            yield sandbox
        finally:
            forget(Workspace(sandbox.workspace.root, ""))


def given(live: LiveSandbox) -> list[list[JsonObject]]:
    claims = live.server.list("resource.k8s.io/v1", "ResourceClaim")
    found = [maps(dig(it, "status", "allocation", "devices", "results")) for it in claims]
    return [it for it in found if it]


def test_each_pod_has_a_channel_and_its_nodes_interfaces(live: LiveSandbox) -> None:
    # Of each pod one claim of four interfaces and one of a channel.
    found = eventually(lambda: given(live), lambda it: len(it) == 4)
    drivers = sorted((one[0]["driver"], len(one)) for one in found)
    assert drivers == [("compute-domain.nvidia.com", 1)] * 2 + [("dra.net", 4)] * 2
    devices = [(it["driver"], it["pool"], it["device"]) for one in found for it in one]
    assert len(devices) == len(set(devices))
    pods = [
        it for it in live.server.list("v1", "Pod") if it["metadata"]["name"].startswith("train")
    ]
    assert len({it["spec"]["nodeName"] for it in pods}) == 2


def test_nothing_is_left_to_do_and_it_goes_again(live: LiveSandbox) -> None:
    assert changed(live.succeed("preview", *SMALLER)) == {}
    assert live.succeed("destroy", *SMALLER).cloud == {}
