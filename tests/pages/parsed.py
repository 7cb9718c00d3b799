"""Commands that are read and not run: of programs that are not here, by a grammar with its sources;
of ours that ask a cluster, by their own parser; of `pulumi`, by the help of the real CLI."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import typer
import yaml
from typer.core import TyperGroup
from typer.exceptions import TyperException

from aistack.__main__ import app as aistack
from cli.errors import UserError
from cli.pulumi_cli import binary
from review.__main__ import app as review
from sandbox.__main__ import app as sandbox

GRAMMAR: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_name("grammar.yaml").read_text())
_PULUMI_FLAG = re.compile(r"^ +(?:-(\w), )?--([\w-]+)(?: ([\w\[\]]+))?", re.MULTILINE)
# Those of the command lines that `aistack` hands over to which read their options with Typer.
_HANDED_OVER = {"review": review, "sandbox": sandbox}
_Environment = tuple[tuple[str, str], ...]


class NotACommandError(Exception):
    """What no program of that name takes."""


@dataclass(frozen=True)
class Parsed:
    """A command's subcommand, its flags with their values, and the words that are no flags."""

    verb: str
    flags: Mapping[str, str]
    words: Sequence[str]


def parse_foreign(words: Sequence[str]) -> Parsed:
    """A command of the grammar's. Raises NotACommandError."""
    program, *rest = words
    known = GRAMMAR[program]
    verb = _longest(rest, known["subcommands"], program)
    rule = known["subcommands"][verb]
    takes = dict(_flags([*known.get("everywhere", ()), *rule.get("flags", ())]))
    if rule.get("after"):
        rest = rest[: rest.index("--")]
    parsed = _split(f"{program} {verb}", rest[len(verb.split()) :], takes)
    if rule["words"] not in ("any", len(parsed.words)):
        raise NotACommandError(f"{program} {verb} takes {rule['words']} words, not {parsed.words}")
    return Parsed(verb, parsed.flags, parsed.words)


def used_subcommands(commands: Sequence[Sequence[str]]) -> set[tuple[str, str]]:
    return {
        (words[0], _longest(words[1:], GRAMMAR[words[0]]["subcommands"], words[0]))
        for words in commands
    }


def parse_pulumi(words: Sequence[str], environment: Mapping[str, str]) -> Parsed:
    """By the `--help` of the real CLI, whose help of a group lists its subcommands. Some of its
    flags are only there in an environment that asks for them."""
    given = tuple(sorted(environment.items()))
    verb: list[str] = []
    rest = list(words[1:])
    while rest and _is_pulumi_verb(tuple(verb), rest[0], given):
        verb.append(rest.pop(0))
    takes = {
        name: bool(value) and not value.startswith("string[")
        for short, long, value in _PULUMI_FLAG.findall(_pulumi_help(tuple(verb), given))
        for name in filter(None, (short, long))
    }
    if not verb:
        raise NotACommandError(f"pulumi has no {rest[0]}")
    parsed = _split(f"pulumi {' '.join(verb)}", rest, takes)
    return Parsed(" ".join(verb), parsed.flags, parsed.words)


def parse_aistack(words: Sequence[str]) -> Mapping[str, Any]:
    """The options that the command line itself reads. Raises NotACommandError."""
    verb = words[1]
    if verb in _HANDED_OVER:
        return _parse_own(verb, _HANDED_OVER[verb], words[2:])
    return _parse_own("aistack", aistack, words[1:])


def _parse_own(program: str, app: typer.Typer, words: Sequence[str]) -> Mapping[str, Any]:
    found, name, rest = typer.main.get_command(app), program, list(words)
    while isinstance(found, TyperGroup):
        above, name = name, rest.pop(0) if rest else ""
        if name not in found.commands:
            raise NotACommandError(f"{above} has no {name}")
        found = found.commands[name]
    try:
        with found.make_context(name, rest) as context:
            return context.params
    except (TyperException, UserError) as error:
        why = error.format_message() if isinstance(error, TyperException) else str(error)
        raise NotACommandError(f"{program} {' '.join(words)}: {why}") from None


def _flags(listed: Sequence[Any]) -> Iterator[tuple[str, bool]]:
    """By name whether a flag takes a value."""
    for one in listed:
        yield from ((name, False) for name in one) if isinstance(one, dict) else [(one, True)]


def _longest(rest: Sequence[str], subcommands: Mapping[str, Any], program: str) -> str:
    said = " ".join(rest)
    found = [it for it in subcommands if f"{said} ".startswith(f"{it} " if it else "")]
    if not found:
        raise NotACommandError(f"{program} {said}: none of {', '.join(subcommands)}")
    return max(found, key=len)


def _split(program: str, rest: Sequence[str], takes: Mapping[str, bool]) -> Parsed:
    flags: dict[str, str] = {}
    words: list[str] = []
    left = list(rest)
    while left:
        word = left.pop(0)
        if not word.startswith("-") or word == "-":
            words.append(word)
            continue
        name, given, value = word.lstrip("-").partition("=")
        if name not in takes:
            raise NotACommandError(f"{program} has no --{name}")
        if takes[name] and not given:
            if not left:
                raise NotACommandError(f"{program} --{name} needs a value")
            value = left.pop(0)
        flags[name] = value
    return Parsed("", flags, words)


@cache
def _pulumi_help(verb: tuple[str, ...], environment: _Environment) -> str:
    done = subprocess.run(
        [str(binary()), *verb, "--help"],
        env={**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true", **dict(environment)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@cache
def _is_pulumi_verb(verb: tuple[str, ...], word: str, environment: _Environment) -> bool:
    """Whether a subcommand is listed under that name, or says itself that it has it as an alias."""
    sections = re.findall(
        r"^.*Commands:\n((?: .*\n)+)", _pulumi_help(verb, environment), re.MULTILINE
    )
    listed = [line.split()[0] for section in sections for line in section.splitlines()]
    if word in listed or not listed or not re.fullmatch(r"[a-z][a-z-]*", word):
        return word in listed
    aliases = re.search(
        r"^Aliases:\n +(.*)$", _pulumi_help((*verb, word), environment), re.MULTILINE
    )
    return aliases is not None and word in aliases[1].split(", ")
