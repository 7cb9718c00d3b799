"""The secrets that the sandbox's stacks use: placeholders, unless the environment holds others."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from sandbox.names import PROJECT

# No cloud, no hub: a stack only has to see that a token is there.
PLACEHOLDER = "placeholder-of-the-sandbox"
# How the engine marks what has a meaning of its own, and which meaning a secret's is.
_MARK = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"
# Names that a token is given under, and what tokens look like: Hugging Face's, and the 40 digits of
# an API key of Weights & Biases.
_NAME = re.compile(r"(?i)(^|[_-])(token|secret|password|passwd|api_?key)$")
_VALUE = re.compile(r"\bhf_[A-Za-z0-9]{8,}|\b[0-9a-f]{40}\b")


def secret_from_environment(key: str) -> str | None:
    """`gke-ai-stacks:hugging_face_token` is taken from HUGGING_FACE_TOKEN where that is set."""
    return os.environ.get(key.split(":")[-1].upper())


def all_secrets() -> list[str]:
    """The config keys that a stack can have as secrets."""
    from stacks.tokens import SECRETS

    return [f"{PROJECT}:{key}" for key in SECRETS]


def required_secrets(config: Mapping[str, Any]) -> list[str]:
    """Those without which the stack is refused."""
    from stacks.tokens import required_secrets

    stack = config.get(f"{PROJECT}:stack")
    return (
        [f"{PROJECT}:{key}" for key in required_secrets(stack)] if isinstance(stack, dict) else []
    )


def looks_secret(path: str, text: str) -> bool:
    """Whether a value given on the command line is one that nobody should see there."""
    return bool(_NAME.search(path.rpartition(".")[2].rpartition(":")[2]) or _VALUE.search(text))


def hidden(value: Any) -> Any:
    """A value of an exported state, in which secrets stand decrypted, without them."""
    if isinstance(value, Mapping):
        if value.get(_MARK) == _SECRET:
            return "[secret]"
        return {key: hidden(inner) for key, inner in value.items()}
    return [hidden(inner) for inner in value] if isinstance(value, list) else value
