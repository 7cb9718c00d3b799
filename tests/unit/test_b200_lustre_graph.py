"""The preset b200-lustre as a graph: what is there, what waits for what, what each key changes."""

import json
from typing import Any, Protocol

import pytest
import yaml

from tests.conftest import ENCODED_TOKEN, TOKEN, Recording, Register
from tests.unit.stack_graphs import at, before_ray, built, pods_of

RAY, JOB = "ray-a4-gpu-spot", "nemo-rl-grpo-test1"
OWN: dict[str, Any] = {"pools__gpu__interfaces": "own"}
INTERFACES = ("gvnic-1", *(f"rdma-{number}" for number in range(8)))


class Up(Protocol):
    def __call__(self, *, keys: tuple[str, ...] = ..., **values: Any) -> Recording: ...


@pytest.fixture
def up(register: Register) -> Up:
    def run(*, keys: tuple[str, ...] = ("hugging_face_token",), **values: Any) -> Recording:
        return built(register, "b200-lustre", keys=keys, **values)

    return run


def spec(made: Recording) -> dict[str, Any]:
    return made.one(":RayCluster").inputs["spec"]


def test_the_training_waits_for_all_gpus_and_runs_again_when_a_machine_goes(up: Up) -> None:
    made = up()
    files = made.named(f"{RAY}-launchers-files").inputs["data"]
    (resume,) = (it for it in files if "resume" in it)
    (test,) = (it for it in files if "network_test" in it)
    entrypoint = made.named(f"{JOB}-job").inputs["spec"]["entrypoint"]
    folder = "/lustre/nemo_rl_qwen_72b_ds_cp/nemo-rl-grpo-test1"
    assert (
        f" python3 /etc/launcher/{resume} --checkpoints {folder}/step_ "
        f"--test /etc/launcher/{test}:8:8:0 64 0 bash /etc/launcher/nemo_rl_grpo-"
    ) in entrypoint
    for name in (resume, test):
        assert f"[ -f /etc/launcher/{name} ]" in entrypoint


def test_all_processes_of_the_training_use_the_rdma_plugin(up: Up) -> None:
    made = up()
    environment = yaml.safe_load(made.named(f"{JOB}-job").inputs["spec"]["runtimeEnvYAML"])
    variables = environment["env_vars"]
    # NCCL that may choose its network takes TCP, and says nothing, where RDMA is missing.
    assert variables["NCCL_NET"] == "gIB"
    # NeMo RL puts the job's environment over that of the workers.
    assert variables["LD_LIBRARY_PATH"] == "/usr/local/nvidia/lib64"
    _, worker = pods_of(made)
    (before,) = worker["spec"]["initContainers"]
    assert before["image"] == worker["spec"]["containers"][0]["image"]
    assert (
        "NCCL_TUNER_CONFIG_PATH=/usr/local/gib/configs/tuner_config_a4.txtpb"
        in before["command"][-1]
    )
    assert "NCCL_NET_PLUGIN" not in str(made.named(f"{RAY}-cluster").inputs)
    assert {"name": "gib", "hostPath": {"path": "/home/kubernetes/bin/gib"}} in worker["spec"][
        "volumes"
    ]
    assert {"name": "LD_LIBRARY_PATH", "value": "/usr/local/nvidia/lib64"} in worker["spec"][
        "containers"
    ][0]["env"]


def test_pods_wait_until_nodes_have_the_plugin_and_the_cluster_the_networks(up: Up) -> None:
    made = up(**OWN)
    assert {"nccl-daemon-set", *(f"interfaces-network-{name}" for name in INTERFACES)} <= (
        before_ray(made)
    )
    assert "gpu-pool" in made.waits_for("nccl-daemon-set")
    assert "gpu-pool" not in made.waits_for("interfaces-network-rdma-7")


def test_lustre_waits_for_the_peering_and_not_for_the_cluster(up: Up) -> None:
    before = up().waits_for("lustre-instance")
    assert "services-peering" in before
    assert not {"gke-cluster", "network-subnet", "network-nat", "apis-container"} & before


@pytest.mark.parametrize(
    ("version", "legacy", "port"),
    [
        (None, False, "988"),
        ("1.33.2-gke.4655000", False, "988"),
        ("1.33.2-gke.4654999", True, "6988"),
    ],
)
def test_instance_nodes_and_firewall_are_on_one_port(
    up: Up, version: str | None, legacy: bool, port: str
) -> None:
    made = up() if version is None else up(cluster__version=version)
    driver = made.named("gke-cluster").inputs["addonsConfig"]["lustreCsiDriverConfig"]
    assert driver.get("enableLegacyLustrePort", False) is legacy
    assert made.named("lustre-instance").inputs.get("gkeSupportEnabled", False) is legacy
    (allowed,) = made.named("lustre-firewall").inputs["allows"]
    assert allowed == {"protocol": "tcp", "ports": [port]}
    assert made.named("lustre-firewall").inputs["sourceRanges"] == ["10.10.0.0/22"]


def test_the_volume_waits_until_the_servers_are_let_in(up: Up) -> None:
    assert "lustre-firewall" in up().waits_for("volume-volume")


