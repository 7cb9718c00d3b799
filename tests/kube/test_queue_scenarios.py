"""The table of what queues do over time, with the real Kueue and the real KubeRay.

There are no nodes: a workload is admitted, or not, before the scheduler sees a pod.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from sandbox.control_plane import ControlPlane
from sandbox.kube.objects import JsonObject, Ref
from sandbox.live_kube.api import Api
from sandbox.live_kube.api_server import ApiServer
from sandbox.live_kube.charts import Charts, install_ray
from tests.kube.conftest import eventually
from tests.kube.queue_scenarios import Scenario, ground, resized, scenarios, wanted
from tests.unit.kueue_samples import KUEUE, NAMESPACE, namespace, release


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """One for all scenarios."""
    made = ControlPlane(tmp_path_factory.mktemp("scenarios") / "plane")
    try:
        made.start()
        server = ApiServer(made.kubeconfig)
        for each in map(namespace, (NAMESPACE, "kueue-system")):
            server.apply(each)
        install_ray(server, made)
        Charts(server, made).install(release())
        for each in ground():
            server.apply(each)
        yield made
    finally:
        made.remove()


@pytest.mark.parametrize("scenario", scenarios())
def test_every_workload_is_in_the_state_of_the_table(
    plane: ControlPlane, scenario: Scenario
) -> None:
    server, api = ApiServer(plane.kubeconfig), Api(plane.kubeconfig)

    def seen(step: dict[str, object]) -> dict[str, str]:
        kinds = ("Workload", "ClusterQueue")
        return scenario.seen(step, [it for kind in kinds for it in server.list(KUEUE, kind)])

    for step in scenario.steps:
        for each in scenario.made(step):
            _put(server, api, each)
        for ref in scenario.gone(step):
            server.delete(ref)
        look = wanted(step)
        eventually(
            lambda step=step: seen(dict(step)),
            lambda states, look=look: all(re.match(look[it], states[it]) for it in look),
        )


def _put(server: ApiServer, api: Api, manifest: JsonObject) -> None:
    live = server.get(Ref.of(manifest))
    change = resized(live, manifest) if live else None
    if live is None or change is None:
        server.apply(manifest)
    else:
        api.patch(live, change)
