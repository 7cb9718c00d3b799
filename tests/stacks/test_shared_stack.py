"""A stack of parts that two teams share, one with nodes of its own, through the real engine on the
sandbox."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
import yaml

from cli.project import PROJECT_FOLDER
from kube.objects import JsonObject, Ref
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import in_memory
from sandbox.workspace import Workspace
from tests.stacks.conftest import Sandbox, changed

TAINT = {"key": "team", "value": "vision", "effect": "NoSchedule"}
STACK: dict[str, Any] = {
    "name": "lab",
    "namespace": "platform",
    "deletion_protection": False,
    "cluster": {"location": "zonal", "security_group": "gke-security-groups@example.com"},
    "pools": {
        "cpu": {"machine_type": "e2-standard-4", "nodes": 1},
        "vision": {
            "machine_type": "g2-standard-8",
            "nodes": 1,
            "labels": {"team": "vision"},
            "taints": [TAINT],
        },
    },
    "buckets": {"data": {"force_destroy": True, "hierarchical_namespace": False}},
    "queues": {
        "flavors": {"l4": {"pool": "vision"}, "cpu": {"pool": "cpu"}},
        "local_queues": [{"name": "lq", "cluster_queue": "cluster-queue"}],
    },
    "ray": {
        "first": {
            "head": {"requests": {"cpu": 1, "memory_gib": 4, "ephemeral_storage_gib": 20}},
            "workers": {
                "gpu": {
                    "requests": {"cpu": 4, "memory_gib": 16, "ephemeral_storage_gib": 20},
                    "pools": "vision",
                }
            },
            "queue": "lq",
        }
    },
    "teams": {
        "vision": {
            "groups": {"edit": ["vision@example.com"]},
            "queue": "cluster-queue",
            "buckets": {"data": "objectUser"},
        },
        "audio": {
            "users": {"view": ["ada@example.com"]},
            "quota": {"cpu": 2, "memory_gib": 4, "gpus": 0, "pods": 3},
        },
    },
}


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """The stack, up in a project of its own."""
    folder = tmp_path_factory.mktemp("shared")
    project = folder / "project"
    project.mkdir()
    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copyfile(PROJECT_FOLDER / name, project / name)
    config = {
        "gcp:region": "us-central1",
        "gcp:zone": "us-central1-a",
        "gke-ai-stacks:stack": STACK,
    }
    (project / "Pulumi.lab.yaml").write_text(yaml.safe_dump({"config": config}))
    made = Sandbox(Workspace(folder / "sandbox", "lab", project))
    made.succeed("up")
    return made


def live(sandbox: Sandbox, kind: str, name: str, *, version: str, where: str = "") -> JsonObject:
    cluster = next(sandbox.cloud.find(Cluster.token))
    ref = Ref(api_version=version, kind=kind, namespace=where, name=name)
    found = in_memory(cluster, sandbox.cloud).get(ref)
    assert found is not None
    return found


@pytest.mark.thorough
def test_a_stack_that_teams_share_comes_up_stays_and_goes(sandbox: Sandbox) -> None:
    nodes = {pod.name: pod.node for pod in sandbox.pods() if pod.name.startswith("first-")}
    assert sorted(nodes.values()) == ["gke-lab-cpu-pool-0", "gke-lab-vision-pool-0"]
    kueue = "kueue.x-k8s.io/v1beta2"
    queue = live(sandbox, "LocalQueue", "vision", version=kueue, where="vision")
    assert queue["spec"]["clusterQueue"] == "cluster-queue"
    flavor = live(sandbox, "ResourceFlavor", "l4", version=kueue)
    assert flavor["spec"]["nodeTaints"] == [TAINT]
    quota = live(sandbox, "ResourceQuota", "team", version="v1", where="audio")
    assert quota["spec"]["hard"]["requests.nvidia.com/gpu"] == "0"

    assert changed(sandbox.succeed("preview")) == {}
    sandbox.succeed("refresh")
    assert changed(sandbox.succeed("preview")) == {}

    assert sandbox.succeed("destroy").cloud == {}
