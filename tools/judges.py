"""docs/judges.md: every rule that the sandbox enforces, with what judges it.

`python -m tools.judges` writes the page from sandbox/judges and the sandbox's own statements;
`--check` says instead whether the one that is there is the same.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from catalog.strict_yaml import read_yaml
from tools.judged_properties import COUNTS
from tools.refusals import SANDBOX, Refusal, refusals
from tools.written_page import table_row, write_or_check

ROOT = SANDBOX.parent
PAGE = ROOT / "docs" / "judges.md"
TABLES = SANDBOX / "judges"
PROGRAM, OURS, LIMIT = "a real program", "own reading", "the sandbox's limit"
# The strongest first.
JUDGES = {
    PROGRAM: "It runs, in the version that is locked",
    "provider schema": "What Google's provider checks or says of a property",
    "published schema": "A schema that its makers publish",
    "product code": "Code of the product, of a provider, or of Google's own modules",
    "discovery document": "What an API says of itself",
    "documentation": "Documentation, a sourced table of ours, or Google's answer in a public issue",
    OURS: "**Nobody outside was found who says it**",
}


_INTRODUCTION = (
    "# What judges what",
    "",
    "Every rule that the sandbox enforces, and who says it. A rule is a statement in the code",
    "that refuses something, or a property that a schema checks. With `--kube real`, the default",
    "where it is built, a real control plane takes the place of the rules for Kubernetes, Kueue,",
    "KubeRay and JobSet; in memory they are ours, read from where each row says.",
    "`python -m tools.judges` writes this page from `sandbox/judges`; a test fails for a statement",
    "that stands in no row, or in two.",
    "",
)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A row of the table; `at` are functions with words of those of their statements that it
    means, and none where it means the module's all."""

    module: str
    refuses: str
    judge: str
    source: str = ""
    real: str = ""
    properties: str = ""
    at: Mapping[str, tuple[str, ...]] | None = None

    def means(self, refusal: Refusal) -> bool:
        if self.properties or refusal.module != self.module:
            return self.module == refusal.module
        if self.at is None:
            return True
        words = self.at.get(refusal.function)
        return words is not None and (not words or any(each in refusal.words for each in words))


Counts: TypeAlias = Sequence[tuple[Rule, int]]


@dataclass(frozen=True, kw_only=True)
class Program:
    name: str
    version: str
    judges: str


def rules() -> list[Rule]:
    return [
        _rule(module, row)
        for file in sorted(TABLES.glob("*.yaml"))
        if file.stem != "sources"
        for module, rows in read_yaml(file).items()
        for row in rows
    ]


def programs() -> list[Program]:
    """What runs, in the version that its go.mod locks."""
    return [
        Program(name=name, version=_locked(row["locked"], row["module"]), judges=row["judges"])
        for name, row in _sources()["programs"].items()
    ]


def counted(every: Sequence[Rule]) -> Counts:
    """How many properties or statements each rule is."""
    found = list(refusals())
    return [
        (rule, COUNTS[rule.properties]() if rule.properties else sum(map(rule.means, found)))
        for rule in every
    ]


def _rule(module: str, row: Mapping[str, Any]) -> Rule:
    at = row.get("at")
    return Rule(
        module=module,
        refuses=row["refuses"],
        judge=row["judge"],
        source=_written(row.get("source", "")),
        real=row.get("real", ""),
        properties=row.get("properties", ""),
        at=None if at is None else {name: _words(each) for name, each in at.items()},
    )


def _words(value: str | list[str] | None) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, list) else (value,) if value else ()


def _written(source: str | Mapping[str, str]) -> str:
    if isinstance(source, str):
        return source
    known: Mapping[str, str] = _sources()["sources"]
    return "; ".join(known[name].replace("{}", where) for name, where in source.items())


@cache
def _sources() -> Mapping[str, Any]:
    return read_yaml(TABLES / "sources.yaml")


def _locked(folder: str, module: str) -> str:
    text = (ROOT / folder / "go.mod").read_text(encoding="utf-8")
    found = re.search(rf"^\s*{re.escape(module)} (\S+)", text, re.MULTILINE)
    assert found is not None, f"{folder}/go.mod locks {module}"
    return found[1]


def judged(counts: Counts, *, real: bool) -> dict[str, int]:
    """By judge, the strongest first; what the sandbox only does not simulate is no rule."""
    found = Counter[str]()
    for rule, count in counts:
        found[PROGRAM if real and rule.real else rule.judge] += count
    return {judge: found[judge] for judge in JUDGES if found[judge]}


def page() -> str:
    counts = counted(rules())
    return "\n".join([*_head(counts), *_programs(), *_ours(counts), *_others(counts)]) + "\n"


def _head(counts: Counts) -> Iterator[str]:
    memory, real = judged(counts, real=False), judged(counts, real=True)
    statements = judged([it for it in counts if not it[0].properties], real=False)
    limits = sum(count for rule, count in counts if rule.judge == LIMIT)
    yield from _INTRODUCTION
    yield "| judge | what | `--kube memory` | of them statements | `--kube real` |"
    yield "| --- | --- | --- | --- | --- |"
    for judge, what in JUDGES.items():
        yield table_row(
            judge, what, _share(judge, memory), str(statements.get(judge, 0)), _share(judge, real)
        )
    yield from ("", f"The fewest are {_least(memory)} in memory, and {_least(real)} with a real")
    yield "control plane, which takes nearly all of the published schemas over."
    yield f"{limits} more statements refuse what the sandbox does not simulate, and claim nothing."


def _share(judge: str, found: Mapping[str, int]) -> str:
    count = found.get(judge, 0)
    return f"{count}, {100 * count / sum(found.values()):.1f} %" if count else "none"


def _least(found: Mapping[str, int]) -> str:
    return min(found, key=found.__getitem__)


def _programs() -> Iterator[str]:
    yield from ("", "## Real programs", "", "| program | version | judges |", "| --- | --- | --- |")
    for program in programs():
        yield table_row(program.name, program.version, program.judges)


def _ours(counts: Counts) -> Iterator[str]:
    yield from ("", "## Our own reading", "")
    yield "No source was found for these. They may be wrong, and may go once one says otherwise."
    yield from (
        "",
        "| what is refused | where | rules | with `--kube real` |",
        "| --- | --- | --- | --- |",
    )
    for rule, count in counts:
        if rule.judge == OURS:
            yield table_row(rule.refuses, f"`{rule.module}`", str(count), rule.real or "the same")


def _others(counts: Counts) -> Iterator[str]:
    module = ""
    yield from ("", "## All others", "")
    yield "| what is refused | judge | source | rules | with `--kube real` |"
    yield "| --- | --- | --- | --- | --- |"
    for rule, count in counts:
        if rule.judge == OURS:
            continue
        if rule.module != module:
            module = rule.module
            yield table_row(f"**`{module}`**", "", "", "", "")
        yield table_row(rule.refuses, rule.judge, rule.source, str(count), rule.real or "the same")


def main(arguments: Sequence[str]) -> int:
    remedy = "docs/judges.md is not what the sandbox says; nearest: python -m tools.judges"
    return write_or_check(PAGE, page(), arguments, remedy)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
