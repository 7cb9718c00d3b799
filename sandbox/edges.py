"""The waits of a critical path: which step waits for which, why, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx

from cli.urns import name_of
from sandbox.reasons import Reasons
from sandbox.schedule import Node, TimedStep, graph_of, heaviest


@dataclass(frozen=True)
class Wait:
    """A step of a critical path and the one before it; without that wait all would be done
    `costs` simulated seconds earlier. `reason` is None where none is known."""

    step: TimedStep
    before: TimedStep
    costs: float
    reason: str | None

    def to_json(self) -> dict[str, Any]:
        return {
            "step": f"{self.step.operation} {name_of(self.step.urn)}",
            "waits_for": f"{self.before.operation} {name_of(self.before.urn)}",
            "costs_s": round(self.costs, 3),
            "reason": self.reason,
        }


def waits_of(
    steps: Iterable[TimedStep],
    dependencies: Mapping[str, Iterable[str]],
    reasons: Reasons | None = None,
) -> list[Wait]:
    """Those of the critical path, in its order; reasons are the table's."""
    known = Reasons.load() if reasons is None else reasons
    graph, weights = graph_of(steps, dependencies)
    direct = _direct(graph, weights)
    whole = heaviest(direct, weights)
    found: list[Wait] = []
    for before, step in zip(whole.steps, whole.steps[1:], strict=False):
        pair = _node(before), _node(step)
        without = direct.copy()
        without.remove_edge(*pair)
        costs = whole.seconds - heaviest(without, weights).seconds
        found.append(Wait(step, before, costs, known.of(step, before)))
    return found


def _direct(graph: nx.DiGraph[Node], weights: Mapping[Node, TimedStep]) -> nx.DiGraph[Node]:
    """The graph of steps alone: what a step waits for by way of components and providers, it waits
    for itself."""
    found: nx.DiGraph[Node] = nx.DiGraph()
    before: dict[Node, set[Node]] = {}
    for node in nx.topological_sort(graph):
        near = {
            one
            for it in graph.predecessors(node)
            for one in ({it} if it in weights else before[it])
        }
        before[node] = near
        if node in weights:
            found.add_node(node)
            found.add_edges_from((it, node) for it in near)
    return found


def _node(step: TimedStep) -> Node:
    return step.urn, "delete" if step.operation == "delete" else "make"
