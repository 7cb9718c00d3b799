"""`logs`, `events`, `shell` and `why` of model servers, with the real controllers that make their
pods; kwok's server speaks in place of kubelets, and no server answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from aistack.exit_codes import ExitCode
from components.servers.manifest import Rollout, deployment_spec
from kube.objects import JsonObject, Ref, dig, labels_of, name_of
from sandbox.control_plane import ControlPlane
from sandbox.live_kube.api_server import ApiServer
from tests.kube.command_line import aistack, started, until_told
from tests.kube.conftest import eventually
from tests.kube.kubelet import kubelet
from tests.kube.person import administrator
from tests.kube.planted_causes import NOT_READY
from tests.kube.test_server_rollouts import node
from tests.unit.inference_samples import TGI
from tests.unit.memory_kube_samples import make

SERVED = replace(TGI, queue=None, priority_class=None, secret_name=None)


@dataclass(frozen=True)
class Cluster:
    """Two nodes, each with the GPUs of one server."""

    plane: ControlPlane
    server: ApiServer
    me: Mapping[str, str]

    def pods(self, app: str) -> list[JsonObject]:
        """As `aistack` numbers them: by age."""
        pods = [it for it in self.server.list("v1", "Pod") if labels_of(it).get("app") == app]
        return sorted(pods, key=lambda it: (it["metadata"]["creationTimestamp"], name_of(it)))

    def serving(self, name: str, phases: Sequence[str], **annotations: str) -> list[JsonObject]:
        """The pods of a server once these are their phases, whichever has which."""
        spec = deployment_spec(
            replace(SERVED, server_name=name), replicas=len(phases), rollout=Rollout.RECREATE
        )
        spec["template"]["metadata"]["annotations"] = annotations
        made = make("Deployment", name, "apps/v1", spec=spec)
        made["metadata"]["namespace"] = "default"
        self.server.apply(made)
        return self.having(name, phases)

    def having(self, name: str, phases: Sequence[str]) -> list[JsonObject]:
        def are_so(pods: list[JsonObject]) -> bool:
            return sorted(dig(it, "status", "phase") for it in pods) == sorted(phases)

        return eventually(lambda: self.pods(name), are_so)

    def gone(self, name: str) -> None:
        ref = Ref(api_version="apps/v1", kind="Deployment", namespace="default", name=name)
        self.server.delete(ref)
        eventually(lambda: self.server.get(ref), lambda found: found is None)


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    made = ControlPlane(tmp_path_factory.mktemp("servers") / "plane")
    try:
        made.start()
        for each in map(node, "ab"):
            ApiServer(made.kubeconfig).apply(each)
        yield made
    finally:
        made.remove()


@pytest.fixture(scope="module")
def cluster(plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Cluster:
    me = administrator(plane, tmp_path_factory.mktemp("person") / "me", ["default"])
    return Cluster(plane, ApiServer(plane.kubeconfig), me)


@pytest.fixture
def chat(cluster: Cluster) -> Iterator[str]:
    yield "chat"
    cluster.gone("chat")


def asked(cluster: Cluster, *words: str) -> str:
    """What is printed where nothing is in the way."""
    done = aistack(*words, **cluster.me)
    assert done.returncode == ExitCode.FINE, done.stderr
    return done.stdout


def refused(cluster: Cluster, *words: str) -> str:
    done = aistack(*words, **cluster.me)
    assert done.returncode == ExitCode.REFUSED, done.stdout
    return done.stderr


def ref_of(pod: JsonObject) -> Ref:
    return Ref(api_version="v1", kind="Pod", namespace="default", name=name_of(pod))


def test_all_pods_of_a_server_speak_or_one_by_its_number(
    cluster: Cluster, chat: str, tmp_path: Path
) -> None:
    pods = cluster.serving(chat, ["Running", "Running"])
    first, second = map(name_of, pods)
    with kubelet(cluster.plane.kubeconfig, tmp_path, pods) as nodes:
        nodes.say(second, "loaded")
        nodes.say(first, "loading")
        assert asked(cluster, "logs", chat).splitlines() == ["[1] loaded", "[0] loading"]
        assert asked(cluster, "logs", chat, "--rank", "1") == "loaded\n"
    assert "nearest: 0, 1, all" in refused(cluster, "logs", chat, "--rank", "2")
    assert "nearest: inference-server" in refused(cluster, "logs", chat, "--container", "main")


def test_a_server_that_began_again_has_what_it_said_before(
    cluster: Cluster, chat: str, tmp_path: Path
) -> None:
    (pod,) = cluster.serving(chat, ["Running"])
    with kubelet(cluster.plane.kubeconfig, tmp_path, [pod]) as nodes:
        nodes.say(name_of(pod), "loading")
        nodes.say(name_of(pod), "CUDA out of memory", previous=True)
        assert "nothing of chat was restarted" in refused(cluster, "logs", chat, "--previous")
        statuses = [{**it, "restartCount": 1} for it in pod["status"]["containerStatuses"]]
        cluster.server.set_status(ref_of(pod), {"containerStatuses": statuses})
        assert asked(cluster, "logs", chat, "--previous") == "CUDA out of memory\n"
        assert asked(cluster, "logs", chat) == "loading\n"


def test_a_server_that_has_not_begun_says_nothing_and_where_to_look(
    cluster: Cluster, chat: str
) -> None:
    cluster.serving(chat, ["Pending"], **NOT_READY)
    nearest = "nearest: `aistack why chat`"
    assert f"nothing of chat has begun; {nearest}" in refused(cluster, "logs", chat)
    assert f"0 of chat does not run; {nearest}" in refused(cluster, "shell", chat, "--", "true")


def test_a_server_without_any_pod_says_where_to_look(cluster: Cluster, chat: str) -> None:
    cluster.serving(chat, [])
    assert "nothing of chat has begun" in refused(cluster, "logs", chat)
    assert "chat does not run; nearest: `aistack why chat`" in refused(cluster, "shell", chat)


def test_events_tell_of_the_server_and_of_all_that_is_made_for_it(
    cluster: Cluster, chat: str
) -> None:
    """Of its third pod that no node has room for it."""
    cluster.serving(chat, ["Pending", "Running", "Running"])

    def told() -> set[tuple[str, str]]:
        found = json.loads(asked(cluster, "events", chat, "--json"))["events"]
        return {(it["about"].partition("/")[0], it["reason"]) for it in found}

    wanted = {
        ("Deployment", "ScalingReplicaSet"),
        ("ReplicaSet", "SuccessfulCreate"),
        ("Pod", "Scheduled"),
        ("Pod", "FailedScheduling"),
    }
    eventually(told, lambda seen: wanted <= seen)


def test_a_command_runs_in_the_server_and_a_shell_without_one(
    cluster: Cluster, chat: str, tmp_path: Path
) -> None:
    pods = cluster.serving(chat, ["Running", "Running"])
    with kubelet(cluster.plane.kubeconfig, tmp_path, pods):
        said = json.loads(asked(cluster, "shell", chat, "--json", "--", "sh", "-c", "pwd"))
        assert (said["pod"], said["stdout"]) == (name_of(pods[0]), f"{tmp_path}\n")
        said = json.loads(asked(cluster, "shell", chat, "--rank", "1", "--json", "--", "pwd"))
        assert said["pod"] == name_of(pods[1])
        done = aistack("shell", chat, says="echo $((6 * 7)); exit\n", **cluster.me)
        assert (done.stdout, done.returncode) == ("42\n", ExitCode.FINE)
        said = refused(cluster, "shell", chat, "-c", "main", "--", "true")
        assert "container main is not valid for pod" in said


def test_a_pod_that_was_evicted_is_no_more_a_part_of_the_server(
    cluster: Cluster, chat: str, tmp_path: Path
) -> None:
    """It stays until Kubernetes collects it, and the ReplicaSet has made another."""
    (before,) = cluster.serving(chat, ["Running"])
    evicted = {"reason": "Evicted", "message": "The node was low on resource: memory."}
    cluster.server.set_status(ref_of(before), {"phase": "Failed", **evicted})
    pods = cluster.having(chat, ["Failed", "Running"])
    (now,) = (it for it in pods if name_of(it) != name_of(before))
    eventually(
        lambda: aistack("why", chat, **cluster.me).stdout,
        lambda said: "It runs, with 1 of 1 pods ready" in said,
    )
    with kubelet(cluster.plane.kubeconfig, tmp_path, [now]):
        said = json.loads(asked(cluster, "shell", chat, "--json", "--", "pwd"))
        assert said["pod"] == name_of(now)


def test_the_pods_of_a_changed_server_are_followed_too(
    cluster: Cluster, chat: str, tmp_path: Path
) -> None:
    (before,) = cluster.serving(chat, ["Running"])
    with started("logs", chat, "-f", **cluster.me) as following:
        assert following.stdout is not None
        folder = tmp_path / "before"
        folder.mkdir()
        with kubelet(cluster.plane.kubeconfig, folder, [before]) as nodes:
            nodes.say(name_of(before), "first")
            assert following.stdout.readline() == "first\n"
            cluster.server.delete(ref_of(before))
            eventually(
                lambda: name_of(before) in map(name_of, cluster.pods(chat)), lambda it: not it
            )
        (after,) = cluster.having(chat, ["Running"])
        folder = tmp_path / "after"
        folder.mkdir()
        with kubelet(cluster.plane.kubeconfig, folder, [after]) as nodes:
            nodes.say(name_of(after), "second")
            assert following.stdout.readline() == "second\n"
        cluster.gone(chat)
        until_told(following, "chat is gone")
