"""A stack's components and what each waits for, drawn from the engine's own state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import networkx as nx

_COMPONENT = "gke-ai-stacks:"
_PROVIDER = "pulumi:providers:"

Resources = Iterable[Mapping[str, Any]]


def picture(resources: Resources) -> str:
    """A Mermaid flowchart: a node a component, an edge where a child waits for a child."""
    found = {resource["urn"]: resource for resource in resources if not resource.get("delete")}
    owners = {urn: owner for urn in found if (owner := _owner(urn, found))}
    kinds: dict[str, Counter[str]] = {owner: Counter() for owner in owners.values()}
    graph: nx.DiGraph[str] = nx.DiGraph()
    for urn, owner in owners.items():
        graph.add_node(owner)
        if urn != owner and not found[urn]["type"].startswith(_PROVIDER):
            kinds[owner][found[urn]["type"].rsplit(":", 1)[-1]] += 1
        for needed in _needed(found[urn]):
            other = owners.get(needed, owner)
            if other != owner:
                graph.add_edge(other, owner)
    if nx.is_directed_acyclic_graph(graph):
        graph = nx.transitive_reduction(graph)
        order = list(nx.lexicographical_topological_sort(graph, key=_name))
    else:
        order = sorted(graph, key=_name)
    lines = [f'    {_node(urn)}["{_label(urn, kinds[urn])}"]' for urn in order]
    place = {urn: number for number, urn in enumerate(order)}
    edges = sorted(graph.edges, key=lambda edge: (place[edge[0]], place[edge[1]]))
    lines += [f"    {_node(first)} --> {_node(second)}" for first, second in edges]
    return "\n".join(["flowchart LR", *lines])


def _owner(urn: str, found: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The nearest component at or above a resource."""
    at = urn
    while at in found:
        if found[at]["type"].startswith(_COMPONENT):
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


def _node(urn: str) -> str:
    return _name(urn).replace("-", "_")


def _label(urn: str, kinds: Counter[str]) -> str:
    counted = [kind if n == 1 else f"{n} x {kind}" for kind, n in sorted(kinds.items())]
    return "<br/>".join([f"<b>{_name(urn)}</b>", *counted])
