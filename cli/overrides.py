"""`--set PATH=VALUE`: values of the config, for one command.

Pulumi's own `--config KEY=VALUE` is another thing: it is written into the stack's file, takes a key
with its prefix, and a path only with `--config-path` (`pulumi preview --help`, v3.256.0).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from catalog.strict_yaml import YamlError
from catalog.table import nearest_names
from cli.errors import UserError
from cli.project import PROJECT
from stacks.secret_words import is_secret_option
from stacks.stack_file import full_key, value_of
from stacks.tokens import SECRETS
from stacks.tried import is_within

_STACK = f"{PROJECT}:stack"
_ITEM = re.compile(r"\[(\d{1,6})\]")
_IN_QUOTES = re.compile(r"\[([\"'])(.+?)\1\]")
_NAME = re.compile(r"[^.\[\]]+")
# Up to its value, whatever stands in quotes.
_PATH = re.compile(r"(?:\[\"[^\"]*\"\]|\['[^']*'\]|[^=])+")
# A key of Weights & Biases, or the hash of a commit, of which nobody types one here.
_HASH = re.compile(r"\b[0-9a-f]{40}\b")


Steps = tuple[str | int, ...]


class _Override(NamedTuple):
    path: str
    steps: Steps
    value: Any


def apply_overrides(config: dict[str, Any], overrides: Sequence[str]) -> frozenset[str]:
    """Change the config; returns the secrets that are to be without a value. Raises UserError."""
    found = [_override(it, config.get(_STACK)) for it in overrides]
    _refuse_contradictions(found)
    known = list(_paths(config))
    for one in found:
        if one.steps[0] in all_secrets():
            config.pop(str(one.steps[0]), None)
        else:
            _assign(config, one, known)
    return frozenset(str(it.steps[0]) for it in found if it.steps[0] in all_secrets())


def path_of(override: str) -> str:
    """The path of an override below the config, however it is written. Raises UserError."""
    return _written(_override(override).steps)


def _override(text: str, stack: Any = None) -> _Override:
    path, separator, value = _split(text)
    if not separator or not path:
        raise UserError(f'--set: "{text}": must be PATH=VALUE, e.g. pools.gpu.nodes=4')
    parsed = _value(path, value)
    steps = _steps(path, stack)
    if parsed is not None and (steps[0] in all_secrets() or looks_secret(path, value)):
        variables = [one.partition(":")[2].upper() for one in all_secrets()]
        own = [it for it in variables if it == path.rpartition(":")[2].upper()]
        raise UserError(
            f"--set: {path}: a secret must not be a process argument; "
            f"nearest: the environment variable {' or '.join(own or variables)}"
        )
    return _Override(path, steps, parsed)


def _split(text: str) -> tuple[str, str, str]:
    """At the first = that stands in no quotes."""
    found = _PATH.match(text)
    path = found[0] if found else ""
    rest = text[len(path) :]
    return (path, "=", rest[1:]) if rest.startswith("=") else (text, "", "")


def _steps(path: str, stack: Any) -> Steps:
    """The config's key and those below it. All of `pools.gpu`, `stack.pools.gpu` and
    `gke-ai-stacks:stack.pools.gpu` are one path."""
    if ":" in path.partition("[")[0] and not path.startswith(f"{PROJECT}:"):
        return (path,)
    own = path.removeprefix(f"{PROJECT}:")
    if (key := full_key(own, PROJECT)) in all_secrets():
        return (key,)
    if own == "stack":
        return (_STACK,)
    return (_STACK, *_below(path, own.removeprefix("stack."), stack))


def _below(path: str, rest: str, here: Any) -> Iterator[str | int]:
    """Names, places in lists such as `[0]`, and names with dots in them: those that the config has
    there, and others in quotes, as Pulumi's --path has them, `["nvcr.io"]`."""
    while rest:
        item, quoted = _ITEM.match(rest), _IN_QUOTES.match(rest)
        known = [it for it in here if isinstance(it, str)] if isinstance(here, dict) else []
        names = [it for it in known if it and is_within(rest, it)]
        plain = None if item or quoted or names else _NAME.match(rest)
        step: str | int
        if item:
            step, end = int(item[1]), item.end()
        elif quoted:
            step, end = quoted[2], quoted.end()
        elif names:
            step = max(names, key=len)
            end = len(step)
        elif plain:
            step, end = plain[0], plain.end()
        else:
            raise UserError(
                f'--set: "{path}": no path from "{rest}" on; nearest: names with dots between '
                "them, and [0] for the first of a list"
            )
        yield step
        here = _value_at(here, step)
        rest = rest[end:].removeprefix(".")


