"""The main stack as a graph: what is there, what waits for what, what each key changes."""

import json
from typing import Any

import pulumi
import pytest

from stacks import build
from stacks.config import validate
from tests.conftest import TOKEN, Recording, Register, changed


@pytest.fixture
def up(register: Register, b200: dict[str, Any]) -> Any:
    def run(*, keys: tuple[str, ...] = ("hugging_face_token",), **values: Any) -> Recording:
        config = validate(changed(b200, **values), secrets_set=frozenset(keys))
        secrets = {key: pulumi.Output.secret(TOKEN) for key in keys}
        return register(lambda: build(config, secrets), stack="b200-lustre")

    return run


def spec(made: Recording) -> dict[str, Any]:
    return made.named("ray-cluster").inputs["spec"]


def entrypoint(made: Recording) -> str:
    return made.named("training-job").inputs["spec"]["entrypoint"]


def test_it_is_all_that_the_scenario_asks_for(up: Any) -> None:
    made = up()
    assert {it.name for it in made.resources if it.custom} == {
        "google",
        *(f"apis-{api}" for api in ("compute", "container", "iam", "cloudresourcemanager")),
        *(f"apis-{api}" for api in ("monitoring", "lustre", "servicenetworking")),
        *("network-vpc", "network-subnet", "network-router", "network-nat"),
        *("services-range", "services-peering", "lustre-instance"),
        *("cpu-nodes-account", "cpu-nodes-role", "gpu-nodes-account", "gpu-nodes-role"),
        *("gke-cluster", "gke-kubernetes", "cpu-pool", "gpu-pool"),
        *("tokens-secret", "volume-volume", "volume-claim", "ray-cluster"),
        *("training-launcher", "training-job", "monitoring-dashboard"),
    }


def test_lustre_waits_for_the_peering_and_not_for_the_cluster(up: Any) -> None:
    before = up().waits_for("lustre-instance")
    assert "services-peering" in before
    assert not {"gke-cluster", "network-subnet", "network-nat", "apis-container"} & before


def test_pools_wait_for_the_cluster_and_not_for_each_other(up: Any) -> None:
    made = up()
    assert "gke-cluster" in made.waits_for("gpu-pool")
    assert not {"cpu-pool", "lustre-instance"} & made.waits_for("gpu-pool")
    assert not {"gpu-pool", "gpu-nodes-role"} & made.waits_for("cpu-pool")


def test_the_cluster_does_not_wait_for_the_nat_or_the_peering(up: Any) -> None:
    before = up().waits_for("gke-cluster")
    assert {"network-subnet", "cpu-nodes-role"} <= before
    assert not {"network-nat", "services-peering", "apis-lustre"} & before


def test_kubernetes_objects_wait_for_the_cluster_alone(up: Any) -> None:
    made = up()
    for name in ("tokens-secret", "training-launcher"):
        assert not {"cpu-pool", "gpu-pool", "lustre-instance"} & made.waits_for(name)
    assert not {"cpu-pool", "gpu-pool"} & made.waits_for("volume-claim")


def test_pods_wait_for_machines_names_images_tokens_and_storage(up: Any) -> None:
    assert {
        *("gpu-pool", "cpu-pool", "network-nat", "tokens-secret", "volume-claim"),
    } <= up().waits_for("ray-cluster")


def test_the_job_waits_for_ray_and_its_launcher(up: Any) -> None:
    assert {"ray-cluster", "training-launcher"} <= up().waits_for("training-job")


def test_the_dashboard_waits_for_nothing_but_its_api(up: Any) -> None:
    assert up().waits_for("monitoring-dashboard") == {
        *("google", "apis", "apis-monitoring", "monitoring"),
    }


def test_the_training_is_the_scenarios(up: Any) -> None:
    pairs = entrypoint(up()).split(" ")
    assert {
        "policy.model_name=Qwen/Qwen2.5-72B-Instruct",
        "policy.megatron_cfg.converter_type=Qwen2ForCausalLM",
        "cluster.num_nodes=8",
        "cluster.gpus_per_node=8",
        "grpo.max_num_steps=20",
        "grpo.num_generations_per_prompt=8",
        "grpo.num_prompts_per_step=32",
        "policy.train_global_batch_size=256",
        "checkpointing.enabled=true",
        "checkpointing.save_period=2",
        "checkpointing.keep_top_k=2",
        "checkpointing.metric_name=null",
        "checkpointing.checkpoint_dir=/lustre/nemo_rl_qwen_72b_ds_cp/nemo-rl-grpo-test1",
        "data.dataset_name=DeepScaler",
        "logger.wandb_enabled=false",
        "logger.wandb.name=nemo-rl-grpo-test1",
    } <= set(pairs)


