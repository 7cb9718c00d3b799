"""Values of resources as a report may show them: no secret, no stand-in for what is not known."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from stacks import property_paths

SECRET = "[secret]"
UNKNOWN = "[known after up]"
HIDDEN = "[hidden]"
# How the engine marks a secret, and what it writes for a value that a preview cannot know.
_SIGNATURE = "4dabf18193072939515e22adb298388d"
_UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
# Forms of credentials that are known: a report hides them whatever field they stand in.
_CREDENTIALS = re.compile(
    r"\b(?:hf_\w{16,}|gh[opsu]_\w{20,}|github_pat_\w{20,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}"
    r"|pul-[0-9a-f]{40})|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*KEY-----)?"
)
_LONGEST = 80


def cleaned(value: Any) -> Any:
    """A value of an engine's event without secrets and without the engine's own marks."""
    if isinstance(value, dict):
        if _SIGNATURE in value:
            return SECRET
        return {key: cleaned(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [cleaned(inner) for inner in value]
    if isinstance(value, str) and _UNKNOWN_TEXT in value:
        return UNKNOWN
    return value


def value_at(inputs: Mapping[str, Any] | None, path: str) -> Any:
    """The value at a property path such as `nodeConfig.taints[0].key`; None where there is none."""
    return property_paths.value_at(inputs, path, (SECRET, UNKNOWN))


def shown(value: Any) -> str:
    """A value in a few characters."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    text = _text(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else str(value)


def told_apart(first: Any, second: Any) -> tuple[str, str]:
    """Both values in a few characters, from where long ones begin to differ."""
    before, after = _text(first), _text(second)
    if min(len(before), len(after)) <= _LONGEST:
        return shown(first), shown(second)
    pairs = enumerate(zip(before, after, strict=False))
    same = next((place for place, (one, other) in pairs if one != other), len(before))
    start = max(0, same - _LONGEST // 4)
    lead = "..." if start else ""
    return lead + shown(before[start:]), lead + shown(after[start:])


def masked(text: str, secrets: Iterable[str] = ()) -> str:
    """A text without the given secrets and without anything that looks like a credential."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _CREDENTIALS.sub(HIDDEN, text)
