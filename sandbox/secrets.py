"""The secrets that the sandbox's stacks use: placeholders, unless the environment holds others."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from cli.project import PROJECT

# No cloud, no hub: a stack only has to see that a token is there.
PLACEHOLDER = "placeholder-of-the-sandbox"
# What stands in the copy of a config for what nobody is to read there, or can.
IN_PLAIN = "a secret in plain"
UNREADABLE = "encrypted for another backend"
# How the engine marks what has a meaning of its own, and which meaning a secret's is.
_MARK = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"


def secret_from_environment(key: str) -> str | None:
    """`gke-ai-stacks:hugging_face_token` is taken from HUGGING_FACE_TOKEN where that is set."""
    return os.environ.get(key.split(":")[-1].upper())


def required_secrets(config: Mapping[str, Any]) -> list[str]:
    """Those without which the stack is refused."""
    from stacks.tokens import required_secrets

    stack = config.get(f"{PROJECT}:stack")
    return (
        [f"{PROJECT}:{key}" for key in required_secrets(stack)] if isinstance(stack, dict) else []
    )


def hidden(value: Any) -> Any:
    """A value of an exported state, in which secrets stand decrypted, without them."""
    if isinstance(value, Mapping):
        if value.get(_MARK) == _SECRET:
            return "[secret]"
        return {key: hidden(inner) for key, inner in value.items()}
    return [hidden(inner) for inner in value] if isinstance(value, list) else value
