"""The preset kueue-mixed, where servers and a fine-tuning share GPUs by queues, as a graph in both
modes."""

from typing import Any

import pytest

from components.pod_manifest import STAYS
from tests.conftest import ENCODED_TOKEN, Recording, Register
from tests.parts.preset_samples import AUTOPILOT, CHECKED, PLACED, TEAMS
from tests.unit.stack_graphs import assert_may_use_its_bucket_alone, built

QUEUE = "kueue.x-k8s.io/queue-name"
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
def test_the_queue_has_all_gpus_whoever_makes_the_nodes(
    register: Register, mode: dict[str, Any]
) -> None:
    assert quotas(up(register, **mode), "cluster-queue")["default-flavor"]["nvidia.com/gpu"] == "6"


@MODES
def test_both_workloads_queue_at_the_same_door(register: Register, mode: dict[str, Any]) -> None:
    made = up(register, **mode)
    server = pod_of(made, SERVER)["metadata"]["labels"]
    assert (server[QUEUE], server["kueue-job"]) == ("lq", "true")
    job = made.named(TUNING).inputs
    assert job["metadata"]["labels"][QUEUE] == "lq"
    assert job["spec"]["suspend"] is True


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


def test_priorities_are_the_scenarios(register: Register) -> None:
    found = {
        it.inputs["metadata"]["name"]: (
            it.inputs["value"],
            it.inputs["preemptionPolicy"],
            it.inputs.get("globalDefault", False),
        )
        for it in up(register).of_type(":PriorityClass")
    }
    assert found == {
        "default-priority-nonpreempting": (10, "Never", True),
        # Kueue takes quota back by the value; a scheduler that preempted would take the place of a
        # pod that Kueue has just started.
        "low-priority-preempting": (20, "Never", False),
        "high-priority-preempting": (30, "Never", False),
    }


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


def test_on_autopilot_pods_ask_for_whole_machines_and_there_are_no_pools(
    register: Register,
) -> None:
    made = up(register, **AUTOPILOT)
    assert not made.of_type(":NodePool")
    assert made.named("gke-cluster").inputs["enableAutopilot"] is True
    asked = {
        "cloud.google.com/compute-class": "Performance",
        "cloud.google.com/gke-accelerator": "nvidia-l4",
        "cloud.google.com/gke-accelerator-count": "2",
        "cloud.google.com/gke-gpu-driver-version": "latest",
        "topology.kubernetes.io/zone": "us-central1-a",
    }
    for name in (SERVER, TUNING):
        assert pod_of(made, name)["spec"]["nodeSelector"] == asked
    flavor = made.named("queues-flavor-default-flavor").inputs["spec"]
    assert flavor["nodeLabels"] == asked


def test_on_a_standard_cluster_any_node_with_these_gpus_will_do(register: Register) -> None:
    made = up(register)
    for name in (SERVER, TUNING):
        selector = pod_of(made, name)["spec"]["nodeSelector"]
        assert selector == {"cloud.google.com/gke-accelerator": "nvidia-l4"}
    flavor = made.named("queues-flavor-default-flavor").inputs["spec"]
    assert flavor["nodeLabels"] == {"cloud.google.com/gke-nodepool": "gpu-pool"}


def test_an_account_of_the_stack_may_use_the_objects_of_that_bucket_alone(
    register: Register,
) -> None:
    assert_may_use_its_bucket_alone(up(register), "ns/llm/sa/kueue-mixed")


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


def test_the_fine_tuning_mounts_the_bucket_as_the_config_says(register: Register) -> None:
    mount = {
        "sidecar": {"cpu": 0.5, "memory_gib": 20, "ephemeral_storage_gib": 8},
        "metadata_prefetch": True,
        "metadata_ttl_s": 60,
        "skip_access_check": False,
    }
    template = pod_of(up(register, buckets__bucket__mount=mount), TUNING)
    assert template["metadata"]["annotations"] == {
        **STAYS,
        "gke-gcsfuse/volumes": "true",
        "gke-gcsfuse/cpu-limit": "500m",
        "gke-gcsfuse/memory-limit": "20Gi",
        "gke-gcsfuse/ephemeral-storage-limit": "8Gi",
    }
    (csi,) = [it["csi"] for it in template["spec"]["volumes"] if "csi" in it]
    assert csi["volumeAttributes"]["gcsfuseMetadataPrefetchOnMount"] == "true"
    assert csi["volumeAttributes"]["skipCSIBucketAccessCheck"] == "false"


def test_what_the_mount_takes_of_a_node_is_not_the_fine_tunings(register: Register) -> None:
    def memory(**values: Any) -> str:
        made = pod_of(up(register, **values), TUNING)
        return made["spec"]["containers"][0]["resources"]["requests"]["memory"]

    assert memory() == "50Gi"
    assert memory(buckets__bucket__mount__sidecar__memory_gib=30) == "55Gi"


