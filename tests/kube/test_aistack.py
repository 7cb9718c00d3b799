"""The command line on a real control plane: what runs, why it does not, and how it is stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from aistack.exit_codes import ExitCode
from aistack.sandbox_stack import sandbox_stack
from kube.objects import JsonObject, name_of
from tests.kube.command_line import (
    aistack,
    answered,
    asked,
    folder_of,
    opened,
    started,
    state,
    submit,
)
from tests.kube.conftest import LiveSandbox, eventually
from tests.kube.kubelet import kubelet
from tests.kube.person import backend_with, kubeconfig_of, program
from tests.kube.planted_causes import job
from tests.kube.web import answer, echo


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    sandbox = live_sandbox("dev")
    sandbox.succeed("up")
    return sandbox


def test_jobs_of_the_stack_and_of_users_are_listed(live: LiveSandbox) -> None:
    submit(live.server, "mine")
    jobs = {it["name"]: it for it in answered(live, "jobs")["jobs"]}
    assert jobs["dev"]["owner"] == "pulumi:dev"
    assert jobs["dev"]["kind"] == "RayCluster"
    assert jobs["mine"]["pods"] == 1
    table = asked(live, "jobs").stdout
    assert "mine" in table


def test_events_tell_of_the_job_and_its_pod(live: LiveSandbox) -> None:
    submit(live.server, "told")
    found = eventually(
        lambda: answered(live, "events", "told")["events"],
        lambda seen: "Scheduled" in [it["reason"] for it in seen],
    )
    assert {it["about"].partition("/")[0] for it in found} == {"Job", "Pod"}


def test_a_cancelled_job_goes_with_its_pods(live: LiveSandbox) -> None:
    submit(live.server, "stopped")
    done = asked(live, "cancel", "stopped")
    assert done.returncode == ExitCode.FINE, done.stderr
    eventually(lambda: state(live, "stopped"), lambda it: it == "")
    eventually(lambda: [it for it in live.server.list("v1", "Pod") if _is_of(it, "stopped")], _none)
    again = asked(live, "cancel", "stopped")
    assert again.returncode == ExitCode.NOT_FOUND


def test_a_job_that_has_ended_is_not_cancelled(live: LiveSandbox) -> None:
    live.server.acting_as("kubectl").apply(job("short"), force=True)
    eventually(lambda: state(live, "short"), lambda it: it == "succeeded")
    done = answered(live, "cancel", "short")
    assert done["said"] == "Job default/short has succeeded already; nothing was stopped"
    assert state(live, "short") == "succeeded"


def test_a_ray_cluster_is_not_cancelled(live: LiveSandbox) -> None:
    done = asked(live, "cancel", "dev")
    assert done.returncode == ExitCode.REFUSED
    assert "is a Ray cluster, which jobs run on, and no job" in done.stderr


def test_the_dashboard_of_the_stacks_ray_cluster_is_led_to(
    live: LiveSandbox, tmp_path: Path
) -> None:
    with (
        echo() as port,
        kubelet(live.plane.kubeconfig, tmp_path, ports={8265: port}),
        started("dashboard", "--json", AISTACK_SANDBOX=folder_of(live)) as running,
    ):
        found = opened(running)
        assert found["to"] == "default/dev-head-svc:8265"
        assert answer(found["url"], b"hello") == b"hello"


def test_an_unknown_name_offers_one_that_is_near(live: LiveSandbox) -> None:
    submit(live.server, "nearby")
    done = asked(live, "why", "nearb")
    assert done.returncode == ExitCode.NOT_FOUND
    assert "nearest: nearby" in done.stderr


def test_what_is_in_the_way_is_an_exit_code(live: LiveSandbox) -> None:
    stuck = job("stuck", nodeSelector={"machine": "none-such"})
    live.server.acting_as("kubectl").apply(stuck)
    found = eventually(lambda: answered(live, "why", "stuck"), lambda it: it["reason"] is not None)
    assert found["reason"]["cause"] == "no-such-node"
    done = asked(live, "why", "stuck")
    assert done.returncode == ExitCode.IN_THE_WAY
    assert "There is no node with machine=none-such." in done.stdout


def test_a_users_own_credentials_are_taken_where_there_is_no_sandbox(
    live: LiveSandbox, tmp_path: Path
) -> None:
    """As on GKE: the stack's outputs name the cluster, and the user's kubeconfig has its context,
    with Google's plugin."""
    stack = sandbox_stack(live.workspace.root, "dev")
    folder = tmp_path / "bin"
    folder.mkdir()
    backend = backend_with(folder, stack.outputs)
    context = stack.cluster_id.context
    own = json.loads(stack.outputs["kubeconfig"])["users"][0]["user"]
    kubeconfig = kubeconfig_of(live.plane, folder, context, own)
    user = yaml.safe_load(live.plane.kubeconfig.read_text())["users"][0]["user"]
    credential = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "kind": "ExecCredential",
        "status": {"token": user["token"]},
    }
    program(folder / "gke-gcloud-auth-plugin", json.dumps(credential))
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = aistack("jobs", "--json", PATH=path, KUBECONFIG=str(kubeconfig), **backend)
    assert done.returncode == ExitCode.FINE, done.stderr
    assert "dev" in [it["name"] for it in json.loads(done.stdout)["jobs"]]


def _is_of(pod: JsonObject, job: str) -> bool:
    return name_of(pod).startswith(job)


def _none(seen: list[JsonObject]) -> bool:
    return not seen
