"""The pod behind a port of a service, whoever wrote the service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes.client import ApiClient

from aistack.cluster import Cluster
from aistack.errors import LostError, VerbError
from aistack.service import Door
from kube.kinds import POD, Kind
from kube.objects import JsonObject

READY = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
SERVICE = {"metadata": {"name": "chat", "namespace": "red"}, "spec": {"selector": {"app": "chat"}}}


class OnePod(Cluster):
    """Has a pod with a port that is called `http`."""

    def __init__(self) -> None:
        super().__init__(ApiClient(), "none")

    def pages(self, kind: Kind, namespace: str = "", **asked: Any) -> Iterator[JsonObject]:
        ports = [{"name": "http", "containerPort": 8000}]
        yield {
            "metadata": {"name": "chat-1", "namespace": namespace},
            "spec": {"containers": [{"name": "chat", "ports": ports}]},
            "status": READY,
        }


@pytest.mark.parametrize(("target", "number"), [("http", 8000), (9000, 9000), (None, 80)])
def test_a_port_is_the_pods_by_its_name_or_its_number(target: Any, number: int) -> None:
    door = Door(SERVICE, {"port": 80, "targetPort": target})
    assert door.behind(OnePod()) == ("chat-1", number)


def test_a_name_that_no_port_of_the_pod_has_is_said_in_a_line() -> None:
    with pytest.raises(LostError, match="pod chat-1 has no port that is called web"):
        Door(SERVICE, {"port": 80, "targetPort": "web"}).behind(OnePod())


@pytest.mark.parametrize("name", ["../secrets/x", "..", "x/log", "x?follow", "x%2Flog", "x y"])
def test_what_no_object_is_called_is_asked_for_by_no_path(name: str) -> None:
    with pytest.raises(ValueError, match="is no name of a Pod"):
        POD.path("red", name)
    with pytest.raises(ValueError, match="is no name of a Pod"):
        POD.path(name)
    cluster = Cluster(ApiClient(), "none")
    assert cluster.get(POD, "red", name) is None
    with pytest.raises(VerbError, match="so nothing is asked for it"):
        cluster.delete(POD, "red", name)


@pytest.mark.parametrize("name", ["x", "x.y-1", "system:node:x", "a..b"])
def test_what_an_object_may_be_called_is_one_step_of_its_path(name: str) -> None:
    assert POD.path("red", name, "log") == f"/api/v1/namespaces/red/pods/{name}/log"
