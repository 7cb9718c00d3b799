"""The sandbox's copies of the user's config: overrides, placeholders, secrets."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from catalog import Catalog
from cli.errors import UserError
from sandbox.locks import engine_pid, stale_locks
from sandbox.workspace import Workspace
from stacks.config import validate
from stacks.stack_file import parse_stack_file
from tests.conftest import changed, stack_config
from tests.programs import WITH_TOKEN

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


@pytest.mark.parametrize("word", ["false", "off", '"no"', "0", "true", '"on"', "1"])
def test_a_stack_is_protected_by_the_words_that_the_program_takes(
    workspace: Workspace, word: str
) -> None:
    workspace.prepare([f"deletion_protection={word}"])
    plan = validate(
        changed(stack_config("dev"), deletion_protection=yaml.safe_load(word)),
        secrets_set=WITH_TOKEN,
    )
    assert workspace.is_protected is plan.stack.deletion_protection


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


SECRETS = "variable HUGGING_FACE_TOKEN or WANDB_API_KEY or MODEL_SERVER_KEY"


@pytest.mark.parametrize(
    ("override", "end"),
    [
        ("pools.gpu.nodes", "must be PATH=VALUE, e.g. pools.gpu.nodes=4"),
        ("hugging_face_token=hf_x", "nearest: the environment variable HUGGING_FACE_TOKEN"),
        ("name.of=x", "name holds no keys"),
        ("ray.mine.hf_token=xyzzy", SECRETS),
        ("ray.mine.image=hf_x0123456789", SECRETS),
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


def test_what_a_full_disk_did_not_take_is_as_it_was(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.prepare([])
    before = workspace.config_file.read_text()
    write = Path.write_text

    def full(file: Path, text: str, **how: Any) -> int:
        write(file, text[:2], **how)
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_text", full)
        with pytest.raises(OSError, match="No space left"):
            workspace.prepare(["pools.gpu.nodes=4"])
    assert workspace.config_file.read_text() == before
    workspace.prepare(["pools.gpu.nodes=4"])


def test_half_a_lock_is_of_a_process_that_is_no_more(tmp_path: Path) -> None:
    lock = tmp_path / ".pulumi" / "locks" / "organization" / "p" / "dev" / "a.json"
    lock.parent.mkdir(parents=True)
    lock.write_text('{"pid": ')
    assert stale_locks(tmp_path)
    assert engine_pid(tmp_path) is None
    lock.write_text(json.dumps({"pid": os.getpid()}))
    assert not stale_locks(tmp_path)
    assert engine_pid(tmp_path) == os.getpid()


@pytest.mark.parametrize(
    ("overrides", "end"),
    [
        (["pools.gpu.nodes=2", "pools.gpu.nodes=3"], "--set: pools.gpu.nodes: stands twice; "),
        (["pools.gpu.nodes=2", "stack.pools.gpu.nodes=2"], "stands twice; nearest: one of them"),
        (["pools.gpu.nodes=2", "pools={}"], "pools.gpu.nodes: lies within pools, which is set"),
        (["pools.gpu=", "pools.gpu.nodes=2"], "pools.gpu.nodes: lies within pools.gpu, which"),
        (["gcp:zone=a", "gcp:zone=b"], "--set: gcp:zone: stands twice; nearest: one of them"),
        (["pools.gpuu="], "pools.gpuu=: takes away a key that the file does not have; nearest: "),
        (["pools.gpu={nodes: 1, nodes: 2}"], "nodes: stands twice, in line 1"),
    ],
)
def test_overrides_that_contradict_each_other_or_the_file_are_refused(
    workspace: Workspace, overrides: list[str], end: str
) -> None:
    with pytest.raises(UserError) as refused:
        workspace.prepare(overrides)
    assert end in str(refused.value)
    assert not workspace.config_file.exists()


@pytest.mark.parametrize("path", ["pools", "stack.pools", "gke-ai-stacks:stack.pools"])
def test_every_form_of_a_path_is_the_same_path(workspace: Workspace, path: str) -> None:
    workspace.prepare([f"{path}.gpu.nodes=4"])
    assert workspace.stack_object()["pools"] == {"gpu": {"nodes": 4}}
    assert set(workspace.config()) >= {"gke-ai-stacks:stack", "gcp:region"}
    assert not [key for key in workspace.config() if "pools" in key]


def test_an_override_is_read_as_a_value_of_the_file_is(workspace: Workspace) -> None:
    workspace.prepare(["labels.a=yes", "pools.gpu.nodes=0o4"])
    assert workspace.stack_object()["labels"] == {"a": "yes"}
    assert workspace.stack_object()["pools"] == {"gpu": {"nodes": 4}}


def test_an_override_changes_the_one_of_two_that_share_an_anchor(workspace: Workspace) -> None:
    workspace.source.write_text("config: {stack: {pools: {a: &x {nodes: 1}, b: *x}}}")
    workspace.prepare(["pools.a.nodes=2"])
    assert workspace.stack_object()["pools"] == {"a": {"nodes": 2}, "b": {"nodes": 1}}


def test_a_key_that_stands_twice_is_told_with_its_file(workspace: Workspace) -> None:
    workspace.source.write_text("config:\n  stack:\n    buckets: {a: {}}\n    buckets: {b: {}}\n")
    with pytest.raises(UserError) as refused:
        workspace.prepare([])
    assert str(refused.value) == (
        "Pulumi.mine.yaml: stack.buckets: stands twice, in lines 3 and 4; "
        "nearest: one block with both"
    )


def test_the_copy_says_to_the_engine_what_the_file_says(workspace: Workspace) -> None:
    values = "{a: 'yes', b: '0o17', c: '2026-01-03', d: '1e3', e: 2026-01-03, f: 1e3, g: '~'}"
    workspace.source.write_text(f"config: {{stack: {{labels: {values}}}}}")
    workspace.prepare([])
    wanted = parse_stack_file(workspace.source.read_bytes(), "gke-ai-stacks").config
    assert workspace.stack_object() == wanted["gke-ai-stacks:stack"]
    assert '"0o17"' in workspace.config_file.read_text()


@pytest.mark.parametrize("name", ["Pulumi.mine", "Pulumi.mine.yaml", "mine.yaml"])
def test_the_file_of_a_stack_in_place_of_its_name_leads_to_the_name(
    workspace: Workspace, name: str
) -> None:
    other = Workspace(workspace.root, name, workspace.project_folder)
    with pytest.raises(UserError, match=r"not that of its file; nearest: mine$"):
        other.prepare([])


def test_a_file_with_another_ending_is_one_that_pulumi_passes_over(workspace: Workspace) -> None:
    workspace.source.rename(workspace.source.with_suffix(".yml"))
    with pytest.raises(UserError, match=r"passes over Pulumi.mine.yml; nearest: mv Pulumi"):
        workspace.prepare([])


SECRET = "gke-ai-stacks:hugging_face_token"


def _encrypt(workspace: Workspace, overrides: list[str]) -> dict[str, str]:
    """As the engine does with what is missing."""
    missing = workspace.prepare(overrides)
    document = yaml.safe_load(workspace.config_file.read_text())
    for key, value in missing.items():
        document["config"][key] = {"secure": "v1:ours"}
        workspace.remember_secret(key, value)
    workspace.config_file.write_text(yaml.safe_dump(document))
    return missing


def test_a_secret_that_was_encrypted_once_stays_when_nothing_needs_it_any_more(
    workspace: Workspace,
) -> None:
    workspace.source.write_text("config: {stack: {servers: {gemma: {}}}}")
    assert set(_encrypt(workspace, [])) == {SECRET}
    workspace.source.write_text("config: {stack: {ray: {}}}")
    assert workspace.prepare([]) == {}
    assert workspace.config()[SECRET] == {"secure": "v1:ours"}


def test_a_secret_goes_when_the_users_file_has_it_no_more(workspace: Workspace) -> None:
    assert set(_encrypt(workspace, [])) == {SECRET}
    workspace.source.write_text("config: {stack: {ray: {}}}")
    workspace.prepare([])
    assert SECRET not in workspace.config()


def test_a_secret_of_the_environment_stays_without_the_variable(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUGGING_FACE_TOKEN", "first")
    assert _encrypt(workspace, []) == {SECRET: "first"}
    monkeypatch.delenv("HUGGING_FACE_TOKEN")
    assert workspace.prepare([]) == {}


def test_a_token_in_plain_reaches_no_copy(workspace: Workspace) -> None:
    workspace.source.write_text("config: {hugging_face_token: hf_plainplain, stack: {ray: {}}}")
    workspace.prepare([])
    assert "hf_plainplain" not in workspace.config_file.read_text()


def test_secrets_that_a_real_stack_is_still_to_be_given_are_known(workspace: Workspace) -> None:
    _encrypt(workspace, [])
    assert workspace.secrets_to_set() == []
    workspace.source.write_text("config: {stack: {servers: {gemma: {}}}}")
    _encrypt(workspace, [])
    assert workspace.secrets_to_set() == [SECRET]


def test_what_pulumi_yaml_gives_every_stack_is_in_the_config(workspace: Workspace) -> None:
    (workspace.project_folder / "Pulumi.yaml").write_text(
        "name: gke-ai-stacks\nruntime: python\nconfig:\n  gcp:project: shared\n"
        "  gcp:zone: {value: us-east1-b}\n  gcp:region: us-west1\n  other: {type: string}\n"
    )
    workspace.prepare([])
    found = workspace.config()
    assert (found["gcp:project"], found["gcp:zone"]) == ("shared", "us-east1-b")
    # The stack's own file has another.
    assert found["gcp:region"] == "us-east1"
    assert "gke-ai-stacks:other" not in found


def test_a_repository_that_an_image_is_in_is_there_and_no_stacks(workspace: Workspace) -> None:
    image = "us-docker.pkg.dev/sandbox-project/team/train:1"
    images = [f"jobs.a.image={image}", "jobs.b.image=gcr.io/sandbox-project/train:1"]
    workspace.prepare([*images, "jobs.c.image=us-docker.pkg.dev/others/theirs/train:1"])
    cloud = workspace.cloud()
    found = cloud.find("gcp:artifactregistry/repository:Repository")
    assert {it.inputs["repositoryId"] for it in found} == {"team", "gcr.io"}
    assert cloud.inventory("mine") == {}
