"""The Secret, as registered; that the state is encrypted the engine's tests show."""

from collections.abc import Callable

import pulumi

from components.cluster.token_secret import TokenSecret, TokenSecretArgs
from tests.conftest import ENCODED_TOKEN, TOKEN, Register, inside


def test_tokens_are_secret_to_the_engine_whatever_they_were_before(register: Register) -> None:
    for known in (lambda: TOKEN, lambda: pulumi.Output.secret(TOKEN)):

        def program(known: Callable[[], pulumi.Input[str]] = known) -> None:
            args = TokenSecretArgs(
                namespace="rl",
                secret_name="demo-tokens",
                tokens={"HF_TOKEN": known()},
                labels={"stack": "test"},
            )
            TokenSecret("tokens", args, opts=inside())

        secret = register(program).one(":Secret")
        assert secret.secret_inputs == {"data"}
        assert secret.inputs["data"] == {"HF_TOKEN": ENCODED_TOKEN}
        assert secret.inputs["metadata"]["namespace"] == "rl"
