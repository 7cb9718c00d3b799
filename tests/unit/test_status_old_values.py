"""What `status` says of pods with variables of a Secret that was changed after they started."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from aistack.status.old_values import changes_of, old_values
from aistack.status.readers import readers
from aistack.status.report import report
from aistack.status.show import show_report
from aistack.status.snapshot import Snapshot
from components.jobs.job_set_manifest import NAME_LABEL
from stacks.workloads import JOB_SET
from tests.unit.status_samples import NOW, made, obj, snapshot

CHANGED = NOW - timedelta(hours=3)
BEFORE, AFTER = CHANGED - timedelta(minutes=1), CHANGED + timedelta(minutes=1)
ONE = {"name": "T", "valueFrom": {"secretKeyRef": {"name": "tokens", "key": "HF_TOKEN"}}}
WHOLE = {"secretRef": {"name": "tokens"}}


def secret(*keys: str, name: str = "tokens", changed: Any = CHANGED) -> dict[str, Any]:
    """As an API server gives its metadata alone."""
    data = {f"f:{key}": {} for key in keys} | {".": {}}
    entry = {"manager": "pulumi", "time": changed.isoformat(), "fieldsV1": {"f:data": data}}
    named = obj(name)
    named["metadata"]["managedFields"] = [entry]
    return named


def pod(
    started: Any, container: dict[str, Any], labels: Any = None, owner: str = ""
) -> dict[str, Any]:
    found = obj("a-pod", spec={"containers": [{"name": "main", **container}]})
    found["metadata"]["labels"] = labels or {}
    found["metadata"]["ownerReferences"] = [{"name": owner}] if owner else []
    state = {"running": {"startedAt": started.isoformat()}} if started else {"waiting": {}}
    found["status"] = {"containerStatuses": [{"name": "main", "state": state}]}
    return found


def seen(*pods: dict[str, Any], secrets: Any = (), **more: Any) -> Snapshot:
    return snapshot(readers=readers(pods), secrets=secrets or [secret("HF_TOKEN")], **more)


SERVER = {"labels": {"pod-template-hash": "7f"}, "owner": "chat-7f"}


def test_a_pod_that_started_before_a_key_changed_may_have_the_value_before() -> None:
    (found,) = old_values(seen(pod(BEFORE, {"env": [ONE]}, **SERVER)))
    assert (found.secret, found.keys, found.changed) == ("tokens", ["HF_TOKEN"], CHANGED)
    assert found.pods == ["a-pod"]
    assert found.restart == "`kubectl --namespace=default rollout restart deployment/chat`"


@pytest.mark.parametrize(
    ("started", "container"),
    [
        (AFTER, {"env": [ONE]}),
        (CHANGED, {"env": [ONE]}),
        (None, {"env": [ONE]}),
        (BEFORE, {"env": [{"name": "T", "value": "tokens"}]}),
        (BEFORE, {"envFrom": [{"configMapRef": {"name": "tokens"}}]}),
        (BEFORE, {"env": [{**ONE, "valueFrom": {"secretKeyRef": {"name": "tokens", "key": "B"}}}]}),
        (BEFORE, {"volumeMounts": [{"name": "tokens", "mountPath": "/tokens"}]}),
    ],
    ids=[
        "after",
        "with it",
        "has not started",
        "no Secret",
        "a ConfigMap",
        "another key",
        "a file",
    ],
)
def test_a_pod_that_has_no_old_value_is_not_named(started: Any, container: dict[str, Any]) -> None:
    assert not old_values(seen(pod(started, container, **SERVER)))


def test_a_whole_secret_brings_each_key_that_changed_later() -> None:
    both = [secret("A", changed=BEFORE - timedelta(1)), secret("B", "C")]
    both[1]["metadata"]["managedFields"] += both.pop(0)["metadata"]["managedFields"]
    (found,) = old_values(seen(pod(BEFORE, {"envFrom": [WHOLE]}, **SERVER), secrets=both))
    assert found.keys == ["B", "C"]


def test_a_secret_of_another_namespace_is_another() -> None:
    elsewhere = secret("HF_TOKEN")
    elsewhere["metadata"]["namespace"] = "red"
    assert not old_values(seen(pod(BEFORE, {"env": [ONE]}, **SERVER), secrets=[elsewhere]))


RESTARTS = [
    (
        {NAME_LABEL: "tune"},
        "",
        "`aistack cancel default/tune`, then `pulumi up --refresh`",
    ),
    ({NAME_LABEL: "mine"}, "", "`aistack cancel default/mine`, and submit it again"),
    (
        {"ray.io/cluster": "rl"},
        "",
        "`kubectl --namespace=default delete pod --selector=ray.io/cluster=rl`, which stops what "
        "runs there",
    ),
    ({}, "somebodys-set", ""),
]


@pytest.mark.parametrize(("labels", "owner", "restart"), RESTARTS)
def test_what_starts_it_again_is_told(labels: Any, owner: str, restart: str) -> None:
    own = made(JOB_SET.removeprefix("kubernetes:"), "tune")
    it = seen(pod(BEFORE, {"env": [ONE]}, labels, owner))
    (found,) = old_values(snapshot(own, readers=it.readers, secrets=it.secrets))
    assert found.restart == restart


def test_status_shows_it_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    show_report(report(seen(pod(BEFORE, {"env": [ONE]}, **SERVER))), NOW)
    assert (
        "HF_TOKEN of the Secret default/tokens changed 3h ago, and a pod of chat that started "
        "before may still have the old value: variables of a running container never change; "
        "`kubectl "
        "--namespace=default rollout restart deployment/chat`"
    ) in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("fields", [{}, {"f:metadata": {}}, {"f:data": None}])
def test_managers_of_other_fields_say_nothing_of_a_value(fields: Any) -> None:
    named = obj("tokens")
    named["metadata"]["managedFields"] = [{"time": CHANGED.isoformat(), "fieldsV1": fields}]
    assert not changes_of(named)
