"""Fenced blocks of the pages, in the root and in docs/, in their order, and their commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from typing import Any

import yaml

from tests.conftest import PROJECT, ROOT

PAGES: Mapping[str, str] = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))
}
# A fence of four holds fences of three: a page shows a page.
_FENCE = re.compile(r"^( *)(`{3,})(\S*)\n(.*?)^\1\2 *$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"\s+# (.*)$")
_EXITS = re.compile(r"exits (\d+)$")
_INNER = re.compile(r"=\$\((.+)\)$")
_ASSIGNED = re.compile(r"[A-Z_]+=")
SHELL = ("sh",)


@dataclass(frozen=True)
class Command:
    """One command as the page has it, without its comment; `exits` is the code that the comment
    promises."""

    text: str
    exits: int = 0

    @property
    def words(self) -> Sequence[str]:
        """Without the variables that are set before it."""
        return [*dropwhile(_ASSIGNED.match, shlex.split(self.text))]

    @property
    def inner(self) -> Command:
        """The command whose output a variable gets, or this one."""
        found = _INNER.search(self.text)
        return Command(found[1]) if found else self

    @property
    def environment(self) -> Mapping[str, str]:
        """Those variables."""
        before = takewhile(_ASSIGNED.match, shlex.split(self.text))
        return dict(it.split("=", 1) for it in before)

    @property
    def program(self) -> str:
        return self.words[0].removeprefix(".venv/bin/")


@dataclass(frozen=True)
class Block:
    """`at` is its number on the page; `before` is what the page says above it."""

    page: str
    at: int
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def commands(self) -> Sequence[Command]:
        """Empty for a block that is not for a shell."""
        return tuple(_commands(self.text)) if self.language in SHELL else ()

    @property
    def document(self) -> Any:
        """What a block of YAML holds; None for any other block, and for a comment alone."""
        return yaml.safe_load(self.text) if self.language == "yaml" else None

    @property
    def is_config(self) -> bool:
        """Whether it is a whole `Pulumi.NAME.yaml`."""
        return isinstance(self.document, dict) and "config" in self.document

    @property
    def stack_name(self) -> str:
        return str(self.document["config"][f"{PROJECT}:stack"]["name"])


def blocks_of(page: str) -> Sequence[Block]:
    text = PAGES[page]
    return tuple(
        Block(page, at, text.count("\n", 0, found.start()) + 1, found[3], _dedent(found))
        for at, found in enumerate(_FENCE.finditer(text))
    )


def _dedent(found: re.Match[str]) -> str:
    return re.sub(f"^{found[1]}", "", found[4], flags=re.MULTILINE)


def _commands(text: str) -> Iterator[Command]:
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        comment = _COMMENT.search(line)
        code = _EXITS.search(comment[1]) if comment else None
        for each in _COMMENT.sub("", line).split(" || "):
            yield Command(each.strip(), int(code[1]) if code else 0)


ALL: Sequence[Block] = tuple(it for page in PAGES for it in blocks_of(page))


def shown_config(name: str) -> Mapping[str, Any]:
    """The config that a page shows under that name, in the form of `stack_config`."""
    config = next(it for it in ALL if it.is_config and it.stack_name == name).document["config"]
    places = {it.removeprefix("gcp:"): config[it] for it in config if it.startswith("gcp:")}
    return {"project": "sandbox-project", **places, **config[f"{PROJECT}:stack"]}
