"""Programs of the control plane that end in the middle of a run."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable

import pytest

from sandbox.control_plane import ControlPlane
from sandbox.engine import Engine, RunOptions, RunResult
from sandbox.faults import Faults
from tests.kube.conftest import LiveSandbox
from tests.stacks.conftest import changed

STACK = "dev"
PROGRAMS = (
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kwok",
    "agent",
    "kueue",
    "ray-operator",
)


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    sandbox = live_sandbox(STACK)
    sandbox.succeed("up")
    return sandbox


def killing(live: LiveSandbox, program: str, purpose: str) -> RunResult:
    """An `up` that changes every object's labels, during which the program is killed."""
    plane, killed = live.plane, list[int]()

    def look_on(line: str) -> None:
        if not killed and "kubernetes:" in line and "updat" in line:
            killed.append(pid_of(plane, program))
            os.kill(killed[0], signal.SIGKILL)

    secrets = live.workspace.prepare([f"labels.purpose={purpose}"])
    options = RunOptions(math.inf, Faults(), look_on, real_kube=True)
    with live.workspace.lock():
        result = Engine(live.workspace, secrets).run("up", options)
    assert killed, "an object was changed, and so the program was killed"
    return result


def pid_of(plane: ControlPlane, program: str) -> int:
    (pid,) = [each.pid for each in plane.status() if each.name == program and each.pid]
    return pid


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_killed_program_is_named_or_waited_out_and_the_next_up_converges(
    live: LiveSandbox, program: str
) -> None:
    result = killing(live, program, f"without-{program}")
    if not result.ok:
        told = "\n".join(result.report.diagnostics)
        assert "of the control plane ended" in told or "does not answer" in told, told
    live.succeed("up", f"labels.purpose=without-{program}")
    assert all(each.running for each in live.plane.status())
    assert changed(live.succeed("preview", f"labels.purpose=without-{program}")) == {}
