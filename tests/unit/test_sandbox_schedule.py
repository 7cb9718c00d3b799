"""Simulated time: the clock's spans, and the longest chain of steps."""

from __future__ import annotations

import asyncio
import math
import random
from itertools import pairwise, permutations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.errors import UserError
from cli.urns import state_dependencies
from sandbox.bounds import slots_of
from sandbox.clock import Slots, Span, VirtualClock
from sandbox.plan import in_one_order
from sandbox.schedule import Node, TimedStep, critical_path, graph_of


def spend(speed: float, *jobs: tuple[float, float]) -> list[Span]:
    """Spans of chains of two operations each, all started together."""

    async def chain(clock: VirtualClock, first: float, second: float) -> Span:
        await clock.spend(first)
        return await clock.spend(second)

    async def together() -> list[Span]:
        clock = VirtualClock(speed)
        return list(await asyncio.gather(*(chain(clock, *job) for job in jobs)))

    return asyncio.run(together())


@pytest.mark.parametrize("speed", [math.inf, 20_000.0])
def test_what_follows_an_operation_starts_at_its_end_and_not_at_another_ones(
    speed: float,
) -> None:
    assert spend(speed, (10, 5), (600, 1)) == [Span(10, 15), Span(600, 601)]


def test_a_clock_that_stands_still_is_refused() -> None:
    with pytest.raises(UserError, match=r"must be above 0; nearest: 1$"):
        VirtualClock(0)


def test_a_sixth_operation_waits_for_a_free_slot() -> None:
    async def six() -> list[Span]:
        clock, slots = VirtualClock(math.inf), Slots(5)

        async def operation(seconds: float) -> Span:
            async with slots:
                return await clock.spend(seconds)

        return list(await asyncio.gather(*(operation(10 + n) for n in range(6))))

    assert asyncio.run(six())[-1] == Span(10, 25)


def step(urn: str, seconds: float, operation: str = "create") -> TimedStep:
    return TimedStep(urn, operation, seconds)


def test_the_critical_path_is_the_heaviest_chain_and_not_the_longest_list() -> None:
    steps = [step("net", 10), step("cluster", 480), step("pool", 150), step("lustre", 780)]
    found = critical_path(steps, {"cluster": ["net"], "pool": ["cluster"], "lustre": ["net"]})
    assert [it.urn for it in found.steps] == ["net", "lustre"]
    assert found.seconds == 790


def test_of_chains_that_are_as_long_the_same_one_is_told_whatever_the_order() -> None:
    needed = {"pool": ["cluster"], "other": ["cluster"], "ray": ["pool", "other"]}
    steps = [TimedStep(urn, "create", 60.0) for urn in ("cluster", "other", "pool", "ray")]
    told = {
        tuple(it.urn for it in critical_path(order, {**needed, "ray": [*waits]}).steps)
        for order in permutations(steps)
        for waits in permutations(needed["ray"])
    }
    assert told == {("cluster", "other", "ray")}


def test_what_is_made_of_a_provider_waits_for_what_the_provider_is_made_of() -> None:
    found = critical_path(
        [step("cluster", 480), step("secret", 1)], {"secret": ["provider"], "provider": ["cluster"]}
    )
    assert [it.urn for it in found.steps] == ["cluster", "secret"]


def test_deletes_run_against_the_dependencies() -> None:
    steps = [step("pool", 90, "delete"), step("cluster", 300, "delete")]
    found = critical_path(steps, {"pool": ["cluster"]})
    assert [it.urn for it in found.steps] == ["pool", "cluster"]


def test_a_replacement_deletes_before_it_creates() -> None:
    steps = [step("lustre", 300, "delete"), step("lustre", 780, "create")]
    found = critical_path(steps, {"lustre": []})
    assert [(it.operation, it.seconds) for it in found.steps] == [("delete", 300), ("create", 780)]


def test_no_step_takes_no_time() -> None:
    assert critical_path([], {}).seconds == 0


def test_a_resource_waits_for_its_dependencies_and_its_provider() -> None:
    resource = {
        "urn": "urn:pulumi:s::p::t::pool",
        "dependencies": ["urn:pulumi:s::p::t::cluster"],
        "propertyDependencies": {"account": ["urn:pulumi:s::p::t::account"]},
        "provider": "urn:pulumi:s::p::pulumi:providers:gcp::google::0123",
    }
    assert state_dependencies([resource]) == {
        "urn:pulumi:s::p::t::pool": {
            "urn:pulumi:s::p::t::cluster",
            "urn:pulumi:s::p::t::account",
            "urn:pulumi:s::p::pulumi:providers:gcp::google",
        }
    }


def test_a_replaced_dependent_is_deleted_before_what_takes_it_along() -> None:
    chain = [
        step("queue", 3, "delete"),
        step("pool", 180, "delete"),
        step("pool", 150),
        step("queue", 3),
    ]
    found = critical_path(chain, {"queue": ["pool"]})
    assert list(found.steps) == chain


def test_a_replacement_of_its_own_waits_for_the_replaced_resource_below_it() -> None:
    in_order = [
        step("pool", 180, "delete"),
        step("pool", 150),
        step("ray", 45, "delete"),
        step("ray", 55),
    ]
    found = critical_path(in_order, {"ray": ["pool"]})
    assert list(found.steps) == in_order


