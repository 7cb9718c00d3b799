"""Prints a table of every figure with its target, and writes .bench/results.json."""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.control_plane import control_plane_figures
from bench.measure import preview_times, probe, timed
from bench.review import review_times
from bench.scale import BASE, SHOWN, growth
from bench.verbs import JOBS, PODS, STACK, verb_times
from bench.workloads import checkpoint_times
from cli.project import PROJECT_FOLDER, stack_names
from sandbox.__main__ import DEFAULT_SPEED
from sandbox.first_step import EARLY, LATE

# Promised where there is much to do side by side; nearly all of dev is one chain.
PARALLEL_GAIN = {"b200-lustre": ">=1.6", "verl-b200": ">=1.6", "verl-h200": ">=1.6"}
# Accelerator-minutes paid before the first step, and seconds to it: a third and a tenth of the 692
# that were once paid for.
FIRST_STEP = {
    ("b200-lustre", EARLY): ("<=230", "<=990"),
    ("b200-lustre", LATE): ("<=69", ""),
}
RESULTS = PROJECT_FOLDER / ".bench" / "results.json"


@dataclass(frozen=True)
class Figure:
    """One measured number; `bound` starts with <= or >=, or is empty where nothing is promised."""

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


def stack_figures(scratch: Path, stack: str) -> list[Figure]:
    previewed = preview_times(scratch, stack)
    _, preview = probe(PROJECT_FOLDER, scratch / stack, stack, "preview", DEFAULT_SPEED)
    wall, up = probe(PROJECT_FOLDER, scratch / stack, stack, "up", DEFAULT_SPEED)
    _, down = probe(PROJECT_FOLDER, scratch / stack, stack, "destroy", DEFAULT_SPEED)
    for verb, run in (("up", up), ("destroy", down)):
        print_waits(stack, verb, run["waits"])
    return [
        *first_step_figures(stack, preview["to_first_step"]),
        Figure(
            stack, "waits on the critical paths without a reason", _unexplained(up, down), "<=0"
        ),
        Figure(stack, "bare import of the SDK modules used, s", previewed.bare_import),
        Figure(stack, "preview of an empty program, s", previewed.empty),
        Figure(stack, "first preview, s", previewed.full),
        Figure(stack, "first preview / (import + empty preview)", previewed.ratio, "<=1.15"),
        Figure(stack, "resources", sum(up["changes"].values())),
        Figure(stack, "simulated makespan of up, s", up["makespan_s"]),
        Figure(
            stack,
            "up: makespan / critical path",
            up["makespan_s"] / up["critical_path_s"],
            "<=1.02",
        ),
        Figure(
            stack,
            "up: one after the other / makespan",
            up["sequential_s"] / up["makespan_s"],
            PARALLEL_GAIN.get(stack, ""),
        ),
        Figure(
            stack,
            "destroy: makespan / critical path",
            down["makespan_s"] / down["critical_path_s"],
            "<=1.05",
        ),
        Figure(stack, "simulated makespan of destroy, s", down["makespan_s"]),
        Figure(stack, "node pools made at once", pools_at_once(up["timeline"]), "<=5"),
        Figure(stack, "wall time of up, s", wall),
        Figure(
            stack,
            "peak memory of the program process, MiB",
            max(previewed.peak_mib, up["peak_mib"]),
            "<=400",
        ),
    ]


def first_step_figures(stack: str, courses: list[dict[str, Any]]) -> list[Figure]:
    """Of stacks whose accelerators could come early or just in time."""
    found = {it["when"]: it for it in courses}
    figures: list[Figure] = []
    for when, it in found.items():
        paid, seconds = FIRST_STEP.get((stack, when), ("", ""))
        figures += [
            Figure(stack, f"{when}: simulated first step, s", it["seconds"], seconds),
            Figure(
                stack,
                f"{when}: accelerator-minutes paid before it",
                it["accelerator_minutes"],
                paid,
            ),
        ]
        if it["usd"] is not None:
            figures.append(Figure(stack, f"{when}: most USD paid before it", it["usd"][1]))
    if found.keys() >= {EARLY, LATE}:
        ratio = found[LATE]["seconds"] / found[EARLY]["seconds"]
        bound = "<=1.1" if (stack, LATE) in FIRST_STEP else ""
        figures.append(Figure(stack, "first step just in time / early", ratio, bound))
    return figures


def _unexplained(*runs: dict[str, Any]) -> int:
    return sum(it["reason"] is None for run in runs for it in run["waits"])


def print_waits(stack: str, verb: str, waits: list[dict[str, Any]]) -> None:
    table = Table(
        "step", "waits for", "costs, s", "because", title=f"critical path: {verb} {stack}"
    )
    for it in waits:
        reason = it["reason"] or "[bold red]no reason is known[/]"
        table.add_row(it["step"], it["waits_for"], f"{it['costs_s']:.0f}", reason)
    Console().print(table)


