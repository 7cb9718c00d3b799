"""The Secret, as registered; that the state is encrypted the engine's tests show."""

import pulumi

from components.token_secret import TokenSecret, TokenSecretArgs
from tests.conftest import TOKEN, Register


def test_tokens_are_secret_to_the_engine_whatever_they_were_before(register: Register) -> None:
    for value in (TOKEN, pulumi.Output.secret(TOKEN)):
        args = TokenSecretArgs(
            namespace="rl",
            secret_name="demo-tokens",
            tokens={"HF_TOKEN": value},
            labels={"stack": "test"},
        )
        secret = register(lambda args=args: TokenSecret("tokens", args)).one(":Secret")
        assert secret.secret_inputs == {"stringData"}
        assert secret.inputs["stringData"] == {"HF_TOKEN": TOKEN}
        assert secret.inputs["metadata"]["namespace"] == "rl"
