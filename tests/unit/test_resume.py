"""The script that runs a training again, run for real; `ray` is a stand-in that reads a file.

What a real Ray 2.54.0 lists was looked at; that a training of its own finds its checkpoint is the
training's.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
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
    listed = [{"node_id": "head", "is_head_node": True, "resources_total": {"CPU": 8.0}}]
    listed += [{"node_id": it, "resources_total": {"GPU": 8.0, "CPU": 1.0}} for it in gpus]
    path = home / name
    path.write_text(json.dumps(listed), encoding="utf-8")
    return path


def run(
    home: Path,
    gpus: int,
    script: str,
    *,
    retries: int = 0,
    options: Sequence[str] = (),
    long_run_s: float = 900,
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "NODES": str(home / "now"),
        "RESUME_POLL_S": "0.01",
        "RESUME_LOSS_SEEN_S": "0",
        "RESUME_LONG_RUN_S": str(long_run_s),
        **variables,
    }
    return subprocess.run(
        [
            *(sys.executable, str(RESUME), *options, str(gpus), str(retries)),
            *("bash", "-c", script, "training", str(home)),
        ],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=300,
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
        "resume: 1 of 2 Ray nodes went away; again",
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
        "resume: 1 of 2 Ray nodes went away; again",
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


# A worker comes back as another node in each run, on the same machine.
FAILS = (
    'echo ran; echo x >>"$1/runs"; sed -i "s/run[0-9]*/run$(wc -l <"$1/runs")/" "$1/now"; exit 1'
)


def endless(home: Path, script: str = FAILS) -> subprocess.CompletedProcess[str]:
    nodes(home, "now", "run0")
    (home / "steps").mkdir()
    options = ("--checkpoints", str(home / "steps" / "step_"))
    return run(home, 8, script, options=options)


def test_losses_without_a_checkpoint_end_the_job_and_say_why(home: Path) -> None:
    done = endless(home)
    assert done.returncode == 1
    assert done.stdout.splitlines()[:-1] == [
        "ran",
        "resume: 1 of 1 Ray nodes went away; again",
        "ran",
        "resume: 1 of 1 Ray nodes went away; again",
        "ran",
    ]
    last = done.stdout.splitlines()[-1]
    assert "ended with 1: of 3 such runs in a row none wrote a checkpoint" in last
    assert str(home / "steps" / "step_N") in last
    assert "restarts of the workers' pods" in last


def test_a_training_that_goes_further_is_run_as_often_as_machines_go(home: Path) -> None:
    further = 'mkdir "$1/steps/step_$(ls "$1/steps" | wc -l)"; '
    seventh = '(($(ls "$1/steps" | wc -l) < 7)) || exit 0; '
    done = endless(home, further + seventh + FAILS)
    assert done.returncode == 0
    assert done.stdout.splitlines().count("ran") == 6


def test_a_checkpoint_that_is_written_again_is_no_progress(home: Path) -> None:
    again = 'rm -rf "$1/steps/step_10"; mkdir "$1/steps/step_10" "$1/steps/tmp_step_$RANDOM"; '
    done = endless(home, again + FAILS)
    assert done.returncode == 1
    # The first run wrote it; three more did not go beyond it.
    assert done.stdout.splitlines().count("ran") == 4
    assert f"none wrote a checkpoint after {home}/steps/step_10" in done.stdout


def test_without_known_checkpoints_a_run_that_lasted_is_progress(home: Path) -> None:
    nodes(home, "now", "run0")
    short = run(home, 8, FAILS)
    assert short.stdout.splitlines().count("ran") == 3
    assert "none lasted 900 s" in short.stdout
    (home / "runs").unlink()
    nodes(home, "now", "run0")
    sixth = '(($(wc -l <"$1/runs" 2>/dev/null || echo 0) < 5)) || exit 0; '
    lasted = run(home, 8, sixth + FAILS, long_run_s=0)
    assert lasted.returncode == 0
    assert lasted.stdout.splitlines().count("ran") == 5


WARNINGS = (
    "[2026-11-26 10:00:00,000 W 1 1] a word of warning",
    "limits: [1, 2] and []",
    '[{"other": "list"}]',
)


@pytest.mark.parametrize("warning", WARNINGS)
@pytest.mark.parametrize("place", ["before", "after"])
def test_brackets_around_the_list_of_nodes_are_no_list_of_nodes(
    home: Path, warning: str, place: str
) -> None:
    listed = nodes(home, "now", "a")
    lines = [warning, listed.read_text(encoding="utf-8")]
    text = "\n".join(lines if place == "before" else reversed(lines))
    listed.write_text(text, encoding="utf-8")
    done = run(home, 8, "echo ran")
    assert (done.returncode, done.stdout, done.stderr) == (0, "ran\n", "")


def test_an_answer_without_a_list_is_none(home: Path) -> None:
    listed = nodes(home, "now", "a")
    words = "Warning: [W] no state; retrying [1/3]"
    script = f'echo ran; echo "{words}" >"$1/now"; exit 3'
    assert run(home, 8, script).returncode == 3
    assert listed.read_text(encoding="utf-8").strip() == words


TEST = """\
import sys
print("tested", *sys.argv[1:], flush=True)
sys.exit(int(open(sys.argv[1]).read()))
"""


def run_tested(home: Path, script: str, *, code: int = 0) -> subprocess.CompletedProcess[str]:
    (home / "test.py").write_text(TEST, encoding="utf-8")
    (home / "code").write_text(str(code), encoding="utf-8")
    return run(home, 16, script, options=("--test", f"{home}/test.py:{home}/code:16"))


def test_machines_are_tested_once_and_again_when_another_came(home: Path) -> None:
    nodes(home, "now", "a", "b")
    nodes(home, "later", "a", "c")
    once = 'echo ran; [[ -f "$1/later" ]] || exit 0; mv "$1/later" "$1/now"; exit 1'
    done = run_tested(home, once)
    assert done.returncode == 0
    test = f"tested {home}/code 16"
    again = "resume: 1 of 2 Ray nodes went away; again"
    assert done.stdout.splitlines() == [test, "ran", again, test, "ran"]


def test_no_training_runs_on_machines_that_failed_the_test(home: Path) -> None:
    nodes(home, "now", "a", "b")
    done = run_tested(home, "echo ran", code=4)
    assert (done.returncode, done.stdout) == (4, f"tested {home}/code 16\n")


@pytest.mark.parametrize("code", [2, 126, 127])
def test_a_command_that_was_used_wrongly_ends_whatever_went_away(home: Path, code: int) -> None:
    nodes(home, "now", "a", "b")
    nodes(home, "later", "a", "c")
    done = run(home, 16, f'echo ran; mv "$1/later" "$1/now"; exit {code}', retries=3)
    assert done.returncode == code
    assert done.stdout.splitlines() == [
        "ran",
        f"resume: ended with {code}: used wrongly, or not there; not again",
    ]


def test_a_machine_without_gpus_is_lost_as_one_with_them(home: Path) -> None:
    listed = json.loads(nodes(home, "now", "a").read_text(encoding="utf-8"))
    worker = {"node_id": "cpu", "resources_total": {"CPU": 8.0}}
    (home / "later").write_text(json.dumps(listed), encoding="utf-8")
    (home / "now").write_text(json.dumps([*listed, worker]), encoding="utf-8")
    once = 'echo ran; [[ -f "$1/later" ]] || exit 0; mv "$1/later" "$1/now"; exit 1'
    done = run(home, 8, once)
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        ["ran", "resume: 1 of 2 Ray nodes went away; again", "ran"],
    )


def test_a_part_of_the_gpus_is_paid_for_and_not_waited_on_for_ever(home: Path) -> None:
    nodes(home, "now", "a", "b")
    done = run(home, 24, "echo ran", RESUME_PART_S="0")
    assert done.returncode == 1
    assert "ran" not in done.stdout.splitlines()
    assert "16 of 24 GPUs are there and paid for, and no more came" in done.stdout


def test_a_ray_that_never_answers_ends_the_wait(home: Path) -> None:
    done = run(home, 8, "echo ran", RESUME_SILENT_S="0")
    assert (done.returncode, done.stdout.splitlines()) == (
        1,
        [
            "resume: 0 of 8 GPUs are there; waiting",
            "resume: Ray gave no list of its nodes in 0 s",
        ],
    )


def test_machines_of_which_none_came_are_waited_for(home: Path) -> None:
    nodes(home, "now")
    nodes(home, "again", "a")
    # The stand-in has a machine once it was asked twice.
    tool = home / "bin" / "ray"
    tool.write_text(
        RAY + '[[ -f "$NODES.asked" ]] && mv "${NODES%now}again" "$NODES"\n'
        'touch "$NODES.asked"\nexit 0\n',
        encoding="utf-8",
    )
    done = run(home, 8, "echo ran", RESUME_PART_S="0")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "ran")
