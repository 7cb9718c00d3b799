"""The files that users bring, as they lie on a disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from components.job_set_manifest import MAX_FILE_BYTES
from stacks.parts.jobs.script import Script
from stacks.parts.jobs.script_files import Brought, read


@pytest.fixture
def project(tmp_path: Path) -> Path:
    code = tmp_path / "code"
    (code / "__pycache__").mkdir(parents=True)
    (code / "train.py").write_bytes(b"import model\r\n")
    (code / "model.py").write_text("X = 1\n")
    (code / ".DS_Store").write_bytes(b"\xff")
    return tmp_path


def brought(project: Path, **values: Any) -> Brought:
    script = Script.model_validate({"type": "script", "command": ["run"], **values})
    return read(project, {"train": script})


def refused(project: Path, **values: Any) -> str:
    (problem,) = brought(project, **values).problems
    return f"{problem.field}: {problem.message}"


def test_a_file_is_read_as_it_is(project: Path) -> None:
    assert brought(project, file="code/train.py").files == {
        "train": {"train.py": "import model\r\n"}
    }


def test_of_a_folder_hidden_files_and_caches_stay_behind(project: Path) -> None:
    found = brought(project, folder="code")
    assert sorted(found.files["train"]) == ["model.py", "train.py"]
    assert found.problems == ()


def test_a_command_may_come_without_files(project: Path) -> None:
    assert brought(project) == Brought(files={"train": {}})


def test_what_is_not_there_is_refused_with_what_is(project: Path) -> None:
    assert refused(project, file="code/trian.py") == (
        'jobs.train.file: "code/trian.py" is not in the project\'s folder; nearest: code/train.py'
    )
    assert refused(project, folder="cod").endswith("nearest: code")
    assert refused(project, file="none/x.py").endswith("a path below the project's folder")


def test_a_folder_is_no_file_and_a_file_no_folder(project: Path) -> None:
    assert refused(project, file="code") == (
        'jobs.train.file: "code" is a folder; nearest: jobs.train.folder'
    )
    assert refused(project, folder="code/train.py").endswith("is a file; nearest: jobs.train.file")


def test_a_configmap_holds_one_mib(project: Path) -> None:
    (project / "code" / "data.txt").write_text("x" * MAX_FILE_BYTES)
    found = refused(project, folder="code")
    assert f'"code" has {MAX_FILE_BYTES + 20} bytes, and a ConfigMap holds 1048576 (1 MiB)' in found
    assert found.endswith("nearest: a bucket in mounts, with the data in it")
    assert brought(project, file="code/data.txt").problems == ()


def test_an_empty_folder_has_nothing_to_bring(project: Path) -> None:
    (project / "empty").mkdir()
    assert refused(project, folder="empty").endswith("has no files; nearest: leave it out")


def test_a_folder_in_the_folder_is_refused(project: Path) -> None:
    (project / "code" / "lib").mkdir()
    assert "has the folder lib, and files lie beside each other; nearest: its files in code" in (
        refused(project, folder="code")
    )


def test_what_is_no_text_is_refused(project: Path) -> None:
    (project / "code" / "model.bin").write_bytes(b"\xff\xfe")
    assert "model.bin cannot be read as text (UTF-8); nearest: a bucket" in (
        refused(project, folder="code")
    )


def test_a_name_that_a_configmap_cannot_have_is_refused(project: Path) -> None:
    (project / "code" / "my file.py").write_text("")
    found = refused(project, folder="code")
    assert '"my file.py"' in found
    assert found.endswith("nearest: my-file.py")


def test_scripts_of_one_raycluster_share_what_a_configmap_holds(project: Path) -> None:
    (project / "code" / "data.txt").write_text("x" * (MAX_FILE_BYTES // 2))
    values = {"type": "script", "command": ["run"], "file": "code/data.txt"}
    on_ray = Script.model_validate({**values, "ray": "r"})
    (problem,) = read(project, {"a": on_ray, "b": on_ray}).problems
    assert problem.field == "jobs.b.ray"
    assert "scripts of r have" in problem.message
    apart = Script.model_validate({**values, "ray": "s"})
    assert read(project, {"a": on_ray, "b": apart}).problems == ()
