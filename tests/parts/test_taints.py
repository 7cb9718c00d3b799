"""Taints of pools: what belongs on such nodes tolerates them, and the cluster's own pods have
others."""

from typing import Any

import pytest

from stacks.config import validate
from stacks.plan import Plan
from tests.conftest import Recording, changed
from tests.programs import WITH_TOKEN, mistakes, registered

TAINT = {"key": "team", "value": "vision", "effect": "NoSchedule"}
TOLERATION = {"key": "team", "operator": "Equal", "value": "vision", "effect": "NoSchedule"}
GPUS = {"machine_type": "g2-standard-24", "nodes": 2, "disk": {"size_gb": 300}, "taints": [TAINT]}
SIZES = {"cpu": 2, "memory_gib": 8, "ephemeral_storage_gib": 20}
STACK: dict[str, Any] = {
    "name": "tainted",
    "project": "my-project",
    "region": "us-central1",
    "zone": "us-central1-a",
    "pools": {
        "heads": {
            "machine_type": "e2-standard-16",
            "nodes": 1,
            "disk": {"size_gb": 300},
            "taints": [TAINT],
        },
        "system": {"machine_type": "e2-standard-4", "nodes": 1},
        "train": GPUS,
        "serve": GPUS,
    },
    "buckets": {"data": {}},
    "queues": {"flavors": {"serve": {"pool": "serve"}}},
    "ray": {
        "verl": {
            "head": {"requests": SIZES, "pool": "heads"},
            "workers": {"main": {"requests": SIZES, "pools": "train"}},
        }
    },
    "jobs": {
        "grpo": {
            "type": "verl",
            "model": "Qwen/Qwen2.5-0.5B-Instruct",
            "rollout": {"tensor_parallel": 2},
            "preparation": {"cpu": 1, "memory_gib": 4, "scratch_gib": 10},
        },
        "tuning": {"type": "fine-tune", "pool": "serve", "pods": 1, "gpus": 1, "queue": "lq"},
    },
    "servers": {
        "chat": {"pool": "serve", "model": "google/gemma-2-2b-it", "gpus": 1, "requests": SIZES}
    },
}


def plan_of(**changes: Any) -> Plan:
    return validate(changed(STACK, **changes), secrets_set=WITH_TOKEN)


@pytest.fixture
def made() -> Recording:
    return registered(plan_of())


def pod_spec(made: Recording, suffix: str, name: str) -> dict[str, Any]:
    found = [it for it in made.of_type(suffix) if it.inputs["metadata"]["name"] == name]
    assert len(found) == 1
    return found[0].inputs["spec"]["template"]["spec"]


def test_pods_of_ray_tolerate_the_taints_of_their_pools(made: Recording) -> None:
    spec = made.of_type(":RayCluster")[0].inputs["spec"]
    groups = (spec["headGroupSpec"], spec["workerGroupSpecs"][0])
    assert all(TOLERATION in it["template"]["spec"]["tolerations"] for it in groups)


@pytest.mark.parametrize(
    ("suffix", "name"), [(":Deployment", "chat"), (":Job", "tuning"), (":Job", "verl-data")]
)
def test_other_workloads_tolerate_the_taints_of_their_pool(
    made: Recording, suffix: str, name: str
) -> None:
    assert TOLERATION in pod_spec(made, suffix, name)["tolerations"]


def test_what_a_queue_sends_to_tainted_nodes_may_go_there(made: Recording) -> None:
    spec = made.named("queues-flavor-serve").inputs["spec"]
    assert spec["nodeTaints"] == [TAINT]
    gpu = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    assert spec["tolerations"] == [gpu, TOLERATION]


def test_the_clusters_own_pods_are_on_a_pool_without_taints() -> None:
    own = plan_of().cpu_pool
    assert own is not None
    assert own.name == "system"


def test_a_taint_that_only_asks_keeps_nobody_away() -> None:
    plan = plan_of(pools__heads__taints=[{**TAINT, "effect": "PreferNoSchedule"}])
    assert plan.cpu_pool is not None
    assert plan.cpu_pool.name == "heads"


@pytest.mark.parametrize(
    ("mode", "topology", "most"),
    [("spot", None, 7), ("queued", None, 6), ("spot", "hosts", 7)],
)
def test_a_flavor_has_no_more_taints_than_kueue_takes(
    mode: str, topology: str | None, most: int
) -> None:
    taints = [{**TAINT, "key": f"team-{number}"} for number in range(most + 1)]
    places: dict[str, Any] = {} if topology is None else {topology: {}}
    pool = {**GPUS, "capacity": {"mode": mode}, "taints": taints}
    topologies: dict[str, Any] = {
        "queues__flavors__serve__topology": topology,
        "queues__topologies": places,
    }
    lines = mistakes(changed(STACK, pools__serve=pool, **topologies))
    said = f"stack.pools.serve.taints: {most + 1} are more than a flavor of Kueue's can name"
    assert f"{said}; nearest: {most} of them" in lines
