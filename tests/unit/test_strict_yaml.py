"""YAML is refused where it says something twice, and every error names its place."""

import subprocess
import sys
from pathlib import Path

import pytest

from catalog.strict_yaml import YamlError, compose, load_documents, load_yaml, read_yaml
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: 2\na: 3\n", "a: stands twice, in lines 1 and 3; nearest: one of them"),
        (
            "rules:\n  - kind: x\n    kind: y\n",
            "rules[0].kind: stands twice, in lines 2 and 3; nearest: one of them",
        ),
        (
            "a: {b: {c: 1}, b: {d: 1}}\n",
            "a.b: stands twice, in line 1; nearest: one block with both",
        ),
        ("a: 1\na: 1\na: 1\n", "a: stands 3 times, in lines 1, 2 and 3; nearest: one of them"),
        ("a: 1\n'a': 2\n", "a: stands twice, in lines 1 and 2; nearest: one of them"),
    ],
)
def test_a_key_that_stands_twice_is_refused_with_its_lines(text: str, said: str) -> None:
    with pytest.raises(YamlError) as refused:
        load_yaml(text)
    assert str(refused.value) == said


def test_every_repeated_key_has_its_line_in_the_error() -> None:
    with pytest.raises(YamlError) as refused:
        load_yaml("a: 1\na: 2\nb: {c: 1, c: 2}\n")
    assert [it.partition(":")[0] for it in refused.value.lines] == ["a", "b.c"]


def test_a_key_in_two_documents_or_two_blocks_stands_once_in_each() -> None:
    assert load_documents("a: 1\n---\na: 2\n") == [{"a": 1}, {"a": 2}]
    assert load_yaml("[{a: 1}, {a: 2}]") == [{"a": 1}, {"a": 2}]


def test_a_merge_that_is_overridden_says_nothing_twice() -> None:
    assert load_yaml("a: &x {p: 1, q: 2}\nb: {<<: *x, p: 3}\n")["b"] == {"p": 3, "q": 2}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a:\n\tb: 1\n", "line 2, column 1: a tab; YAML takes spaces"),
        ("- a\n\t- b\n", "line 2, column 1: a tab; YAML takes spaces"),
        ("a: {b: 1\n", "line 2, column 1: a { that is not closed, or a comma that is missing "),
        ("a:\n  b: 1\n c: 2\n", "line 3, column 2: another indentation than the first line of"),
        ("a: 'x\n", "line 2, column 1: a quote that is not closed (begun in line 1)"),
        ("a: @x\n", "line 1, column 4: @ begins no value in YAML; nearest: quotes around the text"),
        ("a: *x\n", "line 1, column 4: an alias (*NAME) without its anchor (&NAME) above"),
        ("a: b: c\n", "line 1, column 5: a key where none can stand; nearest: the indentation"),
        ("a: \x01\n", "character 4: a control character; nearest: the text without it"),
        (b"a: \xe9\n", "byte 4: not UTF-8"),
        ("a: \ud800\n", "characters that are not UTF-8"),
        ("{<<: " * 2000 + "{}" + "}" * 2000, "blocks or lists in each other without an end"),
        ("? [a]\n: 1\n", "line 1, column 3: a list or a block as a key; nearest: a text"),
        ("a: 2026-13-45\n", "a value that YAML cannot hold: month must be in 1..12"),
        ("a: 1\n---\na: 1\n", "a second document (a line ---) where one can stand"),
    ],
)
def test_what_is_no_yaml_is_told_in_plain_words_with_its_place(
    text: str | bytes, said: str
) -> None:
    with pytest.raises(YamlError) as refused:
        load_yaml(text)
    assert str(refused.value).startswith(said)
    assert "unicode string" not in str(refused.value)


def test_a_deep_text_is_refused_and_ends() -> None:
    for read in (load_yaml, compose):
        with pytest.raises(YamlError):
            read(b"[" * 5000)


def test_every_table_of_the_project_says_nothing_twice() -> None:
    files = [
        it
        for folder in ("catalog", "sandbox", "tools")
        for it in ROOT.joinpath(folder).rglob("*.yaml")
    ]
    assert len(files) > 20
    for file in files:
        load_documents(file.read_bytes())


def test_a_file_of_the_user_with_a_repeated_key_is_refused_by_its_reader(tmp_path: Path) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text("rules: []\nrules: []\n")
    with pytest.raises(YamlError, match=r"^rules: stands twice, in lines 1 and 2"):
        read_yaml(file)


def test_no_module_reads_yaml_past_these_functions(tmp_path: Path) -> None:
    """The linter refuses PyYAML's own, which take a key that stands twice."""
    module = tmp_path / "module.py"
    module.write_text("import yaml\n\nyaml.safe_load('')\n")
    config = str(ROOT / "pyproject.toml")
    command = [sys.executable, "-m", "ruff", "check", "--config", config, "--no-cache", str(module)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "TID251" in done.stdout
