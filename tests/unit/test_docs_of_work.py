"""The commands of `aistack` that pages and `--help` name: each is one that there is, of what its
stack has. Those that submit are judged by `test_submit_in_docs.py`; those of a day are run by
`tests/kube/test_a_day.py`; those that are handed over are read and run by `tests/pages`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperCommand, TyperGroup

from aistack.__main__ import app
from aistack.command_line import HANDED_OVER
from cli.project import stack_names
from tests.conftest import stack_config
from tests.pages.blocks import PAGES, shown_config

_GROUP = typer.main.get_command(app)
assert isinstance(_GROUP, TyperGroup)
VERBS = {name: it for name, it in _GROUP.commands.items() if isinstance(it, TyperCommand)}
_LINE = re.compile(r"^(?:\.venv/bin/)?aistack ((?:[^\n]|(?<=\\)\n)+)$", re.MULTILINE)
_RUN = re.compile(r"^(#+) (Its run, and what to see)$", re.MULTILINE)
# Of a file beside the reader, and not of this project.
_OF_ONE_S_OWN = ("mine",)


@dataclass(frozen=True)
class Command:
    """`before` are the names that earlier commands of the page gave to jobs."""

    page: str
    words: tuple[str, ...]
    before: frozenset[str] = frozenset()

    @property
    def parsed(self) -> Mapping[str, Any]:
        verb, *rest = self.words
        with VERBS[verb].make_context(verb, rest) as context:
            return context.params


def commands_in(page: str, text: str) -> Iterator[Command]:
    given = set[str]()
    for line in _LINE.findall(text):
        words = tuple(shlex.split(line.partition("  #")[0].replace("\\\n", " ")))
        if words[0] in HANDED_OVER:
            continue
        yield Command(page, words, frozenset(given))
        if "--name" in words:
            given.add(words[words.index("--name") + 1])


def examples() -> Iterator[Command]:
    for name, verb in VERBS.items():
        said = verb.epilog or ""
        assert said.startswith("Example: "), name
        yield from commands_in(f"{name} --help", said.removeprefix("Example: "))


ALL = [*examples(), *(it for name, text in PAGES.items() for it in commands_in(name, text))]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is submitted lies in it."""
    (tmp_path / "train.py").write_text("print()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AISTACK_SANDBOX", raising=False)


def jobs_of(config: Mapping[str, Any]) -> set[str]:
    return {*(config.get("jobs") or {}), *(config.get("ray") or {})}


@pytest.mark.parametrize("it", ALL, ids=lambda it: f"{it.page}: {' '.join(it.words)}")
def test_a_command_is_one_and_names_what_its_stack_has(it: Command) -> None:
    verb, asked = it.words[0], it.parsed
    stack = asked.get("stack")
    if stack is None or stack in _OF_ONE_S_OWN:
        return
    config = stack_config(stack) if stack in stack_names() else shown_config(stack)
    name = (asked.get("name") or "").rpartition("/")[2] if verb != "submit" else ""
    if verb == "tunnel":
        assert name.partition(":")[0] in (config.get("servers") or {})
    elif name:
        assert name in jobs_of(config) | it.before


def test_every_verb_shows_an_example_of_itself_and_can_answer_in_json() -> None:
    assert [it.words[0] for it in examples()] == list(VERBS)
    for name, verb in VERBS.items():
        assert "--json" in [word for one in verb.params for word in one.opts], name


def runs() -> Iterator[tuple[str, str, str]]:
    """Of each page that has some, how its stacks' runs are headed, and what stands below."""
    for page, text in PAGES.items():
        for found in _RUN.finditer(text):
            deeper = rf"^#{{1,{len(found[1])}}} "
            below = text[found.end() :]
            end = re.search(deeper, below, re.MULTILINE)
            yield page, found[2], below[: end.start()] if end else below


@pytest.mark.parametrize("stack", stack_names())
def test_the_page_of_a_preset_has_its_run_and_what_to_see(stack: str) -> None:
    shown = [
        it
        for page, _, below in runs()
        for it in commands_in(page, below)
        if it.parsed.get("stack") == stack
    ]
    assert len(shown) >= 2
    (page,) = {it.page for it in shown}
    assert f"Pulumi.{stack}.yaml" in PAGES[page]


def test_a_page_of_presets_alone_ends_with_their_run() -> None:
    pages = [page for page, heading, _ in runs() if heading.startswith("Its run")]
    assert len(pages) == len(set(pages)) == 8
    for page in pages:
        assert re.findall(r"^## (.*)$", PAGES[page], re.MULTILINE)[-1].startswith("Its run"), page
