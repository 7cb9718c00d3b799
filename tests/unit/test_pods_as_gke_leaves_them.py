"""What pods of every kind have for GKE's nodes: where the driver is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stacks.config import ConfigError, validate
from tests.conftest import Recording, changed
from tests.parts.samples import DEV, RL, SERVE
from tests.programs import WITH_ALL_SECRETS, registered
from tests.unit.script_samples import STACK

PATH = "/usr/local/nvidia/lib64"
MINE = "registry.example.com/mine:1"
(DEV_RAY,) = DEV["ray"]
SCRIPT = changed(STACK, jobs__train__image=MINE)
RAY = changed(DEV, **{f"ray__{DEV_RAY}__image": MINE, f"ray__{DEV_RAY}__version": "2.54.0"})
# The lock's image of verl, built on CUDA 12.8.1 or 12.9, whose images do not name the folder.
VERL = changed(
    DEV,
    **{
        f"ray__{DEV_RAY}__image": "verlai/verl:vllm011.latest",
        f"ray__{DEV_RAY}__version": "2.49.2",
    },
)
TUNED = changed(SERVE, jobs__tune__image=MINE)
SERVED = changed(SERVE, servers__gemma__image=MINE)


def made(config: dict[str, Any], folder: Path) -> Recording:
    (folder / "train.py").write_text("pass\n")
    return registered(validate(config, secrets_set=WITH_ALL_SECRETS), folder=folder)


def templates(found: Any) -> Iterator[dict[str, Any]]:
    """Pods' templates in an object."""
    if isinstance(found, dict):
        if "containers" in found.get("spec", {}):
            yield found
        for it in found.values():
            yield from templates(it)
    for it in found if isinstance(found, list) else ():
        yield from templates(it)


def pods(found: Recording, kind: str) -> list[dict[str, Any]]:
    return [one for it in found.of_type(f":{kind}") for one in templates(it.inputs["spec"])]


def path_of(template: dict[str, Any]) -> str | None:
    (container, *_) = template["spec"]["containers"]
    return {it["name"]: it.get("value") for it in container.get("env", ())}.get("LD_LIBRARY_PATH")


def asks_for_gpus(template: dict[str, Any]) -> bool:
    return "nvidia.com/gpu" in str([it["resources"] for it in template["spec"]["containers"]])


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        (SCRIPT, "JobSet"),
        (RAY, "RayCluster"),
        (VERL, "RayCluster"),
        (TUNED, "Job"),
        (SERVED, "Deployment"),
    ],
)
def test_an_image_that_does_not_look_for_the_driver_finds_the_driver_in_pods_with_gpus_alone(
    config: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    found = pods(made(config, tmp_path), kind)
    assert {path_of(it) for it in found if asks_for_gpus(it)} == {PATH}
    assert {path_of(it) for it in found if not asks_for_gpus(it)} <= {None}
    off = pods(made(changed(config, images__driver_path=False), tmp_path), kind)
    assert off
    assert {path_of(it) for it in off} == {None}


@pytest.mark.parametrize(("config", "kind"), [(DEV, "RayCluster"), (SERVE, "Deployment")])
def test_an_image_that_looks_for_the_driver_keeps_its_own_value(
    config: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    found = pods(made(config, tmp_path), kind)
    assert found
    assert {path_of(it) for it in found} == {None}


def test_a_scripts_own_value_has_the_last_word(tmp_path: Path) -> None:
    own = {"LD_LIBRARY_PATH": f"/opt/lib:{PATH}"}
    found = pods(made(changed(SCRIPT, jobs__train__environment=own), tmp_path), "JobSet")
    assert {path_of(it) for it in found} == {f"/opt/lib:{PATH}"}


def test_interfaces_that_speak_rdma_have_it_whatever_the_key_says(tmp_path: Path) -> None:
    found = pods(made(changed(RL, images__driver_path=False), tmp_path), "RayCluster")
    assert PATH in {path_of(it) for it in found}


def test_a_pool_that_no_work_waits_for_may_have_a_driver_of_others() -> None:
    more = {"machine_type": "g2-standard-24", "nodes": 1, "driver_version": "disabled"}
    config = changed(STACK, pools__more=more)
    assert validate(config, secrets_set=WITH_ALL_SECRETS).pools["more"]


def test_a_script_has_no_gpus_on_nodes_without_a_driver() -> None:
    config = changed(STACK, pools__gpu__driver_version="disabled")
    with pytest.raises(ConfigError, match=r"nodes without one have no GPUs for jobs\.train"):
        validate(config, secrets_set=WITH_ALL_SECRETS)
