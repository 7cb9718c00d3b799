"""The sandbox's copies of the user's config: overrides, placeholders, secrets."""

from __future__ import annotations

import errno
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml

from catalog import Catalog
from sandbox.errors import UserError
from sandbox.own_name import refuse_taken_name
from sandbox.workspace import Workspace

CONFIG = """
encryptionsalt: v1:theirs
config:
  gcp:region: us-east1
  gke-ai-stacks:hugging_face_token: {secure: v1:their-cipher-text}
  gke-ai-stacks:stack: {name: mine, pools: {gpu: {nodes: 1}}}
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.delenv("HUGGING_FACE_TOKEN", raising=False)
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    (tmp_path / "Pulumi.yaml").write_text("name: gke-ai-stacks\nruntime: python\n")
    (tmp_path / "Pulumi.mine.yaml").write_text(CONFIG)
    return Workspace(tmp_path / "sandbox", "mine", tmp_path)


def test_the_users_own_file_is_never_written(workspace: Workspace) -> None:
    workspace.prepare(["pools.gpu.nodes=4"])
    assert (workspace.project_folder / "Pulumi.mine.yaml").read_text() == CONFIG


def test_an_override_reaches_the_copy_by_its_path(workspace: Workspace) -> None:
    workspace.prepare(["pools.gpu.nodes=4", "stack.ray.mine.version=2.1.0", "gcp:zone=us-east1-b"])
    assert workspace.stack_object()["pools"] == {"gpu": {"nodes": 4}}
    assert workspace.stack_object()["ray"] == {"mine": {"version": "2.1.0"}}
    assert workspace.config()["gcp:zone"] == "us-east1-b"


def test_an_empty_override_takes_the_key_away(workspace: Workspace) -> None:
    workspace.prepare(["pools.gpu="])
    assert workspace.stack_object()["pools"] == {}


def test_a_config_whose_stack_is_no_object_has_the_usual_catalog(workspace: Workspace) -> None:
    workspace.prepare([])
    workspace.config_file.write_text("config: {gke-ai-stacks:stack: text}")
    assert workspace.catalog().zones == Catalog.load().zones


def test_a_stack_without_a_project_gets_the_sandboxes(workspace: Workspace) -> None:
    workspace.prepare([])
    assert workspace.config()["gcp:project"] == "sandbox-project"


def test_the_users_cipher_text_is_replaced_by_a_placeholder_to_encrypt(
    workspace: Workspace,
) -> None:
    missing = workspace.prepare([])
    assert set(missing) == {"gke-ai-stacks:hugging_face_token"}
    assert "their-cipher-text" not in workspace.config_file.read_text()
    assert "v1:theirs" not in workspace.config_file.read_text()


def test_a_secret_comes_from_the_environment(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANDB_API_KEY", "key-of-mine")
    assert workspace.prepare([])["gke-ai-stacks:wandb_api_key"] == "key-of-mine"
    assert "key-of-mine" not in workspace.config_file.read_text()


def test_a_secret_is_encrypted_again_only_when_it_has_changed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "gke-ai-stacks:hugging_face_token"
    value = workspace.prepare([])[key]
    document = yaml.safe_load(workspace.config_file.read_text())
    document["config"][key] = {"secure": "v1:ours"}
    workspace.config_file.write_text(yaml.safe_dump(document))
    workspace.remember_secret(key, value)
    assert workspace.prepare([]) == {}
    assert workspace.config()[key] == {"secure": "v1:ours"}
    monkeypatch.setenv("HUGGING_FACE_TOKEN", "another")
    assert workspace.prepare([]) == {key: "another"}


@pytest.mark.parametrize(
    ("override", "end"),
    [
        ("pools.gpu.nodes", "must be PATH=VALUE, e.g. pools.gpu.nodes=4"),
        ("hugging_face_token=hf_x", "nearest: the environment variable HUGGING_FACE_TOKEN"),
        ("name.of=x", "name holds no keys"),
        ("ray.mine.hf_token=xyzzy", "environment variable HUGGING_FACE_TOKEN or WANDB_API_KEY"),
        ("ray.mine.image=hf_x0123456789", "variable HUGGING_FACE_TOKEN or WANDB_API_KEY"),
        ("ray=[1", "nearest: quotes around it"),
    ],
)
def test_a_wrong_override_is_refused(workspace: Workspace, override: str, end: str) -> None:
    with pytest.raises(UserError) as refused:
        workspace.prepare([override])
    assert str(refused.value).endswith(end)
    assert "hf_x" not in str(refused.value)
    assert "xyzzy" not in str(refused.value)
    assert not workspace.config_file.exists()


def test_an_unknown_stack_is_refused_with_the_nearest(workspace: Workspace) -> None:
    other = Workspace(workspace.root, "mime", workspace.project_folder)
    with pytest.raises(UserError, match=r"there is no Pulumi.mime.yaml; nearest: mine$"):
        other.prepare([])


def test_two_commands_at_once_are_refused(workspace: Workspace) -> None:
    with workspace.lock(), pytest.raises(UserError, match=r"or give another --folder$"):
        workspace.lock()


@pytest.mark.parametrize(
    ("parts", "secrets"),
    [
        ("ray: {mine: {}}", set()),
        ("jobs: {grpo: {type: verl}}", set()),
        ("servers: {gemma: {}}", {"hugging_face_token"}),
    ],
)
def test_a_placeholder_stands_only_where_a_part_of_the_stack_needs_a_token(
    workspace: Workspace, parts: str, secrets: set[str]
) -> None:
    workspace.source.write_text(f"config: {{gke-ai-stacks:stack: {{{parts}}}}}")
    assert set(workspace.prepare([])) == {f"gke-ai-stacks:{name}" for name in secrets}


def test_a_copy_of_the_config_that_was_cut_is_made_anew(workspace: Workspace) -> None:
    workspace.prepare([])
    workspace.config_file.write_text("config: {a")
    workspace.prepare([])
    assert workspace.stack_object()["name"] == "mine"


def test_a_full_disk_takes_the_reserve_and_loses_nothing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.prepare([])
    reserve = workspace.root / "reserve"
    write = Path.write_text

    def full_while_reserved(file: Path, text: str, **how: Any) -> int:
        if reserve.exists():
            write(file, text[:2], **how)
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, text, **how)

    monkeypatch.setattr(Path, "write_text", full_while_reserved)
    workspace.cloud().save()
    assert not reserve.exists()
    monkeypatch.undo()
    assert workspace.cloud().inventory() == {}


@pytest.mark.parametrize(
    ("name", "project", "up", "refused"),
    [
        ("same", "sandbox-project", True, True),
        ("same", "sandbox-project", False, False),
        ("same", "another-project", True, False),
        ("other", "sandbox-project", True, False),
    ],
)
def test_a_name_under_which_another_stack_is_up_is_refused_before_the_preview(
    workspace: Workspace, name: str, project: str, up: bool, refused: bool
) -> None:
    def prepared(stack: str, name: str, project: str) -> Workspace:
        one = Workspace(workspace.root, stack, workspace.project_folder)
        block = f"{{name: {name}}}"
        one.source.write_text(f"config: {{gcp:project: {project}, gke-ai-stacks:stack: {block}}}")
        one.prepare([])
        return one

    theirs = prepared("theirs", name, project)
    if up:
        api = {"project": project, "service": "compute.googleapis.com"}
        urn = "urn:pulumi:theirs::p::gcp:projects/service:Service::api"
        theirs.cloud().begin_create("gcp:projects/service:Service", api, urn)
    mine = prepared("mine", "same", "sandbox-project")
    with pytest.raises(UserError) if refused else nullcontext() as found:
        refuse_taken_name(mine)
    if found is not None:
        assert str(found.value).endswith("names in a project are unique; nearest: same-2")
    refuse_taken_name(theirs)
