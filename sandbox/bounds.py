"""Between what and what a run may take: its schedule once more, with the shortest and with the
longest seconds of each step."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import networkx as nx

from catalog.durations import Durations
from cli.urns import token_of
from sandbox.cloud.kinds import KINDS
from sandbox.errors import CloudError
from sandbox.providers.operations import OPERATIONS_AT_ONCE
from sandbox.schedule import Node, TimedStep, graph_of


@dataclass(frozen=True)
class Bounds:
    """Simulated seconds of a whole run."""

    low: float = 0.0
    high: float = 0.0


def bounds(
    steps: Iterable[TimedStep],
    dependencies: Mapping[str, Iterable[str]],
    durations: Durations,
    inputs: Mapping[str, Mapping[str, Any]],
    likely: float,
) -> Bounds:
    """`inputs` are those of each URN; `likely` is what the run itself took."""
    graph, weights = graph_of(steps, dependencies)
    lows: dict[Node, float] = {}
    highs: dict[Node, float] = {}
    keys: dict[Node, str] = {}
    for node, step in weights.items():
        token, known = token_of(step.urn), inputs.get(step.urn) or {}
        span = durations.span(token, step.operation, known, renews=step.renews)
        # A step may be slowed down, or be none that the cloud is asked for.
        share = step.seconds / span.likely if span.likely else 1.0
        lows[node], highs[node] = span.low * share, span.high * share
        if key := slots_of(token, known):
            keys[node] = key
    low, high = (makespan(graph, it, keys) for it in (lows, highs))
    return Bounds(min(low, likely), max(high, likely))


def slots_of(token: str, inputs: Mapping[str, Any]) -> str | None:
    """None, too, for what the cloud refuses to make of these inputs: the run itself says so."""
    kind = KINDS.get(token)
    try:
        return kind.slots(dict(inputs)) if kind is not None and inputs else None
    except CloudError:
        return None


def makespan(
    graph: nx.DiGraph[Node], seconds: Mapping[Node, float], keys: Mapping[Node, str]
) -> float:
    """When the last node ends."""
    return max(ends(graph, seconds, keys).values(), default=0.0)


def ends(
    graph: nx.DiGraph[Node], seconds: Mapping[Node, float], keys: Mapping[Node, str]
) -> dict[Node, float]:
    """When each node ends, where each starts once those before it have ended; of those with the
    same key only so many run at once, in the order in which they came."""
    found: dict[Node, float] = {}
    waiting = {node: graph.in_degree(node) for node in graph}
    at_work = _AtWork(seconds, keys)
    for node, count in waiting.items():
        if not count:
            at_work.begin(node)
    while (ended := at_work.next_ended()) is not None:
        found[ended] = at_work.now
        for follower in graph.successors(ended):
            waiting[follower] -= 1
            if not waiting[follower]:
                at_work.begin(follower)
    return found


@dataclass
class _AtWork:
    """What runs, and what waits for a place."""

    seconds: Mapping[Node, float]
    keys: Mapping[Node, str]
    now: float = 0.0
    running: list[tuple[float, int, Node]] = field(default_factory=list[tuple[float, int, Node]])
    begun: int = 0
    free: dict[str, int] = field(default_factory=lambda: defaultdict(lambda: OPERATIONS_AT_ONCE))
    queues: dict[str, deque[Node]] = field(default_factory=lambda: defaultdict(deque))

    def begin(self, node: Node) -> None:
        key = self.keys.get(node)
        if key is not None:
            if not self.free[key]:
                self.queues[key].append(node)
                return
            self.free[key] -= 1
        self.begun += 1
        heapq.heappush(self.running, (self.now + self.seconds.get(node, 0.0), self.begun, node))

    def next_ended(self) -> Node | None:
        if not self.running:
            return None
        self.now, _, node = heapq.heappop(self.running)
        key = self.keys.get(node)
        if key is not None:
            self.free[key] += 1
            if self.queues[key]:
                self.begin(self.queues[key].popleft())
        return node
