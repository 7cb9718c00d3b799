"""What is made of the engine's steps: verbs, causes, values. No engine here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from review.change import Cause, all_removed, changes_of
from review.command import known_secrets
from review.manifests import manifest_diff
from review.step import EngineStep
from review.values import HIDDEN, SECRET, UNKNOWN, cleaned, masked, told_apart, value_at

POOL, RAY = "gcp:container/nodePool:NodePool", "kubernetes:ray.io/v1:RayCluster"
NETWORK = "gcp:compute/network:Network"
SIGNATURE = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
ENGINE_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


def urn(name: str, token: str = POOL) -> str:
    return f"urn:pulumi:dev::gke-ai-stacks::gke-ai-stacks:a:A${token}::{name}"


def step(name: str, operation: str, token: str = POOL, **more: Any) -> EngineStep:
    return EngineStep(urn(name, token), token, operation, **more)


def test_a_replacement_names_the_properties_that_force_it_and_not_the_others() -> None:
    paths = {"nodeConfig.spot": "update-replace", "nodeConfig.labels.a": "update"}
    before, after = {"nodeConfig": {"spot": True}}, {"nodeConfig": {"spot": False}}
    more: dict[str, Any] = {"keys": ("nodeConfig",), "paths": paths, "old": before, "new": after}
    steps = [step("gpu", "delete-replaced", old=before), step("gpu", "replace", **more)]
    (change,) = changes_of(steps)
    assert change.verb == "replace"
    assert change.causes == (Cause("nodeConfig.spot", "true", "false"),)


def test_a_key_without_a_path_is_a_cause_too() -> None:
    more: dict[str, Any] = {"keys": ("a", "b"), "paths": {"a[0].c": "update-replace"}}
    (change,) = changes_of([step("gpu", "create-replacement", **more)])
    assert [cause.property for cause in change.causes] == ["a[0].c", "b"]


def test_a_property_that_comes_from_a_replaced_resource_names_that_resource() -> None:
    steps = [
        step("vpc", "replace", NETWORK, keys=("name",), old={"name": "a"}, new={"name": "b"}),
        step("gpu", "replace", old={"cluster": "x"}, new={"cluster": UNKNOWN}, keys=("cluster",)),
    ]
    state = [{"urn": urn("gpu"), "propertyDependencies": {"cluster": [urn("vpc", NETWORK)]}}]
    found = {change.name: change for change in changes_of(steps, state)}
    assert [str(cause) for cause in found["gpu"].causes] == ["cluster (of vpc)"]


def test_what_is_replaced_with_another_says_with_which() -> None:
    steps = [step("gpu", "replace", keys=("spot",)), step("ray", "replace", RAY)]
    state = [{"urn": urn("ray", RAY), "replaceWith": [urn("gpu")]}]
    found = {change.name: change for change in changes_of(steps, state)}
    assert [str(cause) for cause in found["ray"].causes] == ["replaceWith (of gpu)"]


def test_what_a_trigger_replaces_names_what_changes_of_the_properties_that_are_ignored() -> None:
    def inputs(replicas: int, team: str) -> dict[str, Any]:
        groups = [{"replicas": replicas}]
        return {"metadata": {"labels": {"team": team}}, "spec": {"workerGroupSpecs": groups}}

    steps = [step("ray", "create-replacement", RAY, old=inputs(1, "a"), new=inputs(2, "b"))]
    known = {"ignoreChanges": ["spec.workerGroupSpecs"], "replacementTrigger": [{"replicas": 1}]}
    (change,) = changes_of(steps, [{"urn": urn("ray", RAY), **known}])
    assert change.causes == (Cause("spec.workerGroupSpecs[0].replicas", "1", "2"),)
    (change,) = changes_of(steps, [{"urn": urn("ray", RAY), "ignoreChanges": ["spec"]}])
    assert change.causes == (Cause("unknown"),)


def test_what_stays_the_same_is_no_change_and_the_worst_comes_first() -> None:
    operations = {"a": "create", "b": "same", "c": "update", "d": "delete", "e": "replace"}
    found = changes_of(step(name, operation) for name, operation in operations.items())
    assert [(change.name, change.verb) for change in found] == [
        ("d", "delete"),
        ("e", "replace"),
        ("c", "update"),
        ("a", "create"),
    ]


def test_a_resource_that_the_program_no_longer_has_is_removed() -> None:
    (change,) = changes_of([step("gpu", "delete", old={})])
    assert change.causes == (Cause("removed"),)


def test_what_goes_with_a_replaced_resource_and_does_not_come_again_is_deleted() -> None:
    steps = [step("job", "delete-replaced"), step("ray", "delete-replaced", RAY)]
    steps += [step("ray", "replace", RAY, keys=("spec",)), step("ray", "create-replacement", RAY)]
    found = {change.name: change for change in changes_of(steps)}
    assert (found["ray"].verb, found["job"].verb) == ("replace", "delete")
    assert found["job"].removed


def test_a_removed_stack_is_a_delete_of_all_but_the_stack_itself() -> None:
    state = [{"urn": "s", "type": "pulumi:pulumi:Stack"}, {"urn": urn("gpu"), "type": POOL}]
    assert [(it.name, it.verb) for it in all_removed(state, "gone")] == [("gpu", "delete")]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b[0].c", 1),
        ('a["d.e"]', 2),
        ("a.b[7].c", None),
        ("a.nothing.more", None),
        ("secret.inside", SECRET),
    ],
)
def test_a_value_is_found_by_its_path(path: str, value: object) -> None:
    assert value_at({"a": {"b": [{"c": 1}], "d.e": 2}, "secret": SECRET}, path) == value


def test_secrets_and_unknown_values_lose_the_engines_marks() -> None:
    given = {"token": {**SIGNATURE, "ciphertext": "abc"}, "id": [ENGINE_UNKNOWN]}
    assert cleaned(given) == {"token": SECRET, "id": [UNKNOWN]}


def test_long_values_are_shown_from_where_they_differ() -> None:
    before, after = told_apart(f"{'x' * 200}one", f"{'x' * 200}two")
    assert before.endswith("one")
    assert after.endswith("two")
    assert len(before) < 90


@pytest.mark.parametrize(
    "text",
    ["hf_0123456789abcdefghij", "ghp_0123456789abcdefghijkl", "AIza" + "x" * 35],
)
def test_what_looks_like_a_credential_is_hidden_wherever_it_stands(text: str) -> None:
    assert masked(f"before {text} after") == f"before {HIDDEN} after"


def test_a_known_secret_is_hidden_even_inside_a_word() -> None:
    assert masked("xsesamex", ["sesame"]) == f"x{HIDDEN}x"


def test_manifests_are_compared_object_by_object_without_the_data_of_secrets() -> None:
    old = {"kind": "Secret", "metadata": {"name": "a"}, "stringData": {"TOKEN": "sesame"}}
    new = {"kind": "Secret", "metadata": {"name": "b"}, "stringData": {"TOKEN": "other"}}
    token = "kubernetes:core/v1:Secret"
    diff = manifest_diff(changes_of([step("tokens", "update", token, old=old, new=new)]))
    assert "-  name: a" in diff
    assert "+  name: b" in diff
    assert "sesame" not in diff
    assert "other" not in diff


def test_a_new_object_is_all_additions_and_a_deleted_one_all_removals() -> None:
    steps = [
        step("a", "create", RAY, new={"kind": "A"}),
        step("b", "delete", RAY, old={"kind": "B"}),
    ]
    lines = manifest_diff(changes_of(steps)).splitlines()
    assert "+kind: A" in lines
    assert "-kind: B" in lines


def test_a_token_left_in_a_config_is_known_even_where_the_config_is_no_yaml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANDB_API_KEY", "from the environment")
    text = "config:\n  gke-ai-stacks:hugging_face_token: 'open'\n  broken: [\n"
    (tmp_path / "Pulumi.dev.yaml").write_text(text)
    assert set(known_secrets(tmp_path)) == {"open", "from the environment"}


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (Cause("id", "nothing", "nothing"), "it is marked for replacement"),
        (
            Cause("subnetwork", "x", "x"),
            "subnetwork: what it names is made anew under the same name",
        ),
        (Cause("location", "US", "EU"), "location: US -> EU"),
        (Cause("removed"), "removed"),
    ],
)
def test_a_cause_with_the_same_value_twice_says_what_it_follows(cause: Cause, told: str) -> None:
    assert str(cause) == told
