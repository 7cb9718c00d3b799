"""Checkpoints of each type of training, as the program in the pod finds and copies them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kubernetes.stream.ws_client import STDOUT_CHANNEL

from aistack.checkpoints.ask import Said, command, listing_of
from aistack.checkpoints.listing import Checkpoints, checkpoints_of
from aistack.checkpoints.whereabouts import Whereabouts, whereabouts
from aistack.errors import VerbError
from aistack.find import Found
from aistack.tables import show_checkpoints
from aistack.verbs.checkpoints import show_progress
from components.ray.manifest import LAUNCHER_DIR
from kube.kinds import JOB, JOB_SET, RAY_CLUSTER, RAY_JOB
from kube.objects import JsonObject
from stacks.checkpoint_folder import LAYOUTS, folder_of
from stacks.config import validate
from stacks.planned_jobs import planned_jobs
from stacks.workloads import RAY_JOB as TRAINING
from tests.conftest import Register, stack_config
from tests.unit.stack_graphs import built
from workloads.image_classifier.checkpoints import Run

STATE = b"weights"
CLASSIFIER = LAYOUTS["train.py"]
TRAININGS = [
    ("b200-lustre", ":RayJob"),
    ("verl-b200", ":RayJob"),
    ("tpu-elastic", ":RayJob"),
    ("gcsfuse-checkpoint", ":RayJob"),
    ("kueue-mixed", "batch/v1:Job"),
]
# Of each launcher: the files that are there, what is missing of each checkpoint, and the step that
# a restart takes.
LAID_OUT: dict[str, tuple[dict[str, str], dict[str, str], int | None]] = {
    "nemo_rl_grpo.sh": (
        {
            **{f"{it}/policy/weights": "w" for it in ("step_2", "step_10", "tmp_step_12")},
            "old_step_10/policy/weights": "w",
            "logs/exp_001/out": "",
        },
        {
            "step_2": "",
            "old_step_10": "its writing has not ended",
            "step_10": "",
            "tmp_step_12": "its writing has not ended",
        },
        10,
    ),
    "verl_grpo.sh": (
        {
            "latest_checkpointed_iteration.txt": "20",
            "global_step_5/data.pt": "d",
            **{f"global_step_{it}/{file}": "w" for it in (10, 20, 30) for file in ("actor/m.pt",)},
            **{f"global_step_{it}/data.pt": "d" for it in (10, 20, 30)},
        },
        {
            "global_step_5": "it has no actor",
            "global_step_10": "",
            "global_step_20": "",
            "global_step_30": "latest_checkpointed_iteration.txt does not name it",
        },
        20,
    ),
    "maxtext_trainer.py": (
        {f"{it}/items/d": "w" for it in ("0", "10", "20.orbax-checkpoint-tmp", "10.copying")},
        {"0": "", "10": "", "20.orbax-checkpoint-tmp": "its writing has not ended"},
        10,
    ),
    "train.py": (
        {
            "checkpoint_000000/state": "weights",
            "checkpoint_000000/manifest.json": '{"size": 7}',
            "checkpoint_000001/state": "wei",
            "checkpoint_000001/manifest.json": '{"size": 7}',
            "checkpoint_000002/state": "weights",
        },
        {
            "checkpoint_000000": "",
            "checkpoint_000001": "state has 3 of 7 bytes",
            "checkpoint_000002": "it has no manifest.json and state that can be read",
        },
        0,
    ),
    "launch.sh": (
        {
            "checkpoint-10/trainer_state.json": "{}",
            "checkpoint-9/trainer_state.json": "{}",
            "checkpoint-20/optimizer.bin": "o",
            "model.safetensors": "m",
        },
        {
            "checkpoint-9": "",
            "checkpoint-10": "",
            "checkpoint-20": "it has no trainer_state.json",
        },
        10,
    ),
}


def answered(request: JsonObject) -> JsonObject:
    """What the program says at last, by this Python alone."""
    _, *words = command(request)
    done = subprocess.run([sys.executable, "-I", *words], capture_output=True, text=True)
    assert not done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def listed(folder: Path, launcher: str = CLASSIFIER.launcher) -> Checkpoints:
    where = Whereabouts(LAYOUTS[launcher], str(folder))
    return checkpoints_of(where.folder, answered(listing_of(where)))


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_training_that_does_not_say_where_it_writes_has_no_folder() -> None:
    launcher = f"python {LAUNCHER_DIR}/train-0a1b2c3d.py"
    folder = "/data/runs"
    said = {"spec": {"entrypoint": f"{launcher} storage_path=/data run_name=runs"}}
    assert folder_of(TRAINING, said) == folder
    assert folder_of(TRAINING, {"spec": {"entrypoint": f"{launcher} run_name=runs"}}) is None
    assert folder_of(TRAINING, {"spec": {"entrypoint": "python train.py run_name=runs"}}) is None


@pytest.mark.parametrize("launcher", LAYOUTS)
def test_it_is_told_which_are_whole_and_which_a_restart_takes(
    tmp_path: Path, launcher: str
) -> None:
    files, missing, restart = LAID_OUT[launcher]
    found = listed(written(tmp_path, files), launcher)
    assert {it.name: it.missing for it in found.checkpoints} == missing
    assert [it.step for it in found.checkpoints] == sorted(it.step for it in found.checkpoints)
    assert found.restart == restart


@pytest.mark.parametrize("launcher", LAYOUTS)
def test_without_a_folder_a_restart_begins_anew(tmp_path: Path, launcher: str) -> None:
    found = listed(tmp_path / "none", launcher)
    assert not found.checkpoints
    assert found.next_start == "a restart begins anew"


def test_size_and_time_are_those_of_all_files(tmp_path: Path) -> None:
    files = {"checkpoint_000000/state": "weights", "checkpoint_000000/manifest.json": '{"size": 7}'}
    written(tmp_path, files)
    for at, name in enumerate(files):
        os.utime(tmp_path / name, (at, at))
    (found,) = listed(tmp_path).checkpoints
    assert found.written is not None
    assert (found.bytes, found.files, found.written.timestamp()) == (18, 2, 1)


WHOLE = {"name": "a", "step": 1, "bytes": 1, "files": 1, "written": 1.5, "missing": ""}


@pytest.mark.parametrize("written", [1e300, float("inf"), float("nan"), -(10**30), "soon", []])
def test_a_time_that_no_calendar_has_is_left_out(written: object) -> None:
    (found,) = checkpoints_of("/runs", {"checkpoints": [{**WHOLE, "written": written}]}).checkpoints
    assert found.written is None


@pytest.mark.parametrize("key", ["step", "bytes", "files"])
@pytest.mark.parametrize(
    "count", [10**4000, -1, 1.5, float("inf"), "1", None], ids=lambda it: str(it)[:9]
)
def test_a_count_that_is_none_is_an_error_in_a_line(key: str, count: object) -> None:
    with pytest.raises(VerbError, match=rf"^the pod says .{{1,500}} for {key}, which is no count$"):
        checkpoints_of("/runs", {"checkpoints": [{**WHOLE, key: count}]})


def test_the_greatest_count_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    most = 10**255 - 1
    said = {**WHOLE, "step": most, "bytes": most, "files": most}
    found = checkpoints_of("/runs", {"checkpoints": [said], "restart": most})
    show_checkpoints(found, datetime.now(UTC))
    assert f"a restart takes step {most}" in "".join(capsys.readouterr().out.split("\n"))
    show_progress({"copied": most, "of": 3})
    with pytest.raises(VerbError, match="for of, which is no count"):
        show_progress({"copied": 1, "of": 10**4000})


NO_ANSWERS = {
    "words": b"Welcome\n",
    "a list": b"[1]\n",
    "lists in lists": b"[" * 100_000 + b"\n",
    "a number of many digits": b'{"checkpoints": [], "restart": 1' + b"0" * 5000 + b"}\n",
    "no end of a line": b"a" * 20_000_000,
}


@pytest.mark.parametrize("line", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_what_is_no_answer_is_an_error_in_a_line(line: bytes) -> None:
    with pytest.raises(VerbError, match=r"^python3 in pod-0 gave no answer, and said: .{1,80}$"):
        Said(show_progress, "pod-0").hear(STDOUT_CHANNEL, line)


@pytest.mark.parametrize("cut", ["state", "manifest.json"])
def test_it_agrees_with_the_classifier_on_what_it_wrote(tmp_path: Path, cut: str) -> None:
    run = Run(tmp_path, 3, 60)
    for count in range(1, 4):
        run.write([{"epoch": 1.0}] * count, lambda file: file.write(STATE))
    os.truncate(tmp_path / "checkpoint_000002" / cut, 3)
    newest = run.newest()
    found = listed(tmp_path)
    assert newest is not None
    assert newest.folder.name == f"checkpoint_{found.restart:06d}" == "checkpoint_000001"


@pytest.mark.parametrize(("stack", "kind"), TRAININGS)
def test_they_are_looked_for_where_a_change_says_that_the_job_goes_on_from(
    register: Register, stack: str, kind: str
) -> None:
    keys = ("hugging_face_token",)
    plan = validate(stack_config(stack), secrets_set=frozenset(keys))
    made = {it.name: it.inputs for it in built(register, stack, keys=keys).of_type(kind)}
    for (_, name), job in planned_jobs(plan).items():
        found = Found(RAY_JOB if kind == ":RayJob" else JOB, made[name])
        where = whereabouts(found, None)
        assert f"checkpoint in {where.folder}, where" in job.resumes


def test_a_ray_cluster_stands_in_for_a_job_without_a_pod(register: Register) -> None:
    cluster = built(register, "gcsfuse-checkpoint").one(":RayCluster").inputs
    found = whereabouts(Found(RAY_CLUSTER, cluster), "/data/run")
    assert (found.folder, found.layout.told_whole) == ("/data/run", False)


def own(*words: str) -> Found:
    """A job of a program that nobody here knows."""
    container = {"command": list(words)}
    template = {"spec": {"template": {"spec": {"containers": [container]}}}}
    jobs = [{"name": "it", "template": template}]
    metadata = {"name": "mine", "uid": "", "creationTimestamp": "2026-01-01T00:00:00Z"}
    return Found(JOB_SET, {"metadata": metadata, "spec": {"replicatedJobs": jobs}})


def test_of_a_script_the_folder_has_to_be_said(tmp_path: Path) -> None:
    job = own("python3", "/etc/script/mine.py", "run_name=it", "storage_path=/data")
    with pytest.raises(VerbError, match=r"aistack checkpoints mine --folder PATH"):
        whereabouts(job, None)
    where = whereabouts(
        job,
        str(written(tmp_path, {"epoch-3/w": "w", "model_12.pt": "m", "x": "", "4.copying/w": "w"})),
    )
    found = checkpoints_of(where.folder, answered(listing_of(where)))
    assert {it.name: it.step for it in found.checkpoints} == {"epoch-3": 3, "model_12.pt": 12}
    assert found.of_step(12).missing is None
    assert found.next_start == "which one a restart takes, its own program knows"


@pytest.mark.parametrize(
    ("step", "said"),
    [(1, "checkpoint_000001 is not whole: state has 3 of 7 bytes; nearest: 0"), (7, "step 7; ne")],
)
def test_what_is_not_whole_or_not_there_is_not_copied(tmp_path: Path, step: int, said: str) -> None:
    found = listed(written(tmp_path, LAID_OUT["train.py"][0]))
    with pytest.raises(VerbError, match=said):
        found.of_step(step)


def test_of_two_of_a_step_the_whole_one_is_meant(tmp_path: Path) -> None:
    found = listed(written(tmp_path, LAID_OUT["nemo_rl_grpo.sh"][0]), "nemo_rl_grpo.sh")
    assert found.of_step(10).name == "step_10"


def tree(folder: Path) -> dict[str, str]:
    files = [it for it in folder.rglob("*") if it.is_file()]
    return {str(it.relative_to(folder)): it.read_text() for it in files}


def copied(source: Path, to: Path) -> JsonObject:
    return answered({"source": str(source), "to": str(to)})


def test_a_copy_is_the_same_and_alone_even_after_one_that_was_stopped(tmp_path: Path) -> None:
    source = written(tmp_path / "step_2", {"a": "1", "deep/er/b": "22"})
    to = tmp_path / "bucket" / "kept" / "step_2"
    written(tmp_path, {"bucket/kept/step_2.copying/left": "over"})
    assert copied(source, to) == {"to": str(to), "bytes": 3, "files": 2}
    assert tree(tmp_path / "bucket") == {"kept/step_2/a": "1", "kept/step_2/deep/er/b": "22"}


def test_a_file_is_a_checkpoint_too(tmp_path: Path) -> None:
    written(tmp_path, {"model_12.pt": "m"})
    copied(tmp_path / "model_12.pt", tmp_path / "bucket" / "model_12.pt")
    assert tree(tmp_path / "bucket") == {"model_12.pt": "m"}


def exists(_: Path, to: Path) -> None:
    written(to, {"a": "other"})


def was_stopped(_: Path, to: Path) -> None:
    written(to.parent, {"step_2/a": "1", "step_2.copying/b": "2"})


def has_a_file_above(_: Path, to: Path) -> None:
    to.parent.write_text("")


def went(source: Path, _: Path) -> None:
    (source / "a").unlink()


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (exists, "is there already; nearest: another folder"),
        (was_stopped, "step_2.copying: their copy was stopped"),
        (has_a_file_above, "Not a directory"),
        (went, "changed while it was copied"),
    ],
)
def test_a_copy_that_cannot_be_is_refused_and_leaves_what_is_there(
    tmp_path: Path, before: Callable[[Path, Path], None], said: str
) -> None:
    source, to = written(tmp_path / "step_2", {"a": "1"}), tmp_path / "bucket" / "step_2"
    before(source, to)
    there = tree(tmp_path)
    assert said in copied(source, to)["refused"]
    assert tree(tmp_path) == there
