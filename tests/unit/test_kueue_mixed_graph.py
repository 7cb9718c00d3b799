"""The preset kueue-mixed, where servers and a fine-tuning share GPUs by queues, as a graph in both
modes."""

from typing import Any

import pytest

from tests.conftest import ENCODED_TOKEN, Recording, Register
from tests.parts.preset_samples import AUTOPILOT, CHECKED, TEAMS
from tests.unit.stack_graphs import built

SERVER, TUNING = "tgi-gemma-deployment-deployment", "finetune-gemma-l4-job"
MODES = pytest.mark.parametrize("mode", [{}, AUTOPILOT], ids=["standard", "autopilot"])


def up(register: Register, **values: Any) -> Recording:
    return built(register, "kueue-mixed", keys=("hugging_face_token",), **values)


def pod_of(made: Recording, name: str) -> dict[str, Any]:
    return made.named(name).inputs["spec"]["template"]


def quotas(made: Recording, queue: str) -> dict[str, dict[str, str]]:
    """Of each resource by flavor."""
    (group,) = made.named(f"queues-cluster-queue-{queue}").inputs["spec"]["resourceGroups"]
    return {
        flavor["name"]: {it["name"]: it["nominalQuota"] for it in flavor["resources"]}
        for flavor in group["flavors"]
    }


@MODES
def test_servers_go_before_the_fine_tuning(register: Register, mode: dict[str, Any]) -> None:
    made = up(register, **mode)
    values = {
        it.inputs["metadata"]["name"]: it.inputs["value"] for it in made.of_type(":PriorityClass")
    }
    server = pod_of(made, SERVER)["spec"]["priorityClassName"]
    job = pod_of(made, TUNING)["spec"]["priorityClassName"]
    assert values[server] > values[job]


def test_a_priority_class_that_is_made_anew_takes_no_work_with_it(register: Register) -> None:
    """What has a property of a resource that is deleted first is made anew with it."""
    made = up(register)
    classes = {it.urn for it in made.of_type(":PriorityClass")}
    for name in (SERVER, TUNING):
        assert {made.named(it).urn for it in made.waits_for(name)} >= classes
        having = made.named(name).property_dependencies.values()
        assert not classes & frozenset().union(*having), name


@MODES
def test_workloads_wait_for_their_queue_their_token_and_their_priorities(
    register: Register, mode: dict[str, Any]
) -> None:
    made = up(register, **mode)
    for name in (SERVER, TUNING):
        assert {
            *("queues-local-queue-llm-lq", "tokens-secret", "kube-namespace"),
            *("priorities-high-priority-preempting", "kueue-release"),
        } <= made.waits_for(name)
    assert "bucket-user-grant" in made.waits_for(TUNING)


def test_on_a_standard_cluster_workloads_wait_for_the_pools(register: Register) -> None:
    made = up(register)
    for name in (SERVER, TUNING):
        assert {"cpu-pool", "gpu-pool"} <= made.waits_for(name)
    assert "gpu-pool" not in made.waits_for("kueue-release")


@MODES
def test_the_token_is_in_the_secret_alone(register: Register, mode: dict[str, Any]) -> None:
    made = up(register, **mode)
    assert [it.name for it in made.resources if ENCODED_TOKEN in str(it.inputs)] == [
        "tokens-secret"
    ]
    for name in (SERVER, TUNING):
        environment = pod_of(made, name)["spec"]["containers"][0]["env"]
        (token,) = [it for it in environment if it["name"] == "HF_TOKEN"]
        assert "secretKeyRef" in token["valueFrom"]


def test_what_the_mount_takes_of_a_node_is_not_the_fine_tunings(register: Register) -> None:
    def memory(**values: Any) -> str:
        made = pod_of(up(register, **values), TUNING)
        return made["spec"]["containers"][0]["resources"]["requests"]["memory"]

    assert memory() == "50Gi"
    assert memory(buckets__bucket__mount__sidecar__memory_gib=30) == "55Gi"


def test_the_queue_of_a_team_waits_for_its_namespace(register: Register) -> None:
    made = up(register, **TEAMS)
    assert "kube-research-namespace" in made.waits_for("queues-local-queue-research-lq")


def test_queues_of_cpu_nodes_alone_speak_of_no_gpus(register: Register) -> None:
    made = up(
        register,
        servers=None,
        jobs=None,
        queues={
            "flavors": {"cpus": {"pool": "cpu"}},
            "cluster_queues": {"small": {}},
            "local_queues": [{"name": "lq", "cluster_queue": "small"}],
        },
    )
    assert "nvidia.com/gpu" not in quotas(made, "small")["cpus"]


def test_what_asks_for_no_gpu_is_not_admitted_onto_queued_machines_that_never_come_for_it(
    register: Register,
) -> None:
    flavor = up(register, **CHECKED).named("queues-flavor-default-flavor").inputs["spec"]
    gpu = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    assert gpu in flavor["nodeTaints"]
    assert "nvidia.com/gpu" not in [it["key"] for it in flavor["tolerations"]]
