"""Quotas from nodes: never more than there is, and all of it where nobody says less."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from catalog import Catalog
from stacks.parts.pools.config import Pool
from stacks.parts.pools.nodes import Host
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.queues.config import Amounts, StackQueues
from stacks.parts.queues.plan import capacity_of, quotas, stated
from stacks.parts.queues.rules import quota_problems

FACTS = Catalog.load()
MACHINES = ("g2-standard-8", "g2-standard-24", "e2-standard-4")
AMOUNTS = st.fixed_dictionaries(
    {},
    optional={
        "cpu": st.integers(0, 40000).map(lambda it: it / 1000),
        "memory_gib": st.integers(0, 200),
        "gpus": st.integers(0, 6),
        "ephemeral_storage_gib": st.integers(0, 900),
    },
)
FLAVORS = ("first", "second")
QUEUES = st.dictionaries(
    st.sampled_from(["a", "b", "c"]),
    st.dictionaries(st.sampled_from(FLAVORS), AMOUNTS, max_size=2),
    min_size=1,
)


def flavor(machine: str = "g2-standard-24", count: int = 3) -> PlannedPool:
    """Of so many nodes."""
    return PlannedPool(
        name="gpu",
        config=Pool(machine_type=machine, nodes=count),
        machine=FACTS.machine(machine),
        zone="us-central1-a",
        host=Host(FACTS.machine(machine), FACTS.allocatable(machine)),
        autopilot=False,
    )


def kueue(queues: dict[str, dict[str, Any]], flavors: tuple[str, ...] = FLAVORS) -> StackQueues:
    """Without a door, for nothing goes through it here."""
    return StackQueues.model_validate(
        {
            "flavors": {name: {} for name in flavors},
            "cluster_queues": {name: {"flavors": own} for name, own in queues.items()},
            "local_queues": [{"name": "lq", "cluster_queue": next(iter(queues))}],
        }
    )


NODES = st.fixed_dictionaries(
    {name: st.builds(flavor, st.sampled_from(MACHINES), st.integers(1, 5)) for name in FLAVORS}
)


def refused(wanted: StackQueues, nodes: dict[str, PlannedPool]) -> list[str]:
    return [it.field for it in quota_problems(wanted, nodes)]


@given(queues=QUEUES, nodes=NODES)
def test_what_is_accepted_is_never_more_than_the_nodes_have(
    queues: dict[str, Any], nodes: dict[str, PlannedPool]
) -> None:
    wanted = kueue(queues)
    found = quotas(wanted, nodes)
    over = {
        (name, resource)
        for name, has in nodes.items()
        for resource, capacity in capacity_of(has).items()
        if sum(own[name][resource] for own in found.values() if name in own) > capacity
    }
    assert bool(over) == bool(refused(wanted, nodes))
    assert len(refused(wanted, nodes)) == len(over)


@given(queues=QUEUES, nodes=NODES)
def test_all_is_given_out_where_a_queue_does_not_say_how_much_it_wants(
    queues: dict[str, Any], nodes: dict[str, PlannedPool]
) -> None:
    wanted = kueue(queues)
    found = quotas(wanted, nodes)
    for name, has in nodes.items():
        for resource, capacity in capacity_of(has).items():
            silent = [
                queue
                for queue in found
                if name in found[queue] and resource not in stated(wanted.shares(queue)[name])
            ]
            given_out = sum(own[name][resource] for own in found.values() if name in own)
            if silent:
                assert given_out >= capacity - len(silent) + 1
                assert len({found[queue][name][resource] for queue in silent}) == 1


@given(queues=QUEUES, nodes=NODES)
def test_what_a_queue_says_is_what_it_gets(
    queues: dict[str, Any], nodes: dict[str, PlannedPool]
) -> None:
    wanted = kueue(queues)
    for queue, shares in quotas(wanted, nodes).items():
        for name, quota in shares.items():
            assert quota == quota | stated(wanted.shares(queue)[name])


def test_amounts_are_counted_in_what_kubernetes_counts_in() -> None:
    said = Amounts(cpu=1.5, memory_gib=2, gpus=3, ephemeral_storage_gib=4)
    assert stated(said) == {
        "cpu": 1500,
        "memory": 2048,
        "nvidia.com/gpu": 3,
        "ephemeral-storage": 4096,
    }
    assert stated(Amounts()) == {}


def test_a_flavor_has_what_all_its_nodes_leave_to_pods() -> None:
    one, three = capacity_of(flavor(count=1)), capacity_of(flavor(count=3))
    assert three == {resource: 3 * amount for resource, amount in one.items()}
    assert one["nvidia.com/gpu"] == 2


def test_queues_that_say_nothing_share_evenly() -> None:
    found = quotas(kueue({"a": {}, "b": {}}, ("first",)), {"first": flavor()})
    assert found["a"] == found["b"]
    assert found["a"]["first"]["nvidia.com/gpu"] == 3
