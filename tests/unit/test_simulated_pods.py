"""What verbs that need a kubelet say where the sandbox has none, and of answers that are none of
the API server's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import urllib3
from kubernetes.client import ApiClient
from urllib3.exceptions import MaxRetryError, NewConnectionError
from websocket import WebSocketBadStatusException

from aistack.cluster import Cluster
from aistack.credentials import client_of
from aistack.errors import LostError, VerbError
from aistack.find import Found
from aistack.logs import Wanted
from aistack.members import Member
from aistack.offered import given
from aistack.simulated import refuse_simulated
from aistack.stack import Stack
from kube.kinds import JOB, NODE, POD, Kind
from kube.objects import JsonObject

RAN = {"name": "main", "restartCount": 0, "state": {"running": {}}}
RUNS: JsonObject = {
    "metadata": {"name": "train-0", "namespace": "lab", "uid": "1"},
    "spec": {"nodeName": "node-1", "containers": [{"name": "main"}]},
    "status": {"phase": "Running", "containerStatuses": [RAN]},
}
TRAIN = Found(
    JOB,
    {
        "metadata": {
            "name": "train",
            "namespace": "lab",
            "uid": "2",
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": {},
    },
)
LOOKUP = "dial tcp: lookup gke-lab-1 on 10.0.0.2:53: no such host"
OF_LOG = f'Get "https://gke-lab-1:10250/containerLogs/lab/train-0/main?follow=true": {LOOKUP}'


@pytest.fixture(autouse=True)
def of_a_stack() -> None:
    given("lab")


class Simulated(Cluster):
    """Has a node whose kubelet listens on `port`, or none."""

    def __init__(self, port: int, *, is_simulated: bool = True) -> None:
        self.is_simulated = is_simulated
        self.port = port

    def get(self, kind: Kind, namespace: str, name: str) -> JsonObject | None:
        assert (kind, name) == (NODE, "node-1")
        return {"status": {"daemonEndpoints": {"kubeletEndpoint": {"Port": self.port}}}}


def test_a_pod_without_a_kubelet_has_no_log_and_is_told_which_verbs_answer() -> None:
    with pytest.raises(VerbError) as refused:
        Wanted().logs(Simulated(0), TRAIN, [Member(RUNS, "0")])
    assert str(refused.value) == (
        "pods of the sandbox are simulated and have no log; nearest: "
        "`aistack why train --stack lab` or `aistack events train --stack lab`"
    )


@pytest.mark.parametrize("cluster", [Simulated(10250), Simulated(0, is_simulated=False)])
def test_where_a_kubelet_may_answer_it_is_asked(cluster: Cluster) -> None:
    refuse_simulated(cluster, [RUNS], "log", ("jobs",))
    assert len(Wanted().logs(cluster, TRAIN, [Member(RUNS, "0")])) == 1


def test_a_pod_that_has_no_node_yet_is_waited_for() -> None:
    refuse_simulated(Simulated(0), [{"spec": {}}], "log", ("jobs",))


class _Server(Cluster):
    """Is answered so by the client."""

    def __init__(self, status: int, body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(ApiClient(), "lab")
        answer = urllib3.HTTPResponse(body=body, status=status, preload_content=True)
        found = type("Answer", (), {"status": status, "response": answer})
        monkeypatch.setattr(self._client, "call_api", lambda *_, **__: found)


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (502, b"<html><title>Bad Gateway</title></html>", "cluster lab cannot answer: HTTP 502"),
        (403, b"<html>no</html>", "HTTP 403"),
        (400, b"not json", "cluster lab refuses: HTTP 400"),
        (
            500,
            json.dumps({"message": OF_LOG}).encode(),
            "the API server does not reach the pod's node: no such host; nearest: "
            "`aistack status --stack lab`",
        ),
    ],
)
def test_a_body_that_is_not_the_api_servers_words_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, status: int, body: bytes, said: str
) -> None:
    with pytest.raises(VerbError) as refused:
        list(_Server(status, body, monkeypatch).log("lab", "train-0", "main"))
    assert str(refused.value) == said


def test_a_command_that_no_kubelet_takes_is_told_without_the_librarys_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = json.dumps({"message": f"error dialing backend: {LOOKUP}"}).encode()

    def refuse(*_: Any) -> None:
        raise WebSocketBadStatusException("Handshake status %d %s", 500, "no", {}, body)

    monkeypatch.setattr("aistack.cluster.create_websocket", refuse)
    with pytest.raises(LostError) as refused:
        Cluster(ApiClient(), "lab").websocket(POD.path("lab", "train-0", "exec"), [])
    assert str(refused.value).startswith("the API server does not reach the pod's node: no such ")


@pytest.mark.parametrize(
    ("simulated", "end"),
    [(False, ""), (True, "; nearest: `aistack sandbox kube start --stack lab`")],
)
def test_a_cluster_that_is_silent_is_told_with_what_starts_it(
    monkeypatch: pytest.MonkeyPatch, simulated: bool, end: str
) -> None:
    cluster = Cluster(client := ApiClient(), "lab")
    cluster.is_simulated = simulated
    pool: Any = object()
    refused = NewConnectionError(pool, "Failed to establish: [Errno 111] Connection refused")

    def lose(*_: Any, **__: Any) -> None:
        raise MaxRetryError(pool, "/api", refused)

    monkeypatch.setattr(client, "call_api", lose)
    with pytest.raises(LostError) as lost:
        cluster.version()
    assert str(lost.value) == f"cluster lab does not answer: Connection refused{end}"


def test_a_control_plane_that_was_never_started_is_told_with_what_starts_it(tmp_path: Path) -> None:
    stack = Stack(name="lab", resources=[], kubeconfig_file=tmp_path / "none")
    with pytest.raises(VerbError) as refused:
        client_of(stack)
    assert str(refused.value) == (
        '--stack: "lab": its control plane was never started; nearest: '
        "`aistack sandbox kube start --stack lab`"
    )
