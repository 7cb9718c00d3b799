"""Whatever has interfaces that speak RDMA makes NCCL use them, or fail: presets, and every type of
job on such machines. What NCCL makes of it only machines show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest
import yaml

from stacks.config import validate
from stacks.parts.jobs.config import FineTuning, RayJob
from tests.conftest import ROOT, Recording, changed, stack_config
from tests.programs import WITH_TOKEN, registered
from tests.unit.script_samples import B200 as SCRIPT

PRESETS = sorted(it.name.split(".")[1] for it in ROOT.glob("Pulumi.*.yaml"))
_ON_RDMA = {"b200-lustre", "lab", "verl-b200", "verl-b200-autopilot", "verl-h200"}
_GPUS = {"machine_type": "a4-highgpu-8g", "capacity": {"mode": "spot"}}
_COMMAND = {"type": "script", "command": ["python3", "-c", "print(1)"]}
_B200 = stack_config("b200-lustre")
(_RAY,) = _B200["ray"]
_CLASSIFIER = changed(
    stack_config("gcsfuse-checkpoint"),
    region="us-west3",
    zone="us-west3-b",
    pools__gpu={**_GPUS, "nodes": 1},
)
TYPES: dict[str, dict[str, Any]] = {
    "nemo-rl": _B200,
    "verl": stack_config("verl-b200"),
    "image-classifier": _CLASSIFIER,
    "script": changed(SCRIPT, jobs__train__file=None, jobs__train__command=_COMMAND["command"]),
    "script on ray": changed(
        _B200, jobs={"mine": {**_COMMAND, "ray": _RAY}}, **{f"ray__{_RAY}__nccl_test": None}
    ),
}
# Of one machine each, whose pods have none of its further interfaces; on TPUs there is no NCCL.
_WITHOUT = {"fine-tune", "maxtext"}
PLUG_IN = {"NCCL_NET": "gIB", "LD_LIBRARY_PATH": "/usr/local/nvidia/lib64"}


def pods(value: Any) -> Iterator[dict[str, Any]]:
    """Templates of pods, wherever they stand in an object."""
    if isinstance(value, dict):
        if "containers" in value.get("spec", {}):
            yield value
        for one in value.values():
            yield from pods(one)
    elif isinstance(value, list):
        for one in value:
            yield from pods(one)


def on_rdma(made: Recording) -> dict[str, list[dict[str, Any]]]:
    """By resource, the pods whose interfaces speak it, or that have a folder of the plug-in and are
    no installer of it."""
    found = {
        it.name: [one for one in pods(it.inputs) if _has_rdma(one)]
        for it in made.resources
        if it.type.startswith("kubernetes:") and not it.type.endswith(":DaemonSet")
    }
    return {name: them for name, them in found.items() if them}


def _has_rdma(pod: dict[str, Any]) -> bool:
    asked = pod.get("metadata", {}).get("annotations", {}).get("networking.gke.io/interfaces", "")
    claims = [it["resourceClaimTemplateName"] for it in pod["spec"].get("resourceClaims", ())]
    folders = [it["name"] for it in pod["spec"].get("volumes", ())]
    return "rdma-" in asked or any("mrdma" in it for it in claims) or "gib" in folders


def assert_on_gib(made: Recording) -> None:
    """A process that may take no other network finds the plug-in, too."""
    for name, them in on_rdma(made).items():
        for pod in them:
            container = pod["spec"]["containers"][0]
            variables = {it["name"]: it.get("value") for it in container.get("env", ())}
            assert PLUG_IN.items() <= variables.items(), name
    for job in made.of_type(":RayJob"):
        variables = yaml.safe_load(job.inputs["spec"]["runtimeEnvYAML"])["env_vars"]
        # NeMo RL puts the driver's environment, which is of a pod without GPUs, over its workers'.
        if "NCCL_NET" in variables:
            assert PLUG_IN.items() <= variables.items(), job.name


@pytest.mark.parametrize("preset", PRESETS)
def test_presets(preset: str) -> None:
    made = registered(validate(stack_config(preset), secrets_set=WITH_TOKEN))
    assert bool(on_rdma(made)) == (preset in _ON_RDMA)
    assert_on_gib(made)


def test_trainings_over_machines_with_rdma_begin_with_a_test_of_it() -> None:
    tested = set[str]()
    for preset in PRESETS:
        made = registered(validate(stack_config(preset), secrets_set=WITH_TOKEN))
        jobs = made.of_type(":RayJob")
        entrypoints = [it.inputs["spec"]["entrypoint"] for it in jobs]
        if any(" --test /etc/launcher/network_test-" in it for it in entrypoints):
            tested.add(preset)
    assert tested == _ON_RDMA - {"lab"}


@pytest.mark.parametrize("name", TYPES)
def test_types_of_jobs(name: str) -> None:
    made = registered(validate(TYPES[name], secrets_set=WITH_TOKEN))
    assert on_rdma(made)
    assert_on_gib(made)


def test_every_type_is_tried() -> None:
    of_all = {
        get_args(it.model_fields["type"].annotation)[0] for it in (*get_args(RayJob), FineTuning)
    }
    assert of_all == {*TYPES, *_WITHOUT} - {"script on ray"}
