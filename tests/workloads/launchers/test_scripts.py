"""The shell scripts: what shellcheck says, and what a dry run prints."""

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.workloads.launchers.conftest import OPTIONS, DryRun

SCRIPTS = sorted((ROOT / "workloads").rglob("*.sh"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_shellcheck_finds_nothing(script: Path) -> None:
    done = subprocess.run(
        [OPTIONS / "bin" / "shellcheck", "--norc", "--enable=all", "--severity=info", script],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_nemo_rl_prints_its_command_and_makes_nothing(dry_run: DryRun, tmp_path: Path) -> None:
    pairs = ("recipe=r.yaml", f"mkdir={tmp_path}/a:{tmp_path}/b", "grpo.max_num_steps=3", "x=a b")
    printed = shlex.split(dry_run("nemo_rl/nemo_rl_grpo.sh", *pairs))
    program = ["uv", "run", "python", "examples/run_grpo_math.py", "--config", "r.yaml"]
    assert printed == [*program, "grpo.max_num_steps=3", "x=a b"]
    assert not list(tmp_path.iterdir())


def test_verl_prints_its_command(dry_run: DryRun, tmp_path: Path) -> None:
    for name in ("verl/trainer/main_ppo.py", "train.parquet", "model/config.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("there", encoding="utf-8")
    pairs = [
        f"data.train_files={tmp_path}/train.parquet",
        f"data.val_files={tmp_path}/train.parquet",
        f"actor_rollout_ref.model.path={tmp_path}/model",
        "trainer.logger=console",
    ]
    printed = shlex.split(dry_run("verl/verl_grpo.sh", f"code={tmp_path}", *pairs))
    assert printed[-7:] == ["python3", "-m", "verl.trainer.main_ppo", *pairs]
