"""A script as a plain Job on a real control plane, from what `submit` makes of it to its end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from aistack.cancel import cancel
from aistack.cluster import Cluster
from aistack.find import Found, find_job
from aistack.members import members_of
from aistack.stack import Config, Stack
from aistack.submit.hand_over import hand_over
from aistack.submit.preflight import checked
from aistack.submit.request import Request
from kube.jobs import State
from kube.kinds import CONFIG_MAP, NETWORK_POLICY
from kube.objects import JsonObject, Ref, dig, labels_of, name_of
from sandbox.control_plane import ControlPlane
from sandbox.live_kube.api_server import ApiServer
from stacks.tokens import SECRETS
from tests.conftest import stack_config
from tests.kube.conftest import eventually
from tests.kube.person import NODE

URN = "urn:pulumi:dev::gke-ai-stacks::pulumi:pulumi:Stack::gke-ai-stacks-dev"
SMALL = {"image": "python:3.12-slim", "requests": {"cpu": 1, "memory_gib": 2}, "mounts": []}
HERE = ["default"]


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    plane = ControlPlane(tmp_path_factory.mktemp("plain-jobs") / "plane")
    plane.start()
    room = {**NODE["status"]["allocatable"], "ephemeral-storage": "100Gi"}
    status = {"capacity": room, "allocatable": room}
    ApiServer(plane.kubeconfig).apply({**NODE, "status": status}, force=True)
    yield plane
    plane.remove()


@pytest.fixture
def cluster(plane: ControlPlane) -> Cluster:
    root = {"urn": URN, "outputs": {"cluster_name": "dev"}}
    return Cluster.of(Stack(name="dev", resources=[root], kubeconfig_file=plane.kubeconfig))


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "train.py"
    file.write_text("print('step 1')\n")
    return file


def submitted(cluster: Cluster, script: Path, name: str, **fields: object) -> None:
    """In no queue: Kueue is not there."""

    def never(what: str) -> None:
        raise AssertionError(what)

    request = Request(name=name, files=[script], fields={**SMALL, **fields})
    dev = Config(stack_config("dev"), frozenset(SECRETS))
    hand_over(cluster, checked(request, dev, (), "dev").parcel, never)


def found(cluster: Cluster, name: str) -> Found:
    return find_job(cluster, HERE, name)


def pods_of(cluster: Cluster, name: str) -> list[JsonObject]:
    return [it.pod for it in members_of(cluster, found(cluster, name)).pods]


def running_try(cluster: Cluster, name: str, tries: int) -> Ref:
    """The pod of so many tries, once it runs: kwok would start one that was ended before."""

    def seen() -> list[JsonObject]:
        return pods_of(cluster, name)

    def runs(pods: list[JsonObject]) -> bool:
        return len(pods) == tries and dig(pods[-1], "status", "phase") == "Running"

    last = eventually(seen, runs)[-1]
    return Ref(api_version="v1", kind="Pod", namespace="default", name=name_of(last))


def beside(cluster: Cluster, name: str) -> set[str]:
    """What goes with a job."""
    return {
        name_of(it)
        for kind in (CONFIG_MAP, NETWORK_POLICY)
        for it in cluster.pages(kind, "default")
        if name_of(it).startswith(f"{name}-")
    }


def test_a_job_runs_in_a_pod_that_its_policy_is_for_and_takes_all_along(
    cluster: Cluster, script: Path
) -> None:
    submitted(cluster, script, "mine")
    running = eventually(lambda: found(cluster, "mine").job, lambda it: it.state is State.RUNNING)
    assert (running.kind, running.pods, running.owner) == ("Job", 1, "aistack:dev")
    (pod,) = pods_of(cluster, "mine")
    (member,) = members_of(cluster, found(cluster, "mine")).pods
    assert (member.role, member.container) == ("0", "script")
    policy = cluster.get(NETWORK_POLICY, "default", "mine-pods")
    selected = dig(policy, "spec", "podSelector", "matchLabels")
    assert isinstance(selected, dict)
    assert selected.items() <= labels_of(pod).items()
    assert len(beside(cluster, "mine")) == 2
    assert "is stopped" in cancel(cluster, found(cluster, "mine"))
    eventually(lambda: beside(cluster, "mine"), lambda it: it == set())


def test_a_job_that_fails_starts_again_as_often_as_it_may(
    plane: ControlPlane, cluster: Cluster, script: Path
) -> None:
    submitted(cluster, script, "fails", retries=1)
    server = ApiServer(plane.kubeconfig)
    for tries in (1, 2):
        server.set_status(running_try(cluster, "fails", tries), {"phase": "Failed"})
    eventually(lambda: found(cluster, "fails").job.state, lambda it: it is State.FAILED)


def test_a_machine_that_goes_away_counts_for_nothing(
    plane: ControlPlane, cluster: Cluster, script: Path
) -> None:
    submitted(cluster, script, "evicted")
    ref = running_try(cluster, "evicted", 1)
    lost = {"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet"}
    ApiServer(plane.kubeconfig).set_status(ref, {"phase": "Failed", "conditions": [lost]})
    assert running_try(cluster, "evicted", 2).name != ref.name
    assert found(cluster, "evicted").job.state is not State.FAILED
