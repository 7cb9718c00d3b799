"""What `--target` of a destroy on the sandbox takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.errors import UserError
from sandbox.targets import target_urns
from sandbox.workspace import Workspace

LUSTRE = "urn:pulumi:s::p::a:b:Lustre$gcp:lustre/instance:Instance::lustre-instance"
TWICE = [f"urn:pulumi:s::p::{it}::gpu" for it in ("a:b:NodePool", "c:d:RayCluster")]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    folder = tmp_path / "state" / ".pulumi" / "stacks" / "p"
    folder.mkdir(parents=True)
    there = [{"urn": it} for it in (LUSTRE, *TWICE)]
    state = {"checkpoint": {"latest": {"resources": there}}}
    (folder / "s.json").write_text(json.dumps(state))
    return Workspace(tmp_path, "s")


@pytest.mark.parametrize("target", [LUSTRE, "lustre-instance"])
def test_a_urn_and_a_logical_name_are_the_same_target(workspace: Workspace, target: str) -> None:
    assert target_urns(workspace, [target]) == [LUSTRE]


def test_a_pattern_is_the_engines(workspace: Workspace) -> None:
    assert target_urns(workspace, ["**::lustre-*"]) == ["**::lustre-*"]


@pytest.mark.parametrize("target", ["lustre-instanc", LUSTRE[:-1]])
def test_what_the_stack_does_not_have_is_refused_with_the_nearest(
    workspace: Workspace, target: str
) -> None:
    with pytest.raises(UserError) as refused:
        target_urns(workspace, [target])
    assert str(refused.value).startswith(f'--target: "{target}": ')
    assert str(refused.value).endswith("nearest: lustre-instance")


def test_a_name_that_several_have_is_refused_with_their_urns(workspace: Workspace) -> None:
    with pytest.raises(UserError) as refused:
        target_urns(workspace, ["gpu"])
    assert all(f"--target '{it}'" in str(refused.value) for it in TWICE)
