"""What `make bench` measures: whole processes, several runs in turn, medians."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.probe import EMPTY_STACK
from cli.project import PROJECT_FOLDER
from sandbox.__main__ import DEFAULT_SPEED

ROUNDS = 3
EMPTY = {
    "Pulumi.yaml": "name: gke-ai-stacks\nruntime: python\n",
    f"Pulumi.{EMPTY_STACK}.yaml": "config: {}\n",
    "__main__.py": "",
}


@dataclass(frozen=True)
class Timed:
    """One process: its seconds from start to end, and what it printed."""

    seconds: float
    output: str


def timed(command: Sequence[str]) -> Timed:
    began = time.monotonic()
    done = subprocess.run(command, cwd=PROJECT_FOLDER, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(command)[:200]} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return Timed(seconds, done.stdout)


def probe(project: Path, folder: Path, stack: str, verb: str, speed: float) -> tuple[float, Any]:
    """Seconds of the whole process, and the run's summary."""
    command = [
        sys.executable,
        "-m",
        "bench.probe",
        *map(str, (project, folder, stack, verb, speed)),
    ]
    done = timed(command)
    summary = json.loads(done.output.splitlines()[-1])
    if not summary["ok"]:
        raise RuntimeError(f"{verb} of {stack} failed: {summary['diagnostics']}")
    return done.seconds, summary


@dataclass(frozen=True)
class PreviewTimes:
    """Medians, in seconds of whole processes."""

    bare_import: float
    empty: float
    full: float
    peak_mib: float

    @property
    def ratio(self) -> float:
        return self.full / (self.bare_import + self.empty)


def preview_times(scratch: Path, stack: str) -> PreviewTimes:
    """A first preview against the imports that it needs and a preview of nothing, in turn."""
    nothing = scratch / "empty"
    nothing.mkdir()
    for name, text in EMPTY.items():
        (nothing / name).write_text(text)
    _, summary = probe(PROJECT_FOLDER, scratch / stack, stack, "preview", DEFAULT_SPEED)
    of_nothing = (nothing, scratch / "empty-sandbox", EMPTY_STACK, "preview", DEFAULT_SPEED)
    probe(*of_nothing)
    imports = f"import pulumi, {', '.join(summary['sdk_modules'])}"
    rows: dict[str, list[float]] = {"bare": [], "empty": [], "full": []}
    for _ in range(ROUNDS):
        rows["bare"].append(timed([sys.executable, "-c", imports]).seconds)
        seconds, _ = probe(
            nothing, scratch / "empty-sandbox", EMPTY_STACK, "preview", DEFAULT_SPEED
        )
        rows["empty"].append(seconds)
        seconds, _ = probe(PROJECT_FOLDER, scratch / stack, stack, "preview", DEFAULT_SPEED)
        rows["full"].append(seconds)
    medians = {name: statistics.median(values) for name, values in rows.items()}
    return PreviewTimes(medians["bare"], medians["empty"], medians["full"], summary["peak_mib"])
