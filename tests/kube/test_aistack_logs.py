"""`logs` on a real control plane; what containers say is told by the tests, with kwok's server in
place of kubelets."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aistack.exit_codes import ExitCode
from components.queues.labels import QUEUE_LABEL
from components.ray.manifest import DASHBOARD_PORT
from kube.objects import JsonObject, Ref, dig, name_of
from sandbox.gke.agent.dashboard import RAY_CLUSTER, RAY_JOB, token_of
from sandbox.live_kube.api import Api
from tests.kube.command_line import (
    answered,
    asked,
    folder_of,
    running_pods,
    started,
    submit,
    until_told,
)
from tests.kube.conftest import PATIENCE_SECONDS, LiveSandbox, eventually
from tests.kube.kubelet import kubelet
from tests.kube.planted_causes import ENDLESS, job
from tests.ray_log import RayLog

AWAY_SECONDS = 10
RANKS = {"parallelism": 2, "completions": 2, "completionMode": "Indexed"}


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    sandbox = live_sandbox("dev")
    sandbox.succeed("up")
    return sandbox


def texts(process: subprocess.Popen[str], wanted: int) -> list[str]:
    """So many lines, as they come."""
    assert process.stdout is not None
    return [process.stdout.readline().rstrip("\n") for _ in range(wanted)]


def test_all_ranks_are_told_in_the_order_in_which_they_spoke(
    live: LiveSandbox, tmp_path: Path
) -> None:
    pods = submit(live.server, "ranks", **RANKS)
    first, second = (name_of(it) for it in pods)
    with kubelet(live.plane.kubeconfig, tmp_path, pods) as nodes:
        for number in range(2):
            nodes.say(second, f"step {number}")
            nodes.say(first, f"step {number}")
        all_ = asked(live, "logs", "ranks").stdout.splitlines()
        assert all_ == ["[1] step 0", "[0] step 0", "[1] step 1", "[0] step 1"]
        one = asked(live, "logs", "ranks", "--rank", "1", "--tail", "1")
        assert one.stdout == "step 1\n"
        line = json.loads(
            asked(live, "logs", "ranks", "--rank", "0", "--tail", "1", "--json").stdout
        )
        assert (line["role"], line["text"]) == ("0", "step 1")


def test_what_was_said_before_a_restart_is_kept(live: LiveSandbox, tmp_path: Path) -> None:
    (pod,) = submit(live.server, "restarts")
    with kubelet(live.plane.kubeconfig, tmp_path, [pod]) as nodes:
        nodes.say(name_of(pod), "after")
        nodes.say(name_of(pod), "before", previous=True)
        refused = asked(live, "logs", "restarts", "--previous")
        assert "nothing of restarts was restarted" in refused.stderr
        statuses = [{**it, "restartCount": 1} for it in pod["status"]["containerStatuses"]]
        live.server.set_status(_ref(pod), {"containerStatuses": statuses})
        assert asked(live, "logs", "restarts", "--previous").stdout == "before\n"
        assert asked(live, "logs", "restarts").stdout == "after\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rank", "7"], '--rank: "7": there is none; nearest: 0, all'),
        (["--container", "side"], '--container: "side": there is none; nearest: main'),
        (["--follow", "--previous"], "--previous: what was said before goes on no more"),
    ],
)
def test_what_there_is_not_is_refused(live: LiveSandbox, words: list[str], said: str) -> None:
    submit(live.server, "single")
    done = asked(live, "logs", "single", *words)
    assert done.returncode in (ExitCode.REFUSED, ExitCode.USAGE)
    assert said in done.stderr


def test_a_job_without_pods_says_where_to_look(live: LiveSandbox) -> None:
    done = asked(live, "logs", "dev", "--rank", "launcher")
    assert "there is none; nearest: head" in done.stderr


def test_a_followed_log_is_taken_up_again_after_a_lost_connection(
    live: LiveSandbox, tmp_path: Path
) -> None:
    (pod,) = submit(live.server, "speaks")
    speaker = name_of(pod)
    with (
        kubelet(live.plane.kubeconfig, tmp_path, [pod]) as nodes,
        started("logs", "speaks", "-f", AISTACK_SANDBOX=folder_of(live)) as following,
    ):
        nodes.say(speaker, "first", "second")
        assert texts(following, 2) == ["first", "second"]
        nodes.stop()
        nodes.say(speaker, "third")
        nodes.start()
        assert texts(following, 1) == ["third"]
        nodes.say(speaker, "third", "fourth")
        assert texts(following, 2) == ["third", "fourth"]
        asked(live, "cancel", "speaks")
        said, told = following.communicate(timeout=PATIENCE_SECONDS)
        assert (said, following.returncode) == ("", ExitCode.FINE)
        assert "speaks is gone" in told


def test_a_followed_job_may_begin_later_and_get_another_pod(
    live: LiveSandbox, tmp_path: Path
) -> None:
    waiting = job("late", annotations=ENDLESS, suspend=True)
    live.server.acting_as("kubectl").apply(waiting, force=True)
    with started("logs", "late", "-f", AISTACK_SANDBOX=folder_of(live)) as following:
        until_told(following, "nothing of late has begun")
        (pod,) = submit(live.server, "late", suspend=False, backoffLimit=3)
        _says(live, tmp_path / "first", pod, following)
        live.server.delete(_ref(pod))
        eventually(lambda: live.server.get(_ref(pod)), lambda it: it is None)
        (other,) = running_pods(live.server, "late")
        assert name_of(other) != name_of(pod)
        _says(live, tmp_path / "second", other, following)


def test_the_api_server_may_be_away_for_ten_seconds(live: LiveSandbox, tmp_path: Path) -> None:
    (pod,) = submit(live.server, "outlives")
    with (
        kubelet(live.plane.kubeconfig, tmp_path, [pod]) as nodes,
        started("logs", "outlives", "-f", AISTACK_SANDBOX=folder_of(live)) as following,
        started("wait", "outlives", AISTACK_SANDBOX=folder_of(live)) as waiting,
    ):
        until_told(waiting, "outlives is running")
        nodes.say(name_of(pod), "before")
        assert texts(following, 1) == ["before"]
        (server,) = (it.pid for it in live.plane.status() if it.name == "kube-apiserver")
        assert server is not None
        os.kill(server, signal.SIGKILL)
        nodes.say(name_of(pod), "meanwhile")
        time.sleep(AWAY_SECONDS)
        live.plane.start()
        assert texts(following, 1) == ["meanwhile"]
        nodes.say(name_of(pod), "after")
        assert texts(following, 1) == ["after"]
        following.send_signal(signal.SIGINT)
        _, told = following.communicate(timeout=PATIENCE_SECONDS)
        assert waiting.poll() is None
        asked(live, "cancel", "outlives")
        _, ended = waiting.communicate(timeout=PATIENCE_SECONDS)
        assert waiting.returncode == ExitCode.JOB_FAILED
        assert ended.splitlines()[-1] == "outlives is gone"
    assert "what is said meanwhile comes when it answers again" in told
    assert following.returncode == ExitCode.INTERRUPTED
    assert "outlives goes on; back to it: `aistack logs outlives --follow" in told


def test_a_ray_jobs_launcher_is_followed_while_kuberay_starts_again(
    live: LiveSandbox, tmp_path: Path
) -> None:
    live.server.acting_as("kubectl").apply(_ray_job("trains"), force=True)
    (pod,) = running_pods(live.server, "trains")
    with (
        kubelet(live.plane.kubeconfig, tmp_path, [pod]) as nodes,
        started("logs", "trains", "-f", AISTACK_SANDBOX=folder_of(live)) as following,
    ):
        nodes.say(name_of(pod), "step 0")
        assert texts(following, 1) == ["step 0"]
        (operator,) = (it.pid for it in live.plane.status() if it.name == "ray-operator")
        assert operator is not None
        os.kill(operator, signal.SIGKILL)
        nodes.say(name_of(pod), "step 1")
        live.plane.start()
        assert texts(following, 1) == ["step 1"]
        live.server.set_status(_ref(pod), {"phase": "Succeeded"})
        said, told = following.communicate(timeout=PATIENCE_SECONDS)
    assert (said, following.returncode) == ("", ExitCode.FINE)
    assert "trains has succeeded" in told
    jobs = {it["name"]: it["state"] for it in answered(live, "jobs")["jobs"]}
    assert jobs["trains"] == "succeeded"


def test_what_a_submitted_command_prints_is_asked_of_ray_through_the_api_server(
    live: LiveSandbox, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text("print('step 1')\n")
    found = answered(live, "submit", str(script), "--name", "prints")
    assert found["job"]["kind"] == "RayJob"
    api = Api(live.plane.kubeconfig)
    (cluster,) = live.server.list(*RAY_CLUSTER)
    log = RayLog(_submitted(live, "prints"), token_of(api, cluster))
    log.say("step 1\nstep 2\n")
    with kubelet(live.plane.kubeconfig, tmp_path / "nodes", ports={DASHBOARD_PORT: log.port}):
        assert asked(live, "logs", "prints").stdout == "step 1\nstep 2\n"
        with started("logs", "prints", "-f", AISTACK_SANDBOX=folder_of(live)) as following:
            assert texts(following, 2) == ["step 1", "step 2"]
            log.say("step 3\n")
            assert texts(following, 1) == ["step 3"]
            log.end()
            said, _ = following.communicate(timeout=PATIENCE_SECONDS)
    log.shutdown()
    assert (said, following.returncode) == ("", ExitCode.FINE)


def _submitted(live: LiveSandbox, name: str) -> str:
    """Ray's id of a job that KubeRay has handed to Ray."""

    def job_id() -> str:
        (it,) = (it for it in live.server.list(*RAY_JOB) if name_of(it) == name)
        return dig(it, "status", "jobId") if dig(it, "status", "jobStatus") else ""

    return eventually(job_id, bool)


