"""The NeMo RL launcher, run for real with a stand-in for the training itself."""

import os
import subprocess
from pathlib import Path

import pytest

from stacks.parts.jobs.nemo_rl import LAUNCHER_NAME
from stacks.parts.jobs.on_ray import workload

FAKE_UV = """#!/bin/bash
echo "in=$PWD override=${RAY_OVERRIDE_JOB_RUNTIME_ENV:-}"
printf '%s\\n' "$@"
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    tool = tmp_path / "bin" / "uv"
    tool.parent.mkdir()
    tool.write_text(FAKE_UV, encoding="utf-8")
    tool.chmod(0o755)
    (tmp_path / "nemo").mkdir()
    return tmp_path


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = f"{home / 'bin'}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", workload(f"nemo_rl/{LAUNCHER_NAME}"), "launcher", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": path, "NEMO_RL_HOME": str(home / "nemo")},
    )


def test_it_makes_the_directories_and_starts_the_recipe_with_the_overrides(home: Path) -> None:
    one, other = home / "fs" / "cache", home / "fs" / "run" / "1"
    done = run(home, "recipe=r.yaml", f"mkdir={one}:{other}", "a.b=c d", "x=y=z")
    assert done.returncode == 0, done.stderr
    assert one.is_dir()
    assert other.is_dir()
    first, *arguments = done.stdout.splitlines()
    assert first == f"in={home / 'nemo'} override=1"
    assert arguments == [
        *("run", "python", "examples/run_grpo_math.py", "--config", "r.yaml"),
        *("a.b=c d", "x=y=z"),
    ]


def test_it_fetches_the_model_once_before_the_training_asks_for_it(home: Path) -> None:
    done = run(home, "recipe=r.yaml", "fetch=owner/model")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines.index("owner/model") < lines.index("examples/run_grpo_math.py")
    assert lines.count("owner/model") == 1


def test_nothing_starts_when_the_model_cannot_be_fetched(home: Path) -> None:
    (home / "bin" / "uv").write_text("#!/bin/bash\n[[ $3 != -c ]] || exit 3\necho trains\n")
    done = run(home, "recipe=r.yaml", "fetch=owner/model")
    assert (done.returncode, done.stdout) == (3, "")


def test_it_refuses_what_is_no_pair(home: Path) -> None:
    done = run(home, "recipe=r.yaml", "--help")
    assert done.returncode == 2
    assert done.stderr.strip().endswith("not a key=value pair: --help")


def test_it_refuses_to_start_without_a_recipe(home: Path) -> None:
    done = run(home, "a=b")
    assert done.returncode == 2
    assert "no recipe given" in done.stderr
