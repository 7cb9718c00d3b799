"""The longest chain of steps that had to wait for each other: what `up` cannot be faster than."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx

REMOVALS = ("delete",)
# A resource by its URN, and whether it is made or deleted.
Node = tuple[str, str]


@dataclass(frozen=True)
class TimedStep:
    """One operation on one resource, with its simulated seconds."""

    urn: str
    operation: str
    seconds: float


@dataclass(frozen=True)
class CriticalPath:
    """The longest chain, in order; `seconds` is its sum."""

    steps: tuple[TimedStep, ...]
    seconds: float


def critical_path(
    steps: Iterable[TimedStep], dependencies: Mapping[str, Iterable[str]]
) -> CriticalPath:
    """The heaviest path of the steps' graph without any limit on how many run at once.

    `dependencies` maps every URN to the URNs that it waits for, steps or not. What depends on a
    resource is deleted before it and made after it; a replacement deletes first where `steps` names
    the delete of a URN before its create.
    """
    return heaviest(*graph_of(steps, dependencies))


def graph_of(
    steps: Iterable[TimedStep], dependencies: Mapping[str, Iterable[str]]
) -> tuple[nx.DiGraph[Node], dict[Node, TimedStep]]:
    """What waits for what, and the step of each node that has one."""
    graph: nx.DiGraph[Node] = nx.DiGraph()
    for urn, needed in dependencies.items():
        for other in needed:
            graph.add_edge((other, "make"), (urn, "make"))
            graph.add_edge((urn, "delete"), (other, "delete"))
    weights: dict[Node, TimedStep] = {}
    for step in steps:
        node = (step.urn, "delete" if step.operation in REMOVALS else "make")
        twin = (step.urn, "make" if node[1] == "delete" else "delete")
        graph.add_node(node)
        if twin in weights:
            graph.add_edge(twin, node)
        weights[node] = step
    return graph, weights


def heaviest(graph: nx.DiGraph[Node], weights: Mapping[Node, TimedStep]) -> CriticalPath:
    """The heaviest path of a graph of steps."""
    best: dict[Node, float] = {}
    came_from: dict[Node, Node | None] = {}
    for node in nx.topological_sort(graph):
        previous = max(graph.predecessors(node), key=lambda n: best[n], default=None)
        own = weights[node].seconds if node in weights else 0.0
        best[node] = own + (best[previous] if previous else 0.0)
        came_from[node] = previous
    node = max(best, key=lambda n: best[n], default=None)
    seconds = best[node] if node else 0.0
    chain: list[TimedStep] = []
    while node is not None:
        if node in weights:
            chain.append(weights[node])
        node = came_from[node]
    return CriticalPath(tuple(reversed(chain)), seconds)


def state_dependencies(resources: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """What each resource of an exported state waits for: its dependencies, its provider, and its
    parent, which waits for dependencies of its own."""
    found: dict[str, set[str]] = {}
    for resource in resources:
        needed = set(resource.get("dependencies") or [])
        for urns in (resource.get("propertyDependencies") or {}).values():
            needed.update(urns or [])
        if provider := resource.get("provider"):
            needed.add(provider.rpartition("::")[0])
        if parent := resource.get("parent"):
            needed.add(parent)
        found.setdefault(resource["urn"], set()).update(needed - {resource["urn"]})
    return found
