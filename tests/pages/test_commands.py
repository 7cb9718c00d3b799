"""Every command of the pages in the root and in docs/, tried in its page's order in a fresh folder.

It cannot show what Google Cloud and other programs do with what they are told: `gcloud`, `kubectl`
and the like are read by a grammar of what their references say.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.pages.blocks import ALL, PAGES, SHELL, blocks_of
from tests.pages.parsed import GRAMMAR, NotACommandError, parse_foreign, used_subcommands
from tests.pages.reader import BEFORE, Reader
from tests.pages.said import Sample, alike
from tests.pages.ways import VALUES, Way, way_of

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


def test_every_value_that_is_put_in_stands_for_one_on_some_page() -> None:
    commands = " ".join(it.text for block in ALL for it in block.commands)
    assert [it for it in VALUES if it not in commands] == []


def test_the_languages_of_blocks_are_few() -> None:
    known = {*SHELL, "yaml", "text", "mermaid", "python", "`markdown", "markdown", "json"}
    assert {it.language for it in ALL} <= known


def test_every_marker_of_a_sample_has_one() -> None:
    marked = sum(len(re.findall("^<!-- said ", text, re.MULTILINE)) for text in PAGES.values())
    assert marked == 2 * sum(Sample.of(it) is not None for it in ALL) > 0


def test_a_sample_is_alike_but_for_the_names_that_kubernetes_draws() -> None:
    assert alike("default/raycluster-dev-sxvrh  0", "default/raycluster-dev-gf4t9 0")
    assert not alike("default/raycluster-dev-sxvrh  0", "default/raycluster-dev-gf4t9  1")
