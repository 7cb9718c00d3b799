"""Secrets leave no trace in state or errors, and pods wait for what they refer to."""

import base64
import json
from typing import Any

import pytest

from kube.errors import KubeError
from sandbox.kube.secrets import DIGESTS
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    changed,
    cpu_node,
    make,
    only_pod,
    pod,
    ref,
    refusal,
)

CANARY = "hf_canary_7ad10c0ffee"


def _stored(name: str, **values: Any) -> dict[str, Any]:
    return changed(make("Secret", name, **values), "default", "metadata", "namespace")


@pytest.fixture
def kube() -> MemoryKube:
    return MemoryKube({}, [cpu_node()])


def test_secret_values_are_nowhere_in_the_state() -> None:
    state: dict[str, Any] = {}
    kube = MemoryKube(state, [])
    encoded = base64.b64encode(CANARY.encode()).decode()
    secret = make("Secret", "hf", data={"token": encoded}, stringData={"plain": CANARY})
    applied = f'{{"stringData":{{"plain":"{CANARY}"}}}}'
    key = "kubectl.kubernetes.io/last-applied-configuration"
    live = kube.apply(changed(secret, {key: applied}, "metadata", "annotations"))
    for text in (json.dumps(state), json.dumps(live), json.dumps(kube.get(ref("Secret", "hf")))):
        assert CANARY not in text
        assert encoded not in text
    assert set(live[DIGESTS]) == {"token", "plain"}
    assert kube.matches_secret(_stored("hf", data={"token": encoded}, stringData={"plain": CANARY}))
    assert kube.matches_secret(_stored("hf", data={"token": encoded, "plain": encoded}))
    assert not kube.matches_secret(_stored("hf", data={"token": encoded}))
    other = {"plain": "other"}
    assert not kube.matches_secret(_stored("hf", data={"token": encoded}, stringData=other))
    assert not kube.matches_secret(_stored("other", data={"token": encoded}))


def test_digests_of_two_clusters_differ() -> None:
    secret = make("Secret", "hf", stringData={"token": CANARY})
    one, two = (MemoryKube({}, []).apply(secret)[DIGESTS]["token"] for _ in range(2))
    assert one != two


@pytest.mark.parametrize(
    "parts",
    [
        {"data": {"token": CANARY}},
        {"data": {"token": [CANARY]}},
        {"stringData": CANARY},
        {"stringData": {"token": {"x": CANARY}}},
        {"data": {"token": "eA=="}, "typ": CANARY},
        {"immutable": CANARY},
    ],
)
def test_no_error_shows_a_secret_value(kube: MemoryKube, parts: dict[str, Any]) -> None:
    with pytest.raises(KubeError) as caught:
        kube.apply(make("Secret", "hf", **parts))
    assert CANARY not in f"{caught.value!r} {caught.value.problems}"


def test_an_immutable_secret_refuses_other_values_without_showing_them(kube: MemoryKube) -> None:
    kube.apply(make("Secret", "hf", stringData={"token": CANARY}, immutable=True))
    text = refusal(kube, make("Secret", "hf", stringData={"token": "other"}, immutable=True))
    assert text.endswith("data.token: field is immutable when `immutable` is set")


def from_secret(key: str = "token", **more: Any) -> dict[str, Any]:
    reference = {"name": "hf", "key": key, **more}
    return {"env": [{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": reference}}]}


@pytest.mark.parametrize(
    ("manifest", "ending"),
    [
        (pod(**from_secret()), 'container "main": secret "hf" not found'),
        (pod(envFrom=[{"configMapRef": {"name": "env"}}]), 'configmap "env" not found'),
        (
            pod(spec={"volumes": [{"name": "v", "secret": {"secretName": "hf"}}]}),
            'MountVolume.SetUp failed for volume "v" : secret "hf" not found',
        ),
        (
            pod(spec={"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}),
            'persistentvolumeclaim "c" not found',
        ),
        (pod(spec={"serviceAccountName": "sa"}), 'serviceaccount "sa" not found'),
        (pod(spec={"priorityClassName": "high"}), "no PriorityClass with name high was found"),
    ],
)
def test_a_pod_waits_for_what_it_refers_to(
    kube: MemoryKube, manifest: dict[str, Any], ending: str
) -> None:
    kube.apply(manifest)
    assert only_pod(kube).phase == "Pending"
    assert only_pod(kube).reason.endswith(ending)
    assert not kube.readiness(ref("Pod", "p")).ready


def test_a_pod_runs_once_its_secret_has_the_key_and_stays_when_it_goes(kube: MemoryKube) -> None:
    kube.apply(pod(**from_secret()))
    kube.apply(make("Secret", "hf", stringData={"other": "x"}))
    assert only_pod(kube).reason.endswith("couldn't find key token in Secret default/hf")
    kube.apply(make("Secret", "hf", stringData={"token": CANARY}))
    assert (only_pod(kube).phase, only_pod(kube).reason) == ("Running", "")
    kube.delete(ref("Secret", "hf"))
    assert only_pod(kube).phase == "Running"


@pytest.mark.parametrize(
    ("field", "value", "left"),
    [
        ("stringData", CANARY, {"kept", "gone"}),
        ("data", base64.b64encode(CANARY.encode()).decode(), {"kept"}),
    ],
)
def test_what_is_taken_out_of_string_data_stays_and_out_of_data_goes(
    kube: MemoryKube, field: str, value: str, left: set[str]
) -> None:
    """As with server-side apply (kubernetes/kubernetes#108008)."""
    both: dict[str, Any] = {field: {"kept": value, "gone": value}}
    one: dict[str, Any] = {field: {"kept": value}}
    kube.apply(make("Secret", "hf", **both))
    assert set(kube.apply(make("Secret", "hf", **one))[DIGESTS]) == left


def test_an_optional_secret_is_not_waited_for(kube: MemoryKube) -> None:
    kube.apply(pod(**from_secret(optional=True)))
    assert only_pod(kube).phase == "Running"


def test_every_namespace_has_the_certificate_of_its_api_server(kube: MemoryKube) -> None:
    """A controller writes it there, and volumes that project a token take it."""

    def projecting(key: str) -> dict[str, Any]:
        source = {"name": "kube-root-ca.crt", "items": [{"key": key, "path": "ca.crt"}]}
        sources = [{"configMap": source}]
        return pod(spec={"volumes": [{"name": "token", "projected": {"sources": sources}}]})

    kube.apply(projecting("ca.crt"))
    assert only_pod(kube).phase == "Running"
    other = MemoryKube({}, kube.nodes())
    other.apply(projecting("ca.key"))
    assert (
        "couldn't find key ca.key in ConfigMap default/kube-root-ca.crt" in only_pod(other).reason
    )
