"""Files of a script on a RayCluster, as a real Ray gives them to its workers: their processes are
on this machine, and find nothing of the head's folder, which the driver takes away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aistack.stack import Config
from aistack.submit.preflight import checked
from aistack.submit.request import Request
from components.ray.manifest import LAUNCHER_DIR
from stacks.tokens import SECRETS
from tests.conftest import stack_config
from tests.workloads.launchers.ray_head import Head

LAB = Config(stack_config("lab"), frozenset(SECRETS))
MODEL = """
import os
from pathlib import Path

def told():
    text = Path(os.environ["SCRIPT_DIR"], "words.txt").read_text().strip()
    return f"{text} in {os.getpid()}"
"""
TRAIN = """
import os, shutil
import ray
import model

assert not os.path.exists("model.py")
ray.init({values})
mine = os.environ["SCRIPT_DIR"]
shutil.rmtree(mine)
found = ray.get(ray.remote(model.told).remote())
assert str(os.getpid()) not in found
print("a worker said:", found)
"""


def spec_of(head_folder: Path, files: list[Path]) -> dict[str, Any]:
    """Of the RayJob, with what the head mounts in the folder."""
    parcel = checked(Request(name="mine", files=files), LAB, (), "lab").parcel
    for name, text in parcel.files.items():
        (head_folder / name).write_text(text.replace(LAUNCHER_DIR, str(head_folder)))
    spec = dict(parcel.work.obj["spec"])
    spec["entrypoint"] = spec["entrypoint"].replace(LAUNCHER_DIR, str(head_folder))
    return spec


def ran(head: Head, tmp_path: Path, values: str) -> tuple[str, str]:
    folder, launcher = tmp_path / "project", tmp_path / "launcher"
    folder.mkdir()
    launcher.mkdir()
    (folder / "train.py").write_text(TRAIN.format(values=values))
    (folder / "model.py").write_text(MODEL)
    (folder / "words.txt").write_text("hello\n")
    return head.submitted(tmp_path.name.replace("_", "-"), spec_of(launcher, [folder]))


@pytest.mark.parametrize("values", ["", "runtime_env={'env_vars': {'A': '1'}}"])
def test_a_worker_imports_and_reads_the_files_that_came_along(
    ray_head: Head, tmp_path: Path, values: str
) -> None:
    status, said = ran(ray_head, tmp_path, values)
    assert status == "SUCCEEDED", said
    assert "a worker said: hello in " in said


def test_a_folder_that_the_program_names_goes_before_them(ray_head: Head, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "model.py").write_text("def told():\n    return 'the program\\'s own in ' + '0'\n")
    status, said = ran(ray_head, tmp_path, f"runtime_env={{'working_dir': '{other}'}}")
    assert status == "SUCCEEDED", said
    assert "a worker said: the program's own in 0" in said
