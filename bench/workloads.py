"""What `make bench` measures of the trainings: checkpoints, and what a kill costs."""

from __future__ import annotations

import json
from dataclasses import dataclass

from bench.measure import timed
from cli.project import PROJECT_FOLDER

_PYTHON = PROJECT_FOLDER / ".venv-workloads" / "bin" / "python"


@dataclass(frozen=True)
class Checkpointed:
    """Throughputs are over that of a plain copy of the same bytes; `period` is in steps, too."""

    write: float
    restore: float
    resume_s: float
    lost_steps: float
    period: float


def checkpoint_times() -> Checkpointed:
    """Raises RuntimeError where `make test-workloads` has not made the environment yet."""
    if not _PYTHON.exists():
        raise RuntimeError(f"{_PYTHON.parent.parent.name}: not there; nearest: make test-workloads")
    done = timed([str(_PYTHON), "-m", "bench.workload_probe"])
    return Checkpointed(*json.loads(done.output.splitlines()[-1]))
