"""The rules of a server, and how pods are packed: what is offered for a wrong value is accepted."""

import re
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog import Catalog
from stacks.parts.pools.nodes import Amounts, Host, pods_beside, pods_surely_beside
from stacks.parts.servers.config import ModelServer
from stacks.parts.servers.rules import (
    LONGEST_LABEL,
    name_problems,
    server_problems,
    tgi_problems,
)
from stacks.problems import Problem
from tests.conftest import Register, changed
from tests.unit.stack_graphs import built

FACTS = Catalog.load()
BASE: dict[str, Any] = {}
MIXED, TOKEN = "kueue-mixed", ("hugging_face_token",)
SERVER, TUNING = "servers__tgi-gemma-deployment", "jobs__finetune-gemma-l4"
SCALED = {f"{SERVER}__replicas": None, f"{SERVER}__autoscaling": {"max": 3}}
MACHINES = st.sampled_from(["g2-standard-8", "g2-standard-24", "g2-standard-48", "a4-highgpu-8g"])
SERVERS = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["google/gemma-2-9b-it", "google/gemma-2-2b", "a/b"]),
        "gpus": st.integers(1, 12),
        "shards": st.none() | st.integers(1, 12),
        "replicas": st.none() | st.integers(1, 30),
        "autoscaling": st.none()
        | st.fixed_dictionaries({"min": st.integers(1, 30), "max": st.integers(1, 30)}),
        "shm_gib": st.integers(1, 60),
        "requests": st.fixed_dictionaries(
            {
                "cpu": st.integers(1, 300),
                "memory_gib": st.integers(1, 5000),
                "ephemeral_storage_gib": st.integers(1, 60),
            }
        ),
    }
)


def host(machine: str = "g2-standard-24") -> Host:
    return Host(FACTS.machine(machine), FACTS.allocatable(machine))


def problems(
    config: dict[str, Any], machine: str = "g2-standard-24", nodes: int = 3
) -> list[Problem]:
    server = ModelServer.model_validate(config)
    return [
        *server_problems(server, host(machine)),
        *tgi_problems(server, host(machine), nodes, Catalog.load().served_models),
    ]


def kind(problem: Problem) -> tuple[str, str]:
    """What is wrong, whatever the numbers."""
    return problem.field, re.sub(r"\d+", "0", problem.message)


def accepting(config: dict[str, Any], problem: Problem) -> dict[str, Any]:
    offered = problem.message.rpartition("; nearest: ")[2]
    path = problem.field.removeprefix("server.").replace(".", "__")
    if found := re.match(r"none, with autoscaling.min (\d+)", offered):
        return changed(config, replicas=None, autoscaling__min=int(found[1]))
    return changed(config, **{path: int(offered) if offered.isdigit() else offered})


def test_the_scenarios_server_is_right_on_the_scenarios_nodes() -> None:
    assert problems(BASE) == []


@pytest.mark.parametrize("longest", [LONGEST_LABEL, 61])
@pytest.mark.parametrize(
    ("name", "near"), [("1-chat", "n1-chat"), ("c" * 64, "c" * 60), (f"1{'c' * 58}--x", "n1ccc")]
)
def test_a_name_that_is_no_host_name_is_refused_with_one_that_is(
    name: str, near: str, longest: int
) -> None:
    (found,) = name_problems("servers.chat", name, longest)
    assert f"has room for {longest} characters of it; nearest: {near}" in found.message
    assert not list(name_problems("", found.message.rpartition(" ")[2], longest))


def test_a_scaled_server_has_the_cluster_read_its_metric(register: Register) -> None:
    scaled = built(register, MIXED, keys=TOKEN, **SCALED)
    assert scaled.one(":Cluster").inputs["podAutoscaling"] == {"hpaProfile": "PERFORMANCE"}
    fixed = built(register, MIXED, keys=TOKEN)
    assert "podAutoscaling" not in fixed.one(":Cluster").inputs


def test_pods_and_job_wait_for_the_priority_that_they_have_in_the_queue(
    register: Register,
) -> None:
    stack = built(
        register,
        MIXED,
        keys=TOKEN,
        queues__workload_priorities=[{"name": "first", "value": 5}, {"name": "last", "value": 1}],
        **{f"{SERVER}__workload_priority": "first", f"{TUNING}__workload_priority": "last"},
    )
    server, tuning = (it.rpartition("__")[2] for it in (SERVER, TUNING))
    label = "kueue.x-k8s.io/priority-class"
    pods = stack.named(f"{server}-deployment").inputs["spec"]["template"]["metadata"]["labels"]
    job = stack.named(f"{tuning}-job").inputs["metadata"]["labels"]
    assert (pods[label], job[label]) == ("first", "last")
    assert "queues-class-first" in stack.waits_for(f"{server}-deployment")
    assert "queues-class-last" in stack.waits_for(f"{tuning}-job")


