"""The script that runs a training again, run for real; `ray` is a stand-in that reads a file.

What a real Ray 2.54.0 lists was looked at; that a training of its own finds its checkpoint is the
training's.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

RESUME = Path(__file__).parents[2] / "workloads" / "ray" / "resume.py"
RAY = """#!/bin/bash
[[ -f "$NODES" ]] || exit 1
echo "a word of warning"
cat "$NODES"
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    tool = tmp_path / "bin" / "ray"
    tool.parent.mkdir()
    tool.write_text(RAY, encoding="utf-8")
    tool.chmod(0o755)
    return tmp_path


def nodes(home: Path, name: str, *gpus: str) -> Path:
    """A list as `ray list nodes --format=json` prints it: a head without GPUs, and these."""
    listed = [{"node_id": "head", "resources_total": {"CPU": 8.0}}]
    listed += [{"node_id": it, "resources_total": {"GPU": 8.0, "CPU": 1.0}} for it in gpus]
    path = home / name
    path.write_text(json.dumps(listed), encoding="utf-8")
    return path


def run(
    home: Path, gpus: int, script: str, *, retries: int = 0
) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "NODES": str(home / "now"),
        "RESUME_POLL_S": "0.01",
        "RESUME_LOSS_SEEN_S": "0",
    }
    return subprocess.run(
        [
            *(sys.executable, str(RESUME), str(gpus), str(retries)),
            *("bash", "-c", script, "training", str(home)),
        ],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=60,
    )


def test_a_training_that_ends_well_runs_once(home: Path) -> None:
    nodes(home, "now", "a", "b")
    done = run(home, 16, "echo ran")
    assert (done.returncode, done.stdout) == (0, "ran\n")


def test_a_failure_with_all_machines_there_is_final(home: Path) -> None:
    nodes(home, "now", "a", "b")
    done = run(home, 16, "echo ran; exit 7")
    assert (done.returncode, done.stdout) == (7, "ran\n")


def test_a_failure_is_tried_again_as_often_as_it_may(home: Path) -> None:
    nodes(home, "now", "a", "b")
    done = run(home, 16, "echo ran; exit 7", retries=2)
    assert done.returncode == 7
    assert done.stdout.splitlines() == [
        "ran",
        "resume: failed with 7; again, 1 of 2",
        "ran",
        "resume: failed with 7; again, 2 of 2",
        "ran",
    ]


def test_a_machine_that_goes_away_is_no_retry(home: Path) -> None:
    nodes(home, "now", "a", "b")
    nodes(home, "later", "a", "c")
    lost_then_failed = 'echo ran; mv "$1/later" "$1/now"; exit 1'
    done = run(home, 16, lost_then_failed, retries=1)
    assert done.stdout.splitlines() == [
        "ran",
        "resume: 1 of 2 machines went away; again",
        "ran",
        "resume: failed with 1; again, 1 of 1",
        "ran",
    ]


def test_a_training_that_counts_no_gpus_starts_at_once(home: Path) -> None:
    nodes(home, "now")
    done = run(home, 0, '[[ -f "$1/second" ]] || { touch "$1/second"; exit 9; }', retries=1)
    assert (done.returncode, done.stdout) == (0, "resume: failed with 9; again, 1 of 1\n")


def test_a_training_runs_again_when_a_machine_under_it_went_and_another_came(home: Path) -> None:
    nodes(home, "now", "a", "b")
    nodes(home, "later", "a", "c")
    once = 'echo ran; [[ -f "$1/later" ]] || exit 0; mv "$1/later" "$1/now"; exit 1'
    done = run(home, 16, once)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "ran",
        "resume: 1 of 2 machines went away; again",
        "ran",
    ]


def test_it_waits_until_all_gpus_are_back(home: Path) -> None:
    nodes(home, "now", "a", "b")
    nodes(home, "less", "a")
    nodes(home, "again", "a", "c")
    # The stand-in brings the second machine back after it has said once that it is away.
    tool = home / "bin" / "ray"
    tool.write_text(
        RAY + '[[ -f "$NODES.gone" ]] && mv "${NODES%now}again" "$NODES" && rm "$NODES.gone"\n'
        '[[ -f "$NODES.going" ]] && mv "$NODES.going" "$NODES.gone"\nexit 0\n',
        encoding="utf-8",
    )
    once = 'echo ran; [[ -f "$1/less" ]] || exit 0; mv "$1/less" "$1/now"; touch "$1/now.going"'
    done = run(home, 16, once + "; exit 1")
    assert done.returncode == 0
    assert "resume: 8 of 16 GPUs are there; waiting" in done.stdout.splitlines()
    assert done.stdout.splitlines().count("ran") == 2


def test_a_ray_that_does_not_answer_is_no_machine_lost(home: Path) -> None:
    nodes(home, "now", "a")
    done = run(home, 8, 'rm "$1/now"; exit 3')
    assert done.returncode == 3


def test_a_killed_training_says_by_what(home: Path) -> None:
    nodes(home, "now", "a")
    assert run(home, 8, "kill -KILL $$").returncode == 128 + 9
