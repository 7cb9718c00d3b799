"""What two stacks of one cluster would both have, and nobody would say so, is told before either is
up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from stacks.config import ConfigError, validate
from stacks.names_beside import NOBODY, names_beside
from stacks.object_names import derived_names
from tests.conftest import Register, stack_config
from tests.unit.stack_graphs import built

KEY = "gke-ai-stacks:stack"
PLACE = {"project": "sample-project", "region": "us-central1", "zone": "us-central1-b"}
CPU = {"machine_type": "e2-standard-8", "nodes": 1}
GPU = {"machine_type": "g2-standard-24", "nodes": 1}
HELM = {"ray_operator": "helm"}
ON = {"stack": "organization/gke-ai-stacks/platform"}
GROUP = {"requests": {"cpu": 1, "memory_gib": 1}}
RAY = {"head": GROUP, "workers": {"cpu": GROUP}}
SCRIPT = {"type": "script", "command": ["true"], "image": "python:3.13", **GROUP}
SERVER = {"gpus": 2, "requests": {"cpu": 4, "memory_gib": 30, "ephemeral_storage_gib": 30}}
SECRETS = frozenset({"hugging_face_token", "model_server_key", "wandb_api_key"})


def stack(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "pools": {"cpu": CPU}, **more}


def _queues(name: str = "own", **more: Any) -> dict[str, Any]:
    """Each object with this name, which no default has."""
    local = [{"name": name, "cluster_queue": name}]
    own = {"flavors": {name: {}}, "cluster_queues": {name: {}}, "local_queues": local}
    return {**own, **more}


def told(folder: Path, own: dict[str, Any], *others: dict[str, Any]) -> tuple[str, ...]:
    """With files of these stacks, each called as it calls itself."""
    for one in (own, *others):
        config = {f"gcp:{key}": value for key, value in PLACE.items()}
        file = folder / f"Pulumi.{one['name']}.yaml"
        file.write_text(yaml.safe_dump({"config": {**config, KEY: one}}))
    around = names_beside(folder, own["name"], KEY, PLACE["project"])
    try:
        validate({**own, **PLACE}, secrets_set=SECRETS, beside=around)
    except ConfigError as error:
        return error.lines
    return ()


TRAINS = stack("aa", cluster=ON, jobs={"train": SCRIPT})
SERVES = {**stack("bb", cluster=ON, servers={"train": SERVER}), "pools": {"gpu": GPU}}


@pytest.mark.parametrize(
    ("own", "other", "line"),
    [
        (
            TRAINS,
            SERVES,
            'stack.jobs.train: its Service is "train", which Pulumi.bb.yaml has one of in the same '
            "namespace (stack.servers.train); nearest: another name",
        ),
        (
            SERVES,
            TRAINS,
            'stack.servers.train: its Service is "train", which Pulumi.aa.yaml has one of in the '
            "same namespace (stack.jobs.train); nearest: another name",
        ),
        (
            stack("aa", cluster={**ON, **HELM}, ray={"bb-tokens": RAY}),
            stack("bb", cluster={**ON, **HELM}),
            'stack.ray.bb-tokens: its Secret is "bb-tokens", which Pulumi.bb.yaml has one of in '
            "the same namespace (stack.secrets); nearest: another name",
        ),
        # Its Service, too, and each field is told once.
        (
            stack("aa", cluster={**ON, **HELM}, ray={"main": RAY}),
            stack("bb", cluster={**ON, **HELM}, ray={"main": RAY}),
            'stack.ray.main: its Secret is "main", which Pulumi.bb.yaml has one of in the same '
            "namespace (stack.ray.main); nearest: another name",
        ),
    ],
)
def test_what_a_controller_would_take_of_the_other_stack_is_told(
    tmp_path: Path, own: dict[str, Any], other: dict[str, Any], line: str
) -> None:
    assert told(tmp_path, own, other) == (line,)


def _tunes(name: str, **job: Any) -> dict[str, Any]:
    """In a cluster of its own, with a bucket that was there."""
    tune = {"type": "fine-tune", "pods": 1, "gpus": 2, "model": "google/gemma-2-2b", **job}
    return {
        **stack(name, queues={}, jobs={"tune": tune}),
        "buckets": {"models": {"existing": "shared-models"}},
        "pools": {"gpu": GPU},
    }


def test_two_trainings_with_one_folder_in_a_bucket_of_both_are_told(tmp_path: Path) -> None:
    own = {**_tunes("aa"), "buckets": {"own": {"existing": "shared-models", "mount_path": "/own"}}}
    (line,) = told(tmp_path, own, _tunes("bb"))
    assert line == (
        "stack.jobs.tune.directory: jobs.tune of Pulumi.bb.yaml has its checkpoints in "
        "shared-models/model-gemma2/experiment, too, and each would go on from the other's; "
        "nearest: tune-aa, or that job taken out of Pulumi.bb.yaml where it has ended"
    )
    assert told(tmp_path, _tunes("aa", directory="tune-aa"), _tunes("bb")) == ()


@pytest.mark.parametrize(
    ("own", "other"),
    [
        # In clusters of their own, and in namespaces of their own.
        (stack("aa", ray={"main": RAY}), stack("bb", ray={"main": RAY})),
        (
            stack("aa", cluster=ON, ray={"main": RAY}),
            stack("bb", cluster=ON, namespace="lab", ray={"main": RAY}),
        ),
        # What is wrong with the other file is told there.
        (TRAINS, {**SERVES, "kind": "x"}),
        (TRAINS, {**SERVES, "jobs": {"j": {"type": "maxtext", "ray": "none"}}}),
        (TRAINS, {**SERVES, "pools": {"gpu": {**GPU, "machine_type": "none-1"}}}),
    ],
)
def test_what_is_elsewhere_or_cannot_be_read_is_no_clash(
    tmp_path: Path, own: dict[str, Any], other: dict[str, Any]
) -> None:
    assert told(tmp_path, own, other) == ()


THERE = {"existing": {"name": "theirs", "location": "us-central1"}}


@pytest.mark.parametrize(
    ("own", "others", "line"),
    [
        (
            stack("aa", cluster=ON, queues=_queues("a")),
            [stack("bb", cluster=ON, queues=_queues("b")), stack("platform")],
            "stack.queues: kueue is in the cluster once, and Pulumi.bb.yaml would install it, too; "
            "nearest: queues in the file of the platform, which installs it",
        ),
        (
            stack("aa", cluster=THERE, queues=_queues("a")),
            [stack("bb", cluster=THERE, queues=_queues("b"))],
            "stack.queues: kueue is in the cluster once, and Pulumi.bb.yaml would install it, too; "
            "nearest: cluster.existing.operators: [kueue], once its owner has installed it",
        ),
        (
            stack("aa", cluster={**ON, **HELM}, ray={"a": RAY}),
            [stack("bb", cluster={**ON, **HELM}, ray={"b": RAY}), stack("platform")],
            "stack.cluster.ray_operator: kuberay is in the cluster once, and Pulumi.bb.yaml would "
            "install it, too; nearest: cluster.ray_operator: helm in the file of the platform, "
            "which installs it",
        ),
    ],
)
def test_what_two_stacks_would_install_in_one_cluster_is_told(
    tmp_path: Path, own: dict[str, Any], others: list[dict[str, Any]], line: str
) -> None:
    assert told(tmp_path, own, *others) == (line,)


@pytest.mark.parametrize(
    "others",
    [
        # It has what both use.
        [stack("bb", cluster=ON, queues=_queues("b")), stack("platform", queues=_queues("p"))],
        # Of one whose file is not here nothing is known.
        [stack("bb", cluster=ON, queues=_queues("b"))],
        [stack("bb", cluster=ON), stack("platform")],
        [stack("bb", queues=_queues("b")), stack("platform")],
    ],
)
def test_an_operator_that_one_stack_installs_is_told_to_none(
    tmp_path: Path, others: list[dict[str, Any]]
) -> None:
    assert told(tmp_path, stack("aa", cluster=ON, queues=_queues("a")), *others) == ()


@pytest.mark.parametrize("preset", ["b200-lustre", "dev", "lab", "verl-b200", "gcsfuse-checkpoint"])
def test_the_names_are_those_of_the_graph(register: Register, preset: str) -> None:
    plan = validate(stack_config(preset), secrets_set=SECRETS)
    made = built(register, preset, keys=tuple(sorted(SECRETS)))
    registered = {
        (it.type.rpartition(":")[2], metadata["name"])
        for suffix in ("core/v1:Secret", "core/v1:Service", "batch/v1:Job")
        for it in made.of_type(suffix)
        if (metadata := it.inputs["metadata"])["namespace"] == plan.stack.namespace
    }
    assert registered
    assert registered <= {(it.kind, it.name) for it in derived_names(plan)}


def test_the_presets_take_nothing_of_each_other() -> None:
    root = Path(__file__).parents[2]
    for file in sorted(root.glob("Pulumi.*.yaml")):
        called = file.name.removeprefix("Pulumi.").removesuffix(".yaml")
        config = stack_config(called)
        around = names_beside(root, called, KEY, config["project"], config["project"])
        assert around != NOBODY
        validate(config, secrets_set=SECRETS, beside=around)
