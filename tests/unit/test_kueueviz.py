"""KueueViz as values of Kueue's chart, and what the sandbox makes of them.

What the real chart of v0.19.2 renders of these values was compared by hand: all seven objects are
alike but for labels and the digest of the page's address. That pods serve anything is not shown.
"""

from __future__ import annotations

from typing import Any

import pytest

from components.kueueviz_manifest import BACKEND_PORT, PAGE_PORT, kueueviz_values
from kube.objects import JsonObject, dig, name_of
from sandbox.kube.helm.kueue_chart import KueueChart
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.kueue_samples import namespace, phases, refused, release
from tests.unit.memory_kube_samples import changed, cpu_node

BACKEND, PAGE = "kueue-kueueviz-backend", "kueue-kueueviz-frontend"
CPU = {"pool": "cpu"}


def rendered(*change: Any, version: str | None = None) -> dict[tuple[str, str], JsonObject]:
    """By kind and name; a change is a value and its path below `kueueViz`."""
    values = kueueviz_values(CPU)
    if change:
        value, *path = change
        values = changed(values, value, "kueueViz", *path)
    return {
        (it["kind"], name_of(it)): it
        for it in KueueChart().objects(release(version, **values))
        if "kueueviz" in name_of(it)
    }


def environment(found: dict[tuple[str, str], JsonObject], deployment: str) -> dict[str, str]:
    (container,) = found["Deployment", deployment]["spec"]["template"]["spec"]["containers"]
    return {it["name"]: it["value"] for it in container.get("env", [])}


def test_without_it_the_chart_has_nothing_of_it() -> None:
    assert not [it for it in KueueChart().objects(release()) if "kueueviz" in name_of(it)]


def test_it_is_a_page_its_backend_and_the_right_to_see_and_nothing_leads_in() -> None:
    role = f"{BACKEND}-read-access"
    assert {*rendered()} == {
        ("ConfigMap", f"{PAGE}-env"),
        *((kind, name) for kind in ("Deployment", "Service") for name in (BACKEND, PAGE)),
        ("ClusterRole", role),
        ("ClusterRoleBinding", f"{role}-binding"),
    }


def test_the_page_calls_the_backend_where_the_backend_lets_it() -> None:
    found = rendered()
    assert f'"ws://127.0.0.1:{BACKEND_PORT}"' in found["ConfigMap", f"{PAGE}-env"]["data"]["env.js"]
    told = environment(found, BACKEND)
    assert f"http://127.0.0.1:{PAGE_PORT}" in told["KUEUEVIZ_ALLOWED_ORIGINS"].split(",")
    assert told["GIN_MODE"] == "release"


def test_who_calls_the_backend_has_a_token_for_it_which_it_may_ask_about() -> None:
    found = rendered()
    told = environment(found, BACKEND)
    assert told["KUEUEVIZ_AUTH_MODE"] == "TokenReview"
    assert told["KUEUEVIZ_AUTH_TOKEN_REVIEW_AUDIENCES"] == "kueueviz"
    rules = found["ClusterRole", f"{BACKEND}-read-access"]["rules"]
    assert [it["resources"] for it in rules if it["verbs"] == ["create"]] == [["tokenreviews"]]
    open_to_all = rendered("Disabled", "backend", "auth", "mode")
    assert "KUEUEVIZ_AUTH_MODE" not in environment(open_to_all, BACKEND)
    rules = open_to_all["ClusterRole", f"{BACKEND}-read-access"]["rules"]
    assert not [it for it in rules if "create" in it["verbs"]]


def test_the_page_reads_no_secrets_and_changes_nothing() -> None:
    rules = rendered()["ClusterRole", f"{BACKEND}-read-access"]["rules"]
    assert not any("secrets" in it["resources"] for it in rules)
    verbs = {verb for it in rules for verb in it["verbs"] if it["resources"] != ["tokenreviews"]}
    assert verbs == {"get", "list", "watch"}


@pytest.mark.parametrize("name", [BACKEND, PAGE])
def test_its_pods_are_where_kueues_is_and_ask_for_little(name: str) -> None:
    spec = rendered()["Deployment", name]["spec"]["template"]["spec"]
    assert spec["nodeSelector"] == CPU
    (container,) = spec["containers"]
    assert container["resources"]["requests"] == {"cpu": "50m", "memory": "128Mi"}
    assert container["image"].startswith("registry.k8s.io/kueue/kueueviz-")
    assert "nodeSelector" not in kueueviz_values(None)["kueueViz"]["backend"]


def test_another_address_makes_the_pages_pods_anew() -> None:
    path = ("spec", "template", "metadata", "annotations")
    there = dig(rendered()["Deployment", PAGE], *path)
    other = rendered("localhost:1", "backend", "ingress", "host")
    assert dig(other["Deployment", PAGE], *path) != there


@pytest.mark.parametrize(
    ("tls", "secret", "scheme"),
    [(False, "", "ws"), (False, "some", "ws"), (None, "some", "wss"), (None, "", "ws")],
)
def test_the_pages_scheme_is_that_of_an_ingress(tls: bool | None, secret: str, scheme: str) -> None:
    ingress = {"enabled": False, "host": "here", "tlsEnabled": tls, "tlsSecretName": secret}
    found = rendered(ingress, "backend", "ingress")["ConfigMap", f"{PAGE}-env"]
    assert f'"{scheme}://here"' in found["data"]["env.js"]


def test_in_the_sandbox_its_pods_run() -> None:
    kube = MemoryKube({}, [cpu_node()])
    kube.apply(namespace("kueue-system"))
    kube.apply(release(**kueueviz_values(None)))
    assert phases(kube, BACKEND) == phases(kube, PAGE) == ["Running"]


@pytest.mark.parametrize(
    ("version", "value", "path", "ending"),
    [
        (None, {}, ("backnd",), "ignores it; nearest: backend"),
        (None, "x", ("backend", "auth", "modes"), "ignores it; nearest: mode"),
        (None, "x", ("frontend", "auth"), "nearest: containerSecurityContext"),
        (None, True, ("frontend", "ingress", "enabled"), "leads into a cluster; nearest: false"),
        (None, "Tokenreview", ("backend", "auth", "mode"), "is none; nearest: TokenReview"),
        ("0.16.9", {}, ("frontend", "image"), "values.kueueViz.backend.auth: kueue 0.16.9 ignores"),
    ],
)
def test_values_that_do_nothing_or_what_nobody_means_are_refused(
    version: str | None, value: Any, path: tuple[str, ...], ending: str
) -> None:
    values = changed(kueueviz_values(None), value, "kueueViz", *path)
    assert ending in refused(release(version, **values))
