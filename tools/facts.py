"""docs/facts.md: every fact about a product that the program depends on, with its source.

`python -m tools.facts` writes the page from catalog/data, and docs/node-room.md with it; `--check`
says instead whether those that are there are the same.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from catalog.facts import RegisteredFact, register
from catalog.prices import BOOKS
from catalog.strict_yaml import read_yaml
from catalog.table import DATA
from tools import node_room_page
from tools.written_page import table_row, write_or_check

PAGE = Path(__file__).resolve().parent.parent / "docs" / "facts.md"
AREAS = {
    "net": "Networks, clusters and Managed Lustre",
    "bucket": "Buckets, Cloud Storage FUSE and verl",
    "queue": "Kueue, serving and fine-tuning",
    "serve": "vLLM",
    "tpu": "TPU slices and MaxText",
    "ray": "Ray, and what may do what",
    "images": "Where images come from",
    "input": "What a config may say",
    "team": "Teams that share a cluster",
    "existing": "Parts that exist already, and other stacks",
    "guard": "Protection and pull requests",
    "sandbox": "The engine and its providers",
}
# How a table's entry says that the figure is ours.
_OURS = "estimate"


@dataclass(frozen=True, kw_only=True)
class TableEntry:
    """An entry of a catalog table that names a source: its path in the file, and the source."""

    path: str
    source: str
    read: str

    @property
    def estimated(self) -> bool:
        return _OURS in self.source.lower()


def page() -> str:
    """The page's whole text."""
    facts = register()
    files = [*sorted(DATA.glob("*.yaml")), *sorted(BOOKS.glob("*.yaml"))]
    tables = {str(it.relative_to(DATA).with_suffix("")): list(entries_of(it)) for it in files}
    return "\n".join([*_head(facts, tables), *_register(facts), *_tables(tables)]) + "\n"


def entries_of(file: Path) -> Iterator[TableEntry]:
    """Every entry of a table that has a source of its own, the table's first."""
    yield from _entries(read_yaml(file), "", "")


def _entries(node: object, path: str, read: str) -> Iterator[TableEntry]:
    if isinstance(node, Mapping):
        of, looked_up = node.get("date"), node.get("read")
        read = str(looked_up or of or read)
        if isinstance(node.get("source"), str):
            day = f"{of}, read {looked_up}" if of and looked_up else read
            yield TableEntry(path=path or "(all)", source=node["source"], read=day)
        for key, inner in node.items():
            yield from _entries(inner, f"{path}.{key}" if path else str(key), read)
    elif isinstance(node, list):
        for number, inner in enumerate(node):
            yield from _entries(inner, f"{path}[{_key_of(inner, number)}]", read)


def _key_of(node: object, number: int) -> object:
    """What tells an entry of a list from the others."""
    if isinstance(node, Mapping):
        return node.get("machine_type") or node.get("name") or number
    return number


def _head(
    facts: Mapping[str, Sequence[RegisteredFact]], tables: Mapping[str, Sequence[TableEntry]]
) -> list[str]:
    every = [fact for area in facts.values() for fact in area]
    entries = [entry for table in tables.values() for entry in table]
    believed = sum(not fact.verified for fact in every)
    estimated = sum(entry.estimated for entry in entries)
    return [
        "# Facts",
        "",
        "What the program takes for true about Google Cloud, Kubernetes and libraries: who says",
        "so, when, and the tests that fail where the program forgets it. `python -m tools.facts`",
        "writes this page from `catalog/data`.",
        "",
        f"- {len(every)} facts in the register, {believed} of them not verified.",
        f"- {len(entries)} sourced entries in the catalog's tables, "
        f"{estimated} of them estimates of ours.",
    ]


def _register(facts: Mapping[str, Sequence[RegisteredFact]]) -> Iterator[str]:
    for area, title in AREAS.items():
        rows = facts.get(area, ())
        if not rows:
            continue
        yield from ("", f"## {title}", "", "| fact | source | date | held by |")
        yield "| --- | --- | --- | --- |"
        for fact in rows:
            said = fact.fact if fact.verified else f"**Not verified.** {fact.fact}"
            tests = "<br>".join(f"`{_short(test)}`" for test in fact.held_by)
            yield table_row(said, fact.source or "nobody outside", str(fact.date), tests or "none")


def _tables(tables: Mapping[str, Sequence[TableEntry]]) -> Iterator[str]:
    yield from ("", "## Tables of the catalog", "")
    yield "Read and checked by `tests/unit/test_catalog*.py`."
    for name, entries in tables.items():
        yield from ("", f"### {name}.yaml", "", "| entry | source | read |", "| --- | --- | --- |")
        for entry in entries:
            said = f"**Estimate.** {entry.source}" if entry.estimated else entry.source
            yield table_row(f"`{entry.path}`", said, entry.read)


def _short(test: str) -> str:
    return test.removeprefix("tests/")


def main(arguments: Sequence[str]) -> int:
    pages = {
        PAGE: (page(), "catalog/data"),
        node_room_page.PAGE: (node_room_page.page(), "catalog/data"),
    }
    remedy = "docs/{} is not what {} says; nearest: python -m tools.facts"
    return max(
        write_or_check(file, text, arguments, remedy.format(file.name, of))
        for file, (text, of) in pages.items()
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
