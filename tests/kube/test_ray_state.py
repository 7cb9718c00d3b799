"""A Ray cluster that keeps its head's state in Redis, with the real KubeRay and the real Kueue.

No Redis is there, and no Ray: kwok says that pods run, and that the Job which clears Redis is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kube.errors import KubeError
from kube.objects import JsonObject, Ref, annotations_of, dig, name_of
from sandbox.forget import forget
from sandbox.live_kube.api import Api
from sandbox.memory_kube.memory import MemoryKube
from sandbox.memory_kube.ray_state import FINALIZER
from sandbox.workspace import Workspace
from tests.kube.conftest import LiveSandbox, eventually
from tests.stacks.config_sandbox import config_workspace
from tests.stacks.conftest import changed
from tests.stacks.ray_state import STACK, STORAGE, environment, redis_of
from tests.unit.memory_kube_samples import changed as changed_manifest

CLUSTER = Ref(api_version="ray.io/v1", kind="RayCluster", namespace="ml", name="app")
TOLERANT = {"redisAddress": "redis://10.0.0.3:6379"}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSandbox]:
    sandbox = LiveSandbox(config_workspace(tmp_path_factory.mktemp("ray-state"), **STACK))
    try:
        sandbox.succeed("up")
        yield sandbox
    finally:
        forget(Workspace(sandbox.workspace.root, ""))


def pods(live: LiveSandbox, node_type: str) -> list[JsonObject]:
    found = live.server.list("v1", "Pod")
    return [it for it in found if dig(it, "metadata", "labels", "ray.io/node-type") == node_type]


def pod(live: LiveSandbox, node_type: str) -> JsonObject:
    return pods(live, node_type)[0]


def uid_of(found: JsonObject) -> str:
    return found["metadata"]["uid"]


def reasons(live: LiveSandbox, kind: str) -> set[str]:
    """What controllers have said of objects of a kind."""
    events = live.server.list("v1", "Event")
    return {it["reason"] for it in events if it["involvedObject"]["kind"] == kind}


def test_kuberay_tells_the_head_where_its_state_is(live: LiveSandbox) -> None:
    cluster = live.server.get(CLUSTER)
    assert cluster is not None
    assert FINALIZER in cluster["metadata"]["finalizers"]
    head, uid = pod(live, "head"), cluster["metadata"]["uid"]
    assert annotations_of(head)["ray.io/ft-enabled"] == "true"
    told = environment(head)
    assert told[STORAGE]["value"] == uid
    assert told["RAY_REDIS_ADDRESS"]["value"] == f"redis://{redis_of(live)['host']}:6379"
    password = {"secretKeyRef": {"name": "ray-state-redis", "key": "REDIS_PASSWORD"}}
    assert told["REDIS_PASSWORD"]["valueFrom"] == password
    patience = environment(pod(live, "worker"))["RAY_gcs_rpc_server_reconnect_timeout_s"]
    assert patience["value"] == "600"


def test_the_head_that_follows_a_lost_one_reads_its_state_and_the_worker_stays(
    live: LiveSandbox,
) -> None:
    lost, worker = pod(live, "head"), pod(live, "worker")
    live.server.delete(Ref.of(lost))
    head = eventually(
        lambda: pods(live, "head"),
        lambda seen: len(seen) == 1 and uid_of(seen[0]) != uid_of(lost),
    )[0]
    told = (STORAGE, "RAY_REDIS_ADDRESS", "REDIS_PASSWORD")
    before, after = environment(lost), environment(head)
    assert [after[it] for it in told] == [before[it] for it in told]
    assert uid_of(pod(live, "worker")) == uid_of(worker)


def test_workers_come_in_place_although_kuberay_has_written_into_the_cluster(
    live: LiveSandbox,
) -> None:
    more = "pools.gpu.nodes=2"
    wider = {"gpu-pool": "update", "app-cluster": "update"}
    assert changed(live.succeed("up", more)) == wider
    assert changed(live.succeed("preview", more)) == {}
    assert changed(live.succeed("up")) == wider


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (
            "with-parameter",
            {"spec": {"headGroupSpec": {"rayStartParams": {"redis-password": "p"}}}},
        ),
        ("with-annotation", {"metadata": {"annotations": {"ray.io/ft-enabled": "true"}}}),
    ],
)
def test_kuberay_leaves_a_cluster_alone_that_says_it_twice(
    live: LiveSandbox, name: str, change: dict[str, Any]
) -> None:
    template = {"spec": {"containers": [{"name": "ray", "image": "rayproject/ray:2.54.0"}]}}
    head = {"rayStartParams": {}, "template": template}
    head |= dig(change, "spec", "headGroupSpec") or {}
    wanted = {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": name, "namespace": "ml", **change.get("metadata", {})},
        "spec": {"headGroupSpec": head, "gcsFaultToleranceOptions": TOLERANT},
    }
    live.server.apply(wanted)
    events = eventually(
        lambda: [
            it
            for it in live.server.list("v1", "Event")
            if it["involvedObject"]["name"] == name and it["reason"] == "InvalidRayClusterSpec"
        ],
        bool,
    )
    assert "GcsFaultToleranceOptions" in events[0]["message"]
    with pytest.raises(KubeError, match="may not be set beside gcsFaultToleranceOptions"):
        MemoryKube({}, []).validate(changed_manifest(wanted, "default", "metadata", "namespace"))
    live.server.delete(Ref.of(wanted))


def test_the_cluster_goes_once_redis_is_cleared_and_the_redis_after_it(live: LiveSandbox) -> None:
    live.kube.delete(CLUSTER)
    assert live.server.get(CLUSTER) is None
    assert "CreatedRedisCleanupJob" in reasons(live, "RayCluster")
    assert "Completed" in reasons(live, "Job")
    # A Job made under the name of one that is just gone can wait five minutes: the Job controller
    # counts by name what it has still to see (kubernetes/kubernetes pkg/controller/
    # controller_utils.go, ExpectationsTimeout).
    job = Ref(api_version="batch/v1", kind="Job", namespace="ml", name="app-redis-cleanup")
    eventually(lambda: live.server.get(job), lambda it: it is None)
    assert changed(live.succeed("refresh"))
    live.succeed("up")
    assert live.succeed("destroy").cloud == {}


def test_kueue_keeps_a_queued_cluster_from_ever_going(
    live_sandbox: Callable[[str], LiveSandbox],
) -> None:
    live = live_sandbox("dev")
    live.succeed("up", "ray.dev.autoscaling=null")
    (cluster,) = live.server.list("ray.io/v1", "RayCluster")
    ref, api = Ref.of(cluster), Api(live.plane.kubeconfig)
    api.patch(cluster, {"spec": {"gcsFaultToleranceOptions": TOLERANT}})
    held = eventually(
        lambda: dig(live.server.get(ref), "metadata", "finalizers") or [],
        lambda seen: FINALIZER in seen,
    )
    assert held
    with pytest.raises(KubeError, match=FINALIZER):
        live.kube.delete(ref)
    (job,) = (it for it in live.server.list("batch/v1", "Job") if "redis" in name_of(it))
    assert job["spec"]["suspend"] is True
    assert "Suspended" in reasons(live, "Job")
    left = live.server.get(ref)
    assert left is not None
    api.patch(left, {"metadata": {"finalizers": None}})
