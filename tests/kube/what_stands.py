"""What is in a cluster as a test fails: objects that work, the last events, and the last words of
each program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aistack.events import said_at
from kube.objects import dig, name_of
from sandbox.live_kube.api_server import ApiServer

if TYPE_CHECKING:
    from tests.kube.conftest import LiveSandbox

_LAST = 25
_LAST_LINES = 4
_STATES = {
    ("v1", "Pod"): ("status", "phase"),
    ("batch/v1", "Job"): ("status",),
    ("ray.io/v1", "RayCluster"): ("status", "state"),
    ("ray.io/v1", "RayJob"): ("status", "jobDeploymentStatus"),
    ("kueue.x-k8s.io/v1beta2", "Workload"): ("status", "conditions"),
}


def what_stands(live: LiveSandbox) -> str:
    lines = [*_objects(live.server), *_events(live.server), *_programs(live)]
    return "\n".join(lines)


def _objects(server: ApiServer) -> Iterator[str]:
    for kind, state in _STATES.items():
        for obj in server.list(*kind):
            going = " (in deletion)" if obj["metadata"].get("deletionTimestamp") else ""
            at = dig(obj, "spec", "nodeName") or ""
            yield f"{kind[1]} {name_of(obj)}{going} {at}: {dig(obj, *state)}"


def _events(server: ApiServer) -> Iterator[str]:
    for event in sorted(server.list("v1", "Event"), key=said_at)[-_LAST:]:
        of = event["involvedObject"]
        said = f"{event.get('reason')}: {event.get('message')}"
        yield f"{said_at(event):%H:%M:%S} {of['kind']} {of.get('name')}: {said}"


def _programs(live: LiveSandbox) -> Iterator[str]:
    kept = {file.stem: file for file in live.workspace.root.glob("kube/*/logs/*.log")}
    for each in live.plane.status():
        said = kept[each.name].read_text(errors="replace").splitlines() if each.name in kept else []
        yield f"{each.name} {'runs' if each.running else 'has ended'}, and said last:"
        yield from (f"    {line}" for line in said[-_LAST_LINES:])