def pools_at_once(timeline: list[dict[str, Any]]) -> int:
    """The most pools whose creation overlapped; GKE takes five operations on a cluster at once."""
    spans = [
        (step["start_s"], step["end_s"])
        for step in timeline
        if "nodePool:NodePool" in step["urn"] and step["operation"] == "create"
    ]
    return max(sum(start <= at < end for start, end in spans) for at, _ in spans) if spans else 0


def demo_figures(scratch: Path) -> list[Figure]:
    command = ["make", "demo", f"FOLDER={scratch / 'demo'}"]
    first, second = timed(command).seconds, timed(command).seconds
    return [
        Figure("b200-lustre", "make demo, set up already, s", first),
        Figure("b200-lustre", "second make demo, s", second, "<=60"),
    ]


def scale_figures() -> list[Figure]:
    found = growth()
    return [
        Figure(BASE, f"first preview with {SHOWN} pools more, s", found.seconds),
        Figure(BASE, f"peak memory with {SHOWN} pools more, MiB", found.peak_mib),
        Figure(BASE, "preview time: exponent", found.time_exponent, "<=1.1"),
        Figure(BASE, "preview time that pools add: exponent", found.added_exponent),
        Figure(BASE, "preview memory: exponent", found.memory_exponent, "<=1.1"),
    ]


def review_figures() -> list[Figure]:
    found = review_times()
    ratio = found.wall_s / found.engine_s
    return [
        Figure("all", "review against a base that differs in all, s", found.wall_s, "<=60"),
        Figure("all", "review / its engine runs together", ratio, "<=1.3"),
        Figure("all", "largest process of a review, MiB", found.peak_mib),
    ]


def checkpoint_figures() -> list[Figure]:
    found, stack = checkpoint_times(), "gcsfuse-checkpoint"
    return [
        Figure(stack, "checkpoint write / plain copy, throughput", found.write),
        Figure(stack, "checkpoint restore / plain copy, throughput", found.restore),
        Figure(stack, "finding and loading a checkpoint to resume, s", found.resume_s),
        Figure(stack, "steps lost by a kill", found.lost_steps, f"<={found.period}"),
    ]


def kube_figures() -> list[Figure]:
    found, kube = control_plane_figures(), "a real control plane"
    tier = timed(["make", "test-kube"]).seconds
    return [
        Figure(kube, "first start, s", found.first_s, "<=20"),
        Figure(kube, "start after a stop, s", found.again_s, "<=20"),
        Figure(kube, "memory of all its programs, empty, MiB", found.empty_mib),
        Figure(kube, "the same with Kueue, KubeRay and dev, MiB", found.used_mib, "<=2500"),
        Figure("all", "make test-kube, built already, min", tier / 60, "<=15"),
    ]


def verb_figures() -> list[Figure]:
    found = verb_times()
    status, jobs = found.status_of_many, found.jobs_of_many
    more = status.processor / found.status.processor
    return [
        Figure(STACK, "resources of the stack that verbs are asked of", found.resources, ">=80"),
        Figure(STACK, f"aistack status with {PODS} pods more, s", status.seconds, "<=2"),
        Figure(STACK, "its processor time / without them", more, "<=1.5"),
        Figure(STACK, f"aistack jobs of {JOBS} jobs, s", jobs.seconds, "<=3"),
        Figure(
            STACK, "its peak memory / without them", jobs.peak_mib / found.jobs.peak_mib, "<=1.3"
        ),
    ]


def main() -> int:
    figures: list[Figure] = []
    for stack in stack_names():
        with tempfile.TemporaryDirectory() as scratch:
            figures += stack_figures(Path(scratch), stack)
        _write(figures)
    figures += review_figures()
    _write(figures)
    figures += kube_figures()
    _write(figures)
    figures += verb_figures()
    _write(figures)
    figures += scale_figures()
    _write(figures)
    figures += checkpoint_figures()
    _write(figures)
    with tempfile.TemporaryDirectory() as scratch:
        figures += demo_figures(Path(scratch))
    _write(figures)
    print_table(figures)
    return 1 if any(figure.holds is False for figure in figures) else 0


def _write(figures: list[Figure]) -> None:
    """What is measured so far: a run takes long, and a later part of it may fail."""
    RESULTS.parent.mkdir(exist_ok=True)
    machine = {
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
    rows = [{**asdict(figure), "holds": figure.holds} for figure in figures]
    RESULTS.write_text(json.dumps({**machine, "figures": rows}, indent=2) + "\n")


def print_table(figures: list[Figure]) -> None:
    table = Table("stack", "figure", "value", "target", "holds")
    words = {True: "yes", False: "[bold red]NO[/]", None: ""}
    for figure in figures:
        table.add_row(
            figure.stack, figure.name, f"{figure.value:.2f}", figure.bound, words[figure.holds]
        )
    Console().print(table)


if __name__ == "__main__":
    sys.exit(main())
