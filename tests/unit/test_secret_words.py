"""A secret is one wherever it stands: in a file, a command, a variable or any value of a config."""

import pytest

from stacks.file_secrets import secrets_in_file
from stacks.plain_values import flaws
from stacks.secret_words import is_secret_option, is_secret_variable, secrets_in_command
from tests.parts.secret_samples import FILE_SECRETS, NO_FILE_SECRETS

ADDRESS = "postgres:/" + "/user:pw12345678@db/x"


@pytest.mark.parametrize("kind", FILE_SECRETS)
def test_what_a_file_is_refused_for_a_command_a_variable_and_a_config_are_too(kind: str) -> None:
    line = FILE_SECRETS[kind][0].strip()
    assert [*secrets_in_file("train.py", line)]
    assert [*secrets_in_command(line.split())]
    assert [*secrets_in_command(["bash", "-c", line])]
    assert is_secret_variable("GREETING", line)
    assert is_secret_option("greeting", line)
    found = [it.message for it in flaws({"jobs": {"s": {"command": [line]}}})]
    assert any("looks like a secret" in it for it in found)


@pytest.mark.parametrize("line", NO_FILE_SECRETS[-1:] + NO_FILE_SECRETS[4:6])
def test_what_no_file_is_refused_for_by_its_shape_no_value_is_either(line: str) -> None:
    assert not is_secret_variable("GREETING", line)
    assert not [*flaws({"note": line})]


def test_a_password_in_an_address_is_a_secret_and_a_variable_there_is_none() -> None:
    assert is_secret_variable("URL", ADDRESS)
    assert [*secrets_in_command(["curl", ADDRESS])] == [(1, "a word of it")]
    for plain in (ADDRESS.replace("pw12345678", "$PASS"), ADDRESS.replace(":pw12345678", "")):
        assert not is_secret_variable("URL", plain)
        assert not [*secrets_in_command(["curl", plain])]


@pytest.mark.parametrize("name", ["PASS", "DB_PASS", "pass", "MYSQL_PWD", "PASSPHRASE"])
def test_a_password_by_its_short_name_is_a_secret(name: str) -> None:
    assert is_secret_variable(name, "hunter2")
    assert [*secrets_in_command([f"{name}=hunter2", "./run"])] == [(0, name)]


@pytest.mark.parametrize("name", ["PWD", "OLDPWD", "BYPASS", "COMPASS", "FORWARD_PASS"])
def test_a_name_that_only_ends_alike_names_no_password(name: str) -> None:
    assert not is_secret_variable(name, "hunter2")


def test_a_secret_in_a_line_for_a_shell_is_seen_by_the_option_before_it() -> None:
    words = ["bash", "-c", "python3 train.py --password hunter2 && echo done"]
    assert [*secrets_in_command(words)] == [(2, "--password")]
    assert not [*secrets_in_command(["bash", "-c", "python3 train.py --password $PASS"])]


NO_SECRETS = [
    # huggingface/diffusers examples/textual_inversion/README.md @ 26293823.
    "textual.py --placeholder_token=<cat-toy> --initializer_token toy --image-token <image>",
    # vllm-project/vllm docs/getting_started/quickstart.md @ 00bd1493.
    "client.py --api-key EMPTY --use_auth_token True --hub_token None --api_key=dummy",
    "pip install hf_transfer",
    "python3 $(SCRIPT_DIR)/hf_finetune.py --load hf_mixtral8x7b --from hf_LlamaForCausalLM",
    "train.py --sep_token [SEP] --token <token>",
]


@pytest.mark.parametrize("line", NO_SECRETS)
def test_a_name_or_a_word_that_there_is_none_is_no_secret(line: str) -> None:
    assert [*secrets_in_command(line.split())] == []
    assert [*secrets_in_command(["bash", "-c", line])] == []


@pytest.mark.parametrize("value", ["EMPTY", "none", "False", "<your key>"])
def test_a_variable_that_says_that_there_is_no_key_is_taken(value: str) -> None:
    assert not is_secret_variable("OPENAI_API_KEY", value)
    assert is_secret_variable("OPENAI_API_KEY", f"{value}1x")


def test_the_beginning_of_a_token_is_one_whatever_its_length() -> None:
    assert is_secret_variable("A", "hf_" + "x0123456789")
    assert is_secret_variable("A", "hf_" + "a" * 20)


def test_of_a_line_for_a_shell_the_name_alone_is_told() -> None:
    line = "set -e\nlogin -u ada hunter2 --token=abc\nexport HF_TOKEN=abc"
    assert [*secrets_in_command(["bash", "-c", line])] == [(2, "--token"), (2, "HF_TOKEN")]
