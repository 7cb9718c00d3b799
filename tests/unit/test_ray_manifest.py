"""Specs of Ray's kinds as plain data; KubeRay's own view of them is tested elsewhere."""

from dataclasses import replace
from typing import Any

import yaml

from components.base.pod_manifest import PodSecretArgs
from components.ray.cluster_manifest import RayWorkers, ray_cluster_spec
from components.ray.manifest import (
    Quantity,
    RayPod,
    RayPodContext,
    ray_job_spec,
    runtime_environment,
)

CPU, GPU = {"pool": "cpu"}, {"pool": "gpu"}
HEAD = RayPod(
    requests=Quantity(millicores=8000, memory_gib=64),
    limits=Quantity(millicores=32000, memory_gib=1000),
    shm_gib=300,
    node_selector=CPU,
)
WORKER = RayPod(
    requests=Quantity(millicores=100_000, memory_gib=1000),
    limits=Quantity(millicores=100_000, memory_gib=1000),
    shm_gib=300,
    node_selector=GPU,
    gpus=8,
)


def spec(*, head: RayPod = HEAD, worker: RayPod = WORKER, **context: Any) -> dict[str, Any]:
    return ray_cluster_spec(
        version="2.54.0",
        head=head,
        workers={"gpu-worker-group": RayWorkers(pod=worker, count=8)},
        context=RayPodContext(image="image:1", **context),
        launcher_config_map="ray-launcher",
    )


def test_pods_have_variables_of_the_secrets_that_are_named_for_them() -> None:
    made = spec(
        secret_name="tokens",
        secret_keys=["HF_TOKEN", "WANDB_API_KEY"],
        secrets=[
            PodSecretArgs(name="hub", key="api-token", variable="HF_TOKEN"),
            PodSecretArgs(name="all"),
        ],
    )
    for group in (made["headGroupSpec"], made["workerGroupSpecs"][0]):
        (container,) = group["template"]["spec"]["containers"]
        references = {it["name"]: it["valueFrom"]["secretKeyRef"] for it in container["env"]}
        assert references == {
            "WANDB_API_KEY": {"name": "tokens", "key": "WANDB_API_KEY"},
            "HF_TOKEN": {"name": "hub", "key": "api-token"},
        }
        assert container["envFrom"] == [{"secretRef": {"name": "all"}}]


def test_tokens_come_by_reference_on_head_and_workers() -> None:
    made = spec(secret_name="tokens", secret_keys=["HF_TOKEN"])
    for group in (made["headGroupSpec"], made["workerGroupSpecs"][0]):
        assert group["template"]["spec"]["containers"][0]["env"] == [
            {
                "name": "HF_TOKEN",
                "valueFrom": {"secretKeyRef": {"name": "tokens", "key": "HF_TOKEN"}},
            }
        ]


def test_pods_with_rdma_see_the_plugin_and_wait_until_it_is_there() -> None:
    pod = spec(worker=replace(WORKER, rdma=True))["workerGroupSpecs"][0]["template"]["spec"]
    (before,) = pod["initContainers"]
    assert before["name"] == "wait-for-nccl-plugin"
    assert before["image"] == "image:1"
    for mounts in (before["volumeMounts"], pod["containers"][0]["volumeMounts"]):
        assert {"name": "gib", "mountPath": "/usr/local/gib", "readOnly": True} in mounts
        assert {"name": "nvidia", "mountPath": "/usr/local/nvidia", "readOnly": True} in mounts
    # A folder would be made in place of a file that is not there yet.
    seen = [
        [it["mountPath"] for it in one["volumeMounts"]] for one in (before, pod["containers"][0])
    ]
    assert [("/etc/nccl.conf" in it) for it in seen] == [False, True]


def test_a_job_on_an_existing_cluster_sets_nothing_that_kuberay_refuses_there() -> None:
    made = ray_job_spec(cluster_name="ray", entrypoint="true", environment={"A": "b"})
    assert made["clusterSelector"] == {"ray.io/cluster": "ray"}
    assert not {"suspend", "shutdownAfterJobFinishes", "ttlSecondsAfterFinished"} & made.keys()


def test_the_runtime_environment_is_yaml_whatever_the_values_hold() -> None:
    variables = {"A": "yes", "B": 'quote " and : colon', "C": "/lustre/x"}
    assert yaml.safe_load(runtime_environment(variables)) == {"env_vars": variables}
