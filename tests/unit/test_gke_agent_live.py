"""What the agent knows of a cluster is never older than what it was told, in whatever order
answers, lists and events come.

Cannot show that the API server's versions grow; a real control plane does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, cast

import pytest

from kube.objects import JsonObject
from sandbox.gke.agent.live import Live
from sandbox.live_kube.api import Api, Kind

POD: Kind = ("v1", "Pod")


def pod(version: int) -> JsonObject:
    metadata = {"name": "a", "namespace": "ml", "resourceVersion": str(version)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}


class Server:
    """An API server whose answer to a list comes after what happens meanwhile."""

    def __init__(self, items: list[JsonObject], version: int) -> None:
        self._found = items, str(version)
        self.meanwhile: Callable[[], None] = lambda: None

    def list(self, kind: Kind) -> tuple[list[JsonObject], str]:
        assert kind == POD
        self.meanwhile()
        return self._found


class Told(Live):
    """One that is told of events without a thread."""

    def event(self, what: str, version: int) -> None:
        self._take(POD, what, pod(version))

    @property
    def version(self) -> int | None:
        return next((int(it["metadata"]["resourceVersion"]) for it in self.objects(POD)), None)


def knowing(items: list[JsonObject], version: int) -> tuple[Told, Server]:
    server = Server(items, version)
    return Told(cast(Api, server), [POD]), server


def test_a_list_that_was_read_before_an_event_does_not_take_the_event_back() -> None:
    live, server = knowing([pod(1)], version=4)
    server.meanwhile = lambda: live.event("MODIFIED", 5)
    live.refresh(POD)
    assert live.version == 5
    server.meanwhile = lambda: live.event("DELETED", 6)
    live.refresh(POD)
    assert live.version is None


def test_an_event_from_before_a_list_does_not_take_the_list_back() -> None:
    live, _ = knowing([pod(5)], version=6)
    live.refresh(POD)
    live.event("MODIFIED", 4)
    live.event("DELETED", 3)
    assert live.version == 5


def test_an_answer_that_comes_after_the_end_of_its_object_brings_nothing_back() -> None:
    live, _ = knowing([], version=1)
    live.event("ADDED", 2)
    live.event("DELETED", 4)
    live.put(pod(3))
    assert live.version is None


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_answers_and_events_may_cross(order: tuple[int, ...]) -> None:
    live, _ = knowing([], version=1)
    said: list[Callable[[], Any]] = [
        lambda: live.put(pod(2)),
        lambda: live.put(pod(4)),
        lambda: live.event("MODIFIED", 3),
    ]
    for number in order:
        said[number]()
    assert live.version == 4
