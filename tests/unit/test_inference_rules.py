"""The rules of a server, and how pods are packed: what is offered for a wrong value is accepted."""

import re
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog import Catalog
from stacks.blocks.inference_server import InferenceServer
from stacks.problems import Problem
from stacks.rules.inference import server_problems
from stacks.rules.packing import Amounts, pods_beside
from stacks.rules.ray_fit import Host
from tests.conftest import changed

FACTS = Catalog.load()
BASE = {"name": "chat"}
MACHINES = st.sampled_from(["g2-standard-8", "g2-standard-24", "g2-standard-48", "a4-highgpu-8g"])
SERVERS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["chat", "1chat", "c" * 70]),
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
    server = InferenceServer.model_validate(config)
    return list(server_problems(server, host(machine), nodes=nodes))


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


@pytest.mark.parametrize(
    ("values", "field", "ending"),
    [
        ({"shards": 1}, "shards", "not one on each of the server's 2 GPUs; nearest: 2"),
        ({"gpus": 4}, "gpus", "more than a node of g2-standard-24 has; nearest: 2"),
        ({"shm_gib": 31}, "shm_gib", "limited to 30 GiB; nearest: 30"),
        ({"replicas": 4}, "replicas", "do not fit 3 nodes of g2-standard-24; nearest: 3"),
        (
            {"autoscaling": {"min": 4, "max": 9}},
            "autoscaling.min",
            "do not fit 3 nodes of g2-standard-24; nearest: 3",
        ),
        (
            {"autoscaling": {"min": 3, "max": 2}},
            "autoscaling.max",
            "2 servers are fewer than the least, 3; nearest: 3",
        ),
        (
            {"replicas": 2, "autoscaling": {"max": 3}},
            "replicas",
            "2 is what autoscaling decides; nearest: none, with autoscaling.min 2",
        ),
        ({"requests": {"cpu": 4, "memory_gib": 99}}, "requests.memory_gib", "nearest: 85"),
        ({"name": "1-chat"}, "name", "63 characters of it; nearest: n1-chat"),
        ({"name": "c" * 64}, "name", f"63 characters of it; nearest: {'c' * 63}"),
    ],
)
def test_what_cannot_work_is_refused_with_what_can(
    values: dict[str, Any], field: str, ending: str
) -> None:
    (found,) = problems({**BASE, **values})
    assert found.field == f"server.{field}"
    assert found.message.endswith(ending)


def test_shards_share_out_the_heads_of_a_model_that_is_known() -> None:
    (found,) = problems({**BASE, "gpus": 3}, "g2-standard-48")
    assert found.field == "server.gpus"
    assert found.message.endswith("8 key-value heads of google/gemma-2-9b-it evenly; nearest: 2")
    assert problems({**BASE, "gpus": 3, "model": "some/other"}, "g2-standard-48") == []


def test_the_shards_are_the_gpus_unless_said_otherwise() -> None:
    assert InferenceServer.model_validate({**BASE, "gpus": 1}).model_shards == 1


def test_the_least_is_the_autoscalers_where_there_is_one() -> None:
    scaled = {**BASE, "autoscaling": {"min": 2, "max": 3}}
    assert InferenceServer.model_validate(scaled).least == 2
    assert InferenceServer.model_validate({**BASE, "replicas": 4}).least == 4
    assert InferenceServer.model_validate(BASE).least == 1


@settings(max_examples=300, deadline=None)
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


@settings(max_examples=200, deadline=None)
@given(node=SMALL, guest=SMALL, pod=SMALL, nodes=st.integers(1, 3))
def test_packing_finds_exactly_what_trying_everything_finds(
    node: Amounts, guest: Amounts, pod: Amounts, nodes: int
) -> None:
    fitting = pods_beside(node, nodes, guest, pod)
    for pods in range(1, 5):
        assert _placeable(node, nodes, guest, pod, pods) == (pods <= fitting)
