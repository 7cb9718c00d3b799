"""The files that users bring, as they lie on a disk; what is refused of them for a mistake is in
tests/parts/refused/brought.yaml."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from components.jobs.job_set_manifest import MAX_FILE_BYTES
from stacks.parts.jobs.script import Script
from stacks.parts.jobs.script_files import Brought, Tokens, read
from stacks.token_shapes import CREDENTIAL_FILES
from tests.parts.secret_samples import (
    FILE_SECRETS,
    MORE_FILE_SECRETS,
    NEW_WANDB_KEY,
    NO_FILE_SECRETS,
)

TOKENS = Tokens(of_stack=[])
BOTH = {"a": TOKENS, "b": TOKENS}


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
    return read(project, {"train": script}, {"train": TOKENS})


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


def test_a_configmap_holds_one_mib(project: Path) -> None:
    (project / "code" / "data.txt").write_text("x" * MAX_FILE_BYTES)
    found = refused(project, folder="code")
    assert f'"code" has {MAX_FILE_BYTES + 20} bytes, and a ConfigMap holds 1048576 (1 MiB)' in found
    assert found.endswith("nearest: a bucket in mounts, with the data in it")
    assert brought(project, file="code/data.txt").problems == ()


def test_a_pipe_in_the_folder_is_refused_and_not_read(project: Path) -> None:
    os.mkfifo(project / "code" / "pipe")
    found = refused(project, folder="code")
    assert "pipe is neither a file nor a folder; nearest: a file, or to delete it" in found


def test_scripts_of_one_raycluster_share_what_a_configmap_holds(project: Path) -> None:
    (project / "code" / "data.txt").write_text("x" * (MAX_FILE_BYTES // 2))
    values = {"type": "script", "command": ["run"], "file": "code/data.txt"}
    on_ray = Script.model_validate({**values, "ray": "r"})
    (problem,) = read(project, {"a": on_ray, "b": on_ray}, BOTH).problems
    assert problem.field == "jobs.b.ray"
    assert "scripts of r have" in problem.message
    apart = Script.model_validate({**values, "ray": "s"})
    assert read(project, {"a": on_ray, "b": apart}, BOTH).problems == ()


def test_a_link_within_the_folder_is_brought(project: Path) -> None:
    (project / "code" / "main.py").symlink_to("train.py")
    assert brought(project, folder="code").files["train"]["main.py"] == "import model\r\n"


@pytest.mark.parametrize("kind", FILE_SECRETS)
def test_a_secret_in_a_file_is_refused_by_its_line_and_not_repeated(
    project: Path, kind: str
) -> None:
    line, secret = FILE_SECRETS[kind]
    (project / "code" / "train.py").write_text(f"import os\n{line}\n")
    for found in (refused(project, folder="code"), refused(project, file="code/train.py")):
        assert f"train.py: line 2 looks like a secret ({kind}), which all who may read" in found
        assert secret not in found


def test_a_secret_of_which_the_stack_has_a_key_belongs_there(project: Path) -> None:
    near = {
        "Hugging Face token": "HF_TOKEN, which pods have from `pulumi config set --secret hugging_",
        "Weights & Biases key": "WANDB_API_KEY, which pods have from `pulumi config set --secret w",
        "Private Key": "a Secret of the cluster",
    }
    for kind, told in near.items():
        (project / "code" / "train.py").write_text(FILE_SECRETS[kind][0])
        assert f"nearest: {told}" in refused(project, file="code/train.py")


def test_a_key_of_weights_and_biases_of_the_new_kind_is_a_secret(project: Path) -> None:
    (project / "code" / "train.py").write_text(f"KEY = '{NEW_WANDB_KEY}'\n")
    assert "line 1 looks like a secret (Weights & Biases key)" in refused(project, folder="code")


@pytest.mark.parametrize("whose", MORE_FILE_SECRETS)
def test_a_secret_of_a_known_shape_is_refused_whoever_gave_it_out(
    project: Path, whose: str
) -> None:
    kind, line, secret = MORE_FILE_SECRETS[whose]
    (project / "code" / "train.py").write_text(f"import os\n{line.format(secret)}\n")
    found = refused(project, folder="code")
    assert f"train.py: line 2 looks like a secret ({kind}), which all who may read" in found
    assert secret not in found


@pytest.mark.parametrize("name", sorted(CREDENTIAL_FILES - {".netrc"}))
def test_a_file_that_is_credentials_by_its_name_is_refused_whatever_its_lines_are(
    project: Path, name: str
) -> None:
    (project / "code" / name).write_text("machine a\n  password b\n")
    found = refused(project, folder="code")
    assert f"{name}: line 1 looks like a secret (a file of credentials, by its name)" in found


@pytest.mark.parametrize("line", NO_FILE_SECRETS)
def test_what_only_resembles_a_secret_is_brought(project: Path, line: str) -> None:
    (project / "code" / "train.py").write_text(f"{line}\n")
    assert brought(project, folder="code").problems == ()


def test_a_line_that_says_so_has_no_secret(project: Path) -> None:
    train = project / "code" / "train.py"
    line, _ = FILE_SECRETS["Hugging Face token"]
    train.write_text(f"{line}  # pragma: allowlist secret\n")
    assert brought(project, folder="code").problems == ()
    train.write_text(f"# pragma: allowlist nextline secret\n{line}\n")
    assert brought(project, folder="code").problems == ()
    train.write_text(f"{line}\n# pragma: allowlist nextline secret\n")
    assert "line 1 looks like a secret" in refused(project, folder="code")


def test_a_secret_in_the_longest_line_that_a_file_has_is_seen(project: Path) -> None:
    _, secret = FILE_SECRETS["Hugging Face token"]
    for at in (0, 900, 1000, 1023, 200_000):
        (project / "code" / "train.py").write_text(" " * at + secret + " " * 1000)
        assert "line 1 looks like a secret" in refused(project, folder="code")


@pytest.mark.parametrize(
    "pattern",
    [f"{'*m' * 40}b", f"{'*' * 40}b", f"{'**/m/' * 40}*b", f"!{'*m' * 40}b", r"\*[*]*b*b"],
)
def test_a_pattern_that_takes_for_ever_keeps_out_all_that_it_may_mean(
    project: Path, pattern: str
) -> None:
    (project / "code" / ("m" * 250)).write_text("a file")
    (project / "code" / ".gitignore").write_text(f"# [what] ** is ** kept *\n{pattern}\n")
    found = brought(project, folder="code")
    assert ("m" * 250 in found.files.get("train", {})) == pattern.startswith(("!", "**/"))


@pytest.mark.parametrize("ignore_file", [".gitignore", ".dockerignore"])
def test_what_the_folder_keeps_out_stays_behind(project: Path, ignore_file: str) -> None:
    line, _ = FILE_SECRETS["Private Key"]
    (project / "code" / "service-account.json").write_text(line)
    (project / "code" / "runs").mkdir()
    (project / "code" / ignore_file).write_text(
        "# kept here\n\n/*.json\nruns/\n!\nmodel*\n!model.py\n"
    )
    (project / "code" / "model.bin").write_bytes(b"\xff")
    found = brought(project, folder="code")
    assert sorted(found.files["train"]) == ["model.py", "train.py"]
    assert found.problems == ()


def test_what_the_repository_keeps_out_stays_behind_unless_the_folder_says_otherwise(
    project: Path,
) -> None:
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("*.env\nmodel.py\n")
    (project / ".dockerignore").write_text("code/train.py\nmodel.py\n")
    (project.parent / ".gitignore").write_text("*\n")
    (project / "code" / ".gitignore").write_text("!model.py\n")
    (project / "code" / "my.env").write_text("A=1\n")
    assert sorted(brought(project, folder="code").files["train"]) == ["model.py"]


def test_a_config_names_what_git_keeps_in_spite_of_a_pattern(project: Path) -> None:
    (project / ".git").mkdir()
    (project / "my.env").write_text("A=1\n")
    (project / ".gitignore").write_text("*.env\n!my.env\n")
    assert brought(project, file="my.env").files == {"train": {"my.env": "A=1\n"}}


def test_a_config_names_what_images_leave_out(project: Path) -> None:
    (project / ".dockerignore").write_text("*\n")
    assert brought(project, file="code/train.py").problems == ()


@pytest.mark.parametrize("path", [".env", "code/.env", "../outside.py", "/etc/passwd", ".git"])
@pytest.mark.parametrize("key", ["file", "folder"])
def test_a_config_names_no_hidden_file_and_none_outside_of_the_project(
    project: Path, key: str, path: str
) -> None:
    with pytest.raises(
        ValidationError, match="is not a relative path; nearest: one like runs/first"
    ):
        brought(project, **{key: path})


@pytest.mark.parametrize(
    "words",
    [
        ["--data_dir", "/data"],
        ["--report_to", "wandb"],
        ["--out", "out"],
        ["--out=out"],
        ["--log", "run.log"],
    ],
)
def test_a_word_that_reads_like_what_stays_behind_is_taken(project: Path, words: list[str]) -> None:
    (project / "code" / ".gitignore").write_text("data\nwandb\nout\n*.log\n")
    for name in ("data", "wandb", "out"):
        (project / "code" / name).mkdir()
    (project / "code" / "run.log").write_text("")
    command = ["python3", "$(SCRIPT_DIR)/train.py", *words]
    assert brought(project, folder="code", command=command).problems == ()
