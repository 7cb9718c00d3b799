"""What looks like a secret where all can read it: in a file, on a command line, in a job. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from stacks.file_secrets import kinds_in

_NAME = re.compile(
    r"(^|[_-])(TOKEN|SECRET|PASS(WORD|WD|PHRASE)?|(API[_-]?)?KEY|PAT|CREDENTIALS?)$|[_-]PWD$",
    re.IGNORECASE,
)
# Of an option there are other keys, and files of credentials.
_OPTION = re.compile(
    r"(^|[_-])(TOKEN|SECRET|PASS(WORD|WD|PHRASE)?|API[_-]?KEY)$|[_-]PWD$", re.IGNORECASE
)
# Of a tokenizer, of data, and of a network. `placeholder_token`, `initializer_token` and
# `modifier_token` are of huggingface/diffusers examples/textual_inversion/README.md @ 26293823 and
# examples/custom_diffusion/README.md @ c3469014.
_PLAIN = re.compile(
    r"(^|[_-])((AUDIO|BOS|CLS|END|EOS|IMAGE|INITIALIZER|MASK|MODIFIER|PAD|PLACEHOLDER|SEP|SPECIAL"
    r"|START|STOP|UNK|VIDEO)[_-]TOKEN"
    r"|(CACHE|FOREIGN|GROUP|LABEL|PARTITION|PRIMARY|PUBLIC|SORT)[_-]KEY"
    r"|(BACKWARD|FORWARD)[_-]PASS)$",
    re.IGNORECASE,
)
# What people give where a name has to have a value and there is no secret: of vLLM's servers
# `EMPTY` (vllm-project/vllm docs/getting_started/quickstart.md @ 00bd1493), or True.
_NO_SECRET = re.compile(
    r"true|false|yes|no|on|off|none|null|empty|dummy|<[^<>]*>|\[[^\[\]]*\]", re.IGNORECASE
)
# The beginnings of tokens of Hugging Face, Weights & Biases, GitHub, GitLab, Slack, NVIDIA, OpenAI
# and Anthropic, Google and AWS, whatever their length. Shorter than a token, and all but without
# digits, are names such as `hf_transfer`, which pip installs, and `hf_finetune.py`.
_BEGINNING = re.compile(
    r"\b(hf_([A-Za-z0-9]{20,}|(?=([A-Za-z]*\d){3})[A-Za-z0-9]{8,})|wandb_v1_\w{20,}|gh[opsu]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}"
    r"|xox[abprs]-[\w-]{10,}|nvapi-[\w-]{20,}|sk-[\w-]{20,}|AIza[\w-]{30,}|AKIA[A-Z0-9]{16})"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
)


# The same texts are asked for again with each repair that is tried.
@lru_cache(maxsize=4096)
def is_token(text: str) -> bool:
    """Whether a text is, or has in it, what only a secret looks like: all that a file is refused
    for, and more."""
    return _BEGINNING.search(text) is not None or bool(kinds_in(text))


def is_secret_variable(name: str, value: str) -> bool:
    """Whether a variable has a secret for its value, and not a number or where one is."""
    return is_token(value) or (_is(_NAME, name) and _is_plain(value)) or is_token(f"{name}={value}")


def is_secret_option(name: str, value: str) -> bool:
    """The same of an option, or a key of a config, of which more names end in `key`."""
    return is_token(value) or (_is(_OPTION, name) and _is_plain(value))


def secrets_in_command(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The places of words that are secrets, and the names before them; the values are not
    repeated."""
    alone = [*_secrets_in(words)]
    yield from alone
    if not alone and is_token(" ".join(words)):
        yield 0, "its words together"


def _secrets_in(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    for at, (before, word) in enumerate(pairwise(("", *words))):
        name, equals, value = word.partition("=")
        option = before.startswith("-") and "=" not in before and not word.startswith("-")
        # What stands before it in a line for a shell is no name, and may be a secret.
        is_name = equals and not re.search(r"\s", name)
        if is_name and _is(_OPTION, name.lstrip("-")) and _is_plain(value):
            yield at, name
        elif option and _is(_OPTION, before.lstrip("-")) and _is_plain(word):
            yield at, before
        elif is_token(word):
            yield at, "a word of it"
        elif len(inner := word.split()) > 1:
            # A line for a shell.
            yield from ((at, what) for _, what in _secrets_in(inner))


def _is(kind: re.Pattern[str], name: str) -> bool:
    return bool(kind.search(name)) and not _PLAIN.search(name)


def _is_plain(value: str) -> bool:
    """No variable, no number, no file, and no word that there is none."""
    bare = value.strip("\"'")
    told = _NO_SECRET.fullmatch(bare) is not None
    return bool(bare) and bare[0] not in "$/" and not bare.isdecimal() and not told
