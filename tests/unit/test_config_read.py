"""Reading the config from Pulumi, once, with one error for everything that is wrong."""

import json
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml
from pulumi.runtime import set_all_config

from stacks.config import ConfigError
from stacks.pulumi_config import read
from tests.conftest import PROJECT, TOKEN, Register, changed


def set_config(stack: Any, **extra: str) -> None:
    places = ("project", "region", "zone")
    values = {f"gcp:{key}": stack[key] for key in places if key in stack}
    rest = {key: value for key, value in stack.items() if key not in places}
    values[f"{PROJECT}:stack"] = json.dumps(rest)
    values |= {f"{PROJECT}:{key}": value for key, value in extra.items()}
    secret = [key for key in values if key.endswith(("token", "api_key"))]
    set_all_config(values, secret_keys=secret)


def test_a_right_config_is_read_with_its_secrets(register: Register, b200: Any) -> None:
    seen: dict[str, Any] = {}

    def program() -> None:
        set_config(b200, hugging_face_token=TOKEN)
        plan, secrets = read()
        seen.update(
            lustre=plan.stack.lustre is not None,
            project=plan.stack.project,
            secrets=set(secrets),
        )

    register(program)
    assert seen == {
        "lustre": True,
        "project": "my-project",
        "secrets": {"hugging_face_token"},
    }


@pytest.mark.parametrize(
    ("values", "end"),
    [
        ({"lustre__capacity_gib": 9500}, "nearest: 9000, 18000$"),
        ({"project": None}, "set it with: pulumi config set gcp:project PROJECT --stack test$"),
        (
            {"secrets_set": ["wandb_api_key"]},
            "does not stand here; nearest: as a secret of its own$",
        ),
    ],
)
def test_mistakes_come_as_one_error(
    register: Register, b200: Any, values: dict[str, Any], end: str
) -> None:
    def program() -> None:
        set_config(changed(b200, **values), hugging_face_token=TOKEN)
        read()

    with pytest.raises(ConfigError, match=end) as caught:
        register(program)
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize(
    ("config", "end"),
    [
        ({}, "nearest: a copy of Pulumi.dev.yaml under the stack's name$"),
        ({f"{PROJECT}:stack": "text"}, "nearest: stack.name, stack.pools and the like$"),
        (
            {f"{PROJECT}:stack": '{"project": "p"}'},
            r"stack.project: does not stand here; nearest: in gcp:project$",
        ),
    ],
)
def test_a_config_that_is_no_config_is_refused(
    register: Register, config: dict[str, str], end: str
) -> None:
    def program() -> None:
        set_all_config(config)
        read()

    with pytest.raises(ConfigError, match=end):
        register(program)


def test_a_secret_object_is_refused_for_its_values_would_stand_in_the_state(
    register: Register, b200: Any
) -> None:
    def program() -> None:
        stack = json.dumps(changed(b200, project=None, region=None, zone=None))
        places = {f"gcp:{key}": b200[key] for key in ("project", "region", "zone")}
        set_all_config({**places, f"{PROJECT}:stack": stack}, secret_keys=[f"{PROJECT}:stack"])
        read()

    with pytest.raises(ConfigError, match=r"tokens as secrets of their own$") as caught:
        register(program)
    assert "a4-highgpu-8g" not in str(caught.value)


def test_what_is_near_a_secret_project_is_not_shown(register: Register, b200: Any) -> None:
    def program() -> None:
        stack = json.dumps(changed(b200, project=None, region=None, zone=None))
        values = {f"gcp:{key}": b200[key] for key in ("region", "zone")}
        values |= {"gcp:project": "My_Canary", f"{PROJECT}:stack": stack}
        values[f"{PROJECT}:hugging_face_token"] = TOKEN
        set_all_config(values, secret_keys=["gcp:project", f"{PROJECT}:hugging_face_token"])
        read()

    with pytest.raises(ConfigError, match="gcp:project") as caught:
        register(program)
    assert "canary" not in str(caught.value).lower()


