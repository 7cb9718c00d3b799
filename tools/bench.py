"""Times what `make bench` runs, as ratios within one run, for machines differ: prints a table and
writes .bench/results.json. Fails where a promise does not hold."""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from cli.project import PROJECT_FOLDER
from sandbox.__main__ import DEFAULT_SPEED

ROUNDS = 3
# Where much is done side by side it is promised to be; nearly all of dev is one chain.
PRESETS = {"dev": "", "b200-lustre": ">=1.6", "tpu-multislice": ""}
BASE = "dev"
# With so many teams it has 100 resources, and 1000.
TEAMS = (7, 187)
RESULTS = PROJECT_FOLDER / ".bench" / "results.json"
# A preview of nothing, with the program imported: the engine, its SDK and the sandbox.
EMPTY = """
import sys
from pathlib import Path
import stacks.build
from sandbox.engine import Engine, RunOptions
from sandbox.faults import Faults
from sandbox.workspace import Workspace
workspace = Workspace(Path(sys.argv[1]), "empty", Path(sys.argv[2]))
options = RunOptions(speed=1.0, faults=Faults(), on_output=lambda line: None)
with workspace.lock():
    assert Engine(workspace, workspace.prepare([])).run("preview", options).ok
"""
EMPTY_PROJECT = {
    "Pulumi.yaml": "name: gke-ai-stacks\nruntime: python\n",
    "Pulumi.empty.yaml": "config: {}\n",
    "__main__.py": "",
}


@dataclass(frozen=True)
class Figure:
    """`bound` starts with <= or >=, or is empty where nothing is promised."""

    stack: str
    name: str
    value: float
    bound: str = ""

    @property
    def holds(self) -> bool | None:
        if not self.bound:
            return None
        limit = float(self.bound[2:])
        return self.value <= limit if self.bound.startswith("<=") else self.value >= limit


@dataclass(frozen=True)
class Took:
    """Of a process and those that it started: seconds of the clock and of processors, the most
    memory of one of them, and the summary that it wrote."""

    seconds: float
    processor: float
    peak_mib: float
    summary: dict[str, Any]


def took(command: Sequence[str], written: Path | None = None) -> Took:
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, *command], cwd=PROJECT_FOLDER, stdout=subprocess.DEVNULL
    ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - began
    if process.returncode:
        raise SystemExit(f"{' '.join(command)[:200]} ended with {process.returncode}")
    summary = {} if written is None else json.loads(written.read_text())
    # Kilobytes on Linux.
    return Took(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, summary)


def verb(name: str, stack: str, folder: Path, *words: str) -> Took:
    command = ["-m", "sandbox", name, "--stack", stack, "--folder", str(folder), *words]
    if name in ("preview", "up"):
        command += ["--kube", "memory"]
    if name == "status":
        return took(command)
    file = folder.with_suffix(".json")
    return took([*command, "--json", str(file)], file)


def round_of(stack: str, scratch: Path) -> dict[str, float]:
    """By its name each ratio of one life of the stack."""
    empty, folder = scratch / "empty", scratch / "sandbox"
    empty.mkdir()
    for name, text in EMPTY_PROJECT.items():
        (empty / name).write_text(text)
    # Once before, so that each is the second in its folder.
    nothing = [took(["-c", EMPTY, str(scratch / "nothing"), str(empty)]) for _ in range(2)][-1]
    first = verb("preview", stack, folder)
    second = verb("preview", stack, folder)
    up = verb("up", stack, folder)
    status = verb("status", stack, folder)
    down = verb("destroy", stack, folder)
    return {
        "preview / preview of nothing": second.seconds / nothing.seconds,
        "second preview / first preview": second.seconds / first.seconds,
        "status / preview": status.seconds / second.seconds,
        **{
            f"{name}: wall time / its floor, the simulated time at the sandbox's speed": (
                it.seconds * DEFAULT_SPEED / it.summary["makespan_s"]
            )
            for name, it in (("up", up), ("destroy", down))
        },
        **{
            f"{name}: makespan / critical path": (
                it.summary["makespan_s"] / it.summary["critical_path_s"]
            )
            for name, it in (("up", up), ("destroy", down))
        },
        "up: one after the other / makespan": (
            up.summary["sequential_s"] / up.summary["makespan_s"]
        ),
        "up: memory / preview of nothing": up.peak_mib / nothing.peak_mib,
    }


def verb_figures(stack: str) -> Iterator[Figure]:
    bounds = {
        "preview / preview of nothing": "<=1.15",
        "up: makespan / critical path": "<=1.02",
        "destroy: makespan / critical path": "<=1.05",
        "up: one after the other / makespan": PRESETS[stack],
    }
    rounds: list[dict[str, float]] = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as scratch:
            rounds.append(round_of(stack, Path(scratch)))
    for name in rounds[0]:
        median = statistics.median(it[name] for it in rounds)
        yield Figure(stack, name, median, bounds.get(name, ""))


def growth_figures() -> Iterator[Figure]:
    """How a preview grows with its stack: 1 is linear. Of processors' time, to which other work on
    the machine adds nothing, and of memory."""
    found: dict[int, list[Took]] = {count: [] for count in TEAMS}
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(ROUNDS):
            # In turn, so that a busy moment of the machine falls on both.
            for count, took_so_far in found.items():
                teams = ", ".join(f"team-{it}: {{}}" for it in range(count))
                folder = Path(scratch) / f"{count}-{number}"
                took_so_far.append(verb("preview", BASE, folder, "--set", f"teams={{{teams}}}"))
    small, large = found.values()
    sizes = [it[0].summary["changes"]["create"] for it in (small, large)]
    more = math.log(sizes[1] / sizes[0])
    named = f"preview of {sizes[1]} resources against {sizes[0]}"
    for part in ("processor", "peak_mib"):
        least, most = (min(getattr(it, part) for it in side) for side in (small, large))
        word = "time" if part == "processor" else "memory"
        yield Figure(BASE, f"{named}: exponent of {word}", math.log(most / least) / more, "<=1")


def main() -> int:
    figures: list[Figure] = []
    for stack in PRESETS:
        figures += verb_figures(stack)
    figures += growth_figures()
    RESULTS.parent.mkdir(exist_ok=True)
    machine = {
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
    rows = [{**asdict(it), "holds": it.holds} for it in figures]
    RESULTS.write_text(json.dumps({**machine, "figures": rows}, indent=2) + "\n")
    table = Table("stack", "figure", "value", "target", "holds")
    words = {True: "yes", False: "[bold red]NO[/]", None: ""}
    for it in figures:
        table.add_row(it.stack, it.name, f"{it.value:.2f}", it.bound, words[it.holds])
    Console().print(table)
    return 1 if any(it.holds is False for it in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
