"""A training with its checkpoints in a bucket, and the smallest stack, on the real engine."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from cli.urns import name_of
from kube.objects import labels_of
from sandbox.cloud.kinds.cluster import Cluster
from tests.stacks.conftest import Sandbox, changed, replaced

pytestmark = pytest.mark.thorough

STACK = "gcsfuse-checkpoint"
SandboxOf = Callable[[str], Sandbox]
QUEUED = (
    "ray.dev.autoscaling=null",
    "ray.dev.queue=lq",
    'queues.flavors={"cpu": {"pool": "cpu"}, "l4": {"pool": "gpu"}}',
)


def test_gke_runs_kuberay_when_the_config_says_so(empty: SandboxOf) -> None:
    sandbox = empty(STACK)
    made = sandbox.succeed("up", "cluster.ray_operator=addon")
    names = {name_of(resource.urn) for resource in made.report.resources}
    assert "kuberay-release" not in names
    assert {pod.name: pod.reason for pod in sandbox.pods() if not pod.node} == {}


def test_the_operator_is_on_a_cpu_node(brought_up: SandboxOf) -> None:
    where = [pod.node for pod in brought_up(STACK).pods() if pod.name.startswith("kuberay")]
    assert len(where) == 1
    assert "cpu-pool" in where[0]


def test_ray_goes_before_its_operator(brought_up: SandboxOf) -> None:
    gone = brought_up(STACK).succeed("destroy")
    order = [name_of(resource.urn) for resource in gone.report.resources]
    chain = [
        "pytorch-image-classifier-job",
        "gcsfuse-checkpoint-cluster",
        "kuberay-release",
        "cpu-pool",
    ]
    assert [name for name in order if name in chain] == chain


def test_more_epochs_are_another_job_on_the_same_cluster(brought_up: SandboxOf) -> None:
    assert replaced(brought_up(STACK).succeed("up", "jobs.pytorch-image-classifier.epochs=20")) == [
        "pytorch-image-classifier-job"
    ]


def test_dev_has_no_worker_until_a_job_asks_for_one(brought_up: SandboxOf) -> None:
    sandbox = brought_up("dev")
    assert [pod.name for pod in sandbox.pods() if "worker" in pod.name] == []
    # What only pulls images keeps no machine.
    on_gpus = [pod.name for pod in sandbox.pods() if "gpu-pool" in pod.node]
    assert [it for it in on_gpus if "images" not in it] == []


def test_dev_can_have_its_ray_cluster_wait_in_a_queue(empty: SandboxOf) -> None:
    sandbox = empty("dev")
    sandbox.succeed("up", *QUEUED)
    assert {pod.name: pod.reason for pod in sandbox.pods() if not pod.node} == {}
    assert changed(sandbox.succeed("preview", *QUEUED)) == {}


def test_of_a_ray_cluster_in_a_queue_labels_change_in_place_and_workers_by_another(
    empty: SandboxOf,
) -> None:
    sandbox = empty("dev")
    sandbox.succeed("up", *QUEUED)
    labels = 'labels={"team": "other"}'
    assert changed(sandbox.succeed("up", *QUEUED, labels))["dev-cluster"] == "update"
    more = (*QUEUED, labels, "ray.dev.workers.gpu-worker-group.requests.cpu=3")
    assert "replace" in changed(sandbox.succeed("up", *more))["dev-cluster"]
    assert changed(sandbox.succeed("preview", *more)) == {}
    assert {pod.name: pod.reason for pod in sandbox.pods() if not pod.node} == {}


def test_ray_asks_for_a_token_that_is_in_no_state_and_goes_with_the_cluster(
    brought_up: SandboxOf,
) -> None:
    sandbox = brought_up(STACK)
    (head,) = (pod for pod in sandbox.pods() if "-head-" in pod.name)
    assert head.phase == "Running"
    resources = sandbox.state()["resources"]
    (ray,) = (it for it in resources if name_of(it["urn"]) == f"{STACK}-cluster")
    assert ray["inputs"]["spec"]["authOptions"] == {"mode": "token"}
    # As a key. The command that reads it from the cluster names it, too.
    assert 'auth_token"' not in json.dumps(resources).replace("\\", "")
    assert tokens(sandbox) == [STACK]
    sandbox.succeed("destroy")
    assert "Ray asks for no token" not in str(sandbox.up_summary)


def test_an_older_ray_takes_the_token_away_by_another_cluster_and_the_preview_says_why(
    brought_up: SandboxOf,
) -> None:
    sandbox = brought_up(STACK)
    older = (f"ray.{STACK}.image=example.com/own/ray:1", f"ray.{STACK}.version=2.51.0")
    shown = sandbox.succeed("preview", *older)
    said = [it for it in shown.report.diagnostics if "Ray asks for no token" in it]
    assert len(said) == 1
    assert "2.51.0 is older than 2.52.0; nearest: an image with ray 2.52.0" in said[0]
    made = sandbox.succeed("up", *older)
    assert f"{STACK}-cluster" in replaced(made)
    assert tokens(sandbox) == []


def tokens(sandbox: Sandbox) -> list[str]:
    """Secrets that KubeRay made."""
    (cluster,) = sandbox.clusters.cloud.find(Cluster.token)
    found = sandbox.clusters.kube(cluster).listed("v1", "Secret")
    return [it["metadata"]["name"] for it in found if "ray.io/cluster" in labels_of(it)]