@pytest.mark.parametrize(
    ("theirs", "stack", "refused"),
    [
        ("my-project", "mine", True),
        ("another-project", "mine", False),
        # Config that came by `--config-file`: the file beside may be that of this very stack.
        ("my-project", "without-a-file", False),
    ],
)
def test_the_name_in_another_stacks_file_is_one_of_the_mistakes(
    register: Register,
    b200: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    theirs: str,
    stack: str,
    refused: bool,
) -> None:
    config = {"gcp:project": theirs, f"{PROJECT}:stack": {"name": b200["name"]}}
    (tmp_path / "Pulumi.theirs.yaml").write_text(yaml.safe_dump({"config": config}))
    (tmp_path / "Pulumi.mine.yaml").touch()
    monkeypatch.setattr(pulumi, "get_root_directory", lambda: str(tmp_path))

    def program() -> None:
        set_config(changed(b200, lustre__capacity_gib=9500), hugging_face_token=TOKEN)
        read()

    with pytest.raises(ConfigError) as caught:
        register(program, stack=stack)
    found = [line for line in caught.value.lines if line.startswith("stack.name: ")]
    assert len(caught.value.lines) == 1 + len(found)
    assert found == (
        [
            'stack.name: "ray-a4-gpu-spot": Pulumi.theirs.yaml has it for the same project, and '
            "names in a project are unique; nearest: another name in Pulumi.mine.yaml, or in "
            "Pulumi.theirs.yaml where this stack is up already"
        ]
        if refused
        else []
    )


def _refused(register: Register, values: dict[str, str], folder: str = "") -> str:
    said: list[str] = []

    def program() -> None:
        set_all_config(values, secret_keys=[])
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(pulumi, "get_root_directory", lambda: folder)
            with pytest.raises(ConfigError) as refused:
                read()
        said.append(str(refused.value))

    register(program)
    (one,) = said
    return one


def _values(b200: Any) -> dict[str, str]:
    stack = {key: it for key, it in b200.items() if key not in ("project", "region", "zone")}
    return {
        f"{PROJECT}:stack": json.dumps(stack),
        **{f"gcp:{it}": b200[it] for it in ("project", "region", "zone")},
    }


def test_a_real_run_refuses_a_token_in_plain_without_its_value(
    register: Register, b200: Any
) -> None:
    key = f"{PROJECT}:hugging_face_token"
    said = _refused(register, {**_values(b200), key: "hf_plainplain"})
    assert "hugging_face_token: stands in plain" in said
    assert "pulumi config set --secret hugging_face_token" in said
    assert "hf_plainplain" not in said


def test_a_real_run_refuses_a_key_that_nothing_reads(register: Register, b200: Any) -> None:
    key = f"{PROJECT}:stack.pools.gpu.nodes"
    said = _refused(register, {**_values(b200), key: "4"})
    assert said.endswith(
        "stack.pools.gpu.nodes: nothing reads this key of the config; nearest: --path, or "
        "--config-path"
    )


def test_a_real_run_refuses_a_file_of_which_pulumi_read_a_part(
    register: Register, b200: Any, tmp_path: Path
) -> None:
    (tmp_path / "Pulumi.test.yaml").write_text("config: {a: 1}\n---\nconfig: {b: 2}\n")
    said = _refused(register, _values(b200), str(tmp_path))
    assert "Pulumi.test.yaml: line 3: a second document, which Pulumi passes over" in said


def test_a_real_run_with_a_config_file_looks_at_that_file_alone(
    register: Register, b200: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stack's own is of another day, and what is in it is none of this run's."""
    (tmp_path / "Pulumi.test.yaml").write_text("config: {a: 1}\n---\nconfig: {b: 2}\n")
    monkeypatch.setenv("PULUMI_OPTION_CONFIG_FILE", "given.yaml")
    (tmp_path / "given.yaml").write_text("configs: {}\n")
    said = _refused(register, _values(b200), str(tmp_path))
    assert "given.yaml: configs (line 1): Pulumi passes over such a key" in said
    assert "Pulumi.test.yaml" not in said
