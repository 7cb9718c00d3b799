"""The documented stack whose workers share one machine, on a real control plane: its own templates
of claims, as kube-scheduler meets them. No driver of NVIDIA's or GKE's runs; the agent publishes
what they would."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from aistack.cluster import Cluster
from aistack.find import find_job
from aistack.sandbox_stack import sandbox_stack
from aistack.why.look import look
from aistack.why.verdict import Verdict, verdict
from kube.objects import JsonObject, dig, maps
from sandbox.gke.agent.slices import PCIE_ROOT
from tests.kube.conftest import LiveSandbox, eventually
from tests.kube.documented import documented
from tests.kube.planted_causes import job
from tests.stacks.conftest import changed

STACK = "pairs"
_CLAIMS = "resource.k8s.io/v1"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSandbox]:
    with documented(tmp_path_factory, STACK) as sandbox:
        yield sandbox


def given(live: LiveSandbox, name: str) -> list[JsonObject]:
    """What the one claim got that is of a pod whose name begins so."""
    claims = live.server.list(_CLAIMS, "ResourceClaim")
    (own,) = (it for it in claims if it["metadata"]["name"].startswith(name))
    return maps(dig(own, "status", "allocation", "devices", "results"))


def roots(live: LiveSandbox) -> dict[tuple[str, str], str]:
    return {
        (each["spec"]["driver"], device["name"]): device["attributes"][PCIE_ROOT]["string"]
        for each in live.server.list(_CLAIMS, "ResourceSlice")
        for device in maps(each["spec"]["devices"])
        if PCIE_ROOT in device["attributes"]
    }


def test_nothing_is_left_to_do_after_up(live: LiveSandbox) -> None:
    assert changed(live.succeed("preview")) == {}


def test_a_worker_and_a_server_have_pairs_of_their_own(live: LiveSandbox) -> None:
    worker = eventually(lambda: given(live, "app-"), lambda it: len(it) == 8)
    at = roots(live)
    server = eventually(lambda: given(live, "chat-"), lambda it: len(it) == 2)
    for given_to, pairs in ((worker, 4), (server, 1)):
        by_request = {it["request"]: at[it["driver"], it["device"]] for it in given_to}
        for number in range(pairs):
            assert by_request[f"gpu-{number}"] == by_request[f"req-mrdma-{number}"]
    everything = [(it["driver"], it["device"]) for it in [*worker, *server]]
    assert len(everything) == len(set(everything))


def test_whoever_finds_too_few_pairs_is_told_who_has_them(live: LiveSandbox) -> None:
    claims = [{"name": "pairs", "resourceClaimTemplateName": "four-pairs"}]
    pod = {
        "nodeSelector": {"cloud.google.com/gke-nodepool": "gpu-pool"},
        "tolerations": [{"operator": "Exists"}],
        "resourceClaims": claims,
    }
    live.server.acting_as("kubectl").apply(job("late", **pod))
    cluster = Cluster.of(sandbox_stack(live.workspace.root, STACK))

    def said() -> Verdict:
        return verdict(look(cluster, find_job(cluster, ["default"], "late")))

    found = eventually(said, lambda it: it.reason is not None and "claim" in it.sentence)
    assert found.reason is not None
    assert found.reason.cause == "devices-taken"
    print(found.sentence)
    assert "4 devices of class gpu.nvidia.com" in found.sentence
    assert "default/app-" in found.sentence
    assert "default/chat-" in found.sentence
