"""The secrets that the sandbox's stacks use: placeholders, unless the environment holds others."""

from __future__ import annotations

import os

# No cloud, no hub: a stack only has to see that a token is there.
PLACEHOLDERS = {"hugging_face_token": "placeholder-of-the-sandbox"}


def secret_from_environment(key: str) -> str | None:
    """`gke-ai-stacks:hugging_face_token` is taken from HUGGING_FACE_TOKEN where that is set."""
    return os.environ.get(key.split(":")[-1].upper())
