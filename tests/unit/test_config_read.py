"""Reading the config from Pulumi, once, with one error for everything that is wrong."""

import json
from typing import Any

import pulumi
import pytest
from pulumi.runtime import set_all_config

from stacks.config import read
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
        config, secrets = read()
        seen.update(kind=config.kind, project=config.project, secrets=set(secrets))

    register(program)
    assert seen == {
        "kind": "lustre-training",
        "project": "my-project",
        "secrets": {"hugging_face_token"},
    }


@pytest.mark.parametrize(
    ("values", "end"),
    [
        ({"lustre__capacity_gib": 9500}, "nearest: 9000, 18000$"),
        ({"project": None}, "set it with: pulumi config set gcp:project PROJECT$"),
        (
            {"secrets_set": ["wandb_api_key"]},
            "does not stand here; nearest: as a secret of its own$",
        ),
    ],
)
def test_mistakes_come_as_one_error_without_a_traceback(
    register: Register, b200: Any, values: dict[str, Any], end: str
) -> None:
    def program() -> None:
        set_config(changed(b200, **values), hugging_face_token=TOKEN)
        read()

    with pytest.raises(pulumi.RunError, match=end) as caught:
        register(program)
    assert TOKEN not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("config", "end"),
    [
        ({}, "pulumi config set --path stack.kind lustre-training$"),
        ({f"{PROJECT}:stack": "text"}, "nearest: stack.kind and the keys beside it$"),
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

    with pytest.raises(pulumi.RunError, match=end):
        register(program)
