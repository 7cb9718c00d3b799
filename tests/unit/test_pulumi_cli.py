"""The Pulumi CLI that runs is the one that was tried, whatever else on the PATH has its name."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from cli import pulumi_cli
from cli.errors import UserError
from cli.project import TEMPLATE
from cli.pulumi_cli import PINNED, binary
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    binary.cache_clear()
    yield
    binary.cache_clear()


def plant(folder: Path, version: str) -> Path:
    """A program that is called pulumi, and tells of each time that it runs."""
    folder.mkdir(parents=True)
    program = folder / "pulumi"
    program.write_text(f"#!/bin/sh\necho \"$@\" >> '{folder}/ran'\necho '{version}'\n")
    program.chmod(0o700)
    return program


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where `make setup` builds it; nothing is there."""
    monkeypatch.setattr(pulumi_cli, "BUILT", tmp_path / "tools")
    return tmp_path / "tools" / "bin"


def test_what_was_built_runs_and_what_is_on_the_path_does_not(
    tmp_path: Path, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = plant(tmp_path / "planted", PINNED)
    monkeypatch.setenv("PATH", str(planted.parent), prepend=os.pathsep)
    own = plant(built, PINNED)
    assert binary() == own
    assert not (planted.parent / "ran").exists()


def test_one_on_the_path_is_taken_where_its_version_was_tried(
    tmp_path: Path, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = plant(tmp_path / "planted", PINNED)
    monkeypatch.setenv("PATH", str(planted.parent), prepend=os.pathsep)
    assert binary() == planted


@pytest.mark.parametrize("version", ["v3.0.0", "v3.148.0", "v4.0.0", ""])
def test_one_that_was_not_tried_is_refused_in_a_line(
    tmp_path: Path, built: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    planted = plant(tmp_path / "planted", version)
    monkeypatch.setenv("PATH", str(planted.parent), prepend=os.pathsep)
    with pytest.raises(UserError) as refused:
        binary()
    (line,) = str(refused.value).splitlines()
    assert line == (
        f"pulumi: {planted} is of version {version or 'unknown'}, and only {PINNED} was "
        "tried with this project; nearest: `make setup`, which builds it"
    )


def test_none_is_told_in_a_line(
    tmp_path: Path, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="none on the PATH"):
        binary()


@pytest.mark.parametrize(
    ("version", "environment", "is_built"),
    [
        ("v3.148.0", {}, True),
        (PINNED, {}, False),
        (PINNED, {"CI": "true"}, True),
    ],
)
def test_setup_builds_the_pinned_one_where_nothing_else_may_stand_in(
    tmp_path: Path, version: str, environment: dict[str, str], is_built: bool
) -> None:
    """In a workflow always: GitHub sets CI (documentation of GitHub, "Variables reference")."""
    planted = plant(tmp_path / "planted", version)
    path = f"{planted.parent}{os.pathsep}{os.environ['PATH']}"
    others = {key: it for key, it in os.environ.items() if key not in ("CI", "MAKEFLAGS")}
    done = subprocess.run(
        ["make", "-n", "-W", "tools/pulumi/go.mod", "setup"],
        cwd=ROOT,
        env={**others, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ("tools/pulumi/build.sh" in done.stdout) is is_built


@pytest.mark.parametrize("folder", [ROOT, TEMPLATE], ids=["here", "template"])
def test_pulumi_itself_refuses_other_versions_of_the_cli(folder: Path) -> None:
    """By the project's file, whoever calls it."""
    major, minor, _ = PINNED.removeprefix("v").split(".")
    project = yaml.safe_load((folder / "Pulumi.yaml").read_text(encoding="utf-8"))
    wanted = f">={major}.{minor}.0 <{major}.{int(minor) + 1}.0"
    assert project["requiredPulumiVersion"] == wanted


def test_what_is_built_here_is_the_pinned_one() -> None:
    pins = (ROOT / "tools" / "pulumi" / "go.mod").read_text(encoding="utf-8")
    assert f"github.com/pulumi/pulumi/pkg/v3 {PINNED} " in pins


def test_the_host_that_starts_the_program_is_of_the_clis_release() -> None:
    """The CLI takes what is called so on the PATH where none is beside it, of whatever version."""
    pins = (ROOT / "tools" / "pulumi-python" / "go.mod").read_text(encoding="utf-8")
    for module in ("pkg", "sdk"):
        assert f"github.com/pulumi/pulumi/{module}/v3 {PINNED}" in pins
    sums = (ROOT / "tools" / "pulumi-python" / "go.sum").read_text(encoding="utf-8")
    (host,) = re.findall(r"pulumi-language-python/v3 (\S+) // indirect", pins)
    assert f"pulumi-language-python/v3 {host} h1:" in sums
