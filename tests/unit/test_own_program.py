"""What a program of one's own is run with: its config as a copy, its stack, its Python."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi.runtime.proto import language_pb2

from catalog import Catalog
from cli.errors import UserError
from sandbox.cloud.cloud import Cloud
from sandbox.own_program.at_hand import have_apis, have_cluster
from sandbox.own_program.language_host import python_of
from sandbox.own_program.run import ProgramOptions, program_workspace, run
from sandbox.own_program.workspace import ProgramWorkspace
from sandbox.secrets import PLACEHOLDER
from tests.own_program.programs import written

PROJECT = {"Pulumi.yaml": "name: own\nruntime: python\n"}


def workspace(tmp_path: Path, stack: str | None = None, **files: str) -> ProgramWorkspace:
    named = {f"Pulumi.{name}.yaml": text for name, text in files.items()}
    program = written({**PROJECT, **named}, tmp_path / "program")
    return program_workspace(program, tmp_path / "sandbox", stack)


def copied(own: ProgramWorkspace, *overrides: str) -> dict[str, Any]:
    own.prepare(overrides)
    return yaml.safe_load(own.config_file.read_text())["config"]


@pytest.mark.parametrize(
    ("stack", "files", "taken"),
    [(None, (), "dev"), (None, ("prod",), "prod"), ("prod", ("dev", "prod"), "prod")],
)
def test_the_stack_is_the_one_that_is_meant(
    tmp_path: Path, stack: str | None, files: tuple[str, ...], taken: str
) -> None:
    assert workspace(tmp_path, stack, **dict.fromkeys(files, "config: {}")).stack == taken


def test_of_several_stacks_none_is_guessed(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^--stack: missing; nearest: dev, prod$"):
        workspace(tmp_path, dev="config: {}", prod="config: {}")


def test_a_stack_without_a_file_is_one_that_is_mistyped(tmp_path: Path) -> None:
    own = workspace(tmp_path, "pord", prod="config: {}")
    with pytest.raises(UserError, match=r"there is no Pulumi\.pord\.yaml; nearest: prod$"):
        own.prepare([])


def test_a_folder_without_a_project_is_refused(tmp_path: Path) -> None:
    written(PROJECT, tmp_path / "infra")
    with pytest.raises(UserError, match=r"no Pulumi\.yaml is there; nearest: infra$"):
        program_workspace(tmp_path, tmp_path / "sandbox", None)


def test_what_never_was_up_has_nothing_to_destroy(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"never up here; nearest: .* sandbox up --program "):
        run(workspace(tmp_path), "destroy", ProgramOptions(speed=1))


@pytest.mark.parametrize(
    ("config", "overrides", "expected"),
    [
        ({}, (), {"gcp:project": "sandbox-project"}),
        ({"gcp:project": "mine"}, (), {"gcp:project": "mine"}),
        ({"own:a": "1"}, ("a=2", "gcp:zone=us-east1-b"), {"own:a": "2", "gcp:zone": "us-east1-b"}),
        ({"own:a": {"secure": "v1:x"}}, (), {"own:a": PLACEHOLDER}),
        ({"own:a": {"b": [{"secure": "v1:x"}]}}, (), {"own:a": {"b": [PLACEHOLDER]}}),
    ],
)
def test_the_config_is_copied_with_what_the_command_sets(
    tmp_path: Path, config: dict[str, Any], overrides: tuple[str, ...], expected: dict[str, Any]
) -> None:
    own = workspace(tmp_path, dev=json.dumps({"config": config}))
    before = own.source.read_bytes()
    found = copied(own, *overrides)
    assert {key: found[key] for key in expected} == expected
    assert own.source.read_bytes() == before
    assert {it.name for it in own.project_folder.iterdir()} == {"Pulumi.yaml", "Pulumi.dev.yaml"}


def test_a_project_of_the_shell_is_none_of_the_sandboxs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_PROJECT", "from-the-shell")
    assert "gcp:project" not in copied(workspace(tmp_path))


@pytest.mark.parametrize("text", ["word", "=word"])
def test_a_value_without_its_key_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UserError, match=re.escape(f'--set: "{text}": must be KEY=VALUE')):
        workspace(tmp_path).prepare([text])


@pytest.mark.parametrize(
    ("named", "made", "taken"),
    [("", (), None), ("", (".venv",), ".venv"), ("venv", ("venv", ".venv"), "venv")],
)
def test_the_python_is_the_programs_own_where_it_has_one(
    tmp_path: Path, named: str, made: tuple[str, ...], taken: str | None
) -> None:
    for name in made:
        written({f"{name}/bin/python": ""}, tmp_path)
    info = language_pb2.ProgramInfo(
        root_directory=str(tmp_path), program_directory=str(tmp_path), entry_point="."
    )
    info.options.update({"virtualenv": named} if named else {})
    own = sys.executable if taken is None else str(tmp_path / taken / "bin" / "python")
    assert python_of(info) == own


@pytest.mark.parametrize(
    ("apis", "on"),
    [
        ("all", {"compute", "redis"}),
        ("compute,container", {"compute"}),
        ("compute.googleapis.com", {"compute"}),
        ("container", set()),
    ],
)
def test_apis_are_on_as_told(apis: str, on: set[str]) -> None:
    cloud = Cloud(Catalog.load())
    have_apis(cloud, apis)
    known = ("compute", "redis")
    assert {it for it in known if cloud.api_is_on("mine", f"{it}.googleapis.com")} == on


def test_an_api_that_is_none_is_refused() -> None:
    with pytest.raises(UserError, match=r'^--apis: "contaner": .*; nearest: container'):
        have_apis(Cloud(Catalog.load()), "contaner")


def test_the_cluster_at_hand_is_in_the_default_network_and_has_nodes() -> None:
    cloud = Cloud(Catalog.load(), has_defaults=True)
    have_cluster(cloud)
    have_cluster(cloud)
    cluster = cloud.cluster_at_hand
    assert cluster is not None
    assert list(cloud.inventory().values()) == [[cluster.id]]
