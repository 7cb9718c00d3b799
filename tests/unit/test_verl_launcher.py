"""verl's launcher and the copy of its code, run for real with a small verl and no training."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

VERL = ROOT / "workloads" / "verl"
FAKE_PYTHON = """#!/bin/bash
echo "path=$PYTHONPATH unbuffered=$PYTHONUNBUFFERED"
printf '%s\\n' "$@"
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A prepared bucket."""
    for name, content in {
        "verl/verl/__init__.py": "__version__ = '1'",
        "verl/verl/trainer/main_ppo.py": "",
        "verl/checkpoints/step_10/model.pt": "trained",
        "gsm8k/train.parquet": "rows",
        "gsm8k/test.parquet": "rows",
        "Tiny/config.json": "{}",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


def pairs(data: Path) -> dict[str, str]:
    return {
        "code": f"{data}/verl",
        "data.train_files": f"{data}/gsm8k/train.parquet",
        "data.val_files": f"{data}/gsm8k/test.parquet",
        "actor_rollout_ref.model.path": f"{data}/Tiny",
    }


def launch(
    given: dict[str, str], *more: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    text = (VERL / "verl_grpo.sh").read_text(encoding="utf-8")
    return subprocess.run(
        [
            "bash",
            "-c",
            text,
            "launcher",
            *(f"{key}={value}" for key, value in given.items()),
            *more,
        ],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"]} | environment,
    )


def test_it_starts_verl_from_the_code_with_the_overrides_as_they_are(data: Path) -> None:
    tool = data / "bin" / "python3"
    tool.parent.mkdir()
    tool.write_text(FAKE_PYTHON, encoding="utf-8")
    tool.chmod(0o755)
    path = f"{tool.parent}:{os.environ['PATH']}"
    given = pairs(data) | {"trainer.logger": "[console, 'x y']", "+a.b": "c=d"}
    done = launch(given, PATH=path, PYTHONPATH="there")
    assert done.returncode == 0, done.stderr
    first, *arguments = done.stdout.splitlines()
    assert first == f"path={data}/verl:there unbuffered=1"
    overrides = [f"{key}={value}" for key, value in given.items() if key != "code"]
    assert arguments == ["-m", "verl.trainer.main_ppo", *overrides]


def test_several_loggers_are_a_list_to_verl(data: Path) -> None:
    """Brackets would not reach the cluster with Ray's own command."""
    done = launch(pairs(data), "loggers=console,wandb", DRY_RUN="1")
    assert shlex.split(done.stdout)[-1] == "trainer.logger=[console,wandb]"


def test_a_dry_run_prints_the_command_that_would_run(data: Path) -> None:
    done = launch(pairs(data), "a=[b, c]", DRY_RUN="1")
    assert done.returncode == 0, done.stderr
    assert shlex.split(done.stdout) == [
        *(f"PYTHONPATH={data}/verl", "PYTHONUNBUFFERED=1"),
        *("python3", "-m", "verl.trainer.main_ppo"),
        f"data.train_files={data}/gsm8k/train.parquet",
        f"data.val_files={data}/gsm8k/test.parquet",
        f"actor_rollout_ref.model.path={data}/Tiny",
        "a=[b, c]",
    ]


@pytest.mark.parametrize(
    ("gone", "error"),
    [
        ("verl/verl/trainer/main_ppo.py", "code={data}/verl: no verl/trainer/main_ppo.py in it"),
        ("gsm8k/train.parquet", "data.train_files={data}/gsm8k/train.parquet: no such file"),
        ("gsm8k/test.parquet", "data.val_files={data}/gsm8k/test.parquet: no such file"),
        ("Tiny/config.json", "actor_rollout_ref.model.path={data}/Tiny: no config.json in it"),
    ],
)
def test_what_is_missing_is_said_in_one_line(data: Path, gone: str, error: str) -> None:
    (data / gone).unlink()
    done = launch(pairs(data), DRY_RUN="1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(error.format(data=data))
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("key", ["code", "data.train_files", "data.val_files"])
def test_what_is_not_given_is_named(data: Path, key: str) -> None:
    given = pairs(data)
    del given[key]
    done = launch(given)
    assert done.returncode == 2
    assert f" given ({key}=" in done.stderr


def test_every_file_of_a_list_is_looked_for(data: Path) -> None:
    files = f"[{data}/gsm8k/train.parquet, '{data}/more.parquet']"
    done = launch(pairs(data) | {"data.train_files": files})
    assert done.stderr.startswith(f"data.train_files={data}/more.parquet: no such file")


def test_it_refuses_what_is_no_pair(data: Path) -> None:
    done = launch(pairs(data), "--help")
    assert done.returncode == 2
    assert done.stderr.strip() == "not a key=value pair: --help"


def use(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    text = (VERL / "use_verl.sh").read_text(encoding="utf-8")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", text, "use_verl", str(source), str(target)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": path},
    )


def test_the_package_is_copied_without_checkpoints_and_the_bucket_stays_as_it_was(
    data: Path, tmp_path: Path
) -> None:
    before = set(data.rglob("*"))
    target = tmp_path / "own" / "disk"
    for _ in range(2):  # an init container may run again on the same disk
        done = use(data / "verl", target)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("verl 1 in ")
    assert [path.name for path in target.iterdir()] == ["verl"]
    assert {path for path in data.rglob("*") if tmp_path / "own" not in path.parents} - {
        tmp_path / "own"
    } == before


def test_a_pod_waits_until_the_bucket_holds_the_release_that_it_is_to_run(
    data: Path, tmp_path: Path
) -> None:
    text = (VERL / "use_verl.sh").read_text(encoding="utf-8")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    marker = data / ".prepared" / "code.json"
    marker.parent.mkdir(exist_ok=True)
    marker.write_text(json.dumps({"made_from": {"tag": "v1"}}), encoding="utf-8")
    pod = subprocess.Popen(
        ["bash", "-xc", text, "use_verl", str(data / "verl"), str(tmp_path / "own"), "v2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": path},
    )
    assert pod.stderr is not None
    # It has looked once, seen the other release, and goes to sleep.
    assert any(line.startswith("+ sleep") for line in pod.stderr)
    assert pod.poll() is None
    marker.write_text(json.dumps({"made_from": {"tag": "v2"}}), encoding="utf-8")
    output, _ = pod.communicate()
    assert pod.returncode == 0
    assert output.startswith("verl 1 in ")


def test_a_pod_whose_release_never_comes_fails_and_names_the_job(
    data: Path, tmp_path: Path
) -> None:
    text = (VERL / "use_verl.sh").read_text(encoding="utf-8")
    done = subprocess.run(
        ["bash", "-c", text, "use_verl", str(data / "verl"), str(tmp_path / "own"), "v2"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "PREPARED_S": "0"},
    )
    assert done.returncode == 1
    assert "no release v2 in 0 s; does the preparation's Job run?" in done.stderr


def test_code_that_does_not_import_stops_the_pod(data: Path, tmp_path: Path) -> None:
    (data / "verl" / "verl" / "__init__.py").write_text("import no_such_module", encoding="utf-8")
    assert use(data / "verl", tmp_path / "own").returncode == 1


def test_a_bucket_without_verl_is_said(tmp_path: Path) -> None:
    done = use(tmp_path, tmp_path / "own")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{tmp_path}: no verl/__init__.py in it")
