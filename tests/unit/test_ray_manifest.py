"""Specs of Ray's kinds as plain data; KubeRay's own view of them is tested elsewhere."""

from dataclasses import replace
from typing import Any

import yaml

from components.pod_manifest import PodSecretArgs
from components.ray_cluster_manifest import RayWorkers, ray_cluster_spec
from components.ray_manifest import (
    BucketMount,
    Quantity,
    RayPod,
    RayPodContext,
    RayVolume,
    Setup,
    ray_job_spec,
    runtime_environment,
)
from tests.conftest import NO_RAW_PACKETS

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


def test_head_and_workers_ask_for_what_the_scenario_gives_them() -> None:
    made = spec()
    head = made["headGroupSpec"]["template"]["spec"]["containers"][0]
    worker = made["workerGroupSpecs"][0]["template"]["spec"]["containers"][0]
    assert head["resources"] == {
        "requests": {"cpu": "8", "memory": "64Gi"},
        "limits": {"cpu": "32", "memory": "1000Gi"},
    }
    everything = {"cpu": "100", "memory": "1000Gi", "nvidia.com/gpu": "8"}
    assert worker["resources"] == {"requests": everything, "limits": everything}
    assert {port["name"]: port["containerPort"] for port in head["ports"]} == {
        "gcs-server": 6379,
        "dashboard": 8265,
        "client": 10001,
    }


def test_a_part_of_a_cpu_is_written_in_millicores() -> None:
    assert Quantity(millicores=500, memory_gib=1).as_kubernetes()["cpu"] == "500m"


def test_the_number_of_workers_is_fixed() -> None:
    group = spec()["workerGroupSpecs"][0]
    assert (group["minReplicas"], group["replicas"], group["maxReplicas"]) == (8, 8, 8)


def test_shared_memory_is_in_memory_and_has_a_limit_on_head_and_workers() -> None:
    made = spec()
    for group in (made["headGroupSpec"], made["workerGroupSpecs"][0]):
        pod = group["template"]["spec"]
        assert {"name": "dshm", "emptyDir": {"medium": "Memory", "sizeLimit": "300Gi"}} in pod[
            "volumes"
        ]
        assert {"name": "dshm", "mountPath": "/dev/shm"} in pod["containers"][0]["volumeMounts"]


