"""Whose networks further interfaces are in, for any pools together: what the config says stays, and
what it leaves out contradicts nothing.

Cannot show that Google's own refusals are these.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import Catalog
from stacks.parts.pools.interface_modes import interface_modes
from stacks.parts.pools.interface_rules import interface_mode_problems
from stacks.parts.pools.plan import kind_of
from stacks.plan import Plan
from stacks.stack import Stack

FACTS = Catalog.load()
V6E = {"machine_type": "ct6e-standard-4t", "topology": "4x4", "slices": 2}
MACHINES: list[dict[str, Any]] = [
    *({"machine_type": it, "nodes": 2} for it in ("a4-highgpu-8g", "a3-ultragpu-8g")),
    *({"machine_type": it, "nodes": 2} for it in ("g2-standard-24", "h4d-standard-192")),
    *(V6E, {**V6E, "slices": 1}, {**V6E, "slices": [3]}),
    {"machine_type": "tpu7x-standard-4t", "topology": "2x2x4", "slices": 2},
    {"machine_type": "ct5lp-hightpu-4t", "topology": "4x4", "slices": 2},
]
POOLS = st.lists(st.sampled_from(MACHINES), min_size=1, max_size=4)
SAID = st.lists(st.sampled_from([None, None, "managed", "own", "none"]), min_size=4, max_size=4)
NETWORKS: list[dict[str, Any]] = [
    {},
    {"dcn": []},
    {"dcn": [{"name": "net-1", "range": "10.50.0.0/16"}]},
]
CLUSTERS = [{}, {"version": "1.34.1-gke.1829000"}, {"release_channel": "RAPID"}]


def stack_of(
    pools: list[dict[str, Any]],
    said: list[str | None],
    network: dict[str, Any],
    cluster: dict[str, Any],
) -> Stack:
    return Stack.model_validate(
        {
            "project": "my-project",
            "region": "us-central1",
            "zone": "us-central1-b",
            "name": "drawn",
            "network": network,
            "cluster": cluster,
            "pools": {
                f"p{at}": pool if mode is None else {**pool, "interfaces": mode}
                for at, (pool, mode) in enumerate(zip(pools, said, strict=False))
            },
        }
    )


def modes_of(*pools: dict[str, Any], **network: Any) -> list[str]:
    stack = stack_of([*pools], [None] * len(pools), network, {})
    return [*interface_modes(stack, FACTS).values()]


@given(pools=POOLS, network=st.sampled_from(NETWORKS), cluster=st.sampled_from(CLUSTERS))
def test_what_is_left_out_is_refused_by_no_rule_but_that_of_a_range_without_effect(
    pools: list[dict[str, Any]], network: dict[str, Any], cluster: dict[str, Any]
) -> None:
    # In such a cluster slices claim what GPUs have as objects, whatever their default.
    old = cluster.get("version") is not None or bool(network.get("dcn"))
    kinds = {kind_of(FACTS.machine(it["machine_type"])) for it in pools}
    plan = Plan(stack_of(pools, [None] * 4, network, cluster))
    found = [*interface_mode_problems(plan)]
    assert not found or (old and {"gpu", "tpu"} <= kinds)


@given(pools=POOLS, said=SAID, network=st.sampled_from(NETWORKS), cluster=st.sampled_from(CLUSTERS))
def test_what_the_config_says_stays(
    pools: list[dict[str, Any]],
    said: list[str | None],
    network: dict[str, Any],
    cluster: dict[str, Any],
) -> None:
    modes = interface_modes(stack_of(pools, said, network, cluster), FACTS)
    told = {f"p{at}": mode for at, mode in enumerate(said[: len(pools)]) if mode is not None}
    assert {name: modes[name] for name in told} == told


@given(pools=POOLS, said=SAID, network=st.sampled_from(NETWORKS), cluster=st.sampled_from(CLUSTERS))
def test_of_one_kind_what_is_left_out_is_alike(
    pools: list[dict[str, Any]],
    said: list[str | None],
    network: dict[str, Any],
    cluster: dict[str, Any],
) -> None:
    modes = interface_modes(stack_of(pools, said, network, cluster), FACTS)
    for kind in ("gpu", "tpu"):
        left_out = {
            modes[f"p{at}"]
            for at, (pool, mode) in enumerate(zip(pools, said, strict=False))
            if mode is None and kind_of(FACTS.machine(pool["machine_type"])) == kind
        }
        assert not {"managed", "own"} <= left_out


@pytest.mark.parametrize(
    ("pools", "modes"),
    [
        ([V6E], ["managed"]),
        # As when there was a second one.
        ([{**V6E, "slices": 1}], ["managed"]),
        ([{**V6E, "slices": 1}, {**V6E, "slices": 1}], ["managed", "managed"]),
        ([MACHINES[3]], ["own"]),
        ([MACHINES[3], V6E], ["none", "managed"]),
        ([MACHINES[3], {**V6E, "interfaces": "none"}], ["own", "none"]),
        ([MACHINES[3], MACHINES[0]], ["none", "managed"]),
        ([{**MACHINES[3], "interfaces": "own"}, MACHINES[0]], ["own", "own"]),
        ([MACHINES[0], {**MACHINES[1], "interfaces": "own"}], ["own", "own"]),
        ([V6E, {**V6E, "interfaces": "own"}], ["own", "own"]),
    ],
)
def test_each_gets_what_there_is_for_it_beside_the_others(
    pools: list[dict[str, Any]], modes: list[str]
) -> None:
    assert modes_of(*pools) == modes


def test_networks_that_the_config_has_are_those_of_its_slices() -> None:
    named = [{"name": "net-1", "range": "10.50.0.0/16"}]
    assert modes_of(V6E, dcn=named) == modes_of({**V6E, "slices": 1}, dcn=named) == ["own"]
    assert modes_of(V6E, dcn=[]) == ["none"]
