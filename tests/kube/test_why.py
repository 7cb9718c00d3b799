"""`why` on a real control plane: planted causes are each told, and of healthy jobs nothing is."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator

import pytest

from aistack.cluster import Cluster
from aistack.find import find_job
from aistack.sandbox_stack import sandbox_stack
from aistack.why.look import look
from aistack.why.verdict import Verdict, verdict
from kube.jobs import State
from kube.kinds import POD
from kube.objects import Ref, name_of
from tests.kube.conftest import LiveSandbox, eventually
from tests.kube.planted_causes import (
    CAUSES,
    HEALTHY,
    KEPT,
    PLAIN,
    RECOVERING,
    queue,
)
from tests.kube.planted_claims import CLAIM_CAUSES, SENTENCES
from tests.kube.planted_ends import END_CAUSES
from tests.kube.planted_logs import LOG_CAUSES
from tests.kube.planted_machines import MACHINE_CAUSES
from tests.kube.planting import plant, planted, play_kubelet, wait_for_state

STACK = "lab"
ALL = {**CAUSES, **CLAIM_CAUSES, **LOG_CAUSES, **MACHINE_CAUSES, **END_CAUSES}
# The last tests of this file make what would be in the way of the others.
PLANTED = (*ALL, "kept-for-another", "ray-head-gone")


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    sandbox = live_sandbox(STACK)
    sandbox.succeed("up")
    return sandbox


@pytest.fixture(scope="module")
def cluster(live: LiveSandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster of a stack with every planted job in it, and what they say."""
    cluster = Cluster.of(sandbox_stack(live.workspace.root, STACK))
    admin = live.server.acting_as("kubectl")
    for it in (PLAIN, *queue("roomy", "8"), *HEALTHY):
        admin.apply(it)
    with planted(live, cluster, ALL, tmp_path_factory.mktemp("kubelet")):
        yield cluster


def said(cluster: Cluster, name: str) -> Verdict:
    return verdict(look(cluster, find_job(cluster, ["default"], name)))


def cause(found: Verdict) -> str:
    return "" if found.reason is None else found.reason.cause


@pytest.mark.parametrize("name", ALL)
def test_a_planted_cause_is_the_one_that_is_told(cluster: Cluster, name: str) -> None:
    found = eventually(lambda: said(cluster, name), lambda it: cause(it) == name)
    assert found.reason is not None
    assert found.reason.advice.endswith(".")
    assert SENTENCES.get(name, found.sentence) == found.sentence
    print(found.sentence, found.reason.advice)


@pytest.mark.parametrize("name", [name_of(it) for it in HEALTHY])
def test_a_healthy_job_has_nothing_in_its_way(cluster: Cluster, name: str) -> None:
    wait_for_state(cluster, name, State.RUNNING)
    found = said(cluster, name)
    assert found == Verdict(None, "It runs, with 1 of 1 pods ready.")


@pytest.mark.parametrize("name", RECOVERING)
def test_a_job_that_has_recovered_has_nothing_in_its_way(
    live: LiveSandbox, cluster: Cluster, name: str
) -> None:
    each = RECOVERING[name]
    live.server.acting_as("kubectl").apply(each.job)
    wait_for_state(cluster, name, State.RUNNING)
    play_kubelet(live, cluster, each)
    tries = "its 2nd try" if each.pod_status else "1 of 1 pods ready"
    eventually(
        lambda: said(cluster, name),
        lambda it: it.reason is None and it.sentence.startswith("It runs") and tries in it.sentence,
    )


def test_quota_that_kueue_keeps_for_another_is_not_called_full(
    live: LiveSandbox, cluster: Cluster
) -> None:
    admin = live.server.acting_as("kubectl")
    try:
        plant(cluster, admin, KEPT)
        name = name_of(KEPT.job)
        found = eventually(lambda: said(cluster, name), lambda it: cause(it) == name)
        print(found)
    finally:
        for it in (KEPT.job, *KEPT.beside):
            if it["kind"] == "Job":
                live.server.delete(Ref.of(it))


def test_a_ray_cluster_without_its_head_says_so_until_it_is_back(
    live: LiveSandbox, cluster: Cluster
) -> None:
    """Which takes a moment, while KubeRay is away."""
    wait_for_state(cluster, STACK, State.RUNNING)
    (operator,) = (it.pid for it in live.plane.status() if it.name == "ray-operator")
    assert operator is not None
    os.kill(operator, signal.SIGKILL)
    heads = cluster.pages(POD, "default", labels="ray.io/node-type=head")
    for head in map(name_of, heads):
        assert cluster.delete(POD, "default", head)
    found = eventually(lambda: said(cluster, STACK), lambda it: cause(it) == "ray-head-gone")
    assert found.sentence.startswith("The head of its Ray cluster is gone")
    live.plane.start()
    eventually(lambda: said(cluster, STACK), lambda it: it.reason is None)
