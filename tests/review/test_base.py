"""The commit that a review compares with, in small repositories of git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from cli.errors import UserError
from review.base import Base, touches
from review.command import known_secrets
from review.review import review
from tests.review.conftest import git

_LINK = (
    "Pulumi.{}.yaml: is a link, which may lead to a file that others should not see; "
    "nearest: a file"
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits; between them one file is changed and one stack is added."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "Pulumi.yaml").write_text("name: it\n")
    (folder / "Pulumi.dev.yaml").write_text("config: {}\n")
    (folder / "program.py").write_text("first\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "first")
    (folder / "program.py").write_text("second\n")
    (folder / "Pulumi.new.yaml").write_text("config: {}\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "second")
    return folder


def test_a_commit_knows_its_stacks_and_what_changed_since(repository: Path) -> None:
    index = (repository / ".git" / "index").read_bytes()
    os.utime(repository / "Pulumi.yaml")
    base = Base.of(repository, "HEAD~1")
    assert base.stacks() == ["dev"]
    assert base.changed_files() == {"program.py", "Pulumi.new.yaml"}
    assert (repository / ".git" / "index").read_bytes() == index


def test_a_dirty_tree_counts_as_it_is(repository: Path) -> None:
    (repository / "Pulumi.dev.yaml").write_text("config: {a: 1}\n")
    (repository / "untracked name.py").write_text("\n")
    (repository / "program.py").unlink()
    changed = Base.of(repository, "main").changed_files()
    assert changed == {"Pulumi.dev.yaml", "untracked name.py", "program.py"}


def test_a_change_in_the_moment_of_the_commit_that_keeps_the_length_is_seen(
    repository: Path,
) -> None:
    (repository / "program.py").write_text("sEcond\n")
    now = (repository / ".git" / "index").stat().st_mtime_ns
    os.utime(repository / "program.py", ns=(now, now))
    git(repository, "add", "program.py")
    (repository / "program.py").write_text("seCond\n")
    index = (repository / ".git" / "index").stat().st_mtime_ns
    os.utime(repository / "program.py", ns=(index, index))
    os.utime(repository / ".git" / "index", ns=(index, index))
    assert "program.py" in Base.of(repository, "HEAD").changed_files()


def test_the_base_is_written_out_as_it_was(repository: Path, tmp_path: Path) -> None:
    Base.of(repository, "HEAD~1").export(tmp_path / "tree")
    assert (tmp_path / "tree" / "program.py").read_text() == "first\n"
    assert not (tmp_path / "tree" / "Pulumi.new.yaml").exists()
    assert git(repository, "status", "--porcelain") == ""


def test_a_shallow_clone_is_told_what_to_fetch(repository: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth=1", repository.as_uri(), str(clone))
    with pytest.raises(
        UserError, match=r"git fetch --depth=1 origin release, then --base FETCH_HEAD$"
    ):
        Base.of(clone, "origin/release")
    git(clone, "fetch", "--quiet", "--depth=1", "origin", "main")
    assert Base.of(clone, "FETCH_HEAD").stacks() == ["dev", "new"]


def test_a_config_that_is_no_file_is_refused_unread(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "key.json").write_text('{"private_key": "secret"}')
    (repository / "Pulumi.key.yaml").symlink_to(tmp_path / "key.json")
    (repository / "Pulumi.nowhere.yaml").symlink_to(tmp_path / "nowhere")
    (repository / "Pulumi.folder.yaml").mkdir()
    found = review(repository, "HEAD", ["key", "nowhere", "folder"])
    assert found.exit_code == 1
    assert {it.stack: it.errors for it in found.stacks} == {
        "folder": ("Pulumi.folder.yaml: is a folder; nearest: a file",),
        "key": (_LINK.format("key"),),
        "nowhere": (_LINK.format("nowhere"),),
    }
    assert list(known_secrets(repository)) == []


def test_an_unknown_commit_and_a_folder_without_git_say_what_helps(
    repository: Path, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=r"nearest: git fetch origin nothing$"):
        Base.of(repository, "nothing")
    with pytest.raises(UserError, match=r"nearest: git fetch origin --all$"):
        Base.of(repository, "--all")
    (tmp_path / "plain").mkdir()
    with pytest.raises(UserError, match=r"nearest: a clone of it$"):
        Base.of(tmp_path / "plain", "main")


@pytest.mark.parametrize(
    ("files", "touched"),
    [
        ((), False),
        (("docs/a.md", "README.md", "tests/unit/test_a.py", ".github/workflows/a.yml"), False),
        (("Pulumi.other.yaml",), False),
        (("Pulumi.dev.yaml",), True),
        (("Pulumi.yaml",), True),
        (("components/network/network.py",), True),
        (("workloads/verl/launcher.py", "docs/a.md"), True),
        (("requirements.txt",), True),
    ],
)
def test_only_files_that_a_stack_can_be_made_of_touch_it(
    tmp_path: Path, files: tuple[str, ...], touched: bool
) -> None:
    assert touches(tmp_path, "dev", frozenset(files)) is touched


NAMED = """config:
  gke-ai-stacks:stack:
    jobs:
      one: {type: script, file: docs/jobs/fetch.py, command: [python, docs/jobs/fetch.py]}
      two: {type: script, folder: ./tools//mine/, command: [sh]}
      gone: {type: script, file: tests/gone.py, command: [cat, /lustre, "", "a\\0b", ../x]}
      three: {type: script, file: Pulumi.other.yaml, command: [cat]}
"""


@pytest.mark.parametrize(
    ("file", "touched"),
    [
        ("docs/jobs/fetch.py", True),
        ("docs/jobs/other.py", False),
        ("tests/gone.py", True),
        ("docs/jobs/.gitignore", True),
        ("docs/.dockerignore", True),
        ("tests/.gitignore", True),
        ("review/.gitignore", False),
        ("tools/mine/a.md", True),
        ("tools/mine/deeper/a.md", True),
        ("tools/mine2/a.py", False),
        ("Pulumi.other.yaml", True),
        ("Pulumi.third.yaml", False),
        ("docs/a.md", False),
    ],
)
def test_what_a_config_names_is_what_its_stack_is_made_of(
    tmp_path: Path, file: str, touched: bool
) -> None:
    for name in ("docs/jobs/fetch.py", "tools/mine/a.md", "Pulumi.other.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "Pulumi.dev.yaml").write_text(NAMED)
    assert touches(tmp_path, "dev", frozenset({file})) is touched


def test_what_is_named_for_all_stacks_or_is_gone_is_part_of_each(tmp_path: Path) -> None:
    shared = yaml.safe_load(NAMED)["config"]["gke-ai-stacks:stack"]
    project = {"name": "gke-ai-stacks", "config": {"gke-ai-stacks:stack": {"value": shared}}}
    (tmp_path / "Pulumi.yaml").write_text(yaml.safe_dump(project))
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {}\n")
    assert touches(tmp_path, "dev", frozenset({"docs/jobs/fetch.py"}))


def test_beside_a_project_file_that_cannot_be_read_any_file_may_be(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("{name: gke-ai-stacks, stackConfigDir: elsewhere}")
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {}\n")
    assert touches(tmp_path, "dev", frozenset({"docs/jobs/fetch.py"}))


def test_behind_a_link_that_a_config_names_any_file_may_be(tmp_path: Path) -> None:
    (tmp_path / "docs" / "real").mkdir(parents=True)
    (tmp_path / "docs" / "real" / "fetch.py").touch()
    (tmp_path / "docs" / "jobs").symlink_to("real")
    (tmp_path / "Pulumi.dev.yaml").write_text(NAMED)
    assert touches(tmp_path, "dev", frozenset({"docs/real/fetch.py"}))


def test_a_file_whose_name_is_no_stacks_is_told_in_one_line(repository: Path) -> None:
    (repository / "Pulumi.a b@c.yaml").write_text("config: {}\n")
    found = review(repository, "HEAD", ["a b@c"])
    (one,) = found.stacks
    assert (one.status, found.exit_code) == ("failed", 1)
    assert one.errors == (
        'Pulumi.a b@c.yaml: "a b@c" is no name of a stack; nearest: Pulumi.a-b-c.yaml',
    )
