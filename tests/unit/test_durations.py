"""The table of durations: every figure says who says it, and a run's range is its schedule's.
Cannot prove that a source is right."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

from catalog.durations import OWN, TABLE, Durations
from catalog.durations_table import OPERATIONS, TableError, read_table
from catalog.pool_nodes import rounds
from sandbox.bounds import Bounds, bounds, makespan
from sandbox.cloud.kinds import KINDS
from sandbox.schedule import Node, TimedStep

SHIPPED = read_table(TABLE)
LUSTRE = "gcp:lustre/instance:Instance"
POOL = "gcp:container/nodePool:NodePool"
URN = "urn:pulumi:s::p::{token}::{name}"
OF_MINE = """
date: 2026-11-23
sources: {mine: my run}
durations:
  gcp:container/nodePool:NodePool:
    create: {low: 300, likely: 310, high: 320, seen: [mine]}
    by:
      input: nodeConfig.machineType
      of:
        a4-highgpu-8g: {create: {low: 500, likely: 510, high: 520, seen: [mine]}}
"""


def own(folder: Path, text: str = OF_MINE) -> Durations:
    (folder / OWN).write_text(text)
    return Durations.of(folder)


def test_every_type_has_the_three_operations() -> None:
    for name, entry in SHIPPED.durations.items():
        assert all(getattr(entry, it) is not None for it in OPERATIONS), name


def test_every_type_that_the_cloud_simulates_is_in_the_table() -> None:
    assert KINDS.keys() <= SHIPPED.durations.keys()


def test_every_source_is_one_of_a_figure() -> None:
    named = {it for _, _, seconds in SHIPPED.figures() for it in seconds.seen}
    assert named == SHIPPED.sources.keys()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        ("low: 3, likely: 2, high: 4, ours: x", "not in this order"),
        ("low: 1, likely: 2, high: 4", "neither a source in `seen` nor an estimate"),
        ("low: 1, likely: 2, high: 4, seen: [nobody]", "no source is called nobody"),
        ("low: -1, likely: 2, high: 4, ours: x", "greater than or equal to 0"),
        ("low: 1, likely: 2, high: 4, ours: x, most: 5", "Extra inputs"),
    ],
)
def test_a_table_that_says_too_little_or_nonsense_is_refused(
    tmp_path: Path, seconds: str, words: str
) -> None:
    with pytest.raises(TableError, match=words):
        own(tmp_path, f"date: 2026-11-23\ndurations: {{a:b:C: {{create: {{{seconds}}}}}}}\n")


def test_a_table_that_is_no_yaml_is_refused_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"^durations.yaml: is no YAML: "):
        own(tmp_path, "a: [")


def test_an_instance_of_a_slower_tier_takes_longer() -> None:
    fast, slow = (
        Durations.load().seconds(LUSTRE, "create", {"perUnitStorageThroughput": it})
        for it in ("1000", "125")
    )
    assert slow > fast


def test_what_nobody_waits_for_takes_no_longer_than_a_call() -> None:
    note = {"metadata": {"annotations": {"pulumi.com/skipAwait": "true"}}}
    table = Durations.load()
    assert table.seconds("kubernetes:apps/v1:Deployment", "create", note) == table.seconds(
        "kubernetes:of/v1:Nobody", "create"
    )


def test_a_table_of_the_users_own_comes_first_and_by_machine_type(tmp_path: Path) -> None:
    mine, machine = own(tmp_path), {"nodeConfig": {"machineType": "a4-highgpu-8g"}}
    assert mine.seconds(POOL, "create") == 310
    assert mine.seconds(POOL, "create", machine) == 510
    assert mine.seconds(POOL, "delete", machine) == Durations.load().seconds(POOL, "delete")
    assert mine.seconds(LUSTRE, "create") == Durations.load().seconds(LUSTRE, "create")


def test_the_nodes_of_a_slice_are_made_anew_as_one() -> None:
    pool = {"initialNodeCount": 16, "upgradeSettings": {"maxSurge": 1}}
    assert rounds(pool, 16) == 16
    assert rounds({**pool, "placementPolicy": {"type": "COMPACT"}}, 16) == 16
    assert rounds({**pool, "placementPolicy": {"tpuTopology": "8x8"}}, 16) == 1


def test_a_project_without_a_table_of_its_own_has_the_shipped_one(tmp_path: Path) -> None:
    assert Durations.of(tmp_path) is Durations.load()


def urn(token: str, name: str) -> str:
    return URN.format(token=token, name=name)


def between(steps: list[TimedStep], needs: dict[str, list[str]], likely: float) -> Bounds:
    return bounds(steps, needs, Durations.load(), {}, likely)


def test_a_range_is_of_the_longest_chain_under_each_seconds_and_not_a_factor() -> None:
    lustre, pool = urn(LUSTRE, "lustre"), urn(POOL, "pool")
    apart = [TimedStep(lustre, "create", 780), TimedStep(pool, "create", 150)]
    assert between(apart, {}, 780) == Bounds(600, 2400)
    assert between(apart, {pool: [lustre]}, 930) == Bounds(600 + 81, 2400 + 600)


def test_a_step_that_was_slowed_down_has_a_range_that_is_too() -> None:
    lustre = urn(LUSTRE, "lustre")
    found = between([TimedStep(lustre, "create", 1560)], {}, 1560)
    assert found == Bounds(1200, 4800)


def test_a_step_that_the_cloud_is_not_asked_for_takes_no_time() -> None:
    assert between([TimedStep(urn(LUSTRE, "it"), "delete", 0)], {}, 0) == Bounds()


def test_a_sixth_operation_on_a_cluster_waits_in_a_range_too() -> None:
    graph: nx.DiGraph[Node] = nx.DiGraph()
    nodes = [(f"pool-{it}", "make") for it in range(6)]
    graph.add_nodes_from(nodes)
    seconds = dict.fromkeys(nodes, 100.0)
    assert makespan(graph, seconds, {}) == 100
    assert makespan(graph, seconds, dict.fromkeys(nodes, "cluster")) == 200
