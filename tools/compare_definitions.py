"""Compares our definitions of custom kinds, and what our webhooks do, with checkouts of the public
repositories that they follow, and writes what it finds and docs/definitions.md.

`python -m tools.compare_definitions OWNER/NAME=FOLDER...`; a folder is a clone, bare or not, and
may end in `@REVISION`. What was found of a repository stays where no folder of it is given.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from catalog.strict_yaml import load_documents, read_yaml
from kube import paths
from kube.objects import JsonObject
from sandbox.kube.custom_resources import definition_of
from tools.gke_facts import gke_facts
from tools.written_page import table_row

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tools" / "definitions"
PAGE = ROOT / "docs" / "definitions.md"
# What two schemas are compared by, besides their fields.
_FACTS = (
    *("default", "enum", "maximum", "maxItems", "maxLength", "maxProperties", "minimum"),
    *("minItems", "minLength", "minProperties", "pattern", "required", "type"),
)
_HEAD = """\
# Definitions compared

What is in no registry is compared with its public repository by
`python -m tools.compare_definitions`: definitions of custom kinds field by field, and what webhooks
add and refuse. What differed and mattered was mended in ours; the rest is here, with the reason.
Kinds of a Go module (Network, GKENetworkParamSet, Kueue's, KubeRay's, JobSet's) are held against it
by `tests/kube/test_definitions.py` too, whenever that tier runs. Nothing here makes a
LeaderWorkerSet (kubernetes-sigs/lws), and of AutoscalingMetric nothing but GKE's documentation is
published.

| repository | commit | of | compared | left |
| --- | --- | --- | --- | --- |
"""
_ANY = "x-kubernetes-preserve-unknown-fields"


@dataclass(frozen=True)
class Checkout:
    folder: str
    revision: str

    @classmethod
    def of(cls, text: str) -> Checkout:
        folder, _, revision = text.partition("@")
        return cls(folder, revision or "HEAD")

    def git(self, *words: str) -> str:
        command = ["git", "-C", self.folder, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def read(self, file: str) -> str:
        return self.git("show", f"{self.revision}:{file}")


def differences(theirs: JsonObject, ours: JsonObject, path: str = "") -> Iterator[JsonObject]:
    """Where two schemas differ: at the top of what one of them does not have."""
    if "$ref" in ours or (ours.get(_ANY) and theirs.get(_ANY)):
        return
    if ours.get(_ANY):
        yield {"path": path, "what": "fields", "theirs": "a schema", "ours": "any value"}
        return
    for fact in _FACTS:
        there, here = _plain(theirs, fact), _plain(ours, fact)
        if there != here:
            yield {"path": path, "what": fact, "theirs": there, "ours": here}
    fields: Mapping[str, Any] = theirs.get("properties", {})
    known: Mapping[str, Any] = ours.get("properties", {})
    for name in sorted({*fields, *known}):
        at = paths.join(path, name)
        if name in fields and name in known:
            yield from differences(fields[name], known[name], at)
        else:
            yield {"path": at, "what": "field", "theirs": name in fields, "ours": name in known}
    for part, sign in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(theirs.get(part), dict) and isinstance(ours.get(part), dict):
            yield from differences(theirs[part], ours[part], path + sign)


def _plain(schema: JsonObject, fact: str) -> Any:
    if schema.get("x-kubernetes-int-or-string") and fact in ("pattern", "type"):
        return None
    found = schema.get(fact)
    return sorted(map(str, found)) if fact in ("enum", "required") and found else found


def compare(checkout: Checkout, source: JsonObject) -> JsonObject:
    found: list[JsonObject] = []
    same = 0
    for kind, file in source.get("definitions", {}).items():
        (definition,) = (each for each in load_documents(checkout.read(file)) if each)
        ours = {each["name"]: each for each in definition_of(kind)["spec"]["versions"]}
        for version in definition["spec"]["versions"]:
            if version["name"] in ours:
                theirs = _spec(version)
                here = _spec(ours[version["name"]])
                same += _fields(here)
                found += [{"of": kind, **each} for each in differences(theirs, here, "spec")]
                if (rules := (_rules(theirs), _rules(here)))[0] != rules[1]:
                    count = {"path": "rules", "what": "count", "theirs": rules[0], "ours": rules[1]}
                    found.append({"of": kind, **count})
    facts = gke_facts()
    for name, place in source.get("facts", {}).items():
        theirs = _matches(place["pattern"], checkout.read(place["file"]))
        same += len(theirs & facts[name])
        if theirs != facts[name]:
            found.append({"of": name, "path": name, "what": "fact"} | _only(theirs, facts[name]))
    return {
        "commit": checkout.git("rev-parse", checkout.revision + "^{commit}"),
        "date": checkout.git("log", "-1", "--format=%cs", checkout.revision),
        "same": same,
        "differences": [each | {"why": _why(source, each)} for each in found],
    }


def _spec(version: JsonObject) -> JsonObject:
    return version["schema"]["openAPIV3Schema"]["properties"]["spec"]


def _fields(schema: JsonObject) -> int:
    return sum(len(each.get("properties", {})) for each in _within(schema))


def _rules(schema: JsonObject) -> int:
    return sum(len(each.get("x-kubernetes-validations", ())) for each in _within(schema))


def _within(schema: JsonObject) -> Iterator[JsonObject]:
    """The schema and those of all fields and items in it."""
    yield schema
    for each in (*schema.get("properties", {}).values(), schema.get("items", {})):
        if each:
            yield from _within(each)


def _matches(pattern: str, text: str) -> frozenset[str]:
    found = re.findall(pattern, text, re.M)
    return frozenset(each if isinstance(each, str) else "=".join(each) for each in found)


def _only(theirs: frozenset[str], ours: frozenset[str]) -> JsonObject:
    return {"theirs": sorted(theirs - ours), "ours": sorted(ours - theirs)}


def _why(source: JsonObject, difference: JsonObject) -> str:
    for left in source["left"]:
        if paths.under(difference["path"].replace("[]", "[*]"), left["paths"]):
            return left["why"]
    return ""


def page(findings: Mapping[str, JsonObject]) -> str:
    lines: list[str] = [*_HEAD.splitlines()]
    for name, found in findings.items():
        left = len(found["differences"])
        lines.append(
            f"| {name} | {found['commit'][:8]} | {found['date']} | {found['same']} | {left} |"
        )
    for name, found in findings.items():
        if found["differences"]:
            lines += ["", f"## {name}", "", "| of | where | what | theirs | ours | why |"]
            lines.append("| --- | --- | --- | --- | --- | --- |")
            lines += [_row(each) for each in found["differences"]]
    return "\n".join(lines) + "\n"


def _row(difference: JsonObject) -> str:
    keys = ("of", "path", "what", "theirs", "ours", "why")
    return table_row(*(_cell(difference[key]) for key in keys))


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return "none" if value is None or value == [] else text


def main(arguments: list[str]) -> int:
    given = {name: Checkout.of(at) for name, _, at in (each.partition("=") for each in arguments)}
    file = DATA / "findings.yaml"
    findings: dict[str, JsonObject] = read_yaml(file) if file.exists() else {}
    for source in read_yaml(DATA / "sources.yaml"):
        if source["repository"] in given:
            findings[source["repository"]] = compare(given[source["repository"]], source)
    file.write_text(yaml.safe_dump(findings, sort_keys=False, width=100), encoding="utf-8")
    PAGE.write_text(page(findings), encoding="utf-8")
    unsaid = [each for it in findings.values() for each in it["differences"] if not each["why"]]
    for each in unsaid:
        print(f"{each['of']} {each['path']}: {each['what']}: {each['theirs']}, ours {each['ours']}")
    return 1 if unsaid else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
