"""`aistack fit` with the real `train_compile`, XLA for TPUs and libtpu, which takes minutes each
time, and so only with ALL_COMBINATIONS: a preset's job on few chips, as small as it can be
compiled, the presets as they are, and the 70B settings of the tutorial.

It cannot show how fast a step is: no TPU is asked, and the time of a step is arithmetic.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from aistack.exit_codes import ExitCode
from tests.conftest import ROOT

JOB = "jobs.maxtext-llama3-8b"
SMALL = (
    "pools.v6e-16.topology=2x4",
    "pools.v6e-16.slices=1",
    f"{JOB}.ici={{fsdp: 8}}",
    f"{JOB}.per_device_batch_size=1",
    f"{JOB}.max_target_length=512",
)
TPU7X = (
    "gcp:zone=us-central1-c",
    "pools.v6e-16.machine_type=tpu7x-standard-4t",
    "pools.v6e-16.topology=2x2x1",
    *(it for it in SMALL if "topology" not in it),
)
TUTORIALS_70B = (
    f"{JOB}.model=llama3-70b",
    f"{JOB}.per_device_batch_size=2",
    f"{JOB}.dcn={{data: 1, fsdp: 2}}",
    f"{JOB}.remat_policy=full",
)
whole = pytest.mark.skipif(
    not os.environ.get("ALL_COMBINATIONS"), reason="minutes each; ALL_COMBINATIONS=1 runs it"
)


def fit(stack: str, *sets: str) -> tuple[int, list[dict[str, Any]]]:
    changes = [word for it in sets for word in ("--set", it)]
    command = [sys.executable, "-m", "aistack", "fit", "--stack", stack, "--json", *changes]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)["fits"]


@whole
def test_a_preset_on_few_chips_is_compiled_and_fits() -> None:
    code, (found,) = fit("tpu-multislice", *SMALL)
    assert (code, found["how"], found["verdict"]) == (ExitCode.FINE, "compiled", "yes")
    # Weights and optimizer alone are 12 bytes a parameter over 8 chips.
    assert found["parts"]["weights and optimizer"] == pytest.approx(11.22, abs=0.01)
    assert 0 < found["used_gib"] < found["memory_gib"]


@whole
def test_a_step_on_tpu7x_is_compiled_and_takes_what_the_catalog_has_of_it() -> None:
    code, (found,) = fit("tpu-multislice", *TPU7X)
    assert (code, found["how"], found["verdict"]) == (ExitCode.FINE, "compiled", "yes")
    assert (found["accelerator"], found["accelerators"]) == ("tpu7x", 4)
    assert found["used_gib"] == pytest.approx(16.87, abs=0.01)


@whole
@pytest.mark.parametrize(("stack", "slices"), [("tpu-multislice", [2]), ("tpu-elastic", [2, 1])])
def test_the_presets_fit_as_they_are(stack: str, slices: list[int]) -> None:
    code, found = fit(stack)
    assert code == ExitCode.FINE
    assert [(it["slices"], it["how"], it["verdict"]) for it in found] == [
        (count, "compiled", "yes") for count in slices
    ]


@whole
def test_the_tutorials_70b_does_not_fit_and_the_nearest_that_does_is_named() -> None:
    code, (found,) = fit("tpu-multislice", *TUTORIALS_70B)
    assert (code, found["verdict"]) == (ExitCode.DOES_NOT_FIT, "no")
    assert found["used_gib"] > found["memory_gib"] == pytest.approx(31.25, abs=0.02)
    assert "topology 4x8" in found["nearest"]


def test_the_tutorials_70b_does_not_fit_by_arithmetic_either() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "aistack", "fit", "--stack", "tpu-multislice", "--estimate"]
        + [word for it in TUTORIALS_70B for word in ("--set", it)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == ExitCode.DOES_NOT_FIT
    assert "does not fit; nearest: pools.v6e-16.topology 4x8 with ici" in " ".join(
        done.stdout.split()
    )
