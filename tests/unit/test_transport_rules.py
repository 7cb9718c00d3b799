"""Work over several machines, where NCCL's fast way between them is not made."""

from typing import Any

import pytest

from tests.conftest import changed
from tests.parts.samples import BARE, CLASSIFIER
from tests.programs import lines_of

SCRIPT: dict[str, Any] = {
    "type": "script",
    "file": "train.py",
    "command": ["python3"],
    "image": "rayproject/ray:2.54.0-gpu",
    "requests": {"cpu": 8, "memory_gib": 64},
}


def about_machines(stack: dict[str, Any], **changes: Any) -> list[str]:
    lines = lines_of(changed(stack, **changes))
    return [it for it in lines if it.startswith("stack.pools.gpu.machine_type: work over")]


@pytest.mark.parametrize(
    ("machine", "what"),
    [("a3-highgpu-8g", "GPUDirect-TCPX:"), ("a3-megagpu-8g", "GPUDirect-TCPXO:")],
)
def test_a_training_over_several_machines_is_refused_with_what_is_missing(
    machine: str, what: str
) -> None:
    [line] = about_machines(CLASSIFIER, pools__gpu__machine_type=machine)
    assert f"work over 4 of {machine} needs {what} the plug-in's installer" in line
    # An offer that the zone does not have is left out.
    assert line.endswith("nearest: one machine")
    assert not about_machines(CLASSIFIER, pools__gpu={"machine_type": machine, "nodes": 1})


@pytest.mark.parametrize(
    ("change", "refused"), [({"pool": "gpu"}, 1), ({"pool": "gpu", "nodes": 1}, 0), ({}, 0)]
)
def test_a_script_over_several_machines_is_refused_where_it_has_gpus(
    change: dict[str, Any], refused: int
) -> None:
    pool = {"machine_type": "a3-highgpu-8g", "nodes": 2, "capacity": {"mode": "spot"}}
    jobs = {"train": {**SCRIPT, "nodes": 2, **change}}
    assert len(about_machines(BARE, pools__gpu=pool, jobs=jobs)) == refused


def test_machines_with_their_fast_way_and_those_that_have_none_are_right() -> None:
    assert not about_machines(CLASSIFIER)
    pool = {"machine_type": "a3-ultragpu-8g", "nodes": 2, "capacity": {"mode": "spot"}}
    assert not about_machines(CLASSIFIER, zone="us-east4-b", pools__gpu=pool)
