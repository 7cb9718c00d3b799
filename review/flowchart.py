"""A stack's components and what each waits for, drawn from the engine's own state."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import networkx as nx

from components.base.tokens import is_component

_PROVIDER = "pulumi:providers:"

Resources = Iterable[Mapping[str, Any]]


def picture(resources: Resources, areas: Mapping[str, str] | None = None) -> str:
    """A Mermaid flowchart: a box a component, with the types of its children, or an area, with the
    names of its components; an arrow where a child waits for a child.

    `areas` has the area of each class of components; a line then is a box with all its arrows.
    """
    found = {resource["urn"]: resource for resource in resources if not resource.get("delete")}
    owners = {urn: owner for urn in found if (owner := _owner(urn, found))}
    boxes = {urn: _box(found[owner], areas) for urn, owner in owners.items()}
    held: dict[str, Counter[str]] = {box: Counter() for box in boxes.values()}
    graph: nx.DiGraph[str] = nx.DiGraph()
    for urn, box in boxes.items():
        graph.add_node(box)
        is_component = urn == owners[urn]
        if areas is not None and is_component:
            held[box][_name(urn)] += 1
        elif areas is None and not (is_component or found[urn]["type"].startswith(_PROVIDER)):
            held[box][_class(found[urn])] += 1
        for needed in _needed(found[urn]):
            other = boxes.get(needed, box)
            if other != box:
                graph.add_edge(other, box)
    if nx.is_directed_acyclic_graph(graph):
        graph = nx.transitive_reduction(graph)
        order = list(nx.lexicographical_topological_sort(graph))
    else:
        order = sorted(graph)
    lines = [f'{_node(box)}["{_label(box, held[box])}"]' for box in order]
    after = [[_node(it) for it in order if graph.has_edge(box, it)] for box in order]
    if areas is None:
        lines += [
            _arrows(_node(box), [it]) for box, its in zip(order, after, strict=True) for it in its
        ]
    else:
        lines = list(map(_arrows, lines, after))
    return "\n    ".join(["flowchart LR", *lines])


def _arrows(box: str, after: list[str]) -> str:
    return f"{box} --> {' & '.join(after)}" if after else box


def _owner(urn: str, found: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The nearest component at or above a resource."""
    at = urn
    while at in found:
        if is_component(found[at]["type"]):
            return at
        at = str(found[at].get("parent"))
    return None


def _needed(resource: Mapping[str, Any]) -> set[str]:
    """What a resource waits for: its dependencies and its provider."""
    needed = set(resource.get("dependencies") or [])
    for urns in (resource.get("propertyDependencies") or {}).values():
        needed.update(urns or [])
    if provider := resource.get("provider"):
        needed.add(provider.rpartition("::")[0])
    return needed


def _name(urn: str) -> str:
    return urn.rsplit("::", 1)[-1]


def _class(resource: Mapping[str, Any]) -> str:
    return str(resource["type"]).rsplit(":", 1)[-1]


def _box(component: Mapping[str, Any], areas: Mapping[str, str] | None) -> str:
    return _name(component["urn"]) if areas is None else areas[_class(component)]


def _node(box: str) -> str:
    return re.sub(r"\W", "_", box)


def _label(box: str, held: Counter[str]) -> str:
    counted = [one if n == 1 else f"{n} x {one}" for one, n in sorted(held.items())]
    return "<br/>".join([f"<b>{box}</b>", *counted])
