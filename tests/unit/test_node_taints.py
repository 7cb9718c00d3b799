"""Labels and taints that a user gives a pool's nodes; that GKE takes them is not proved here."""

import re

import pytest

from components.base.taints import (
    NodeTaintArgs,
    check_node_labels,
    check_node_taints,
    provider_effect,
    toleration,
)
from kube.objects import Node, Taint
from sandbox.kube.scheduler import admits

TEAM = NodeTaintArgs(key="team", value="vision", effect="NoSchedule")


@pytest.mark.parametrize(
    "labels",
    [{}, {"team": "vision"}, {"example.com/Team_a": "V.1"}, {"empty": ""}, {"k" * 63: "v" * 63}],
)
def test_labels_that_kubernetes_takes_stay_as_they_are(labels: dict[str, str]) -> None:
    assert check_node_labels(labels) == labels


@pytest.mark.parametrize(
    ("labels", "end"),
    [
        ({"kubernetes.io/team": "a"}, "nearest: team"),
        ({"node.kubernetes.io/instance-type": "a"}, "nearest: instance-type"),
        ({"x.k8s.io/team": "a"}, "nearest: team"),
        ({"cloud.google.com/gke-nodepool": "a"}, "nearest: gke-nodepool"),
        ({"nvidia.com/gpu": "a"}, "nearest: gpu"),
        ({"networking.gke.io/x": "a"}, "nearest: x"),
        ({"team!": "a"}, "nearest: team"),
        ({"": "a"}, "nearest: team"),
        ({"Upper.Domain/x": "a"}, "nearest: x"),
        ({"k" * 64: "a"}, f"nearest: {'k' * 63}"),
        ({"team": "a b"}, 'nearest: "a-b"'),
        ({"team": "v" * 64}, f'nearest: "{"v" * 63}"'),
        ({f"key-{n:02}": "v" * 50 for n in range(20)}, "nearest: shorter or fewer labels"),
    ],
)
def test_other_labels_are_refused_with_one_that_works(labels: dict[str, str], end: str) -> None:
    with pytest.raises(ValueError, match=re.escape(end) + "$"):
        check_node_labels(labels)


def test_a_domain_that_only_ends_like_a_reserved_one_is_free() -> None:
    assert check_node_labels({"notkubernetes.io/team": "a"})


def test_labels_that_the_pool_has_anyway_count_to_what_gke_takes() -> None:
    labels = {"a" * 60: "v" * 60, **{f"key-{n:02}": "v" * 50 for n in range(15)}}
    assert check_node_labels(labels, beside={"own": "true"})["own"] == "true"
    with pytest.raises(
        ValueError, match=r"17 node labels take \d{4} characters .* GKE takes 1024; nearest: "
    ):
        check_node_labels(labels, beside={"own" * 20: "v" * 60})


@pytest.mark.parametrize(
    ("changed", "end"),
    [
        ({"effect": "NO_SCHEDULE"}, "nearest: NoSchedule"),
        ({"effect": "noexecute"}, "nearest: NoExecute"),
        ({"key": "nvidia.com/gpu"}, "nearest: gpu"),
        ({"key": "google.com/tpu"}, "nearest: tpu"),
        ({"key": "cloud.google.com/gke-queued"}, "nearest: gke-queued"),
        ({"key": "-team"}, "nearest: team"),
        ({"value": "two words"}, 'nearest: "two-words"'),
    ],
)
def test_other_taints_are_refused_with_one_that_works(changed: dict[str, str], end: str) -> None:
    taint = NodeTaintArgs(**{"key": "team", "value": "a", "effect": "NoSchedule", **changed})
    with pytest.raises(ValueError, match=re.escape(end) + "$"):
        check_node_taints([taint])


def test_a_key_has_one_taint_of_each_effect() -> None:
    evicting = NodeTaintArgs(key="team", value="vision", effect="NoExecute")
    assert check_node_taints([TEAM, evicting]) == (TEAM, evicting)
    with pytest.raises(ValueError, match=r"nearest: one of them$"):
        check_node_taints([TEAM, NodeTaintArgs(key="team", value="x", effect="NoSchedule")])


@pytest.mark.parametrize(
    ("effect", "word"),
    [
        ("NoSchedule", "NO_SCHEDULE"),
        ("PreferNoSchedule", "PREFER_NO_SCHEDULE"),
        ("NoExecute", "NO_EXECUTE"),
    ],
)
def test_the_provider_has_words_of_its_own_for_effects(effect: str, word: str) -> None:
    assert provider_effect(NodeTaintArgs(key="team", value="", effect=effect)) == word


@pytest.mark.parametrize("effect", ["NoSchedule", "NoExecute"])
@pytest.mark.parametrize("value", ["vision", ""])
def test_only_pods_with_a_taints_toleration_are_let_onto_its_nodes(value: str, effect: str) -> None:
    taint = NodeTaintArgs(key="team", value=value, effect=effect)
    node = Node(name="n", pool="p", taints=(Taint(key="team", value=value, effect=effect),))
    assert admits({"tolerations": [toleration(taint)]}, node)
    assert not admits({}, node)
    other = NodeTaintArgs(key="team", value="speech", effect=effect)
    assert not admits({"tolerations": [toleration(other)]}, node)
