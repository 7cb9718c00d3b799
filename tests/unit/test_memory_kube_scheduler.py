"""Placing pods on nodes; it cannot prove scores, preemption or spread of a real kube-scheduler."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube import quantity
from kube.errors import KubeError
from kube.objects import Node, Taint
from kube.pod_requests import requests_of
from sandbox.kube.scheduler import Candidate, place
from tests.unit.memory_kube_samples import GPU_TAINT, asking, container, cpu_node, gpu_nodes


def candidate(key: str = "p", node: str = "", priority: int = 0, **spec: Any) -> Candidate:
    resources = spec.pop("resources", {})
    full = {"containers": [container(resources=resources)], **spec}
    return Candidate(key=key, node=node, priority=priority, spec=full)


def node(name: str, labels: dict[str, str] | None = None, *taints: Taint, **room: str) -> Node:
    allocatable = {"cpu": "4", "memory": "16Gi"} | room
    return Node(name=name, pool="p", labels=labels or {}, taints=taints, allocatable=allocatable)


AMOUNTS = st.fixed_dictionaries(
    {},
    optional={
        "cpu": st.sampled_from(["250m", "1", "3", "0.5", "1500m"]),
        "memory": st.sampled_from(["128Mi", "1Gi", "6G", "7Gi"]),
        "ephemeral-storage": st.sampled_from(["1Gi", "10Gi"]),
        "nvidia.com/gpu": st.sampled_from(["1", "2", "8"]),
        "google.com/tpu": st.sampled_from(["1", "4"]),
    },
)
ROOMS = st.fixed_dictionaries(
    {"cpu": st.sampled_from(["1", "3920m", "8"]), "memory": st.sampled_from(["2Gi", "16Gi"])},
    optional={
        "pods": st.sampled_from(["1", "3"]),
        "ephemeral-storage": st.just("12Gi"),
        "nvidia.com/gpu": st.sampled_from(["1", "8"]),
        "google.com/tpu": st.just("4"),
    },
)
PODS = st.lists(
    st.tuples(AMOUNTS, st.sampled_from(["", "n0", "n1", "gone"]), st.integers(-1, 1)), max_size=12
)


@given(pods=PODS, rooms=st.lists(ROOMS, max_size=4))
def test_no_node_ever_holds_more_than_it_has(
    pods: list[tuple[dict[str, str], str, int]], rooms: list[dict[str, str]]
) -> None:
    nodes = [Node(name=f"n{i}", pool="p", allocatable=room) for i, room in enumerate(rooms)]
    candidates = [
        candidate(str(i), at, priority, resources={"requests": amounts})
        for i, (amounts, at, priority) in enumerate(pods)
    ]
    places = place(candidates, nodes)
    assert places == place(candidates, nodes)
    assert all(bool(spot.node) != bool(spot.reason) for spot in places.values())
    for each in nodes:
        held = [requests_of(p.spec) for p in candidates if places[p.key].node == each.name]
        room = {"pods": "110", "ephemeral-storage": "1Ei", **each.allocatable}
        for name in {name for requests in held for name in requests}:
            used = sum((requests.get(name, Fraction(0)) for requests in held), Fraction(0))
            assert used <= quantity.parse(room.get(name, "0"))


def test_pods_keep_the_node_they_have() -> None:
    nodes = [node("a"), node("b")]
    assert place([candidate("p", "b")], nodes)["p"].node == "b"


def test_a_node_that_shrank_loses_its_newest_pod() -> None:
    pods = [candidate(key, "a", resources=asking(cpu="2")) for key in ("old", "new")]
    places = place(pods, [node("a", cpu="3")])
    assert places["old"].node == "a"
    assert places["new"].reason == "0/1 nodes are available: 1 Insufficient cpu."


def test_the_emptiest_node_is_taken_and_the_first_of_equals() -> None:
    pods = [candidate(key, resources=asking(cpu="1")) for key in "pqr"]
    places = place(pods, [node("a"), node("b")])
    assert [places[key].node for key in "pqr"] == ["a", "b", "a"]


def test_higher_priority_is_placed_first() -> None:
    low = candidate("low", resources=asking(cpu="4"))
    high = candidate("high", priority=10, resources=asking(cpu="4"))
    places = place([low, high], [node("a")])
    assert (places["high"].node, places["low"].node) == ("a", "")


def test_limits_count_where_requests_are_missing() -> None:
    pod = candidate(resources={"limits": {"cpu": "5"}, "requests": {"memory": "1Gi"}})
    assert place([pod], [node("a")])["p"].reason.endswith("1 Insufficient cpu.")


def test_init_containers_count_one_by_one_and_sidecars_with_everything() -> None:
    spec = {
        "containers": [container(resources=asking(cpu="2"))],
        "initContainers": [
            container("side", resources=asking(cpu="1"), restartPolicy="Always"),
            container("load", resources=asking(cpu="3")),
        ],
        "overhead": {"cpu": "500m"},
    }
    assert requests_of(spec)["cpu"] == Fraction(9, 2)


def test_a_node_that_would_rather_not_is_taken_last() -> None:
    reluctant = Taint(key="team", value="vision", effect="PreferNoSchedule")
    nodes = [node("theirs", None, reluctant, cpu="32"), node("small", cpu="1")]
    pods = [candidate(key, resources=asking(cpu="1")) for key in "ab"]
    assert {key: spot.node for key, spot in place(pods, nodes).items()} == {
        "a": "small",
        "b": "theirs",
    }
    tolerating = candidate("c", tolerations=[{"key": "team", "operator": "Exists"}])
    assert place([tolerating], nodes)["c"].node == "theirs"


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        ({"key": "nvidia.com/gpu", "operator": "Exists"}, True),
        ({"key": "nvidia.com/gpu", "value": "present"}, True),
        ({"key": "nvidia.com/gpu", "value": "absent"}, False),
        ({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"operator": "Exists"}, True),
        ({"key": "google.com/tpu", "operator": "Exists"}, False),
    ],
)
def test_tolerations_open_tainted_nodes(toleration: dict[str, str], tolerated: bool) -> None:
    places = place([candidate(tolerations=[toleration])], [node("a", None, GPU_TAINT)])
    assert bool(places["p"].node) is tolerated


def test_a_no_execute_taint_drives_running_pods_away() -> None:
    taint = Taint(key="gone", effect="NoExecute")
    assert place([candidate("p", "a")], [node("a", None, taint), node("b")])["p"].node == "b"


@pytest.mark.parametrize(
    ("expression", "matched"),
    [
        ({"key": "zone", "operator": "In", "values": ["b", "c"]}, True),
        ({"key": "zone", "operator": "NotIn", "values": ["b"]}, False),
        ({"key": "zone", "operator": "Exists"}, True),
        ({"key": "zone", "operator": "DoesNotExist"}, False),
        ({"key": "age", "operator": "Gt", "values": ["3"]}, True),
        ({"key": "age", "operator": "Lt", "values": ["3"]}, False),
        ({"key": "zone", "operator": "Lt", "values": ["3"]}, False),
    ],
)
def test_required_node_affinity_is_obeyed(expression: dict[str, Any], matched: bool) -> None:
    term = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": term}
    pod = candidate(affinity={"nodeAffinity": required})
    places = place([pod], [node("a", {"zone": "b", "age": "4"})])
    assert bool(places["p"].node) is matched


def test_causes_are_counted_over_the_nodes() -> None:
    nodes = [*gpu_nodes(2), cpu_node(), cpu_node("small", cpu="1"), cpu_node("full", pods="0")]
    pod = candidate(resources=asking(cpu="2", memory="1Ti"))
    assert place([pod], nodes)["p"].reason == (
        "0/5 nodes are available: 1 Insufficient cpu, 1 Too many pods, "
        "2 node(s) had untolerated taint {nvidia.com/gpu: present}, 3 Insufficient memory."
    )


def test_without_nodes_the_scheduler_says_so() -> None:
    assert place([candidate()], [])["p"].reason == "no nodes available to schedule pods"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("500m", Fraction(1, 2)),
        ("0.5", Fraction(1, 2)),
        (".5", Fraction(1, 2)),
        ("64Gi", Fraction(64 * 2**30)),
        ("1k", Fraction(1000)),
        ("1e3", Fraction(1000)),
        ("12E", Fraction(12 * 10**18)),
        ("5E-1", Fraction(1, 2)),
        ("-3", Fraction(-3)),
        (8, Fraction(8)),
        ("3n", Fraction(3, 10**9)),
    ],
)
def test_quantities_are_exact(text: str, value: Fraction) -> None:
    assert quantity.parse(text) == value


@pytest.mark.parametrize("text", ["", "1 Gi", "1gi", "Gi", "1.2.3", "0x1", "1Ki5", True])
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(KubeError, match=r"with a unit such as 8, 500m or 64Gi$"):
        quantity.parse(text)


@given(st.integers(0, 2**60), st.integers(1, 1000))
def test_rendered_quantities_read_back(whole: int, parts: int) -> None:
    assert quantity.parse(quantity.render(Fraction(whole))) == whole
    assert 0 <= quantity.parse(quantity.render(Fraction(whole, parts))) - Fraction(whole, parts) < 1
