"""Every mistake in the words of every verb ends in one line with what to type next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import typer

from aistack.__main__ import app, main
from aistack.snapshot_names import snapshot_names
from cli.project import stack_names
from review.__main__ import app as review_app
from sandbox.__main__ import app as sandbox_app

# What comes after the name of a verb that takes words.
TAKES: dict[tuple[str, ...], int] = {("sandbox", "import"): 3}
ANY_WORDS = {("shell",), ("submit",)}


def verbs(command: Any, *names: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield names, command
        return
    for name, each in inner.items():
        yield from verbs(each, *names, name)


VERBS = dict(
    [
        *verbs(typer.main.get_command(app)),
        *verbs(typer.main.get_command(sandbox_app), "sandbox"),
        (("review",), typer.main.get_command(review_app)),
    ]
)


def of_arguments() -> Iterator[tuple[str, ...]]:
    yield ("recover", "--stack", "lab", "extra")
    yield ("recover",)
    yield ("recover", "--stack")
    yield ("schema", "extra")
    for verb, command in VERBS.items():
        yield (*verb, "--no-such-option")
        taken = TAKES.get(verb, 1 if any(not _is_option(it) for it in command.params) else 0)
        options = [it for it in command.params if _is_option(it)]
        needed = [word for it in options if it.required for word in (it.opts[0], "x")]
        if verb not in ANY_WORDS:
            yield (*verb, *needed, *("word" for _ in range(taken)), "extra")
        if taken and any(it.required for it in command.params if not _is_option(it)):
            yield verb
        if needed:
            yield (*verb, *("word" for _ in range(taken)))
        yield from ((*verb, it.opts[0]) for it in options if not it.is_flag)


def _is_option(parameter: Any) -> bool:
    return parameter.opts[0].startswith("--")


MISTAKES = sorted(set(of_arguments()))


@pytest.mark.parametrize("words", MISTAKES, ids=" ".join)
def test_a_mistake_in_the_words_of_a_verb_ends_with_what_to_type_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    monkeypatch.setattr("sys.argv", ["aistack", *words])
    with suppress(SystemExit):
        assert main() == 2
    out, said = capsys.readouterr()
    assert (out, said.count("\n")) == ("", 1)
    assert re.search(r"^error: \S.*; nearest: \S", said), said
    assert re.match(r"error: (?!.*Usage:)", said)


@pytest.mark.parametrize(
    ("words", "end"),
    [
        (("why", "--snapshot"), f"; nearest: {', '.join(snapshot_names())}"),
        (("sandbox", "up", "--stack"), f"; nearest: {', '.join(stack_names())}"),
        (("sandbox", "up", "--kube"), "; nearest: auto, memory, real"),
        (
            ("status", "extra", "-s", "lab"),
            "extra: more than this verb takes; nearest: `aistack status -s lab`",
        ),
        (("sandbox", "status", "extra", "--stack", "dev"), "`aistack sandbox status --stack dev`"),
        (
            ("sandbox", "kube", "stop", "--zzz"),
            "there is no such option; nearest: --stack, --folder",
        ),
        (("logs",), "; nearest: `aistack logs --help`"),
        (("logs", "a", "--follow", "--previous"), "; nearest: `aistack logs --help`"),
    ],
)
def test_what_is_next_is_what_was_meant(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    end: str,
) -> None:
    monkeypatch.setattr("sys.argv", ["aistack", *words])
    assert main() == 2
    assert capsys.readouterr().err.endswith(f"{end}\n")
