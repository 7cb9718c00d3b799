"""Every command of the pages in the root and in docs/, tried in its page's order in a fresh folder.

It cannot show what Google Cloud and other programs do with what they are told: `gcloud`, `kubectl`
and the like are read by a grammar of what their references say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import stack_config
from tests.pages.blocks import ALL, PAGES, SHELL, Command, blocks_of
from tests.pages.parsed import (
    GRAMMAR,
    NotACommandError,
    parse_aistack,
    parse_foreign,
    used_subcommands,
)
from tests.pages.reader import BEFORE, Reader
from tests.pages.said import Sample, alike
from tests.pages.ways import VALUES, Way, fill_in, way_of

WITH_COMMANDS = [page for page in PAGES if any(it.commands for it in blocks_of(page))]


@pytest.mark.thorough
@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_the_commands_of_a_page_do_what_it_says_in_their_order(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader(page, tmp_path / "project")
    # A file that is submitted has to be there already where a command is only read.
    monkeypatch.chdir(reader.folder)
    reader.prepare(**BEFORE.get(page, {}))
    failed: list[str] = []
    for block in blocks_of(page):
        if block.language == "python":
            reader.try_program(block)
        for command in block.commands:
            try:
                reader.try_out(block, command)
            except (AssertionError, NotACommandError) as error:
                failed.append(f"{block}: {command.text}\n{error}")
        if sample := Sample.of(block):
            said = sample.in_output(reader.said)
            if not alike(said, block.text):
                failed.append(f"{block}: the run says\n{said}and the page\n{block.text}")
    assert not failed, "\n\n".join(failed)


def test_every_block_of_commands_is_marked_as_one() -> None:
    """A block without a language may hide some."""
    odd = [str(it) for it in ALL if it.language in ("bash", "console", "shell", "")]
    assert not odd


def test_each_command_is_tried_in_some_way_and_most_run() -> None:
    ways = Counter(way_of(it) for block in ALL for it in block.commands)
    print({way.value: count for way, count in ways.items()})
    assert ways[Way.run] + ways[Way.engine] > ways[Way.parsed]


def test_the_grammar_has_what_the_pages_use_and_nothing_else() -> None:
    foreign = [it.words for block in ALL for it in block.commands if it.program in GRAMMAR]
    known = {(name, verb) for name, rule in GRAMMAR.items() for verb in rule["subcommands"]}
    assert used_subcommands(foreign) == known
    assert all(rule["source"] for rule in GRAMMAR.values())


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("gcloud storage mv a b", "none of"),
        ("gcloud projects describe my-project --formt json", "has no --formt"),
        ("gcloud projects describe", "takes 1 words"),
        ("kubectl scale deployment chat --replicas", "needs a value"),
    ],
)
def test_a_command_that_its_program_does_not_take_would_be_told(words: str, why: str) -> None:
    with pytest.raises(NotACommandError, match=why):
        parse_foreign(words.split())


# Their options are read without Typer; the thorough test runs them.
BY_ARGPARSE = ("recover", "schema")


def parse_aistack_of(command: Command) -> Mapping[str, Any]:
    return parse_aistack(Command(fill_in(command.text)).words)


def is_ours(command: Command) -> bool:
    return command.program == "aistack" and command.words[1] not in BY_ARGPARSE


@pytest.fixture
def with_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What pages submit has to be there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("print()\n")


@pytest.mark.usefixtures("with_a_script")
def test_every_command_of_ours_is_on_its_command_line() -> None:
    told: Counter[str] = Counter()
    for block in ALL:
        for command in block.commands:
            if is_ours(command.inner):
                parse_aistack_of(command.inner)
                told[command.inner.words[1]] += 1
    assert {"review", "sandbox", "submit"} < told.keys()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("aistack logs classifier --folow", "No such option: --folow"),
        ("aistack log classifier", "aistack has no log"),
        ("aistack events", "Missing argument"),
        ("aistack review --bse main", "No such option: --bse"),
        ("aistack sandbox kube kubecfg --stack dev", "kube has no kubecfg"),
        ("aistack sandbox kube kubeconfig --stck dev", "No such option: --stck"),
    ],
)
def test_a_command_that_ours_does_not_take_would_be_told(words: str, why: str) -> None:
    with pytest.raises(NotACommandError, match=why):
        parse_aistack(words.split())


# Verbs whose first word is a job, a server or a Ray cluster.
_NAMING = ("cancel", "checkpoints", "dashboard", "events", "logs", "shell", "tunnel", "wait", "why")


@pytest.mark.usefixtures("with_a_script")
def test_every_name_that_aistack_is_given_is_one_of_its_stack_or_of_what_was_submitted() -> None:
    submitted, unknown = set[str](), list[str]()
    named = 0
    for block in ALL:
        for command in block.commands:
            if not is_ours(command):
                continue
            given = parse_aistack_of(command)
            submitted |= {str(given.get("name"))} if command.words[1] == "submit" else set()
            asked = given.get("name")
            if command.words[1] not in _NAMING or asked is None:
                continue
            named += 1
            config = stack_config(str(given["stack"]))
            parts = [config.get(it) or {} for it in ("jobs", "servers", "ray")]
            name = str(asked).rpartition("/")[2].partition(":")[0]
            if not any(name in it for it in (*parts, submitted)):
                unknown.append(f"{block}: {command.text}")
    assert named
    assert unknown == []


def test_every_value_that_is_put_in_stands_for_one_on_some_page() -> None:
    commands = " ".join(it.text for block in ALL for it in block.commands)
    assert [it for it in VALUES if it not in commands] == []


def test_the_languages_of_blocks_are_few() -> None:
    known = {*SHELL, "yaml", "text", "mermaid", "python", "py", "`markdown", "markdown", "json"}
    assert {it.language for it in ALL} <= known


def test_every_marker_of_a_sample_has_one() -> None:
    marked = sum(len(re.findall("^<!-- said ", text, re.MULTILINE)) for text in PAGES.values())
    assert marked == 2 * sum(Sample.of(it) is not None for it in ALL) > 0


def test_a_sample_is_alike_but_for_the_names_that_kubernetes_draws() -> None:
    assert alike("default/raycluster-dev-sxvrh  0", "default/raycluster-dev-gf4t9 0")
    assert not alike("default/raycluster-dev-sxvrh  0", "default/raycluster-dev-gf4t9  1")
