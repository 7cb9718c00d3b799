"""A real control plane is waited for by what happens in it, however slow the machine is."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from kube.errors import KubeError
from kube.objects import Readiness, Ref
from sandbox.errors import CloudError
from sandbox.gke.networks import GNP_FINALIZER
from sandbox.kube.store import Store
from sandbox.live_kube.live_kube import LiveKube
from sandbox.live_kube.patience import MOST_LOOKS, STILL_LOOKS, Patience

PARAMS = {
    "apiVersion": "networking.gke.io/v1",
    "kind": "GKENetworkParamSet",
    "metadata": {"name": "rdma-3", "finalizers": [GNP_FINALIZER]},
}
NETWORK = {
    "apiVersion": "networking.gke.io/v1",
    "kind": "Network",
    "metadata": {"name": "rdma-3"},
    "spec": {"parametersRef": {"kind": "GKENetworkParamSet", "name": "rdma-3"}},
}
CLUSTER = {
    "apiVersion": "ray.io/v1",
    "kind": "RayCluster",
    "metadata": {
        "name": "app",
        "namespace": "default",
        "annotations": {"pulumi.com/waitFor": "jsonpath={.status.state}=ready"},
    },
    "spec": {},
    "status": {"desiredWorkerReplicas": 1},
}
HEAD, WORKER = (
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"app-{name}", "namespace": "default"},
        "status": {"phase": "Running"},
    }
    for name in ("head", "worker")
)


@dataclass
class FakeServer:
    """An API server that has the parameter set for so many looks; nothing in it ever changes."""

    gone_after: int
    looks: int = field(default=0, init=False)

    def delete(self, ref: Ref) -> None:
        del ref

    def get(self, ref: Ref) -> dict[str, Any] | None:
        del ref
        self.looks += 1
        return PARAMS if self.looks <= self.gone_after else None


class StillKube(LiveKube):
    """A cluster with that server, an object and what it owns, and an agent that is alive or not."""

    def __init__(self, server: FakeServer, *objects: dict[str, Any], alive: bool = True) -> None:
        agent = SimpleNamespace(name="gke-agent", running=alive)
        super().__init__(SimpleNamespace(status=lambda: [agent]), ray_addon=False)  # type: ignore[arg-type]
        self.__dict__["_started"] = server
        store = Store({}, ray_addon=True)
        owner = store.add(objects[0]) if objects else None
        for obj in objects[1:]:
            store.add(obj, owner)
        self._stands = SimpleNamespace(version=1, store=store)
        self.looks = 0

    def _look(self) -> Any:
        return self._stands

    def readiness(self, ref: Ref) -> Readiness:
        self.looks += 1
        return super().readiness(ref)

    def remove_params(self) -> None:
        self.delete(Ref.of(PARAMS))


@pytest.fixture(autouse=True)
def no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)


def test_a_finalizer_of_an_agent_that_is_alive_is_waited_for_though_nothing_changes() -> None:
    server = FakeServer(gone_after=5 * STILL_LOOKS)
    StillKube(server).remove_params()
    assert server.looks == 5 * STILL_LOOKS + 1


def test_one_whose_agent_has_ended_is_not_waited_for() -> None:
    with pytest.raises(CloudError, match="gke-agent of the control plane ended"):
        StillKube(FakeServer(gone_after=10**6), alive=False).remove_params()


def test_one_that_a_network_holds_is_an_error_once_the_cluster_is_still() -> None:
    server = FakeServer(gone_after=10**6)
    with pytest.raises(KubeError, match=rf"gnp-controller; waited for {STILL_LOOKS} looks"):
        StillKube(server, NETWORK).remove_params()
    assert server.looks == STILL_LOOKS


@pytest.mark.parametrize(
    ("pods", "looks"),
    [([HEAD], MOST_LOOKS), ([HEAD, {**WORKER, "status": {"phase": "Pending"}}], STILL_LOOKS)],
)
def test_pods_that_kuberay_has_yet_to_make_are_waited_for_though_nothing_changes(
    pods: list[dict[str, Any]], looks: int
) -> None:
    kube = StillKube(FakeServer(gone_after=0), CLUSTER, *pods)
    assert not kube.wait_for(Ref.of(CLUSTER)).ready
    assert kube.looks == looks


def test_a_change_begins_the_wait_anew_and_there_is_an_end_to_it() -> None:
    patience = Patience(0)
    versions = [*[0] * (STILL_LOOKS - 1), 1, *[1] * (STILL_LOOKS - 1)]
    assert not any(patience.is_over(version, owed=False) for version in versions)
    assert patience.is_over(1, owed=False)
    restless = Patience(0)
    over = [restless.is_over(number, owed=True) for number in range(1, MOST_LOOKS + 1)]
    assert over.index(True) == MOST_LOOKS - 1