def test_teams_have_namespaces_queues_and_a_cohort_of_their_own(register: Register) -> None:
    made = up(register, **TEAMS)
    assert made.named("kube-research-namespace").inputs["metadata"]["name"] == "research"
    door = made.named("queues-local-queue-research-lq").inputs
    assert (door["metadata"]["namespace"], door["spec"]) == (
        "research",
        {"clusterQueue": "theirs"},
    )
    assert "kube-research-namespace" in made.waits_for("queues-local-queue-research-lq")
    for queue in ("ours", "theirs"):
        spec = made.named(f"queues-cluster-queue-{queue}").inputs["spec"]
        assert spec["cohortName"] == "all"
    given = [quotas(made, queue)["first"]["nvidia.com/gpu"] for queue in ("ours", "theirs")]
    assert given == ["2", "4"]


@pytest.mark.parametrize(
    ("values", "whom"),
    [
        ({}, "Any"),
        ({"queues__cluster_queues__theirs__preemption": {"reclaim_from_cohort": "Never"}}, "Never"),
        ({"queues__cluster_queues__theirs__cohort": None}, "LowerPriority"),
    ],
    ids=["in a cohort", "as it is told", "without anybody to borrow"],
)
def test_what_others_borrowed_comes_back_whatever_their_priority(
    register: Register, values: dict[str, Any], whom: str
) -> None:
    made = built(register, "kueue-mixed", keys=("hugging_face_token",), **{**TEAMS, **values})
    preemption = made.named("queues-cluster-queue-theirs").inputs["spec"]["preemption"]
    assert preemption["reclaimWithinCohort"] == whom


def test_flavors_are_the_pools_that_they_name(register: Register) -> None:
    made = up(register, **TEAMS)
    pools = {
        name: made.named(f"queues-flavor-{name}").inputs["spec"]["nodeLabels"]
        for name in ("first", "spot")
    }
    label = "cloud.google.com/gke-nodepool"
    assert pools == {"first": {label: "gpu-pool"}, "spot": {label: "more-pool"}}


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


def test_without_workloads_the_queues_are_there_for_others(register: Register) -> None:
    made = up(register, servers=None, jobs=None)
    assert "queues-local-queue-llm-lq" in made.names()
    assert not made.of_type(":Deployment")
    assert not made.of_type(":Job")


def test_on_autopilot_kueue_asks_for_no_machine_of_its_own(register: Register) -> None:
    values = up(register, **AUTOPILOT).named("kueue-release").inputs["values"]
    assert "controllerManager" not in values


def test_on_a_standard_cluster_kueue_is_on_the_cpu_nodes(register: Register) -> None:
    values = up(register).named("kueue-release").inputs["values"]
    assert values["controllerManager"]["nodeSelector"]


@MODES
def test_pods_of_a_flavor_of_gpu_nodes_tolerate_their_taint_whether_they_ask_for_gpus_or_not(
    register: Register, mode: dict[str, Any]
) -> None:
    spec = up(register, **mode).named("queues-flavor-default-flavor").inputs["spec"]
    assert spec["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    ]


def test_a_flavor_with_a_topology_tolerates_the_taint_of_gpu_nodes(register: Register) -> None:
    spec = up(register, **PLACED).named("queues-flavor-default-flavor").inputs["spec"]
    assert spec["topologyName"] == "nodes"
    assert spec["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    ]


def test_what_asks_for_no_gpu_is_not_admitted_onto_queued_machines_that_never_come_for_it(
    register: Register,
) -> None:
    flavor = up(register, **CHECKED).named("queues-flavor-default-flavor").inputs["spec"]
    gpu = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    assert gpu in flavor["nodeTaints"]
    assert "nvidia.com/gpu" not in [it["key"] for it in flavor["tolerations"]]


def test_queued_machines_are_asked_for_by_the_queue_for_as_long_as_the_pool_has_them(
    register: Register,
) -> None:
    made = up(register, **CHECKED)
    flavor = made.named("queues-flavor-default-flavor").inputs["spec"]
    taint = {"key": "cloud.google.com/gke-queued", "value": "true", "effect": "NoSchedule"}
    assert taint in flavor["nodeTaints"]
    assert {**taint, "operator": "Equal"} in flavor["tolerations"]
    config = made.named("queues-provisioning-config-dws").inputs["spec"]
    assert config["parameters"] == {"maxRunDurationSeconds": str(24 * 3600)}
    queue = made.named("queues-cluster-queue-cluster-queue").inputs["spec"]
    (check,) = queue["admissionChecksStrategy"]["admissionChecks"]
    assert check == {"name": "dws", "onFlavors": ["default-flavor"]}