def test_the_token_is_in_the_secret_and_nowhere_else(up: Any) -> None:
    made = up()
    holders = [it.name for it in made.resources if TOKEN in json.dumps(it.inputs)]
    assert holders == ["tokens-secret"]
    assert TOKEN not in json.dumps(list(made.outputs.values()))


def test_every_resource_that_takes_labels_has_them(up: Any) -> None:
    expected = {"purpose": "rl-demo", "stack": "b200-lustre", "managed-by": "pulumi"}
    made = up(namespace="rl")
    for one in made.resources:
        if one.type.startswith("kubernetes:"):
            assert one.inputs["metadata"]["labels"] == expected, one.name
    assert made.named("gke-cluster").inputs["resourceLabels"] == expected
    for name in ("services-range", "lustre-instance"):
        assert made.named(name).inputs["labels"] == expected
    for name in ("cpu-pool", "gpu-pool"):
        assert made.named(name).inputs["nodeConfig"]["resourceLabels"] == expected
    board = json.loads(made.named("monitoring-dashboard").inputs["dashboardJson"])
    assert board["labels"] == expected


def test_every_resource_uses_a_provider_of_the_stack(up: Any) -> None:
    for one in up().resources:
        if one.type.startswith("gcp:"):
            assert "::google::" in one.provider
        elif one.type.startswith("kubernetes:"):
            assert "::gke-kubernetes::" in one.provider


def test_no_role_is_given_on_the_project_but_the_nodes_own(up: Any) -> None:
    roles = {it.inputs["role"] for it in up().of_type("IAMMember")}
    assert roles == {"roles/container.defaultNodeServiceAccount"}


def test_one_switch_protects_what_holds_data_or_is_hard_to_get_back(up: Any) -> None:
    protected = {it.name for it in up(deletion_protection=True).resources if it.protect}
    assert protected == {"network-vpc", "network-subnet", "gke-cluster", "lustre-instance"}
    assert not [it.name for it in up().resources if it.protect]


def test_without_a_job_the_ray_cluster_is_the_same(up: Any) -> None:
    without = up(job=None)
    assert not without.of_type(":RayJob")
    assert not without.of_type(":ConfigMap")
    assert spec(without) == spec(up())


def test_a_changed_label_changes_no_pod(up: Any) -> None:
    assert spec(up(labels={"purpose": "other"})) == spec(up())


def test_a_wandb_key_is_one_more_token(up: Any) -> None:
    made = up(keys=("hugging_face_token", "wandb_api_key"), job__wandb=True)
    assert made.named("tokens-secret").inputs["stringData"].keys() == {"HF_TOKEN", "WANDB_API_KEY"}
    env = spec(made)["headGroupSpec"]["template"]["spec"]["containers"][0]["env"]
    assert [one["name"] for one in env] == ["HF_TOKEN", "WANDB_API_KEY"]


