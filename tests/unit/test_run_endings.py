"""What is written and printed at the end of a command: summary objects, status, what is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.console import new_console
from cli.errors import UserError
from sandbox import run as runs
from sandbox import status
from sandbox.deployment import previewed_outputs
from sandbox.json_file import json_output
from sandbox.kube_choice import IN_MEMORY
from sandbox.workspace import Workspace
from tests.unit.test_sandbox_report import result

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
TOKEN = "gke-ai-stacks:hugging_face_token"


def test_a_dash_writes_the_object_to_standard_output_and_all_else_to_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with json_output(Path("-")) as write:
        print("engine")
        write({"a": 1})
        print("report")
    said = capsys.readouterr()
    assert json.loads(said.out) == {"a": 1}
    assert said.err == "engine\nreport\n"


def test_a_file_gets_the_object_and_output_stays_where_it_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with json_output(tmp_path / "run.json") as write:
        print("report")
        write([1])
    assert json.loads((tmp_path / "run.json").read_text()) == [1]
    assert capsys.readouterr().out == "report\n"
    with pytest.raises(UserError, match=r"is a folder; nearest: "), json_output(tmp_path):
        pytest.fail("nothing is run")


def test_a_previews_outputs_are_those_that_are_known() -> None:
    outputs = {"a": "x", "b": UNKNOWN, "c": [UNKNOWN, {"d": UNKNOWN}], "e": 1}
    assert previewed_outputs(outputs) == {"a": "x", "b": None, "c": [None, {"d": None}], "e": 1}


STATUS: dict[str, Any] = {
    "resources": {"gcp:storage/bucket:Bucket": ["a-bucket"]},
    "clusters": [
        {
            "id": "the-cluster",
            "state": "",
            "pools": {"gpu-pool": {"nodes": 1, "with_pods": 1, "state": ""}},
            "objects": {"RayJob": ["default/train"], "ConfigMap": ["default/other"]},
            "pods": [
                {
                    "name": "pod-0",
                    "namespace": "default",
                    "phase": "Pending",
                    "node": None,
                    "reason": "no GPU",
                }
            ],
            "queues": [],
        }
    ],
}


def test_status_begins_with_pools_pods_and_jobs_and_ends_with_ids(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(status, "describe", lambda workspace: STATUS)
    workspace = Workspace(tmp_path, "dev")
    workspace.work_dir.mkdir(parents=True)
    workspace.config_file.write_text("config: {}")
    status.show_status(workspace, None)
    printed = capsys.readouterr().out
    places = [printed.index(it) for it in ("gpu-pool", "pod-0", "default/train", "a-bucket")]
    assert places == sorted(places)
    assert "default/other" not in printed


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.delenv("HUGGING_FACE_TOKEN", raising=False)
    found = Workspace(tmp_path / "sandbox", "one", tmp_path)
    found.work_dir.mkdir(parents=True)
    return found


def ended(workspace: Workspace, file: str, copy: str, operation: str) -> None:
    workspace.source.write_text(f"config: {file}")
    workspace.config_file.write_text(f"config: {copy}")
    runs._print_after(result(operation=operation), workspace, real=False)


def test_a_run_ends_with_the_secret_that_a_real_stack_still_needs(
    workspace: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = "gke-ai-stacks:stack: {servers: {gemma: {}}}"
    copy = f"{{{stack}, {TOKEN}: {{secure: v1:x}}}}"
    command = "pulumi config set --secret hugging_face_token --stack one"
    ended(workspace, f"{{{stack}}}", copy, "preview")
    said = f"hugging_face_token: a placeholder; before a real up: {command}"
    assert capsys.readouterr().out.splitlines()[-1] == said
    monkeypatch.setenv("HUGGING_FACE_TOKEN", "mine")
    ended(workspace, f"{{{stack}}}", copy, "up")
    assert "from HUGGING_FACE_TOKEN, on the sandbox alone; before" in capsys.readouterr().out
    ended(workspace, copy, copy, "up")
    assert "hugging_face_token" not in capsys.readouterr().out


def test_values_that_a_real_stack_has_from_elsewhere_are_told(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace.source.write_text("environment: [prod]\nconfig: {}")
    workspace.config_file.write_text("config: {}")
    runs._print_after(result(operation="preview"), workspace, real=False)
    assert "environment: Pulumi.one.yaml has values from Pulumi ESC" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("operation", "queues", "told"),
    [("up", "{}", True), ("up", "null", False), ("preview", "{}", False)],
)
def test_what_queues_are_in_memory_is_told_where_there_are_queues(
    workspace: Workspace,
    capsys: pytest.CaptureFixture[str],
    operation: str,
    queues: str,
    told: bool,
) -> None:
    stack = f"{{gke-ai-stacks:stack: {{queues: {queues}}}}}"
    ended(workspace, stack, stack, operation)
    assert (IN_MEMORY in capsys.readouterr().out) is told


@pytest.mark.parametrize("queues", [[], ["gpus"]])
def test_status_shows_no_queue_in_memory_and_says_why(
    capsys: pytest.CaptureFixture[str], queues: list[str]
) -> None:
    objects = {"ClusterQueue": queues} if queues else {}
    cluster = {"id": "c", "state": "", "pools": {}, "pods": [], "queues": [], "objects": objects}
    status._print_cluster(new_console(), cluster)
    assert (IN_MEMORY in capsys.readouterr().out) is bool(queues)