def test_shards_share_out_the_heads_of_a_model_that_is_known() -> None:
    (found,) = problems({**BASE, "gpus": 3}, "g2-standard-48")
    assert found.field == "server.gpus"
    assert found.message.endswith("8 key-value heads of google/gemma-2-9b-it evenly; nearest: 2")
    assert problems({**BASE, "gpus": 3, "model": "some/other"}, "g2-standard-48") == []


def test_the_shards_are_the_gpus_unless_said_otherwise() -> None:
    assert ModelServer.model_validate({**BASE, "gpus": 1}).model_shards == 1


def test_the_least_is_the_autoscalers_where_there_is_one() -> None:
    scaled = {**BASE, "autoscaling": {"min": 2, "max": 3}}
    assert ModelServer.model_validate(scaled).least == 2
    assert ModelServer.model_validate({**BASE, "replicas": 4}).least == 4
    assert ModelServer.model_validate(BASE).least == 1


@settings(max_examples=300)
@given(config=SERVERS, machine=MACHINES, nodes=st.integers(1, 6))
def test_whatever_is_wrong_the_value_offered_for_a_field_is_right_for_that_rule(
    config: dict[str, Any], machine: str, nodes: int
) -> None:
    for found in problems(config, machine, nodes):
        after = problems(accepting(config, found), machine, nodes)
        assert kind(found) not in [kind(it) for it in after]


SMALL = st.builds(
    Amounts,
    cpu_millicores=st.integers(0, 6),
    memory_mib=st.integers(0, 6),
    ephemeral_storage_mib=st.integers(0, 6),
    gpus=st.integers(1, 3),
)


def _placeable(node: Amounts, nodes: int, guest: Amounts, pod: Amounts, pods: int) -> bool:
    """Whether some way of putting the guest and all pods on nodes overdraws none, all tried."""
    for places in product(range(nodes), repeat=pods):
        left = [node - guest, *([node] * (nodes - 1))]
        for place in places:
            left[place] = left[place] - pod
        if all(min(vars(it).values()) >= 0 for it in left):
            return True
    return False


@settings(max_examples=200)
@given(node=SMALL, guest=SMALL, pod=SMALL, nodes=st.integers(1, 3))
def test_packing_finds_exactly_what_trying_everything_finds(
    node: Amounts, guest: Amounts, pod: Amounts, nodes: int
) -> None:
    fitting = pods_beside(node, nodes, guest, pod)
    for pods in range(1, 5):
        assert _placeable(node, nodes, guest, pod, pods) == (pods <= fitting)


def _fewest(node: Amounts, nodes: int, guest: Amounts, guests: int, pod: Amounts) -> int:
    """What is left for pods where the guests stand worst, all ways of placing them tried."""
    found: list[int] = []
    for places in product(range(nodes), repeat=guests):
        left = [node] * nodes
        for place in places:
            left[place] = left[place] - guest
        if all(min(vars(it).values()) >= 0 for it in left):
            found.append(sum(it.holds(pod) for it in left))
    return min(found, default=nodes * node.holds(pod))


@settings(max_examples=200)
@given(node=SMALL, guest=SMALL, pod=SMALL, nodes=st.integers(1, 3), guests=st.integers(0, 4))
def test_pods_that_surely_fit_do_however_the_guests_are_spread(
    node: Amounts, guest: Amounts, pod: Amounts, nodes: int, guests: int
) -> None:
    fitting = pods_surely_beside(node, nodes, guest, guests, pod)
    assert fitting <= _fewest(node, nodes, guest, guests, pod)


def test_one_guest_on_each_node_leaves_room_for_none_that_wants_a_whole_one() -> None:
    node = Amounts(cpu_millicores=8, memory_mib=8, ephemeral_storage_mib=8, gpus=2)
    one = Amounts(cpu_millicores=1, memory_mib=1, ephemeral_storage_mib=1, gpus=1)
    two = Amounts(cpu_millicores=1, memory_mib=1, ephemeral_storage_mib=1, gpus=2)
    assert [pods_surely_beside(node, 3, one, guests, two) for guests in range(5)] == [3, 2, 1, 0, 0]
    assert [pods_surely_beside(node, 3, two, guests, two) for guests in range(4)] == [3, 2, 1, 0]
    assert [pods_surely_beside(node, 3, one, guests, one) for guests in range(3)] == [6, 5, 4]
