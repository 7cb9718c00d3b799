"""The token of a Ray cluster that asks for one: where it is read, and that Ray's answers of a job
come with it alone."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes.client import ApiClient

from aistack.cluster import Cluster
from aistack.errors import ForbiddenError, LostError, VerbError
from aistack.ray_job_log import RayJobLog
from aistack.ray_token import ray_token, token_command
from aistack.service import Door
from aistack.tunnel import Tunnel
from aistack.verbs.tunnel import lead
from kube.kinds import SECRET, Kind
from kube.objects import JsonObject
from kube.ray import token_secret
from tests.ray_log import RayLog
from tests.unit.test_aistack_driver_log import ID, address, found, texts

TOKEN = "token-of-a-test"
ASKS = {"mode": "token"}


class _Reading(Cluster):
    """Has one Secret, or lets nobody read it."""

    def __init__(self, name: str, data: dict[str, str] | None) -> None:
        self.place = ("lab", name)
        self.data = data

    def get(self, kind: Kind, namespace: str, name: str) -> JsonObject | None:
        assert kind == SECRET
        if self.data is None:
            raise ForbiddenError("secrets is forbidden")
        return {"data": self.data} if (namespace, name) == self.place else None


def ray(name: str = "small", options: dict[str, Any] | None = None) -> JsonObject:
    spec = {} if options is None else {"authOptions": options}
    return {"metadata": {"name": name, "namespace": "lab"}, "spec": spec}


def encoded(text: str) -> dict[str, str]:
    return {"auth_token": base64.b64encode(text.encode()).decode()}


@pytest.fixture
def guarded() -> Iterator[RayLog]:
    server = RayLog(ID, token=TOKEN)
    server.say("epoch 1\n")
    server.end()
    yield server
    server.shutdown()


# Without a mode KubeRay asks for none (v1.6.2 ray-operator/controllers/ray/utils/util.go:765).
@pytest.mark.parametrize("options", [None, {}, {"mode": "disabled"}, {"secretName": "others"}])
def test_a_ray_cluster_that_asks_for_no_token_is_asked_about_none(options: Any) -> None:
    assert ray_token(_Reading("small", None), ray(options=options)) is None


@pytest.mark.parametrize(
    ("name", "options", "secret"),
    [
        ("small", ASKS, "small"),
        ("small", {**ASKS, "secretName": "ours"}, "ours"),
        # As KubeRay names the pods of a RayCluster (utils.CheckName).
        ("a" * 3 + "b" * 50, ASKS, "b" * 50),
        ("1" + "b" * 4, ASKS, "r" + "b" * 4),
    ],
)
def test_the_token_is_in_the_secret_that_kuberay_makes_or_the_cluster_names(
    name: str, options: dict[str, Any], secret: str
) -> None:
    asking = ray(name, options)
    assert token_secret(asking) == secret
    assert ray_token(_Reading(secret, encoded(TOKEN)), asking) == TOKEN


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "which you may not read; nearest: somebody with the role edit there"),
        ({}, "as auth_token; nearest: `kubectl describe raycluster small --namespace lab`"),
    ],
)
def test_who_cannot_have_the_token_is_told_where_it_is(data: Any, said: str) -> None:
    with pytest.raises(VerbError) as refused:
        ray_token(_Reading("small", data), ray(options=ASKS))
    assert "Secret lab/small" in str(refused.value)
    assert said in str(refused.value)


# A RayCluster of a member has any text there: its definition has no rule (KubeRay v1.6.2).
ELSEWHERE = [
    "../../../default/secrets/lab",
    "../lab",
    "..",
    "lab?watch=1",
    "lab%2F..",
    "lab#",
    "a b",
]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_secret_of_another_namespace_is_not_read_whatever_a_cluster_calls_its_own(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    asked: list[str] = []

    def answer(self: ApiClient, method: str, url: str, **more: object) -> None:
        asked.append(url)
        raise AssertionError(url)

    monkeypatch.setattr(ApiClient, "call_api", answer)
    with pytest.raises(VerbError, match="which has none as auth_token"):
        ray_token(Cluster(ApiClient(), "none"), ray(options={**ASKS, "secretName": name}))
    assert not asked


def test_a_command_that_is_printed_runs_nothing_of_a_clusters_own_words(tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    command = token_command(ray(options={**ASKS, "secretName": f"x; touch {trap} #`touch {trap}`"}))
    assert command is not None
    (tmp_path / "kubectl").write_text("#!/bin/sh\necho eA==\n")
    (tmp_path / "kubectl").chmod(0o755)
    paths = {"PATH": f"{tmp_path}:{os.defpath}"}
    said = subprocess.run(["bash", "-c", command], env=paths, capture_output=True, check=True)
    assert said.stdout == b"x"
    assert not trap.exists()


@pytest.mark.parametrize("text", ["token-of-a-test\n", " token-of-a-test\r\n"])
def test_the_end_of_a_line_is_not_of_the_token(text: str) -> None:
    assert ray_token(_Reading("small", encoded(text)), ray(options=ASKS)) == TOKEN


@pytest.mark.parametrize(
    "value", ["not base64", base64.b64encode(b"\xff\xfe").decode(), *encoded("a\r\nb: c").values()]
)
def test_what_no_request_can_carry_is_no_token(value: str) -> None:
    with pytest.raises(VerbError, match="no token that a request can carry") as refused:
        ray_token(_Reading("small", {"auth_token": value}), ray(options=ASKS))
    assert value not in str(refused.value)


def test_a_token_of_kubernetes_is_not_guessed_at() -> None:
    with pytest.raises(VerbError, match="without enableK8sTokenAuth"):
        ray_token(
            _Reading("small", encoded(TOKEN)), ray(options={**ASKS, "enableK8sTokenAuth": True})
        )


def test_a_log_is_read_and_followed_with_the_token(guarded: RayLog) -> None:
    log = RayJobLog(found(), lambda: address(guarded), lambda: TOKEN)
    assert texts(log) == ["epoch 1"]
    assert [it.text for it in log.followed(tail=None, lost=lambda error: None)] == ["epoch 1"]


@pytest.mark.parametrize("token", [None, "another"])
def test_without_it_ray_refuses_and_the_token_is_in_no_message(
    guarded: RayLog, token: str | None
) -> None:
    log = RayJobLog(found(), lambda: address(guarded), lambda: token)
    with pytest.raises(VerbError, match="refuses the token of train") as refused:
        texts(log)
    # Who follows a log waits for what is away, and not for another token.
    assert not isinstance(refused.value, LostError)
    assert "another" not in str(refused.value).replace("another token", "")


@pytest.mark.parametrize("as_json", [True, False])
def test_who_opens_the_page_is_told_the_command_for_the_token_and_never_the_token(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    def serve(self: Tunnel, listener: object) -> None:
        """Nothing comes by."""

    monkeypatch.setattr(Tunnel, "serve", serve)
    door = Door({"metadata": {"namespace": "lab", "name": "small-head-svc"}}, {"port": 8265})
    command = token_command(ray(options=ASKS))
    lead(_Reading("small", encoded(TOKEN)), door, None, as_json=as_json, token_command=command)
    said = " ".join(capsys.readouterr().out.split())
    assert "kubectl get secret small --namespace=lab" in said
    assert "{.data.auth_token}' | base64 --decode" in said
    assert TOKEN not in said
    assert encoded(TOKEN)["auth_token"] not in said


@pytest.mark.parametrize(
    "options", [None, {}, {"mode": "disabled"}, {**ASKS, "enableK8sTokenAuth": True}]
)
def test_without_a_token_of_kuberays_there_is_no_command_for_one(options: Any) -> None:
    assert token_command(ray(options=options)) is None
