"""The longest chain of steps that had to wait for each other: what `up` cannot be faster than."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx

from sandbox.image_pulls import PULL

REMOVALS = ("delete",)
# A resource by its URN, and whether it is made or deleted.
Node = tuple[str, str]
# Between the last creation or update and the first delete that no creation waits for.
PROGRAM_ENDED: Node = ("", "program")


@dataclass(frozen=True)
class TimedStep:
    """One operation on one resource, with its simulated seconds; `renews` says whether it makes a
    pool's nodes anew."""

    urn: str
    operation: str
    seconds: float
    renews: bool = False


@dataclass(frozen=True)
class CriticalPath:
    """The longest chain, in order; `seconds` is its sum."""

    steps: tuple[TimedStep, ...]
    seconds: float


def critical_path(
    steps: Iterable[TimedStep], dependencies: Mapping[str, Iterable[str]]
) -> CriticalPath:
    """The heaviest path of the steps' graph without any limit on how many run at once; what
    `graph_of` takes."""
    return heaviest(*graph_of(steps, dependencies))


def graph_of(
    steps: Iterable[TimedStep], dependencies: Mapping[str, Iterable[str]]
) -> tuple[nx.DiGraph[Node], dict[Node, TimedStep]]:
    """What waits for what, and the step of each node that has one.

    `dependencies` maps every URN to the URNs that it waits for, steps or not. `steps` are in the
    order of the engine as far as deletes go: a delete that precedes any creation or update is part
    of a replacement that deletes first, and every other delete follows the whole program.

    The engine orders an update so (pulumi/pulumi pkg/resource/deploy at 1b594989, 2026-08-21):

    - A resource is made once its dependencies are made.
    - A replacement that deletes first is one chain, which runs serially: dependents that the
      replacement takes along, the resource, then its creation (step_generator.go,
      `generateStepsFromDiff`; step_executor.go, `executeChain`). The chain begins once the
      dependencies of its root are made.
    - All other deletes, those of replaced resources included, begin once the program has ended
      (deployment_executor.go, `performPostSteps`), dependents before what they depend on
      (step_generator.go, `ScheduleDeletes`).

    Each edge therefore leads from a dependency to a dependent, from an earlier to a later part of
    one chain, or from a creation to a late delete, so no steps in any order close a cycle.
    """
    known = list(steps)
    waits: nx.DiGraph[str] = nx.DiGraph()
    waits.add_nodes_from(it.urn for it in known)
    for urn, needed in dependencies.items():
        waits.add_edges_from((other, urn) for other in needed)
    weights = {_node(step): step for step in known}
    early = _early_deletes(known)
    graph: nx.DiGraph[Node] = nx.DiGraph()
    graph.add_nodes_from(weights)
    for needed, urn in waits.edges:
        graph.add_edge((needed, "make"), (urn, "make"))
        graph.add_edge(_late(urn, early), _late(needed, early))
    for root, chain in _chains(early, waits).items():
        in_order = [*((urn, "delete") for urn in chain), (root, "make")]
        graph.add_edges_from(pairwise(in_order))
        # Only pods of a creation wait for images.
        needed = (it for it in waits.predecessors(root) if f"{PULL}::" not in it)
        graph.add_edges_from(((it, "make"), in_order[0]) for it in needed)
    for urn, kind in weights:
        if kind == "make":
            graph.add_edge((urn, kind), PROGRAM_ENDED)
        elif urn not in early:
            graph.add_edge(PROGRAM_ENDED, (urn, kind))
    return graph, weights


def _node(step: TimedStep) -> Node:
    return step.urn, "delete" if step.operation in REMOVALS else "make"


def _early_deletes(steps: Sequence[TimedStep]) -> dict[str, int]:
    """The deletes before the last creation or update, by URN, with their places in the order."""
    places = {_node(step): place for place, step in enumerate(steps)}
    last = max((it for (_, kind), it in places.items() if kind == "make"), default=-1)
    return {urn: it for (urn, kind), it in places.items() if kind == "delete" and it < last}


def _chains(early: Mapping[str, int], waits: nx.DiGraph[str]) -> dict[str, list[str]]:
    """By the root of each chain what is deleted in it, in order; the root is last.

    A dependent that is deleted before its dependency is deleted goes in the dependency's chain. One
    that is deleted after that has a chain of its own.
    """
    root_of: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for urn in sorted(early, key=lambda it: early[it], reverse=True):
        later = [it for it in nx.ancestors(waits, urn) if early.get(it, -1) > early[urn]]
        nearest = min(later, key=lambda it: early[it], default=None)
        root_of[urn] = urn if nearest is None else root_of[nearest]
        found.setdefault(root_of[urn], []).append(urn)
    return {root: chain[::-1] for root, chain in found.items()}


def _late(urn: str, early: Collection[str]) -> Node:
    """The node that passes the order of late deletes on through `urn`."""
    return urn, "gone" if urn in early else "delete"


def heaviest(graph: nx.DiGraph[Node], weights: Mapping[Node, TimedStep]) -> CriticalPath:
    """The heaviest path of a graph of steps; of several the first by their URNs, so that it is the
    same one each time, in whatever order the engine heard of resources."""
    best: dict[Node, float] = {}
    came_from: dict[Node, Node | None] = {}
    for node in nx.topological_sort(graph):
        previous = max(sorted(graph.predecessors(node)), key=lambda n: best[n], default=None)
        own = weights[node].seconds if node in weights else 0.0
        best[node] = own + (best[previous] if previous else 0.0)
        came_from[node] = previous
    node = max(sorted(best), key=lambda n: best[n], default=None)
    seconds = best[node] if node else 0.0
    chain: list[TimedStep] = []
    while node is not None:
        if node in weights:
            chain.append(weights[node])
        node = came_from[node]
    return CriticalPath(tuple(reversed(chain)), seconds)
