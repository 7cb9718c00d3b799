"""The JobSet's spec, as data; that a control plane runs it is for others."""

from dataclasses import replace
from typing import Any

import pytest

from components.job_set_manifest import (
    OWN_VARIABLES,
    host_of_first,
    job_set_access_spec,
    job_set_spec,
)
from components.naming import NameKind, check_name
from tests.conftest import NO_RAW_PACKETS
from tests.unit.job_set_samples import PODS


def job(**values: Any) -> dict[str, Any]:
    (one,) = job_set_spec(replace(PODS, **values))["replicatedJobs"]
    assert one["replicas"] == 1
    return one["template"]["spec"]


def pod(**values: Any) -> dict[str, Any]:
    return job(**values)["template"]["spec"]


def main(**values: Any) -> dict[str, Any]:
    (container,) = pod(**values)["containers"]
    return container


def variables(**values: Any) -> dict[str, Any]:
    return {it["name"]: it.get("value", it.get("valueFrom")) for it in main(**values)["env"]}


def test_there_is_a_pod_for_each_node_and_each_has_a_number() -> None:
    assert job(nodes=3)["completionMode"] == "Indexed"
    assert (job(nodes=3)["completions"], job(nodes=3)["parallelism"]) == (3, 3)


def test_pods_are_on_nodes_of_their_own() -> None:
    (term,) = pod(nodes=2)["affinity"]["podAntiAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]
    assert term["topologyKey"] == "kubernetes.io/hostname"
    assert term["labelSelector"] == {"matchLabels": {"jobset.sigs.k8s.io/jobset-name": "train"}}
    assert "affinity" not in pod(nodes=1)


def test_every_pod_knows_the_first_of_them_its_own_number_and_how_many_there_are() -> None:
    own = variables(nodes=3)
    assert own.keys() == OWN_VARIABLES
    assert own["MASTER_ADDR"] == "train-node-0-0.train" == host_of_first("train")
    assert own["JAX_COORDINATOR_ADDRESS"] == f"{own['MASTER_ADDR']}:{own['MASTER_PORT']}"
    assert (own["NNODES"], own["GPUS_PER_NODE"]) == ("3", "8")
    index = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
    assert own["NODE_RANK"] == {"fieldRef": {"fieldPath": index}}


def test_the_first_is_found_before_it_is_ready() -> None:
    network = job_set_spec(PODS)["network"]
    assert network == {
        "enableDNSHostnames": True,
        "subdomain": "train",
        "publishNotReadyAddresses": True,
    }


def test_the_users_variables_are_there_beside_ours() -> None:
    found = variables(environment={"LR": "1", "MASTER_ADDR": "mine"})
    assert found["LR"] == "1"
    assert found["MASTER_ADDR"] == "train-node-0-0.train"


def test_tokens_are_in_no_manifest() -> None:
    found = variables(secret_name="tokens", secret_keys=["HF_TOKEN"])
    assert found["HF_TOKEN"] == {"secretKeyRef": {"name": "tokens", "key": "HF_TOKEN"}}


def test_a_pod_that_fails_starts_all_of_them_again_as_often_as_it_may() -> None:
    assert job()["backoffLimit"] == 0
    assert pod()["restartPolicy"] == "Never"
    assert job_set_spec(replace(PODS, max_restarts=3))["failurePolicy"]["maxRestarts"] == 3


def test_a_machine_that_goes_away_counts_for_nothing() -> None:
    (rule,) = job()["podFailurePolicy"]["rules"]
    assert rule == {
        "action": "FailJob",
        "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
    }
    gone = job_set_spec(PODS)["failurePolicy"]["rules"][0]
    assert gone["action"] == "RestartJobSetAndIgnoreMaxRestarts"
    assert gone["onJobFailureReasons"] == ["PodFailurePolicy"]


def test_a_run_that_takes_too_long_is_not_started_again() -> None:
    assert job(minutes=90)["activeDeadlineSeconds"] == 5400
    late = job_set_spec(PODS)["failurePolicy"]["rules"][1]
    assert (late["action"], late["onJobFailureReasons"]) == ("FailJobSet", ["DeadlineExceeded"])
    assert "activeDeadlineSeconds" not in job()


def test_only_what_a_queue_admits_is_held_back() -> None:
    assert job_set_spec(replace(PODS, queued=True))["suspend"] is True
    assert "suspend" not in job_set_spec(PODS)


def test_all_that_a_pod_may_use_is_asked_for() -> None:
    amounts = {"cpu": "1500m", "memory": "8Gi", "ephemeral-storage": "10Gi", "nvidia.com/gpu": "8"}
    assert main()["resources"] == {"requests": amounts, "limits": amounts}
    assert "nvidia.com/gpu" not in main(gpus=0)["resources"]["requests"]


def test_pods_with_gpus_go_where_those_are_and_share_their_memory() -> None:
    (toleration,) = pod()["tolerations"]
    assert toleration["key"] == "nvidia.com/gpu"
    assert "securityContext" not in pod()
    assert "tolerations" not in pod(gpus=0)
    assert pod(gpus=0)["securityContext"] == {"seccompProfile": {"type": "RuntimeDefault"}}


def test_no_container_gets_more_privileges() -> None:
    containers = [*pod(rdma=True)["containers"], *pod(rdma=True)["initContainers"]]
    assert [it["securityContext"] for it in containers] == [{"allowPrivilegeEscalation": False}] * 2
    assert main()["securityContext"] == NO_RAW_PACKETS


def test_files_lie_under_one_directory_and_can_be_run() -> None:
    (volume,) = [it for it in pod(files="train-files")["volumes"] if it["name"] == "files"]
    assert volume["configMap"] == {"name": "train-files", "defaultMode": 0o555}
    mounts = {it["name"]: it["mountPath"] for it in main(files="train-files")["volumeMounts"]}
    assert mounts["files"] == "/etc/script"
    assert "files" not in [it["name"] for it in pod()["volumes"]]


def test_each_volume_is_mounted() -> None:
    claim = {"name": "store", "persistentVolumeClaim": {"claimName": "lustre"}}
    mount = {"name": "store", "mountPath": "/store"}
    made = pod(volumes=[(claim, mount)], files="f", rdma=True)
    assert claim in made["volumes"]
    assert mount in made["containers"][0]["volumeMounts"]
    mounted = {it["name"] for it in made["containers"][0]["volumeMounts"]}
    assert mounted == {it["name"] for it in made["volumes"]}


def test_shared_memory_is_there_where_it_is_asked_for() -> None:
    assert pod(shm_gib=2)["volumes"][0]["emptyDir"] == {"medium": "Memory", "sizeLimit": "2Gi"}
    assert pod(shm_gib=0)["volumes"] == []


def test_nccls_plugin_is_waited_for_on_nodes_with_rdma() -> None:
    (wait,) = pod(rdma=True)["initContainers"]
    assert "/usr/local/gib" in wait["command"][-1]
    assert "initContainers" not in pod()


def test_what_a_pod_runs_as_and_how_it_ranks_is_said_where_it_is_given() -> None:
    made = pod(service_account="trainer", priority_class="high", grace_seconds=20)
    assert (made["serviceAccountName"], made["priorityClassName"]) == ("trainer", "high")
    assert made["terminationGracePeriodSeconds"] == 20
    assert not {"serviceAccountName", "priorityClassName"} & pod().keys()


def test_only_pods_of_the_same_jobset_reach_each_other_in_their_namespace() -> None:
    spec = job_set_access_spec("train", "llm")
    own = {"matchLabels": {"jobset.sigs.k8s.io/jobset-name": "train"}}
    assert spec["podSelector"] == own
    assert spec["ingress"][0]["from"][0] == {"podSelector": own}
    assert "ports" not in spec["ingress"][0]
    assert not [it for it in spec["ingress"][0]["from"] if "ipBlock" in it]


def test_a_name_leaves_room_for_those_of_pods() -> None:
    longest = "a" * 45
    assert check_name(NameKind.JOB_SET, longest) == longest
    assert len(f"{longest}-node-0-9999-abcde") == 63
    with pytest.raises(ValueError, match="has at most 45; nearest: a"):
        check_name(NameKind.JOB_SET, "a" * 46)
    with pytest.raises(ValueError, match="nearest: run"):
        check_name(NameKind.JOB_SET, "1run")
