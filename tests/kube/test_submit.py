"""Jobs submitted to a real control plane, as a user does."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from aistack.exit_codes import ExitCode
from components.base.labels import MANAGED_BY
from kube.objects import JsonObject, Ref, dig, labels_of, name_of
from tests.kube.command_line import answered, asked, folder_of, started, state, until_told
from tests.kube.conftest import PATIENCE_SECONDS, LiveSandbox, eventually
from tests.stacks.conftest import changed
from tests.unit.test_submit_public import PUBLIC, lie_in

STACK = "lab"
JOB_SETS = "jobset.x-k8s.io/v1alpha2"
WORK = ((JOB_SETS, "JobSet"), ("batch/v1", "Job"))
ON_PODS = ("--image", "python:3.12-slim", "--cpu", "1", "--memory", "2", "--queue", "research")


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    sandbox = live_sandbox(STACK)
    sandbox.succeed("up")
    return sandbox


@pytest.fixture(autouse=True)
def emptied(live: LiveSandbox) -> Iterator[None]:
    """Each test has the nodes for itself."""
    yield
    for it in _work(live):
        live.server.delete(Ref.of(it))
    eventually(lambda: brought(live), lambda it: it == set())


@pytest.fixture
def script(tmp_path: Path) -> str:
    file = tmp_path / "train.py"
    file.write_text("print('step 1')\n")
    return str(file)


def submitted(live: LiveSandbox, *words: str) -> Any:
    return answered(live, "submit", *words)


def brought(live: LiveSandbox) -> set[str]:
    """What there is that `aistack` has made."""
    kinds = (("v1", "ConfigMap"), ("networking.k8s.io/v1", "NetworkPolicy"))
    beside = (it for version, kind in kinds for it in live.server.list(version, kind))
    all_ = (*_work(live), *filter(_is_ours, beside))
    return {f"{it['kind']}/{name_of(it)}" for it in all_}


def _work(live: LiveSandbox) -> list[JsonObject]:
    """What was submitted: the Job of a JobSet goes with it."""
    found = (it for version, kind in WORK for it in live.server.list(version, kind))
    return [it for it in found if _is_ours(it) and not it["metadata"].get("ownerReferences")]


def _is_ours(obj: JsonObject) -> bool:
    return labels_of(obj).get(MANAGED_BY) == "aistack"


def test_a_script_runs_on_the_ray_cluster_to_its_end(live: LiveSandbox, script: str) -> None:
    done = asked(live, "submit", script, "--name", "on-ray", "--wait")
    assert done.returncode == ExitCode.FINE, done.stderr
    assert "RayJob default/on-ray runs on the Ray cluster lab" in done.stdout
    assert "on-ray is succeeded" in done.stderr
    config_map = Ref(api_version="v1", kind="ConfigMap", namespace="default", name="lab-launcher")
    files = (live.server.get(config_map) or {})["data"]
    assert [it for it in files if it.endswith("-train.py")]
    # The engine's own files stay its own.
    assert changed(live.succeed("preview")) == {}


def test_what_people_type_for_ray_is_a_job_of_its_cluster(
    live: LiveSandbox, tmp_path: Path
) -> None:
    typed = PUBLIC["a program of Ray's with packages"]
    lie_in(tmp_path, typed)
    files = [str(tmp_path / it) for it in typed.brought]
    found = submitted(live, *files, "--name", "typed")
    assert found["job"]["kind"] == "RayJob"
    of_ray = Ref(api_version="ray.io/v1", kind="RayJob", namespace="default", name="typed")
    made = live.server.get(of_ray) or {}
    assert typed.starts is not None
    assert typed.starts in made["spec"]["runtimeEnvYAML"]
    eventually(lambda: state(live, "typed"), lambda it: it in ("running", "succeeded"))
    live.server.delete(of_ray)


def test_a_script_waits_in_its_queue_and_takes_what_it_brought_along(
    live: LiveSandbox, script: str
) -> None:
    found = submitted(live, script, "--name", "queued", *ON_PODS)
    assert found["job"]["kind"] == "JobSet"
    assert found["job"]["queue"] == "research"
    assert found["hourly"].endswith(" USD")
    eventually(lambda: state(live, "queued"), lambda it: it == "running")
    assert {it.partition("/")[0] for it in brought(live)} == {
        "ConfigMap",
        "NetworkPolicy",
        "JobSet",
    }
    live.server.delete(Ref(api_version=JOB_SETS, kind="JobSet", namespace="default", name="queued"))
    eventually(lambda: brought(live), lambda it: it == set())


def test_a_plain_job_waits_in_its_queue_until_kueue_lets_it_in(
    live: LiveSandbox, script: str
) -> None:
    found = submitted(live, script, "--name", "plain", "--as", "job", *ON_PODS)
    assert (found["job"]["kind"], found["job"]["queue"]) == ("Job", "research")
    eventually(lambda: state(live, "plain"), lambda it: it == "running")
    (workload,) = [
        it
        for it in live.server.list("kueue.x-k8s.io/v1beta2", "Workload")
        if it["metadata"]["ownerReferences"][0]["name"] == "plain"
    ]
    assert dig(workload, "status", "admission", "clusterQueue") == "research"
    done = asked(live, "cancel", "plain")
    assert done.returncode == ExitCode.FINE, done.stderr
    eventually(lambda: brought(live), lambda it: it == set())


def test_a_job_of_the_stack_runs_again_on_more_nodes(live: LiveSandbox) -> None:
    found = submitted(live, "--job", "cifar-10", "--name", "wider", "--nodes", "2")
    assert found["job"]["pods"] == 2
    eventually(lambda: state(live, "wider"), lambda it: it in ("starting", "running"))


def test_what_the_cluster_would_not_take_leaves_nothing(
    live: LiveSandbox, script: str, tmp_path: Path
) -> None:
    submitted(live, script, "--name", "taken", *ON_PODS)
    before = brought(live)
    other = tmp_path / "other.py"
    other.write_text("print('step 2')\n")
    done = asked(live, "submit", str(other), "--name", "taken", *ON_PODS)
    assert done.returncode == ExitCode.REFUSED
    assert "--name: there is a JobSet default/taken already; nearest: taken-2" in done.stderr
    assert brought(live) == before


def test_a_job_that_fails_is_an_exit_code(live: LiveSandbox, script: str) -> None:
    submitted(live, script, "--name", "fails", *ON_PODS)
    eventually(lambda: state(live, "fails"), lambda it: it == "running")
    with waiting(live, "fails") as process:
        until_told(process, "fails is running")
        (pod,) = [it for it in live.server.list("v1", "Pod") if name_of(it).startswith("fails-")]
        ref = Ref(api_version="v1", kind="Pod", namespace="default", name=name_of(pod))
        live.server.set_status(ref, {"phase": "Failed"})
        assert process.wait(timeout=PATIENCE_SECONDS) == ExitCode.JOB_FAILED


def test_who_stops_waiting_leaves_the_job_alone(live: LiveSandbox, script: str) -> None:
    submitted(live, script, "--name", "left", *ON_PODS)
    with waiting(live, "left") as process:
        until_told(process, "left is ")
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == ExitCode.INTERRUPTED
        assert "left goes on; come back with: aistack wait left" in told
    eventually(lambda: state(live, "left"), lambda it: it == "running")


def waiting(live: LiveSandbox, name: str) -> AbstractContextManager[subprocess.Popen[str]]:
    return started("wait", name, AISTACK_SANDBOX=folder_of(live))