def test_what_is_replaced_after_its_creation_is_deleted_once_the_program_has_ended() -> None:
    """Found with `namespace` and `max_pods_per_node` of a running stack: one replacement deletes
    first, and the other creates first."""
    steps = [
        step("pool", 180, "delete"),
        step("pool", 150),
        step("grant", 5),
        step("ray", 55),
        step("grant", 6, "delete"),
    ]
    found = critical_path(steps, {"grant": ["namespace"], "pool": ["grant"], "ray": ["pool"]})
    assert [(it.urn, it.operation) for it in found.steps] == [
        ("grant", "create"),
        ("pool", "delete"),
        ("pool", "create"),
        ("ray", "create"),
        ("grant", "delete"),
    ]


def test_a_delete_waits_for_no_image_of_the_pods_that_come_after_it() -> None:
    pull = "urn:pulumi:dev::gke-ai-stacks::container:image:Pull::pool-images"
    found = critical_path(
        [step(pull, 365), step("ray", 45, "delete"), step("ray", 55)], {"ray": [pull]}
    )
    assert found.seconds == 365 + 55


@pytest.mark.parametrize("order", [("job", "ray"), ("ray", "job")])
def test_what_goes_side_by_side_is_told_in_one_order_whatever_the_states(
    order: tuple[str, str],
) -> None:
    needed = {"claim": ["disk"], "ray": ["claim"], "job": ["claim"]}
    deletes = [step(it, 1, "delete") for it in (*order, "claim", "disk")]
    found = in_one_order([*deletes, step("disk", 2), step("late", 1, "delete")], needed)
    assert [it.urn for it in found] == ["job", "ray", "claim", "disk", "disk", "late"]


OPERATIONS = ("none", "create", "update", "delete", "delete first", "create first")


@st.composite
def runs(draw: st.DrawFn) -> tuple[list[TimedStep], dict[str, list[str]]]:
    """A run as the engine does one: resources in the order of their dependencies, what a
    replacement takes along in one chain with it, and all other deletes at the end."""
    count = draw(st.integers(1, 8))
    names = [f"r{place}" for place in range(count)]
    needed = {
        name: draw(st.lists(st.sampled_from(names[:place]), unique=True)) if place else []
        for place, name in enumerate(names)
    }
    does = {name: draw(st.sampled_from(OPERATIONS)) for name in names}
    graph = nx.DiGraph([(it, name) for name in names for it in needed[name]])
    graph.add_nodes_from(names)
    order: list[Node] = []
    gone: set[str] = set()
    for name in names:
        if does[name] == "delete first" and name not in gone:
            along = [it for it in names if it in nx.descendants(graph, name) and it not in gone]
            taken = [it for it in along if does[it] in ("delete first", "create first")]
            order += [(it, "delete") for it in [*reversed(taken), name]]
            gone |= {name, *taken}
        if does[name] not in ("none", "delete"):
            order.append((name, "make"))
    late = [it for it in names if does[it] in ("delete", "create first") and it not in gone]
    order += [(it, "delete") for it in reversed(late)]
    kinds = {"make": "create", "delete": "delete"}
    return [TimedStep(urn, kinds[kind], 1.0) for urn, kind in order], needed


@given(runs())
def test_the_schedule_agrees_with_every_run_of_the_engine(
    run: tuple[list[TimedStep], dict[str, list[str]]],
) -> None:
    steps, needed = run
    graph, weights = graph_of(steps, needed)
    place = {node: number for number, node in enumerate(weights)}
    closed = nx.transitive_closure_dag(graph)
    wrong = [(a, b) for a, b in closed.edges if a in place and b in place and place[a] > place[b]]
    assert not wrong


@given(runs(), st.randoms())
def test_steps_in_any_order_close_no_circle(
    run: tuple[list[TimedStep], dict[str, list[str]]], chance: random.Random
) -> None:
    steps, needed = run
    chance.shuffle(steps)
    assert nx.is_directed_acyclic_graph(graph_of(steps, needed)[0])


@given(runs())
def test_a_replacement_and_what_it_takes_along_follow_one_another(
    run: tuple[list[TimedStep], dict[str, list[str]]],
) -> None:
    steps, needed = run
    graph, weights = graph_of(steps, needed)
    closed = nx.transitive_closure_dag(graph)
    nodes = list(weights)
    made = [it for it in nodes if it[1] == "make"]
    last = nodes.index(made[-1]) if made else -1
    for (before, kind), (after, other) in pairwise(nodes[:last]):
        if kind == other == "delete" and after in needed.get(before, ()):
            assert closed.has_edge((before, kind), (after, other))
    for node in nodes[last + 1 :]:
        assert all(closed.has_edge(it, node) for it in made)


def test_what_the_cloud_makes_no_name_of_ends_no_preview_in_a_traceback() -> None:
    """Whoever leaves the location to the provider: the run says what is missing."""
    assert slots_of("gcp:container/nodePool:NodePool", {"name": "a", "cluster": "c"}) is None
