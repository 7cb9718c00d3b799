"""Secrets on a command line, which all could read there and in the job. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from aistack.errors import VerbError
from aistack.exit_codes import ExitCode

_NAME = re.compile(
    r"(^|[_-])(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|(API[_-]?)?KEY|PAT|CREDENTIALS?)$",
    re.IGNORECASE,
)
# Of an option there are other keys, and files of credentials.
_OPTION = re.compile(r"(^|[_-])(TOKEN|SECRET|PASS(WORD|WD|PHRASE)|API[_-]?KEY)$", re.IGNORECASE)
# Of a tokenizer.
_PLAIN_TOKEN = re.compile(r"(^|[_-])(BOS|CLS|EOS|MASK|PAD|SEP|UNK)[_-]TOKEN$", re.IGNORECASE)
# Of Hugging Face, GitHub, OpenAI and Anthropic, Google and AWS, and a private key.
_VALUE = re.compile(
    r"\b(hf_[A-Za-z0-9]{16,}|gh[opsu]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|sk-[\w-]{20,}"
    r"|AIza[\w-]{30,}|AKIA[A-Z0-9]{16})|-----BEGIN [A-Z ]*PRIVATE KEY"
)


def check_secrets(job: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    """Of those that the stack's own job, `before`, has not. Raises VerbError."""
    variables, had = _mapping(job.get("environment")), _mapping(before.get("environment"))
    for name, value in variables.items():
        if had.get(name) != value and (_is(_NAME, name) or _VALUE.search(str(value))):
            raise _refusal(f"environment.{name}")
    command = job.get("command")
    if isinstance(command, Sequence) and command != before.get("command"):
        for what in _in_command([str(it) for it in command]):
            raise _refusal(f"command: {what}")


def _in_command(words: Sequence[str]) -> Iterator[str]:
    """The names before the values, which are not repeated."""
    for before, word in pairwise(("", *words)):
        name, equals, value = word.partition("=")
        option = before.startswith("-") and "=" not in before and not word.startswith("-")
        if equals and _is(_OPTION, name.lstrip("-")) and _is_plain(value):
            yield name
        elif option and _is(_OPTION, before.lstrip("-")) and _is_plain(word):
            yield before
        elif _VALUE.search(word):
            yield "a word of it"


def _is(kind: re.Pattern[str], name: str) -> bool:
    return bool(kind.search(name)) and not _PLAIN_TOKEN.search(name)


def _is_plain(value: str) -> bool:
    """No variable, and no number."""
    return bool(value) and not value.startswith("$") and not value.isdecimal()


def _refusal(where: str) -> VerbError:
    return VerbError(
        f"{where}: looks like a secret, which all could read in the command line and in the job; "
        "nearest: the stack's own secrets, which its pods have as variables",
        ExitCode.USAGE,
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
