"""The table of what queues do over time, with the real Kueue and the real KubeRay.

A workload is admitted, or not, before the scheduler sees a pod; nodes stand only where a scenario
looks at pods.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from components.queues.labels import DEFAULT_QUEUE
from kube.jobs import condition
from kube.objects import JsonObject, Ref, namespace_of
from sandbox.control_plane import ControlPlane
from sandbox.live_kube.api import Api
from sandbox.live_kube.api_server import ApiServer
from sandbox.live_kube.charts import Charts, install_ray
from tests.kube.conftest import eventually
from tests.kube.queue_scenarios import Scenario, ground, resized, scenarios, wanted
from tests.unit.kueue_samples import KUEUE, namespace, release


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """One for all scenarios."""
    made = ControlPlane(tmp_path_factory.mktemp("scenarios") / "plane")
    try:
        made.start()
        server = ApiServer(made.kubeconfig)
        server.apply(namespace("kueue-system"))
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
        kinds = ((KUEUE, "Workload"), (KUEUE, "ClusterQueue"), ("v1", "Pod"))
        found = [it for version, kind in kinds for it in server.list(version, kind)]
        return scenario.seen(step, [it for it in found if _is_own(it, scenario)])

    for each in scenario.ground():
        server.apply(each)
    for step in scenario.steps:
        for each in scenario.made(step):
            _put(server, api, each)
            if Ref.of(each).name == DEFAULT_QUEUE:
                # Kueue gives work to a queue that it knows.
                eventually(
                    lambda each=each: condition(server.get(Ref.of(each)) or {}, "Active"), bool
                )
        for ref in scenario.gone(step):
            server.delete(ref)
        pods = [it for it in server.list("v1", "Pod") if _is_own(it, scenario)]
        for ref, status in scenario.fallen(step, pods):
            server.set_status(ref, status)
        for pod in scenario.ended(step, pods):
            api.patch(pod, {"metadata": {"annotations": None}})
        look = wanted(step)
        eventually(
            lambda step=step: seen(dict(step)),
            lambda states, look=look: all(re.match(look[it], states[it]) for it in look),
        )


def _is_own(obj: JsonObject, scenario: Scenario) -> bool:
    return obj["kind"] == "ClusterQueue" or namespace_of(obj) == scenario.prefix


def _put(server: ApiServer, api: Api, manifest: JsonObject) -> None:
    live = server.get(Ref.of(manifest))
    change = resized(live, manifest) if live else None
    if live is None or change is None:
        server.apply(manifest)
    else:
        api.patch(live, change)
