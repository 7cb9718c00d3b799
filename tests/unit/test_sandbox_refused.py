"""A mistake in the config is told once, and before the engine plans anything."""

import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pulumi
import pytest

from review import preview
from sandbox.engine import Verb
from sandbox.of_stacks.refused import refused
from sandbox.program import load_program
from sandbox.workspace import Workspace
from tests.conftest import ROOT


def prepared(root: Path, *overrides: str) -> tuple[Workspace, dict[str, str]]:
    workspace = Workspace(root, "dev")
    return workspace, workspace.prepare(overrides)


@pytest.mark.parametrize("verb", ["preview", "up"])
def test_all_mistakes_are_one_report_and_nothing_is_planned(tmp_path: Path, verb: Verb) -> None:
    workspace, secrets = prepared(tmp_path, "pools.gpu.nodes=many", "name=Bad_Name")
    result = refused(workspace, verb, secrets)
    assert result is not None
    assert (result.ok, result.report.changes) == (False, {})
    (report,) = result.report.diagnostics
    assert [line.partition(": ")[0].strip() for line in report.splitlines()] == [
        "The config has 2 mistakes; nothing was changed.",
        "stack.name",
        "stack.pools.gpu.nodes",
    ]


def test_a_right_config_goes_to_the_engine(tmp_path: Path) -> None:
    workspace, secrets = prepared(tmp_path)
    assert refused(workspace, "up", secrets) is None


def test_what_is_up_can_be_destroyed_whatever_the_config_says(tmp_path: Path) -> None:
    workspace, secrets = prepared(tmp_path, "pools.gpu.nodes=many")
    assert refused(workspace, "destroy", secrets) is None


@pytest.mark.parametrize(
    ("project", "override", "names"),
    [
        ("", "name=dev", ['stack.name: "dev": Pulumi.dev.yaml has it']),
        ("gcp:project: another-project", "name=dev", []),
        ("", "name=dev-2", []),
    ],
)
def test_two_files_with_one_name_in_one_project_are_refused(
    tmp_path: Path, project: str, override: str, names: list[str]
) -> None:
    dev = (ROOT / "Pulumi.dev.yaml").read_text()
    (tmp_path / "Pulumi.yaml").write_text((ROOT / "Pulumi.yaml").read_text())
    (tmp_path / "Pulumi.dev.yaml").write_text(dev)
    (tmp_path / "Pulumi.mine.yaml").write_text(dev.replace("config:", f"config:\n  {project}"))
    workspace = Workspace(tmp_path / "sandbox", "mine", tmp_path)
    result = refused(workspace, "preview", workspace.prepare([override]))
    lines = result.report.diagnostics[0].splitlines()[1:] if result else []
    assert [line.strip().partition(" for the")[0] for line in lines] == names


def test_a_review_tells_a_mistake_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: gke-ai-stacks\nruntime: python\n")
    (tmp_path / "Pulumi.mine.yaml").write_text("config: {gke-ai-stacks:stack: {kind: dev}}")
    here = partial(Workspace, project_folder=tmp_path)
    monkeypatch.setattr(preview, "Workspace", here)
    preview.main("mine", tmp_path / "sandbox", tmp_path / "out.json")
    (error,) = json.loads((tmp_path / "out.json").read_text())["errors"]
    title, *lines = error.splitlines()
    assert title == "The config has 1 mistake; nothing was changed."
    assert [line.partition(": ")[0].strip() for line in lines] == ["stack.kind"]


def test_a_program_that_ended_shows_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "__main__.py").write_text("raise SystemExit(32)\n")
    with pytest.raises(pulumi.RunError, match="ended with what it said above"):
        load_program(tmp_path)


def test_a_program_tells_its_engine_no_debug_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    monkeypatch.setattr("pulumi.log.get_engine", lambda: SimpleNamespace(Log=told.append))
    monkeypatch.setattr("pulumi.log.debug", pulumi.log.debug)
    lines = "import pulumi\npulumi.log.debug('hidden')\npulumi.log.info('shown')\n"
    (tmp_path / "__main__.py").write_text(lines)
    load_program(tmp_path)
    assert [it.message for it in told] == ["shown"]


def _report(root: Path, text: str, *overrides: str) -> list[str]:
    """What is said of a stack file with this text."""
    project = root / "project"
    project.mkdir()
    (project / "Pulumi.yaml").write_text((ROOT / "Pulumi.yaml").read_text())
    (project / "Pulumi.dev.yaml").write_text(text)
    workspace = Workspace(root / "sandbox", "dev", project)
    result = refused(workspace, "preview", workspace.prepare(overrides))
    if result is None:
        return []
    (report,) = result.report.diagnostics
    return [line.strip() for line in report.splitlines()[1:]]


DEV = (ROOT / "Pulumi.dev.yaml").read_text()


@pytest.mark.parametrize("prefix", ["", "gke-ai-stacks:", "gke-ai-stacks:config:"])
def test_a_token_in_plain_is_refused_without_its_value(tmp_path: Path, prefix: str) -> None:
    text = DEV.replace("config:\n", f"config:\n  {prefix}hugging_face_token: hf_plainplain\n")
    (line,) = _report(tmp_path, text)
    assert line == (
        "hugging_face_token: stands in plain, for everybody who reads the file; nearest: a new one "
        "by pulumi config set --secret hugging_face_token --stack dev, and none that others have "
        "read"
    )


def test_a_token_in_plain_that_is_taken_away_is_not_refused(tmp_path: Path) -> None:
    text = DEV.replace("config:\n", "config:\n  hugging_face_token: hf_plainplain\n")
    assert _report(tmp_path, text, "hugging_face_token=") == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "gke-ai-stacks:stack:",
            "stak:",
            ["stak: nothing reads this key of the config; nearest: stack"],
        ),
        (
            "config:\n",
            "config:\n  gke-ai-stacks:stack.pools.gpu.nodes: 4\n",
            [
                "stack.pools.gpu.nodes: nothing reads this key of the config; nearest: --path, or "
                "--config-path"
            ],
        ),
        (
            "gcp:zone: us-central1-a",
            "gcp:zone: {secure: v1:x}",
            ["gcp:zone: encrypted, and the sandbox has no key to it; nearest: --set gcp:zone=ZONE"],
        ),
        ("name: dev", "name: {secure: v1:x}", ["stack: is a secret, or has one in it"]),
    ],
)
def test_what_no_program_reads_of_a_config_is_told_once(
    tmp_path: Path, old: str, new: str, said: list[str]
) -> None:
    found = _report(tmp_path, DEV.replace(old, new))
    assert [line[: len(part)] for line, part in zip(found, said, strict=True)] == said


def test_a_config_without_prefix_goes_to_the_engine(tmp_path: Path) -> None:
    assert _report(tmp_path, DEV.replace("gke-ai-stacks:stack:", "stack:")) == []
