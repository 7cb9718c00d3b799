"""Workers on the first pool of their queue's order that has room, with the real Kueue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kube.objects import dig, maps
from sandbox.forget import forget
from sandbox.workspace import Workspace
from tests.kube.conftest import LiveSandbox, eventually
from tests.stacks.conftest import changed
from tests.stacks.pools_in_order import FILLED, WITHOUT_RAY, pools_of_workers, workspace

# Which are another cluster, that Kueue admits anew.
OTHER_WORKERS = "ray.either.workers.gpu.requests.cpu=15"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSandbox]:
    """Its tests use it one after the other."""
    made = workspace(tmp_path_factory.mktemp("either"))
    yield LiveSandbox(made)
    forget(Workspace(made.root, ""))


def flavors(live: LiveSandbox) -> dict[str, set[str]]:
    """What Kueue has given each group of the RayCluster's pods."""
    for workload in live.server.list("kueue.x-k8s.io/v1beta2", "Workload"):
        given = maps(dig(workload, "status", "admission", "podSetAssignments"))
        if "head" in {it["name"] for it in given}:
            return {it["name"]: {*it["flavors"].values()} for it in given}
    return {}


def test_workers_are_on_spot_while_the_reserved_machines_are_taken(live: LiveSandbox) -> None:
    live.succeed("up", FILLED, WITHOUT_RAY)
    live.succeed("up", FILLED)
    assert flavors(live) == {"head": {"cpu"}, "gpu": {"spot"}}
    eventually(lambda: pools_of_workers(live), lambda it: it == ["spot-pool", "spot-pool"])
    assert changed(live.succeed("preview", FILLED)) == {}


def test_they_stay_there_when_the_reserved_machines_are_free_again(live: LiveSandbox) -> None:
    live.succeed("up")
    assert flavors(live)["gpu"] == {"spot"}
    assert pools_of_workers(live) == ["spot-pool", "spot-pool"]


def test_a_cluster_that_is_made_then_is_on_the_reserved_machines(live: LiveSandbox) -> None:
    live.succeed("up", OTHER_WORKERS)
    assert flavors(live) == {"head": {"cpu"}, "gpu": {"reserved"}}
    eventually(lambda: pools_of_workers(live), lambda it: it == ["reserved-pool", "reserved-pool"])
