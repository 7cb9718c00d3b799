"""What pods of every kind have for GKE's nodes: where the driver is, and that the autoscaler leaves
them where they are. What differs between the kinds has its reason beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from components.base.pod_manifest import STAYS
from stacks.config import ConfigError, validate
from stacks.on_record import Record
from tests.conftest import Recording, changed
from tests.parts.samples import AUTOPILOT, DEV, RL, SERVE
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


def made(config: dict[str, Any], folder: Path, record: Record | None = None) -> Recording:
    (folder / "train.py").write_text("pass\n")
    plan = validate(config, secrets_set=WITH_ALL_SECRETS)
    return registered(plan, folder=folder, record=record)


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


WORK = [(SCRIPT, "JobSet"), (DEV, "RayCluster"), (SERVE, "Job")]


@pytest.mark.parametrize(("config", "kind"), WORK)
def test_the_autoscaler_moves_no_head_no_worker_and_no_job(
    config: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    found = pods(made(config, tmp_path), kind)
    assert found
    assert all(it["metadata"]["annotations"].items() >= STAYS.items() for it in found)


def stays(found: Recording, kind: str) -> set[bool]:
    return {
        STAYS.items() <= it.get("metadata", {}).get("annotations", {}).items()
        for it in pods(found, kind)
    }


@pytest.mark.parametrize(("config", "kind"), WORK)
def test_work_that_runs_without_it_is_not_made_anew_for_it(
    config: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    (new,) = made(config, tmp_path).of_type(f":{kind}")
    for spec, expected in ((new.inputs["spec"], True), ({"template": {}}, False)):
        standing = {"type": new.type, "outputs": {"spec": spec}}
        record = Record({new.urn: standing})
        assert stays(made(config, tmp_path, record), kind) == {expected}


def test_spot_pods_of_autopilot_ask_for_no_such_thing(tmp_path: Path) -> None:
    spot = changed(AUTOPILOT, pools__gpu__capacity={"mode": "spot"})
    workers, heads = [], []
    for it in pods(made(spot, tmp_path), "RayCluster"):
        (workers if asks_for_gpus(it) else heads).append(
            STAYS.items() <= it.get("metadata", {}).get("annotations", {}).items()
        )
    assert (set(workers), set(heads)) == ({False}, {True})


def test_a_pool_that_no_work_waits_for_may_have_a_driver_of_others() -> None:
    more = {"machine_type": "g2-standard-24", "nodes": 1, "driver_version": "disabled"}
    config = changed(STACK, pools__more=more)
    assert validate(config, secrets_set=WITH_ALL_SECRETS).pools["more"]


def test_a_script_has_no_gpus_on_nodes_without_a_driver() -> None:
    config = changed(STACK, pools__gpu__driver_version="disabled")
    with pytest.raises(ConfigError, match=r"nodes without one have no GPUs for jobs\.train"):
        validate(config, secrets_set=WITH_ALL_SECRETS)


def test_work_runs_on_nodes_that_nvidias_operator_has(tmp_path: Path) -> None:
    """NVIDIA GPU Operator documentation, "NVIDIA GPU Operator with Google GKE"."""
    found = made(changed(SCRIPT, pools__gpu__driver_version="operator"), tmp_path)
    node = found.named("gpu-pool").inputs["nodeConfig"]
    (gpus,) = node["guestAccelerators"]
    assert gpus["gpuDriverInstallationConfig"] == {"gpuDriverVersion": "INSTALLATION_DISABLED"}
    assert node["labels"]["gke-no-default-nvidia-gpu-device-plugin"] == "true"


def test_autopilot_has_no_nodes_of_an_operators() -> None:
    config = changed(AUTOPILOT, pools__gpu__driver_version="operator")
    with pytest.raises(ConfigError, match="Autopilot lets nobody install a driver of their own"):
        validate(config, secrets_set=WITH_ALL_SECRETS)
