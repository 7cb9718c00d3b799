"""The commit that a review compares with, in small repositories of git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from review.base import Base, touches
from review.review import review
from sandbox.errors import UserError
from tests.review.conftest import git


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
        (("components/network.py",), True),
        (("workloads/verl/launcher.py", "docs/a.md"), True),
        (("requirements.txt",), True),
    ],
)
def test_only_files_that_a_stack_can_be_made_of_touch_it(
    files: tuple[str, ...], touched: bool
) -> None:
    assert touches("dev", frozenset(files)) is touched


def test_a_file_whose_name_is_no_stacks_is_told_in_one_line(repository: Path) -> None:
    (repository / "Pulumi.a b@c.yaml").write_text("config: {}\n")
    found = review(repository, "HEAD", ["a b@c"])
    (one,) = found.stacks
    assert (one.status, found.exit_code) == ("failed", 1)
    assert one.errors == (
        'Pulumi.a b@c.yaml: "a b@c" is no name of a stack; nearest: Pulumi.a-b-c.yaml',
    )
