"""A RayCluster that asks for a token, on the in-memory Kubernetes: what KubeRay makes of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kube.objects import JsonObject, dig, maps, name_of
from kube.ray import token_secret
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    CLUSTER,
    changed,
    make,
    ray_cluster,
    ray_job,
    ray_ref,
    ref,
    scenario,
)
from tests.unit.test_memory_kube_ray_job import refused

ASKS = changed(ray_cluster(), {"mode": "token"}, "spec", "authOptions")
FROM_SECRET = [
    {"name": "RAY_AUTH_MODE", "value": "token"},
    {
        "name": "RAY_AUTH_TOKEN",
        "valueFrom": {"secretKeyRef": {"name": CLUSTER, "key": "auth_token"}},
    },
]


def up(manifest: dict[str, Any], *more: dict[str, Any]) -> tuple[MemoryKube, dict[str, Any]]:
    state: dict[str, Any] = {}
    kube = scenario(state)
    kube.delete(ray_ref())
    for each in (*more, manifest):
        kube.apply(each)
    kube.reconcile()
    return kube, state


def variables(kube: MemoryKube) -> dict[str, list[JsonObject]]:
    """Of each container of Ray's pods."""
    pods = kube.listed("v1", "Pod")
    return {
        f"{name_of(pod)}/{it['name']}": maps(it.get("env"))
        for pod in pods
        for it in maps(dig(pod, "spec", "containers"))
    }


def test_kuberay_makes_the_token_and_gives_it_to_every_pod_of_the_cluster() -> None:
    kube, _ = up(ASKS)
    assert token_secret(kube.get(ray_ref()) or {}) == CLUSTER
    secret = kube.get(ref("Secret", CLUSTER)) or {}
    assert list(secret["sandboxSecretDigests"]) == ["auth_token"]
    found = variables(kube)
    assert len(found) == 9
    assert all(it == FROM_SECRET for it in found.values())


def test_the_autoscaler_has_the_token_too_and_variables_of_their_own_stay() -> None:
    scaling = changed(ASKS, True, "spec", "enableInTreeAutoscaling")
    own = [{"name": "RAY_AUTH_MODE", "value": "disabled"}]
    at = ("spec", "headGroupSpec", "template", "spec", "containers", 0, "env")
    found = variables(up(changed(scaling, own, *at))[0])
    (head,) = (it for name, it in found.items() if name.endswith("/ray-head"))
    (autoscaler,) = (it for name, it in found.items() if name.endswith("/autoscaler"))
    assert head == [*own, FROM_SECRET[1]]
    assert autoscaler == FROM_SECRET


def test_the_secret_goes_with_its_cluster_and_the_next_one_has_another_token() -> None:
    kube, _ = up(ASKS)
    first = kube.get(ref("Secret", CLUSTER)) or {}
    kube.delete(ray_ref())
    kube.reconcile()
    assert kube.get(ref("Secret", CLUSTER)) is None
    kube.apply(ASKS)
    kube.reconcile()
    second = kube.get(ref("Secret", CLUSTER)) or {}
    assert first["sandboxSecretDigests"] != second["sandboxSecretDigests"]


def test_a_secret_that_has_the_name_already_is_taken_and_ray_does_not_start_without_a_token() -> (
    None
):
    own = make("Secret", CLUSTER, stringData={"HF_TOKEN": "hf"})
    kube, _ = up(ASKS, own)
    assert list((kube.get(ref("Secret", CLUSTER)) or {})["sandboxSecretDigests"]) == ["HF_TOKEN"]
    assert "auth_token" in kube.health(ray_ref()).reason


@pytest.mark.parametrize(
    ("options", "made"),
    [
        (None, False),
        ({"mode": "disabled"}, False),
        ({"mode": "token", "secretName": "ours"}, False),
        # KubeRay makes one for a field without a mode, and gives it to nobody.
        ({}, True),
    ],
)
def test_a_secret_is_made_where_kuberay_makes_one(options: Any, made: bool) -> None:
    value = ... if options is None else options
    manifest = ray_cluster() if options is None else changed(ASKS, value, "spec", "authOptions")
    kube, _ = up(manifest)
    assert (kube.get(ref("Secret", CLUSTER)) is not None) is made
    given = [
        it for found in variables(kube).values() for it in found if it["name"] != "RAY_AUTH_MODE"
    ]
    asked = options is not None and options.get("mode") == "token"
    assert bool(given) is asked


def test_who_submits_a_job_has_the_token() -> None:
    kube, state = up(ASKS)
    kube.apply(ray_job())
    kube.reconcile()
    (submitter,) = (it for name, it in variables(kube).items() if "ray-job-submitter" in name)
    assert submitter == FROM_SECRET
    # No value of a Secret is in what the sandbox keeps.
    assert "stringData" not in json.dumps(state)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("rayVersion",), "2.51.1", "2.51.1 is older than authOptions need; nearest: 2.52.0"),
        (("rayVersion",), "", '"" is no version; authOptions need 2.52.0 or newer'),
        (
            ("authOptions",),
            {"mode": "token", "enableK8sTokenAuth": True},
            "2.54.0 is older than authOptions need; nearest: 2.55.0",
        ),
        (("authOptions",), {"enableK8sTokenAuth": True}, "needs authOptions.mode token"),
        (("authOptions",), {"mode": "open"}, "authOptions.mode"),
    ],
)
def test_what_kuberay_gives_no_token_is_refused(
    path: tuple[str, ...], value: Any, said: str
) -> None:
    assert said in refused(changed(ASKS, value, "spec", *path))
