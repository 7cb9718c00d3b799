"""Measures the image classifier, in the environment that has Ray and JAX; prints one line of JSON.

.venv-workloads/bin/python -m bench.workload_probe
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from tests.workloads.trainings.site import TRAIN, Site

sys.path.insert(0, str(TRAIN.parent))
from checkpoints import STATE, Run

MIB, ROUNDS = 256, 5
KILLED_IN = 7
# 256 images in batches of 16 on each of 4 workers.
STEPS = 4


def seconds(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


def copy(source: Path, target: Path) -> None:
    """A plain copy that is on the disk when it returns, as a checkpoint is."""
    with source.open("rb") as read, target.open("wb") as written:
        shutil.copyfileobj(read, written, 1 << 20)
        written.flush()
        os.fsync(written.fileno())


def storage(folder: Path) -> tuple[float, float]:
    """Throughput of writing and of restoring, each over that of a plain copy of the same bytes."""
    weights = {f"{number}": np.random.default_rng(number).random(MIB << 14) for number in range(8)}
    run, plain = Run(folder / "run", 1, 600), folder / "plain"

    def save(file: BinaryIO) -> None:
        np.savez(file, **weights)

    def restore() -> None:
        with np.load(whole) as found:
            for name in found:
                found[name]

    whole = run.write([{}], save).folder / STATE
    written, restored, copied = [], [], []
    for _ in range(ROUNDS):
        copied.append(seconds(lambda: copy(whole, plain)))
        written.append(seconds(lambda: run.write([{}], save)))
        restored.append(seconds(restore))
    plainly = statistics.median(copied)
    return plainly / statistics.median(written), plainly / statistics.median(restored)


def resumption(folder: Path) -> tuple[float, int]:
    """Seconds to find and load the newest checkpoint of a killed job, and the steps it lost."""
    site = Site(folder / "killed")
    site.bucket.mkdir()
    site.killed_in(KILLED_IN)
    kept = len(site.history(site.checkpoints()[-1]))
    code, printed = site.runs()
    assert code == 0, printed
    resumed = re.search(r"resume_s=([\d.e-]+)", printed)
    assert resumed, printed
    return float(resumed[1]), (KILLED_IN - kept) * STEPS


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        write, restore = storage(Path(scratch))
        resume_s, lost = resumption(Path(scratch))
    print(json.dumps([write, restore, resume_s, lost, STEPS]))


if __name__ == "__main__":
    main()
