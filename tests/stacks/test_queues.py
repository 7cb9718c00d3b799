"""Servers and a fine-tuning that share GPUs by Kueue, on the real engine.

What queues do over time is shown with the real Kueue, in tests/kube."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cli.urns import name_of
from kube.objects import Ref
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import Kube, in_memory
from tests.stacks.conftest import Sandbox, changed, replaced

pytestmark = pytest.mark.thorough

STACK = "kueue-mixed"
JOB = Ref(api_version="batch/v1", kind="Job", namespace="llm", name="finetune-gemma-l4")
SandboxOf = Callable[[str], Sandbox]


def kube_of(sandbox: Sandbox) -> Kube:
    return in_memory(next(sandbox.cloud.find(Cluster.token)), sandbox.cloud)


def job_pods(kube: Kube) -> int:
    return sum(pod.name.startswith(JOB.name) for pod in kube.pods())


def test_one_server_and_the_fine_tuning_share_the_gpus(brought_up: SandboxOf) -> None:
    sandbox = brought_up(STACK)
    assert {pod.phase for pod in sandbox.pods()} == {"Running"}
    assert job_pods(kube_of(sandbox)) == 2


def test_what_kueue_changed_is_no_difference_to_the_program(brought_up: SandboxOf) -> None:
    sandbox = brought_up(STACK)
    sandbox.succeed("refresh")
    # A refresh finds a Job that has not ended not ready, and the next run sends it as it is.
    assert changed(sandbox.succeed("preview")) == {"finetune-gemma-l4-job": "update"}
    assert changed(sandbox.succeed("up")) == {"finetune-gemma-l4-job": "update"}
    assert changed(sandbox.succeed("preview")) == {}
    assert job_pods(kube_of(sandbox)) == 2


def test_labels_change_in_place_while_the_fine_tuning_runs(brought_up: SandboxOf) -> None:
    found = changed(brought_up(STACK).succeed("up", 'labels={"team": "other"}'))
    assert found["finetune-gemma-l4-job"] == "update"


def test_one_more_node_is_more_quota(brought_up: SandboxOf) -> None:
    more = changed(brought_up(STACK).succeed("up", "pools.gpu.nodes=4"))
    assert more["queues-cluster-queue-cluster-queue"] == "update"
    assert more["gpu-pool"] == "update"
    assert replaced_in(more) == []


def replaced_in(changes: dict[str, str]) -> list[str]:
    return [name for name, operation in changes.items() if operation == "replace"]


def test_queues_go_before_kueue_and_kueue_before_its_nodes(brought_up: SandboxOf) -> None:
    gone = brought_up(STACK).succeed("destroy")
    order = [name_of(resource.urn) for resource in gone.report.resources]
    chain = [
        "tgi-gemma-deployment-deployment",
        "queues-local-queue-llm-lq",
        "queues-cluster-queue-cluster-queue",
        "queues-flavor-default-flavor",
        "kueue-release",
        "cpu-pool",
    ]
    assert [name for name in order if name in chain] == chain


def test_another_queue_replaces_what_waits_in_it_and_keeps_the_nodes(
    brought_up: SandboxOf,
) -> None:
    names = replaced(
        brought_up(STACK).succeed(
            "up",
            'queues.local_queues=[{"name": "other", "cluster_queue": "cluster-queue"}]',
            "servers.tgi-gemma-deployment.queue=other",
            "jobs.finetune-gemma-l4.queue=other",
        )
    )
    assert "finetune-gemma-l4-job" in names
    assert not {"gke-cluster", "gpu-pool", "cpu-pool", "kueue-release"} & set(names)


def test_a_quota_that_no_node_can_fill_is_refused_before_anything_is_made(
    empty: SandboxOf,
) -> None:
    sandbox = empty(STACK)
    refused = sandbox.run("up", "queues.cluster_queues.cluster-queue.flavors.default-flavor.gpus=7")
    assert not refused.ok
    assert any("nearest: 6" in message for message in refused.report.diagnostics)
    assert refused.cloud == {}


def test_servers_that_scale_by_their_queue_come_up(empty: SandboxOf) -> None:
    sandbox = empty(STACK)
    sandbox.succeed(
        "up",
        "servers.tgi-gemma-deployment.replicas=null",
        'servers.tgi-gemma-deployment.autoscaling={"min": 1, "max": 2}',
    )
    assert {pod.name: pod.reason for pod in sandbox.pods() if not pod.node} == {}
