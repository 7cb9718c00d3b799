"""`make demo-train`: jobs that `aistack submit` hands to the real KubeRay run on this machine, and
their logs are read as they come. The training itself needs what `make demo-train` installs; that of
these tests is a script that waits to be told."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aistack.exit_codes import ExitCode
from tests.conftest import ROOT
from tests.kube.command_line import answered, asked, folder_of, started, state
from tests.kube.conftest import PATIENCE_SECONDS, LiveSandbox
from tools import demo_train
from tools.ray_here import RayHere

RAY = ROOT / ".venv-workloads" / "bin" / "python"
WAITS = """
import pathlib, sys, time
print("step 1")
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.1)
print("step 2")
sys.exit(int(sys.argv[2]))
"""


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    sandbox = live_sandbox(demo_train.STACK)
    sandbox.succeed("up")
    return sandbox


@pytest.fixture
def here(live: LiveSandbox, tmp_path: Path) -> RayHere:
    runner = RayHere(
        kubeconfig=live.plane.kubeconfig, cluster=demo_train.STACK, folder=tmp_path / "here"
    )
    runner.take_over()
    return runner


def submitted(live: LiveSandbox, folder: Path, name: str, code: int) -> Path:
    """The file for which the script waits before it ends."""
    script, told = folder / "train.py", folder / "told"
    script.write_text(WAITS)
    command = f"{sys.executable} $(SCRIPT_DIR)/train.py {told} {code}"
    found = answered(live, "submit", str(script), "--name", name, "--command", command)
    assert found["job"]["kind"] == "RayJob"
    return told


@pytest.mark.parametrize(
    ("name", "code", "ended", "exits"),
    [
        ("learns", 0, "succeeded", ExitCode.FINE),
        ("breaks", 3, "failed", ExitCode.JOB_FAILED),
    ],
)
def test_the_log_of_a_job_follows_it_while_it_runs(
    live: LiveSandbox, here: RayHere, tmp_path: Path, name: str, code: int, ended: str, exits: int
) -> None:
    told = submitted(live, tmp_path, name, code)
    with (
        here.running(name) as outcome,
        started("logs", name, "--follow", AISTACK_SANDBOX=folder_of(live)) as following,
    ):
        assert following.stdout is not None
        assert following.stdout.readline() == "step 1\n"
        assert state(live, name) == "running"
        told.touch()
        said, _ = following.communicate(timeout=PATIENCE_SECONDS)
        assert (said, following.returncode) == ("step 2\n", ExitCode.FINE)
    assert outcome.result() is (code == 0)
    assert state(live, name) == ended
    assert asked(live, "wait", name).returncode == exits


@pytest.mark.skipif(not RAY.exists(), reason="Ray is not installed: make demo-train installs it")
def test_the_demo_trains_and_has_nothing_to_do_the_second_time(
    live: LiveSandbox, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    runner = demo_train.ray_here(live.plane.kubeconfig, tmp_path, RAY)
    runner.take_over()
    assert demo_train.trained(live.workspace.root, runner) == 0
    said = capfd.readouterr().out
    first, again = said.split("$ aistack submit")[1:]
    assert "epoch" in first
    assert len(again) < len(first)
    assert [it.name for it in (tmp_path / "bucket" / "finetune-resnet").glob("checkpoint_*")]