def _value_at(block: Any, step: str | int) -> Any:
    """None where the block, or the list, has nothing there."""
    try:
        return block[step]
    except (LookupError, TypeError):
        return None


def _written(steps: Steps) -> str:
    parts = [f"[{it}]" if isinstance(it, int) else f".{it}" for it in steps]
    return "".join(parts).removeprefix(".")


def _value(path: str, text: str) -> Any:
    try:
        return value_of(text)
    except YamlError as error:
        reason = error.lines[0].partition("; nearest: ")[0]
        raise UserError(
            f"--set: {path}: its value is not YAML: {reason}; nearest: quotes around it"
        ) from None


def _refuse_contradictions(overrides: Sequence[_Override]) -> None:
    """Which of two that set the same would win, only their order could tell."""
    for one, other in combinations(overrides, 2):
        if one.steps == other.steps:
            raise UserError(f"--set: {one.path}: stands twice; nearest: one of them")
        shared = min(len(one.steps), len(other.steps))
        if one.steps[:shared] == other.steps[:shared]:
            outer, inner = sorted((one, other), key=lambda it: len(it.steps))
            raise UserError(
                f"--set: {inner.path}: lies within {outer.path}, which is set, too; nearest: "
                f"{outer.path} alone, with all that it is to hold"
            )


def _assign(config: dict[str, Any], one: _Override, known: Sequence[str]) -> None:
    """Set a value by path; None takes the key away."""
    *parents, last = one.steps
    block: Any = config
    for at, step in enumerate(parents):
        _refuse_foreign(one, block, step, may_add=one.value is not None)
        if isinstance(block, dict):
            block = block.setdefault(step, [] if isinstance([*parents, last][at + 1], int) else {})
        else:
            if step == len(block):
                block.append({})
            block = block[step]
    _refuse_foreign(one, block, last, may_add=one.value is not None)
    if one.value is None:
        if isinstance(block, dict) and last not in block:
            near = nearest_names(_written(one.steps[1:]) or one.path, known)
            raise UserError(
                f"--set: {one.path}=: takes away a key that the file does not have; nearest: {near}"
            )
        del block[last]
    elif isinstance(block, dict):
        block[last] = one.value
    else:
        # What comes behind the last is added.
        block[int(last) : int(last) + 1] = [one.value]


def _refuse_foreign(one: _Override, block: Any, step: str | int, *, may_add: bool = False) -> None:
    """Keys are of blocks, and numbers of lists."""
    if isinstance(block, dict) and isinstance(step, str):
        return
    if isinstance(block, list) and isinstance(step, int):
        if step < len(block) + may_add:
            return
        last = f"[{len(block) - 1}]" if block else f"{one.path.partition('[')[0]}=[...], whole"
        raise UserError(
            f"--set: {one.path}: the list has no [{step}], only {len(block)}; nearest: {last}"
        )
    if isinstance(block, list):
        raise UserError(
            f"--set: {one.path}: {step} stands at a list, of which each has a number; "
            f"nearest: [0] before it"
        )
    holds = "no list" if isinstance(step, int) else "no keys"
    raise UserError(f"--set: {one.path}: {_last_of(one, step)} holds {holds}")


def _last_of(one: _Override, step: str | int) -> str | int:
    """What stands before a step."""
    at = one.steps.index(step)
    return one.steps[max(at - 1, 0)]


def _paths(config: dict[str, Any]) -> Iterator[str]:
    """What `--set` can take away, as it is written."""
    for key, value in config.items():
        if key == _STACK:
            yield from _within(value, "")
        else:
            yield key


def _within(value: Any, above: str) -> Iterator[str]:
    if isinstance(value, list):
        for at, inner in enumerate(value):
            yield f"{above.removesuffix('.')}[{at}]"
            yield from _within(inner, f"{above.removesuffix('.')}[{at}].")
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield f"{above}{key}"
        yield from _within(inner, f"{above}{key}.")


def all_secrets() -> list[str]:
    """The config keys that a stack can have as secrets."""
    return [f"{PROJECT}:{key}" for key in SECRETS]


def looks_secret(path: str, text: str) -> bool:
    """Whether a value given on the command line is one that nobody should see there."""
    name = path.rpartition(".")[2].rpartition(":")[2]
    return is_secret_option(name, text) or bool(_HASH.search(text))
