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


@pytest.mark.parametrize("change", [{"pool": "gpu", "nodes": 1}, {}])
def test_a_script_on_one_machine_or_without_gpus_is_right(change: dict[str, Any]) -> None:
    pool = {"machine_type": "a3-highgpu-8g", "nodes": 2, "capacity": {"mode": "spot"}}
    jobs = {"train": {**SCRIPT, "nodes": 2, **change}}
    assert not about_machines(BARE, pools__gpu=pool, jobs=jobs)


def test_machines_with_their_fast_way_and_those_that_have_none_are_right() -> None:
    assert not about_machines(CLASSIFIER)
    for machine in ("a3-highgpu-8g", "a3-megagpu-8g"):
        assert not about_machines(CLASSIFIER, pools__gpu={"machine_type": machine, "nodes": 1})
    pool = {"machine_type": "a3-ultragpu-8g", "nodes": 2, "capacity": {"mode": "spot"}}
    assert not about_machines(CLASSIFIER, zone="us-east4-b", pools__gpu=pool)