def test_pools_wait_for_the_cluster_and_not_for_each_other(up: Up) -> None:
    made = up()
    assert "gke-cluster" in made.waits_for("gpu-pool")
    assert not {"cpu-pool", "lustre-instance"} & made.waits_for("gpu-pool")
    assert not {"gpu-pool", "gpu-nodes-role"} & made.waits_for("cpu-pool")


def test_the_cluster_does_not_wait_for_the_nat_or_the_peering(up: Up) -> None:
    before = up().waits_for("gke-cluster")
    assert {"network-subnet", "cpu-nodes-role"} <= before
    assert not {"network-nat", "services-peering", "apis-lustre"} & before


def test_kubernetes_objects_wait_for_the_cluster_alone(up: Up) -> None:
    made = up()
    for name in ("tokens-secret", f"{RAY}-launchers-files"):
        assert not {"cpu-pool", "gpu-pool", "lustre-instance"} & made.waits_for(name)
    assert not {"cpu-pool", "gpu-pool"} & made.waits_for("volume-claim")


def test_pods_wait_for_machines_names_images_tokens_and_storage(up: Up) -> None:
    assert {
        *("gpu-pool", "cpu-pool", "network-nat", "tokens-secret", "volume-claim"),
    } <= before_ray(up())


def test_the_job_waits_for_ray_and_its_launcher(up: Up) -> None:
    assert {f"{RAY}-cluster", f"{RAY}-launchers-files"} <= up().waits_for(f"{JOB}-job")


def test_the_dashboard_waits_for_nothing_but_its_api(up: Up) -> None:
    assert up().waits_for("monitoring-dashboard") == {
        *("google", "apis", "apis-monitoring", "monitoring"),
    }


def test_the_token_is_in_the_secret_and_nowhere_else(up: Up) -> None:
    made = up()
    holders = [it.name for it in made.resources if ENCODED_TOKEN in json.dumps(it.inputs)]
    assert holders == ["tokens-secret"]
    every = json.dumps([*(it.inputs for it in made.resources), *made.outputs.values()])
    assert TOKEN not in every
    assert ENCODED_TOKEN not in json.dumps(list(made.outputs.values()))


def test_every_resource_that_takes_labels_has_them(up: Up) -> None:
    expected = {"purpose": "rl-demo", "stack": "b200-lustre", "managed-by": "pulumi"}
    made = up(namespace="rl")
    for one in made.resources:
        if one.type.startswith("kubernetes:"):
            assert expected.items() <= one.inputs["metadata"]["labels"].items(), one.name
    assert made.named("gke-cluster").inputs["resourceLabels"] == expected
    for name in ("services-range", "lustre-instance"):
        assert made.named(name).inputs["labels"] == expected
    for name in ("cpu-pool", "gpu-pool"):
        assert made.named(name).inputs["nodeConfig"]["resourceLabels"] == expected
    board = json.loads(made.named("monitoring-dashboard").inputs["dashboardJson"])
    # The provider shows no label that a dashboard loses, so it has none of those that can go.
    own = {key: it for key, it in expected.items() if key != "purpose"}
    assert board["labels"] == own


def test_every_resource_uses_a_provider_of_the_stack(up: Up) -> None:
    for one in up().resources:
        if one.type.startswith("gcp:"):
            assert "::google::" in one.provider
        elif one.type.startswith("kubernetes:"):
            assert "::gke-kubernetes::" in one.provider


def test_no_role_is_given_on_the_project_but_the_nodes_own(up: Up) -> None:
    roles = {it.inputs["role"] for it in up().of_type("IAMMember")}
    assert roles == {
        "roles/container.defaultNodeServiceAccount",
        "roles/serviceusage.serviceUsageConsumer",
    }


def test_one_switch_protects_what_holds_data_or_is_hard_to_get_back(up: Up) -> None:
    protected = {it.name for it in up(deletion_protection=True, **OWN).resources if it.protect}
    assert protected == {
        *("network-vpc", "network-subnet", "gke-cluster", "lustre-instance"),
        *("gvnic-1-vpc", "gvnic-1-subnet", "rdma-vpc"),
        *(f"rdma-subnet-rdma-{number}" for number in range(8)),
    }
    assert not [it.name for it in up().resources if it.protect]


def test_without_a_job_the_ray_cluster_of_its_image_is_the_same(up: Up) -> None:
    image = spec(up())["headGroupSpec"]["template"]["spec"]["containers"][0]["image"]
    said = {f"ray__{RAY}__image": image, f"ray__{RAY}__version": spec(up())["rayVersion"]}
    without = up(jobs=None, **said)
    assert not without.of_type(":RayJob")
    assert not without.of_type(":ConfigMap")
    assert spec(without) == spec(up())


def test_a_changed_label_changes_no_pod(up: Up) -> None:
    assert spec(up(labels={"purpose": "other"})) == spec(up())


def test_a_wandb_key_is_one_more_token(up: Up) -> None:
    made = up(keys=("hugging_face_token", "wandb_api_key"), **at(f"jobs__{JOB}__wandb", True))
    assert made.named("tokens-secret").inputs["data"].keys() == {"HF_TOKEN", "WANDB_API_KEY"}
    env = spec(made)["headGroupSpec"]["template"]["spec"]["containers"][0]["env"]
    assert [one["name"] for one in env] == ["HF_TOKEN", "WANDB_API_KEY"]
