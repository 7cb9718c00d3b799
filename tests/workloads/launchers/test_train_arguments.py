"""The image classifier's arguments, as the stack gives them and as people mistype them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, Register
from tests.unit.stack_graphs import built, options_of

SCRIPT = ROOT / "workloads" / "image_classifier" / "train.py"


def dry(folder: Path, *pairs: str) -> subprocess.CompletedProcess[str]:
    needed = ("data=generated", f"storage_path={folder}", "run_name=flowers")
    given = {pair.partition("=")[0] for pair in pairs}
    rest = [pair for pair in needed if pair.partition("=")[0] not in given]
    return subprocess.run(
        [sys.executable, str(SCRIPT), *pairs, *rest],
        env={"PATH": os.environ["PATH"], "DRY_RUN": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_argument_of_the_stack_is_one_of_the_job_and_none_is_missing(
    register: Register, tmp_path: Path
) -> None:
    options = options_of(built(register, "gcsfuse-checkpoint"))
    options["storage_path"] = str(tmp_path)
    done = dry(tmp_path, *(f"{key}={value}" for key, value in options.items()))
    assert done.returncode == 0, done.stderr
    job = json.loads(done.stdout)
    assert job.keys() == options.keys()
    assert {key: str(value) for key, value in job.items()} == options


def test_a_dry_run_says_how_far_the_run_is_and_writes_nothing(tmp_path: Path) -> None:
    done = dry(tmp_path)
    assert done.stderr == "run flowers: 0 of 10 epochs are done\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("pair", "error"),
    [
        ("--help", "--help: not a key=value pair; nearest: epochs=10"),
        ("epoch=3", "epoch=3: no such key; nearest: epochs=3"),
        ("epochs=ten", "epochs=ten: not a number; nearest: epochs=10"),
        ("epochs=0", "epochs=0: below 1; nearest: epochs=1"),
        ("max_failures=-2", "max_failures=-2: below -1; nearest: max_failures=-1"),
        ("learning_rate=0", "learning_rate=0: not above 0; nearest: learning_rate=0.001"),
        ("learning_rate=nan", "learning_rate=nan: not above 0; nearest: learning_rate=0.001"),
        ("run_name=a/b", "run_name=a/b: not the name of one folder; nearest: a-b"),
        ("run_name=", "no run_name given; nearest: run_name=NAME"),
        ("data=/no", "data=/no: no folder train in it; nearest: data=generated"),
        ("storage_path=/no", "storage_path=/no: no such folder; nearest: where the bucket is"),
    ],
)
def test_a_job_that_cannot_run_is_told_why_and_what_would(
    tmp_path: Path, pair: str, error: str
) -> None:
    done = dry(tmp_path, pair)
    assert (done.returncode, done.stderr) == (2, f"{error}\n")