def _says(
    live: LiveSandbox, folder: Path, pod: JsonObject, following: subprocess.Popen[str]
) -> None:
    folder.mkdir()
    with kubelet(live.plane.kubeconfig, folder, [pod]) as nodes:
        nodes.say(name_of(pod), f"of {name_of(pod)}")
        assert texts(following, 1) == [f"of {name_of(pod)}"]


def _ref(pod: JsonObject) -> Ref:
    return Ref(api_version="v1", kind="Pod", namespace="default", name=name_of(pod))


def _ray_job(name: str) -> JsonObject:
    """With a Ray cluster of its own, in the stack's queue."""
    head = {"rayStartParams": {}, "template": {"spec": _pod("ray-head")}}
    submitter = {"metadata": {"annotations": ENDLESS}}
    spec = {
        "entrypoint": "python train.py",
        "shutdownAfterJobFinishes": True,
        "rayClusterSpec": {"headGroupSpec": head},
        "submitterPodTemplate": {**submitter, "spec": {**_pod("submit"), "restartPolicy": "Never"}},
    }
    metadata = {"name": name, "namespace": "default", "labels": {QUEUE_LABEL: "lq"}}
    return {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": metadata, "spec": spec}


def _pod(container: str) -> dict[str, Any]:
    amounts = {"cpu": "100m", "memory": "128Mi"}
    resources = {"requests": amounts, "limits": amounts}
    return {"containers": [{"name": container, "image": "rayproject/ray", "resources": resources}]}
