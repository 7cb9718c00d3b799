"""The scenario of servers and a fine-tuning that share GPUs, with the real Kueue."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from components.servers.engine import InferenceEngine
from components.servers.manifest import Rollout, deployment_spec
from kube.objects import JsonObject, Ref, dig, maps, name_of
from tests.kube.conftest import LiveSandbox, eventually
from tests.unit.inference_samples import TGI

STACK = "kueue-mixed"
SERVER = Ref(api_version="apps/v1", kind="Deployment", namespace="llm", name="tgi-gemma-deployment")
JOB = Ref(api_version="batch/v1", kind="Job", namespace="llm", name="finetune-gemma-l4")
VLLM = Ref(api_version="apps/v1", kind="Deployment", namespace="llm", name="vllm")
QUEUE = Ref(api_version="kueue.x-k8s.io/v1beta2", kind="ClusterQueue", name="cluster-queue")


@pytest.fixture(scope="module")
def live(live_sandbox: Callable[[str], LiveSandbox]) -> LiveSandbox:
    sandbox = live_sandbox(STACK)
    sandbox.succeed("up")
    return sandbox


def scale(live: LiveSandbox, servers: int) -> None:
    """As `kubectl scale`, by the subresource."""
    live.server.acting_as("kubectl").scale(SERVER, servers)


def servers(live: LiveSandbox) -> list[JsonObject]:
    pods = live.server.list("v1", "Pod")
    return [pod for pod in pods if name_of(pod).startswith(SERVER.name)]


def job_pods(live: LiveSandbox) -> list[JsonObject]:
    return [pod for pod in live.server.list("v1", "Pod") if name_of(pod).startswith(JOB.name)]


def phases(pods: list[JsonObject]) -> list[str]:
    return sorted(pod["status"]["phase"] for pod in pods)


def is_suspended(live: LiveSandbox) -> bool:
    job = live.server.get(JOB)
    assert job is not None
    return bool(job["spec"].get("suspend"))


def workload_of(live: LiveSandbox, name: str) -> JsonObject:
    found = live.server.list("kueue.x-k8s.io/v1beta2", "Workload")
    (one,) = [each for each in found if name in name_of(each)]
    return one


def told(live: LiveSandbox, name: str, reason: str) -> datetime:
    """When a controller last said this of an object whose name holds `name`, by its own event."""
    times = [
        event.get("lastTimestamp") or event["eventTime"]
        for event in live.server.list("v1", "Event")
        if name in event["involvedObject"]["name"] and event["reason"] == reason
    ]
    assert times, f"a controller said {reason} of {name}"
    return max(map(datetime.fromisoformat, times))


def answers_it(live: LiveSandbox, name: str, reason: str) -> bool:
    """Whether Kueue said this after the servers were last scaled."""
    scaled = told(live, SERVER.name, "ScalingReplicaSet")
    return told(live, name, reason) >= scaled


def test_one_server_is_admitted_beside_the_fine_tuning(live: LiveSandbox) -> None:
    scale(live, 1)
    eventually(lambda: phases(servers(live)), lambda seen: seen == ["Running"])
    eventually(lambda: phases(job_pods(live)), lambda seen: seen == ["Running", "Running"])
    (server,) = servers(live)
    assert answers_it(live, name_of(server), "Admitted")


def test_of_four_servers_three_are_admitted_and_the_fourth_is_gated(live: LiveSandbox) -> None:
    scale(live, 4)
    wanted = ["Pending", "Running", "Running", "Running"]
    eventually(lambda: phases(servers(live)), lambda seen: seen == wanted)
    (gated,) = [pod for pod in servers(live) if pod["status"]["phase"] == "Pending"]
    assert {"name": "kueue.x-k8s.io/admission"} in gated["spec"]["schedulingGates"]
    (condition,) = gated["status"]["conditions"]
    assert condition["reason"] == "SchedulingGated"
    reserved = maps(dig(workload_of(live, name_of(gated)), "status", "conditions"))
    assert any("insufficient" in each["message"] for each in reserved)
    assert is_suspended(live)
    assert answers_it(live, SERVER.name, "Admitted")
    assert answers_it(live, JOB.name, "Preempted")


def test_scaled_to_one_the_fine_tuning_is_admitted(live: LiveSandbox) -> None:
    scale(live, 1)
    eventually(lambda: phases(job_pods(live)), lambda seen: seen == ["Running", "Running"])
    assert not is_suspended(live)
    assert answers_it(live, JOB.name, "Admitted")


def test_scaled_to_two_the_fine_tuning_is_suspended_and_its_pods_go(live: LiveSandbox) -> None:
    scale(live, 2)
    eventually(lambda: is_suspended(live), bool)
    eventually(lambda: job_pods(live), lambda seen: seen == [])
    eventually(lambda: phases(servers(live)), lambda seen: seen == ["Running", "Running"])
    assert answers_it(live, JOB.name, "Preempted")
    assert answers_it(live, SERVER.name, "Admitted")


def test_scaled_to_one_again_the_fine_tuning_comes_back(live: LiveSandbox) -> None:
    scale(live, 1)
    eventually(lambda: phases(job_pods(live)), lambda seen: seen == ["Running", "Running"])
    assert told(live, JOB.name, "Admitted") >= told(live, JOB.name, "Preempted")
    assert answers_it(live, JOB.name, "Admitted")


def test_a_server_of_vllm_takes_its_place_and_another_model_its_own(live: LiveSandbox) -> None:
    kubectl = live.server.acting_as("kubectl")
    for model in ("a/first", "a/second"):
        kubectl.apply(_vllm(live, model), force=True)
        eventually(lambda: _served(live), lambda seen, model=model: seen == [(model, "Running")])
        assert is_suspended(live)
    kubectl.delete(VLLM)
    eventually(lambda: phases(job_pods(live)), lambda seen: seen == ["Running", "Running"])


def test_a_change_of_replicas_goes_through_after_kubectl_has_scaled(live: LiveSandbox) -> None:
    scale(live, 2)
    live.succeed("up", "servers.tgi-gemma-deployment.replicas=1", 'labels={"team": "other"}')
    eventually(lambda: phases(job_pods(live)), lambda seen: seen == ["Running", "Running"])
    live.succeed("refresh", 'labels={"team": "other"}')
    live.succeed("up", 'labels={"team": "other"}')


def test_one_gpu_more_than_the_derived_quota_is_refused_by_the_config(live: LiveSandbox) -> None:
    path = "queues.cluster_queues.cluster-queue.flavors.default-flavor.gpus=7"
    refused = live.run("preview", path)
    assert not refused.ok
    assert any("7 GPUs are more than the 6" in text for text in refused.report.diagnostics)


def test_forced_past_the_config_it_is_stuck_in_the_scheduler(live: LiveSandbox) -> None:
    queue = live.server.get(QUEUE)
    assert queue is not None
    # A fourth server needs memory, too.
    more = {"nvidia.com/gpu": "8", "memory": "300Gi"}
    live.server.acting_as("kubectl").apply(_with_quotas(queue, more), force=True)
    # Three servers fill the nodes; the quota now says that a fourth fits.
    scale(live, 4)

    def stuck() -> list[str]:
        return [
            condition["message"]
            for pod in servers(live)
            for condition in maps(dig(pod, "status", "conditions"))
            if condition["type"] == "PodScheduled" and condition.get("reason") == "Unschedulable"
        ]

    (message,) = eventually(stuck, lambda seen: len(seen) == 1)
    assert "Insufficient nvidia.com/gpu" in message


def test_with_a_topology_kueue_itself_chooses_the_node_of_a_pod(live: LiveSandbox) -> None:
    scale(live, 0)
    eventually(lambda: servers(live), lambda seen: seen == [])
    # As in the last `up`: the queue, which kubectl has changed since, has to stay as it is.
    same = 'labels={"team": "other"}'
    nodes = ("queues.topologies={nodes: {}}", "queues.flavors.default-flavor.topology=nodes")
    live.succeed("up", same, *nodes)
    scale(live, 1)
    (server,) = eventually(lambda: servers(live), lambda seen: phases(seen) == ["Running"])
    admission = workload_of(live, name_of(server))["status"]["admission"]
    (assigned,) = [each["topologyAssignment"] for each in admission["podSetAssignments"]]
    assert assigned["levels"] == ["kubernetes.io/hostname"]
    assert server["spec"]["nodeName"] in json.dumps(assigned)


def _vllm(live: LiveSandbox, model: str) -> dict[str, Any]:
    """Where the stack's own servers are, and in their queue."""
    beside = live.server.get(SERVER)
    assert beside is not None
    template = beside["spec"]["template"]
    pod = replace(
        TGI,
        server_name=VLLM.name,
        engine=InferenceEngine.VLLM,
        model=replace(TGI.model, name=model, source=model),
        secret_name=None,
        node_selector=template["spec"]["nodeSelector"],
        priority_class=template["spec"]["priorityClassName"],
        queue=template["metadata"]["labels"]["kueue.x-k8s.io/queue-name"],
    )
    return {
        "apiVersion": VLLM.api_version,
        "kind": VLLM.kind,
        "metadata": {"name": VLLM.name, "namespace": VLLM.namespace},
        "spec": deployment_spec(pod, replicas=1, rollout=Rollout.ONE_BY_ONE),
    }


def _served(live: LiveSandbox) -> list[tuple[str, str]]:
    """The model and the phase of each pod of vLLM's."""
    pods = live.server.list("v1", "Pod")
    return [
        (pod["spec"]["containers"][0]["command"][2], pod["status"]["phase"])
        for pod in pods
        if name_of(pod).startswith(f"{VLLM.name}-")
    ]


def _with_quotas(queue: JsonObject, more: Mapping[str, str]) -> dict[str, Any]:
    (group,) = queue["spec"]["resourceGroups"]
    (flavor,) = group["flavors"]
    resources = [
        {**one, "nominalQuota": more.get(one["name"], one["nominalQuota"])}
        for one in flavor["resources"]
    ]
    spec = {"resourceGroups": [{**group, "flavors": [{**flavor, "resources": resources}]}]}
    return {
        "apiVersion": QUEUE.api_version,
        "kind": QUEUE.kind,
        "metadata": {"name": QUEUE.name},
        "spec": spec,
    }
