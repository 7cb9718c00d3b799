"""How previewing grows with the number of GPU pools."""

from __future__ import annotations

import math
import shutil
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bench.measure import ROUNDS, probe
from catalog.strict_yaml import read_yaml
from cli.project import PROJECT_FOLDER
from sandbox.__main__ import DEFAULT_SPEED

BASE = "verl-b200"
SIZES = (16, 32, 64, 128)
SHOWN = 64
_CONFIG = "gke-ai-stacks:stack"


@dataclass(frozen=True)
class Growth:
    """What `SHOWN` pools took, and the exponents that fit all sizes: 1 is linear.

    The exponents are of processor time, which other work on the machine does not add to, and of
    memory, both of the whole preview. `added_exponent` is of the time that the pools add to a
    stack without them: above 1, because Pulumi's SDK looks at all outputs that are still open each
    time that one is known (pulumi/runtime/stack.py, wait_for_rpcs).
    """

    seconds: float
    peak_mib: float
    time_exponent: float
    added_exponent: float
    memory_exponent: float


def growth() -> Growth:
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        for pools in (0, *SIZES):
            _write(scratch / f"project-{pools}", pools)
        # The sizes in turn, so that a busy moment of the machine falls on all of them.
        rounds = [
            {pools: _preview(scratch, pools, number) for pools in (0, *SIZES)}
            for number in range(ROUNDS)
        ]
    seconds, processor, peak_mib = (
        {pools: min(one[pools][part] for one in rounds) for pools in (0, *SIZES)}
        for part in range(3)
    )
    return Growth(
        seconds=seconds[SHOWN],
        peak_mib=peak_mib[SHOWN],
        time_exponent=exponent({it: processor[it] for it in SIZES}),
        added_exponent=exponent({it: processor[it] - processor[0] for it in SIZES}),
        memory_exponent=exponent({it: peak_mib[it] for it in SIZES}),
    )


def exponent(costs: dict[int, float]) -> float:
    """The slope of log(cost) over log(size), by least squares."""
    points = [(math.log(size), math.log(cost)) for size, cost in costs.items()]
    return statistics.linear_regression(*zip(*points, strict=True)).slope


def config_with(pools: int) -> dict[str, Any]:
    """The base stack's config with so many pools more, of one node each."""
    config = read_yaml(PROJECT_FOLDER / f"Pulumi.{BASE}.yaml")
    stack = config["config"][_CONFIG]
    gpu = stack["pools"]["gpu"]
    stack["pools"] |= {
        f"p{number:02}": {
            "machine_type": gpu["machine_type"],
            "nodes": 1,
            "capacity": {"mode": "spot"},
        }
        for number in range(pools)
    }
    # Room for all of their pods.
    stack["network"] = {"pods": "10.32.0.0/12"}
    # verl shares each step out evenly among all GPUs.
    gpus = 8 * (gpu["nodes"] + pools)
    actor = {"mini_batch_size": gpus, "micro_batch_size_per_gpu": 1}
    stack["jobs"]["verl-grpo"] |= {"train_batch_size": gpus, "actor": actor}
    return config


def _write(project: Path, pools: int) -> None:
    project.mkdir()
    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copy(PROJECT_FOLDER / name, project / name)
    (project / "Pulumi.scale.yaml").write_text(yaml.safe_dump(config_with(pools)))


def _preview(scratch: Path, pools: int, number: int) -> tuple[float, float, float]:
    folder = scratch / f"sandbox-{pools}-{number}"
    seconds, summary = probe(
        scratch / f"project-{pools}", folder, "scale", "preview", DEFAULT_SPEED
    )
    return seconds, summary["processor_s"], summary["peak_mib"]
