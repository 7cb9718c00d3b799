"""The objects of configs that validate, with values that nobody chose, before a real API server and
the operators' webhooks, by its dry run: nothing is stored, and no controller sees them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kube.errors import KubeError
from kube.objects import JsonObject, name_of
from sandbox.control_plane import ControlPlane
from sandbox.live_kube.live_kube import LiveKube
from sandbox.providers.manifests import manifest_of
from stacks.config import validate
from stacks.plan import Plan
from tests.kube.written_cloud import CLUSTER, write
from tests.parts.varied import drawn_configs
from tests.programs import WITH_ALL_SECRETS, registered
from tests.unit.effect_stacks import BASES, bring_scripts

_KUBERNETES = "kubernetes:"
# Stacks that bring operators; KubeRay is GKE's own here.
_WITH_OPERATORS = ("queued script", "claimed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("project")
    bring_scripts(made)
    return made


@pytest.fixture(scope="module")
def kube(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKube]:
    file = tmp_path_factory.mktemp("cloud") / "cloud.json"
    write(file, {}, ())
    plane = ControlPlane(file.parent / "plane", cluster=CLUSTER, cloud_file=file)
    try:
        made = LiveKube(plane, ray_addon=True)
        for base in _WITH_OPERATORS:
            plan = validate(BASES[base], secrets_set=WITH_ALL_SECRETS)
            for it in objects(plan, folder):
                if it["kind"] in ("Namespace", "Release"):
                    made.apply(it)
        yield made
    finally:
        plane.remove()


def objects(plan: Plan, folder: Path) -> Iterator[JsonObject]:
    for it in registered(plan, folder=folder).resources:
        if it.custom and it.type.startswith(_KUBERNETES):
            yield manifest_of(it.type, it.inputs)


def test_a_real_control_plane_takes_what_validates(kube: LiveKube, folder: Path) -> None:
    said: dict[str, Any] = {}
    for raw, plan in drawn_configs():
        for it in objects(plan, folder):
            try:
                if it["kind"] == "Namespace":
                    # What is in one wants it.
                    kube.apply(it)
                else:
                    kube.validate(it)
            except KubeError as error:
                said[f"{it['kind']} {name_of(it)}: {error}"] = raw
    assert json.dumps(said, indent=1, default=str) == "{}"
