"""Words on a command line, and the job of a config that becomes of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aistack.errors import VerbError
from aistack.submit.request import Request, fields_of, job_of, variables_of
from tests.conftest import stack_config

SCRIPT = Path("train.py")


def test_a_script_runs_on_the_only_ray_cluster() -> None:
    found = job_of(Request(name="mine", files=[SCRIPT]), stack_config("lab"))
    assert found == {
        "type": "script",
        "ray": "lab",
        "command": ["python3", "$(SCRIPT_DIR)/train.py"],
    }


def test_a_job_of_the_stack_is_taken_with_other_values() -> None:
    request = Request(
        name="again", like="cifar-10", fields={"requests.cpu": 2}, variables={"EPOCHS": "3"}
    )
    before = stack_config("lab")["jobs"]["cifar-10"]
    requests = {**before["requests"], "cpu": 2}
    after = {**before, "requests": requests, "environment": {"EPOCHS": "3"}}
    assert job_of(request, stack_config("lab")) == after


SECRETS_OF_USERS = (
    "HF_TOKEN",
    "WANDB_API_KEY",
    "DB_PASSWORD",
    "AWS_SECRET_ACCESS_KEY",
    "SSH_PRIVATE_KEY",
    "WANDB_KEY",
    "GITHUB_PAT",
)


@pytest.mark.parametrize("name", SECRETS_OF_USERS)
@pytest.mark.parametrize("way", ["--env", "--set"])
def test_a_secret_is_not_taken_from_the_command_line(name: str, way: str) -> None:
    one = f"{name}=private"
    request = Request(name="mine", files=[SCRIPT], ray="lab")
    if way == "--env":
        request = replace(request, variables=variables_of([one]))
    else:
        request = replace(request, fields=fields_of([f"environment.{one}"]))
    with pytest.raises(VerbError, match="looks like a secret") as refused:
        job_of(request, stack_config("lab"))
    assert "private" not in str(refused.value)


COMMANDS_WITH_SECRETS = (
    "HF_TOKEN=private python3 train.py",
    "python3 train.py --wandb-api-key private",
    "python3 train.py --password=private",
    "python3 train.py hf_privateprivateprivate",
    'bash -c "export A=ghp_privateprivateprivateprivate"',
)


@pytest.mark.parametrize("command", COMMANDS_WITH_SECRETS)
def test_a_secret_is_not_taken_in_a_command_either(command: str) -> None:
    with pytest.raises(VerbError, match=r"^--command: .*: looks like a secret") as refused:
        job_of(Request(name="mine", ray="lab", command=command), stack_config("lab"))
    assert "private" not in str(refused.value)


@pytest.mark.parametrize(
    "command",
    [
        "python3 train.py --token $HF_TOKEN --max-token 128 --pad-token <pad> --sort-key name",
        "python3 train.py --token --credentials /etc/keys.json token=$HF_TOKEN tokens=many",
    ],
)
def test_a_command_may_speak_of_secrets_that_it_does_not_have(command: str) -> None:
    found = job_of(Request(name="mine", ray="lab", command=command), stack_config("lab"))
    assert " ".join(found["command"]) == command


def test_a_token_in_a_variable_of_any_name_is_a_secret() -> None:
    variables = {"GREETING": "hf_privateprivateprivate"}
    with pytest.raises(VerbError, match=r"^--env GREETING: looks like a secret"):
        job_of(Request(name="mine", ray="lab", command="true", variables=variables), {})


def test_a_token_of_a_tokenizer_is_no_secret() -> None:
    request = Request(name="mine", files=[SCRIPT], ray="lab", variables={"EOS_TOKEN": "</s>"})
    assert job_of(request, stack_config("lab"))["environment"] == {"EOS_TOKEN": "</s>"}


def test_values_are_yaml() -> None:
    assert fields_of(["max_steps=30", "ici={fsdp: 8}"]) == {"max_steps": 30, "ici": {"fsdp": 8}}


@pytest.mark.parametrize(
    ("option", "pairs"),
    [("--env", ["A=1", "B=1", "A=2"]), ("--set", ["steps=1", "steps=2"])],
)
def test_a_name_that_is_given_twice_is_refused_with_its_option(
    option: str, pairs: list[str]
) -> None:
    read = variables_of if option == "--env" else fields_of
    with pytest.raises(VerbError, match=rf"^{option}: \w+: stands twice; nearest: one of them$"):
        read(pairs)
