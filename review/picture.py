"""A stack's components with what changes in colour, as Mermaid. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from components.base.tokens import is_component
from review.change import VERBS, Change, Verb
from review.flowchart import picture

COLOURS: Mapping[Verb, str] = {
    "delete": "#e5534b",
    "replace": "#e0823d",
    "update": "#d4b106",
    "create": "#57ab5a",
}
_DRAWN = ("urn", "type", "parent", "dependencies", "propertyDependencies", "provider", "delete")
_NO_WORD = re.compile(r"[^A-Za-z0-9_:$./-]")


def coloured(
    goals: Mapping[str, Mapping[str, Any]],
    state: Iterable[Mapping[str, Any]],
    changes: Iterable[Change],
) -> str:
    """The Mermaid flowchart of all that is there before or after, a component in the colour of the
    worst that happens in it.

    `goals` is what the program wants, by URN; `state` the engine's record from before.
    """
    found = {resource["urn"]: resource for resource in state}
    found |= {urn: {**goal, "urn": urn} for urn, goal in goals.items()}
    found = {_drawable(urn): _drawable(_drawn_parts(it)) for urn, it in found.items()}
    if not found:
        return ""
    worst: dict[str, Verb] = {}
    for change in changes:
        if owner := _owner(_drawable(change.urn), found):
            known: Verb = worst.get(owner, VERBS[-1])
            if VERBS.index(change.verb) <= VERBS.index(known):
                worst[owner] = change.verb
    verbs: dict[str, Verb] = {_node(owner): verb for owner, verb in worst.items()}
    lines = [picture(list(found.values()))]
    for verb in VERBS:
        if nodes := sorted(node for node, its in verbs.items() if its == verb):
            lines.append(f"    classDef {verb} fill:{COLOURS[verb]},color:#000")
            lines.append(f"    class {','.join(nodes)} {verb}")
    return "\n".join(lines)


def _drawn_parts(resource: Mapping[str, Any]) -> dict[str, Any]:
    return {key: resource[key] for key in _DRAWN if resource.get(key)}


def _drawable(value: Any) -> Any:
    """With names that are words: of any other a line of the picture could be made."""
    if isinstance(value, str):
        return _NO_WORD.sub("_", value)
    if isinstance(value, Mapping):
        return {_drawable(key): _drawable(inner) for key, inner in value.items()}
    return [_drawable(inner) for inner in value] if isinstance(value, list) else value


def _owner(urn: str, found: Mapping[str, Mapping[str, Any]]) -> str | None:
    at = urn
    while at in found:
        if is_component(str(found[at].get("type"))):
            return at
        at = str(found[at].get("parent"))
    return None


def _node(urn: str) -> str:
    return urn.rsplit("::", 1)[-1].replace("-", "_")