# Each key of the config and a value that it does not have in b200-lustre.
EFFECTS: list[dict[str, Any]] = [
    {"name": "other"},
    {"namespace": "rl"},
    {"labels__team": "research"},
    {"deletion_protection": True},
    {"network__mtu": 1460},
    {"network__subnet": "10.20.0.0/20"},
    {"network__pods": "10.24.0.0/16"},
    {"network__services": "10.21.0.0/20"},
    {"network__control_plane": "10.22.0.0/28"},
    {"network__peering": "10.23.0.0/24"},
    {"network__peering_on_destroy": "delete"},
    {"cluster__name": "other"},
    {"cluster__location": "zonal"},
    {"cluster__release_channel": "RAPID"},
    {"cluster__version": "1.34.1"},
    {"cluster__version": "1.33.2-gke.2000000"},
    {"cluster__authorized_networks": [{"name": "office", "cidr": "192.0.2.0/24"}]},
    {"cluster__maintenance": {"start": "2026-01-03T02:00:00Z", "end": "2026-01-03T08:00:00Z"}},
    {"cpu_pool__machine_type": "e2-standard-8"},
    {"cpu_pool__nodes": 3},
    {"cpu_pool__capacity": {"mode": "spot"}},
    {"cpu_pool__disk": {"size_gb": 200}},
    {"cpu_pool__disk": {"type": "pd-ssd"}},
    {"cpu_pool__max_pods_per_node": 64},
    {"gpu_pool__nodes": 16},
    {"gpu_pool__autoscaling": {"min": 0, "max": 8}},
    {"gpu_pool__capacity": {"mode": "on-demand"}},
    {"gpu_pool__driver_version": "default"},
    {"lustre__name": "other"},
    {"lustre__capacity_gib": 18000},
    {"lustre__throughput_mbps_per_tib": 500, "lustre__capacity_gib": 18000},
    {"lustre__filesystem": "scratch"},
    {"lustre__mount_path": "/data"},
    {"ray__name": "other"},
    {"ray__version": "2.55.0"},
    {"ray__image": "nvcr.io/nvidia/nemo-rl:v0.5.0"},
    {"ray__head__requests__cpu": 16},
    {"ray__head__limits__memory_gib": 500},
    {"ray__head__shm_gib": 100},
    {"ray__worker__requests__memory_gib": 900},
    {"ray__worker__limits": {"cpu": 120, "memory_gib": 1200}},
    {"ray__worker__shm_gib": 100},
    {"ray__worker__gpus": 4},
    {"monitoring__dashboard": False},
    {"job__name": "other"},
    {"job__recipe": "examples/configs/other.yaml"},
    {"job__model": "Qwen/Qwen3-32B"},
    {"job__converter": "LlamaForCausalLM"},
    {"job__dataset": "OpenMathInstruct-2"},
    {"job__max_steps": 40},
    {"job__prompts_per_step": 64},
    {"job__generations_per_prompt": 16},
    {"job__train_global_batch_size": 128},
    {"job__parallelism": {"tensor": 8}},
    {"job__parallelism": {"pipeline": 2}},
    {"job__checkpoints__directory": "other"},
    {"job__checkpoints__period": 4},
    {"job__checkpoints__keep": 3},
    {"job__checkpoints__metric": "val:accuracy"},
    {"job__hugging_face_cache": "other"},
    {"job__socket_interface": "eth1"},
]


def fingerprint(made: Recording) -> str:
    return json.dumps(
        sorted([it.urn, it.protect, json.dumps(it.inputs, sort_keys=True)] for it in made.resources)
    )


# The stack as its file says, made once for all comparisons.
UNCHANGED: list[str] = []


@pytest.mark.parametrize("values", EFFECTS, ids=lambda it: "-".join(it))
def test_every_key_of_the_config_has_an_effect(up: Any, values: dict[str, Any]) -> None:
    if not UNCHANGED:
        UNCHANGED.append(fingerprint(up()))
    assert fingerprint(up(**values)) != UNCHANGED[0]


def leaves(model: Any, prefix: str = "") -> set[str]:
    """Paths of all keys that are no blocks."""
    from stacks.config_errors import _models_in

    found: set[str] = set()
    for name, field in model.model_fields.items():
        inner = [it for it in _models_in(field.annotation) if it.model_fields]
        if inner:
            for block in inner:
                found |= leaves(block, f"{prefix}{name}__")
        else:
            found.add(f"{prefix}{name}")
    return found


def test_no_key_is_left_out_of_the_list_above() -> None:
    from stacks.lustre_training_config import LustreTraining

    def covered(leaf: str) -> bool:
        return any(leaf == key or leaf.startswith(f"{key}__") for key in tried) or any(
            key.startswith(f"{leaf}__") for key in tried
        )

    tried = {key for values in EFFECTS for key in values}
    places = {"kind", "project", "region", "zone", "secrets_set"}
    # Their effects need another zone or more facts, or another secret, than one key can bring.
    elsewhere = {"gpu_pool__machine_type", "gpu_pool__disk__type", "job__wandb"}
    open_keys = {
        leaf
        for leaf in leaves(LustreTraining) - places - elsewhere
        if not leaf.startswith("catalog__") and not covered(leaf)
    }
    assert open_keys <= {
        *("gpu_pool__disk__size_gb", "gpu_pool__max_pods_per_node"),
        *("cpu_pool__autoscaling__min", "cpu_pool__autoscaling__max"),
        *("cpu_pool__capacity__mode", "ray__head__requests__memory_gib"),
        *("ray__head__limits__cpu", "ray__worker__requests__cpu"),
    }
