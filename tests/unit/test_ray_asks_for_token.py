"""Which Ray clusters of a stack ask for a token, and what a preview says of those that do not."""

from __future__ import annotations

from typing import Any

import pytest

from catalog import Catalog
from stacks.config import validate
from stacks.parts.ray.advice import advice
from stacks.plan import Plan
from tests.conftest import changed, stack_config
from tests.parts.existing_samples import IN_CLUSTER
from tests.programs import WITH_ALL_SECRETS, mistakes, registered

CATALOG = Catalog.load()
RAY_CLUSTER = "kubernetes:ray.io/v1:RayCluster"
HELM: dict[str, Any] = {"cluster__ray_operator": "helm"}


def planned_with(stack: str, **values: Any) -> Plan:
    return validate(changed(stack_config(stack), **values), secrets_set=WITH_ALL_SECRETS)


def test_a_stack_with_its_own_kuberay_and_a_ray_that_has_tokens_asks_for_one() -> None:
    plan = planned_with("gcsfuse-checkpoint")
    assert all(it.asks_for_token for it in plan.ray.values())
    assert list(advice(plan)) == []
    (cluster,) = (it for it in registered(plan).resources if it.type == RAY_CLUSTER)
    assert cluster.inputs["spec"]["authOptions"] == {"mode": "token"}


@pytest.mark.parametrize(
    ("stack", "values", "why"),
    [
        (
            "dev",
            {},
            "no published table says which KubeRay GKE's add-on has; nearest: "
            "cluster.ray_operator: helm (docs/security.md)",
        ),
        (
            "b200-lustre",
            {},
            "no published table says which KubeRay GKE's add-on has; nearest: "
            "cluster.ray_operator: helm and ray 2.52.0 (docs/security.md)",
        ),
        (
            "tpu-multislice",
            {},
            "GKE's add-on has, and for TPUs there is no other (docs/security.md)",
        ),
        (
            "b200-lustre",
            HELM,
            "2.46.0 is older than 2.52.0; nearest: an image with ray 2.52.0 (docs/security.md)",
        ),
    ],
)
def test_where_ray_asks_for_none_the_preview_says_why_in_one_line(
    stack: str, values: dict[str, Any], why: str
) -> None:
    plan = planned_with(stack, **values)
    (line,) = advice(plan)
    assert line.startswith("ray.")
    assert why in line
    assert "whoever reaches its head runs code there" in line
    (ray,) = plan.ray.values()
    assert not ray.asks_for_token


@pytest.mark.parametrize(
    ("image", "is_told"),
    [
        ("rayproject/ray:2.56.0-py311-gpu", False),
        ("europe-west4-docker.pkg.dev/p/r/mine:7-ray-2.56.0", False),
        ("europe-west4-docker.pkg.dev/p/r/mine:7", True),
        (f"rayproject/ray@sha256:{'a' * 64}", True),
    ],
)
def test_an_image_that_does_not_say_its_ray_may_ask_for_no_token_and_a_preview_says_so(
    image: str, is_told: bool
) -> None:
    config = stack_config("gcsfuse-checkpoint")
    ((name, ray),) = config["ray"].items()
    own = {**ray, "image": image, "version": "2.56.0"}
    plan = validate({**config, "ray": {name: own}}, secrets_set=WITH_ALL_SECRETS)
    told = [it for it in advice(plan) if f"ray.{name}.image: {image} does not say" in it]
    assert len(told) == is_told
    assert all("older than 2.52.0 asks for no token" in it for it in told)


def test_of_a_kuberay_that_the_clusters_owner_has_installed_nothing_is_believed() -> None:
    cluster = {**IN_CLUSTER["cluster"]}
    theirs = {**cluster["existing"], "operators": ["kuberay"]}
    plan = validate(
        {**IN_CLUSTER, "cluster": {**cluster, "existing": theirs}}, secrets_set=WITH_ALL_SECRETS
    )
    assert not any(it.asks_for_token for it in plan.ray.values())
    (line,) = advice(plan)
    assert "which KubeRay the cluster's owner has installed is not known" in line
    own = validate(IN_CLUSTER, secrets_set=WITH_ALL_SECRETS)
    assert list(advice(own)) == []


def test_the_oldest_ray_with_a_token_is_the_catalogs_and_counted_by_numbers() -> None:
    release = CATALOG.component("kuberay").releases["1.6.2"]
    answers = [
        release.asks_for_token(it) for it in ("2.51.2", "2.52.0", "2.9.3", "2.100.0", "3.0.0")
    ]
    assert answers == [False, True, False, True, True]
    old = CATALOG.component("kuberay").releases["1.4.2"]
    assert not old.asks_for_token("2.56.0")


def test_a_ray_cluster_whose_token_would_be_in_the_stacks_secret_is_refused() -> None:
    config = stack_config("gcsfuse-checkpoint")
    (ray,) = config["ray"].values()
    name = f"{config['name']}-tokens"
    config = {key: it for key, it in config.items() if key != "jobs"} | {"ray": {name: ray}}
    assert f'ray.{name}: its Secret is "{name}", which secrets has one of already' in str(
        mistakes(config)
    )