def test_pods_tolerate_the_taint_of_gpu_nodes_and_choose_their_own_nodes() -> None:
    made = spec()
    for group, nodes in ((made["headGroupSpec"], CPU), (made["workerGroupSpecs"][0], GPU)):
        pod = group["template"]["spec"]
        assert pod["nodeSelector"] == nodes
        assert pod["tolerations"] == [
            {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
        ]


def test_a_claim_is_mounted_on_head_and_workers() -> None:
    volume = RayVolume(name="lustre-storage", mount_path="/lustre", claim_name="claim")
    made = spec(volumes=[volume])
    for group in (made["headGroupSpec"], made["workerGroupSpecs"][0]):
        pod = group["template"]["spec"]
        assert {
            "name": "lustre-storage",
            "persistentVolumeClaim": {"claimName": "claim"},
        } in pod["volumes"]
        mounts = pod["containers"][0]["volumeMounts"]
        assert {"name": "lustre-storage", "mountPath": "/lustre"} in mounts


def test_tokens_come_by_reference_on_head_and_workers() -> None:
    made = spec(secret_name="tokens", secret_keys=["HF_TOKEN"])
    for group in (made["headGroupSpec"], made["workerGroupSpecs"][0]):
        assert group["template"]["spec"]["containers"][0]["env"] == [
            {
                "name": "HF_TOKEN",
                "valueFrom": {"secretKeyRef": {"name": "tokens", "key": "HF_TOKEN"}},
            }
        ]


def test_the_launcher_is_on_the_head_alone_and_may_be_missing() -> None:
    made = spec()
    head = made["headGroupSpec"]["template"]["spec"]
    worker = made["workerGroupSpecs"][0]["template"]["spec"]
    volume = {"name": "launcher", "configMap": {"name": "ray-launcher", "optional": True}}
    assert volume in head["volumes"]
    assert volume not in worker["volumes"]


def test_a_volume_goes_by_the_name_that_the_stack_gives_it() -> None:
    made = spec(volumes=[RayVolume(name="bucket", mount_path="/data", claim_name="claim")])
    pod = made["headGroupSpec"]["template"]["spec"]
    assert {"name": "bucket", "mountPath": "/data"} in pod["containers"][0]["volumeMounts"]


def test_ephemeral_storage_is_asked_for_only_where_it_is_given() -> None:
    quantity = Quantity(millicores=1000, memory_gib=1, ephemeral_storage_gib=9)
    assert quantity.as_kubernetes()["ephemeral-storage"] == "9Gi"
    assert "ephemeral-storage" not in Quantity(millicores=1000, memory_gib=1).as_kubernetes()


def test_start_parameters_of_ray_add_to_the_dashboards_address() -> None:
    made = spec(
        head=replace(HEAD, start_params={"num-cpus": "0"}),
        worker=replace(WORKER, start_params={"num-cpus": "220"}),
    )
    assert made["headGroupSpec"]["rayStartParams"] == {
        "dashboard-host": "0.0.0.0",
        "num-cpus": "0",
    }
    assert made["workerGroupSpecs"][0]["rayStartParams"] == {"num-cpus": "220"}


def test_pods_run_as_the_account_they_are_given() -> None:
    made = spec(service_account="trainer")
    for group in (made["headGroupSpec"], made["workerGroupSpecs"][0]):
        assert group["template"]["spec"]["serviceAccountName"] == "trainer"
    assert "serviceAccountName" not in spec()["headGroupSpec"]["template"]["spec"]


def test_scratch_is_on_the_nodes_own_disk() -> None:
    pod = spec(head=replace(HEAD, scratch="/tmp/ray"))["headGroupSpec"]["template"]["spec"]
    assert {"name": "scratch", "emptyDir": {}} in pod["volumes"]
    assert {"name": "scratch", "mountPath": "/tmp/ray"} in pod["containers"][0]["volumeMounts"]


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


def test_a_setup_comes_after_the_plugin_and_fills_a_directory_of_the_pod() -> None:
    setup = Setup(script="echo", arguments=["a"], directory="/opt/x")
    worker = replace(WORKER, rdma=True, setup=setup)
    pod = spec(worker=worker)["workerGroupSpecs"][0]["template"]["spec"]
    assert [it["name"] for it in pod["initContainers"]] == ["wait-for-nccl-plugin", "setup"]
    assert {"name": "setup", "emptyDir": {}} in pod["volumes"]
    assert pod["initContainers"][1]["volumeMounts"] == pod["containers"][0]["volumeMounts"]


def test_variables_stand_before_tokens_and_on_their_own_pods_alone() -> None:
    worker = replace(WORKER, environment={"LD_LIBRARY_PATH": "/x"})
    made = spec(worker=worker, secret_name="tokens", secret_keys=["HF_TOKEN"])
    env = made["workerGroupSpecs"][0]["template"]["spec"]["containers"][0]["env"]
    assert [it["name"] for it in env] == ["LD_LIBRARY_PATH", "HF_TOKEN"]
    head = made["headGroupSpec"]["template"]["spec"]["containers"][0]["env"]
    assert [it["name"] for it in head] == ["HF_TOKEN"]


def test_a_pod_asks_for_tpus_and_names_its_claims_with_their_templates() -> None:
    worker = replace(WORKER, gpus=0, tpus=4, claims={"netdev": "two-netdev"})
    pod = spec(worker=worker)["workerGroupSpecs"][0]["template"]["spec"]
    resources = pod["containers"][0]["resources"]
    assert resources["limits"]["google.com/tpu"] == "4"
    assert resources["requests"]["google.com/tpu"] == "4"
    assert "nvidia.com/gpu" not in resources["limits"]
    assert resources["claims"] == [{"name": "netdev"}]
    assert pod["resourceClaims"] == [{"name": "netdev", "resourceClaimTemplateName": "two-netdev"}]


def test_a_replica_has_as_many_pods_as_hosts_and_a_group_of_the_stacks_own() -> None:
    made = ray_cluster_spec(
        version="2.56.0",
        head=HEAD,
        workers={"tpu-group": RayWorkers(pod=WORKER, count=2, hosts=4)},
        context=RayPodContext(image="image:1"),
        launcher_config_map="ray-launcher",
    )
    (group,) = made["workerGroupSpecs"]
    assert (group["groupName"], group["replicas"], group["numOfHosts"]) == ("tpu-group", 2, 4)
    assert "numOfHosts" not in spec()["workerGroupSpecs"][0]


def test_a_bucket_is_a_volume_that_lives_with_each_pod() -> None:
    bucket = BucketMount(
        bucket_name="b",
        options=["uid=1000", "file-mode=664"],
        skip_access_check=True,
        prefetch_metadata=False,
    )
    made = spec(volumes=[RayVolume(name="training-bucket", mount_path="/data", bucket=bucket)])
    for group in (made["headGroupSpec"], made["workerGroupSpecs"][0]):
        pod = group["template"]["spec"]
        attributes = {
            "bucketName": "b",
            "mountOptions": "uid=1000,file-mode=664",
            "skipCSIBucketAccessCheck": "true",
            "gcsfuseMetadataPrefetchOnMount": "false",
        }
        csi = {"driver": "gcsfuse.csi.storage.gke.io", "volumeAttributes": attributes}
        assert {"name": "training-bucket", "csi": csi} in pod["volumes"]
        mounts = pod["containers"][0]["volumeMounts"]
        assert {"name": "training-bucket", "mountPath": "/data"} in mounts


def test_a_job_on_an_existing_cluster_sets_nothing_that_kuberay_refuses_there() -> None:
    made = ray_job_spec(cluster_name="ray", entrypoint="true", environment={"A": "b"})
    assert made["clusterSelector"] == {"ray.io/cluster": "ray"}
    assert not {"suspend", "shutdownAfterJobFinishes", "ttlSecondsAfterFinished"} & made.keys()


def test_the_runtime_environment_is_yaml_whatever_the_values_hold() -> None:
    variables = {"A": "yes", "B": 'quote " and : colon', "C": "/lustre/x"}
    assert yaml.safe_load(runtime_environment(variables)) == {"env_vars": variables}


def test_no_container_gets_more_privileges_than_it_starts_with() -> None:
    rdma = replace(WORKER, rdma=True)
    made = spec(worker=rdma)
    templates = [made["headGroupSpec"]["template"], made["workerGroupSpecs"][0]["template"]]
    head, worker = (it["spec"] for it in templates)
    assert [it["securityContext"] for it in head["containers"]] == [NO_RAW_PACKETS]
    # What RDMA asks for is the runtime's to give.
    with_rdma = [*worker["containers"], *worker["initContainers"]]
    assert [it["securityContext"] for it in with_rdma] == [{"allowPrivilegeEscalation": False}] * 2
    assert head["securityContext"] == {"seccompProfile": {"type": "RuntimeDefault"}}
    assert "securityContext" not in worker
