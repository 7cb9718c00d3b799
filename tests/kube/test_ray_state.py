"""A Ray cluster that keeps its head's state in Redis, with the real KubeRay and the real Kueue.

No Redis is there, and no Ray: kwok says that pods run, and that the Job which clears Redis is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.engine import RunResult, Verb
from sandbox.faults import Faults
from sandbox.forget import forget
from sandbox.kube import KubeError, MemoryKube, Ref
from sandbox.kube.objects import JsonObject, annotations_of, dig, maps, name_of
from sandbox.kube.ray_state import FINALIZER
from sandbox.live_kube.api import Api
from sandbox.workspace import Workspace
from tests.kube.conftest import LiveSandbox, eventually
from tests.stacks.conftest import changed
from tests.stacks.ray_state_sandbox import run_program, with_values, workspace
from tests.unit.memory_kube_samples import changed as changed_manifest

CLUSTER = Ref(api_version="ray.io/v1", kind="RayCluster", namespace="ml", name="ray-state")
TOLERANT = {"redisAddress": "redis://10.0.0.3:6379"}


class LiveRayState(LiveSandbox):
    """Without the check of a stack's config, which the program has none of."""

    def run(
        self,
        verb: Verb,
        *overrides: str,
        faults: Faults | None = None,
        project: Path | None = None,
    ) -> RunResult:
        assert project is None
        return run_program(self.workspace, verb, overrides, [], faults=faults, real_kube=True)


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveRayState]:
    sandbox = LiveRayState(workspace(tmp_path_factory.mktemp("ray-state") / "sandbox"))
    try:
        sandbox.succeed("up")
        yield sandbox
    finally:
        forget(Workspace(sandbox.workspace.root, ""))


def pod(live: LiveRayState, node_type: str) -> JsonObject:
    found = live.server.list("v1", "Pod")
    return next(
        it for it in found if dig(it, "metadata", "labels", "ray.io/node-type") == node_type
    )


def variables(found: JsonObject) -> dict[str, Any]:
    return {it["name"]: it for it in maps(found["spec"]["containers"][0].get("env"))}


def reasons(live: LiveSandbox, kind: str) -> set[str]:
    """What controllers have said of objects of a kind."""
    events = live.server.list("v1", "Event")
    return {it["reason"] for it in events if it["involvedObject"]["kind"] == kind}


def test_kuberay_tells_the_head_where_its_state_is(live: LiveRayState) -> None:
    cluster = live.server.get(CLUSTER)
    assert cluster is not None
    assert FINALIZER in cluster["metadata"]["finalizers"]
    head, uid = pod(live, "head"), cluster["metadata"]["uid"]
    assert annotations_of(head)["ray.io/ft-enabled"] == "true"
    told = variables(head)
    assert told["RAY_external_storage_namespace"]["value"] == uid
    assert told["RAY_REDIS_ADDRESS"]["value"] == "redis://10.64.0.3:6379"
    password = {"secretKeyRef": {"name": "redis-password", "key": "REDIS_PASSWORD"}}
    assert told["REDIS_PASSWORD"]["valueFrom"] == password
    patience = variables(pod(live, "worker"))["RAY_gcs_rpc_server_reconnect_timeout_s"]
    assert patience["value"] == "600"


def test_workers_come_in_place_although_kuberay_has_written_into_the_cluster(
    live: LiveRayState,
) -> None:
    more = with_values(workers=2)
    assert changed(live.succeed("up", *more)) == {"ray-cluster": "update"}
    assert changed(live.succeed("preview", *more)) == {}
    assert changed(live.succeed("up")) == {"ray-cluster": "update"}


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
    live: LiveRayState, name: str, change: dict[str, Any]
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


def test_the_cluster_goes_once_redis_is_cleared_and_the_redis_after_it(live: LiveRayState) -> None:
    live.kube.delete(CLUSTER)
    assert live.server.get(CLUSTER) is None
    assert "CreatedRedisCleanupJob" in reasons(live, "RayCluster")
    assert "Completed" in reasons(live, "Job")
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
