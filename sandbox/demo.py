"""`make demo`: what a newcomer sees first, in five acts, each the command that it shows."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from cli.console import new_console
from cli.lines import say
from cli.next_steps import command, this_program
from cli.progress import told
from cli.urns import name_of
from sandbox.engine import Verb
from sandbox.faults import Faults
from sandbox.of_stacks.first_step_words import minutes
from sandbox.report import print_failure
from sandbox.run import print_cost, run
from sandbox.run_result import RunResult
from sandbox.workspace import Workspace
from stacks.commands import aistack

# Simulated seconds a second.
SPEED = 900.0
# Steps that take no longer are not worth a line.
_SHORT_S = 60.0
_MOST_LINES = 25
# Its words are those of aistack, which this package does not import.
WHY = ("why", "--snapshot", "collective-timeout")
# What `aistack why` exits with where it has found what ended the job.
FOUND = 4


@dataclass(frozen=True)
class Act:
    """`ends_well` is whether the command is to succeed."""

    title: str
    verb: Verb
    stack: str
    overrides: tuple[str, ...] = ()
    rules: tuple[dict[str, Any], ...] = ()
    ends_well: bool = False

    def shown(self, root: Path) -> str:
        fault = ("--fault", shlex.quote(str(_file_of(root)))) if self.rules else ()
        return command(self.verb, self.stack, root, overrides=self.overrides, options=fault)


ACTS = (
    Act(
        "a wrong config: every mistake at once, each with the nearest that works",
        "preview",
        "b200-lustre",
        (
            *("pools.gpu.machine_type=a4-highgpu-4g", "gcp:zone=us-east1-a"),
            *("lustre.capacity_gib=10000", "ray.ray-a4-gpu-spot.head.requests.cpu=lots"),
        ),
    ),
    Act(
        "64 B200s, RDMA and Lustre: the real Pulumi engine on a simulated cloud",
        "up",
        "b200-lustre",
        ends_well=True,
    ),
    Act(
        "a change that would lose data and stop work is refused, with the words that agree to it",
        "preview",
        "b200-lustre",
        (
            *("deletion_protection=true", "lustre.throughput_mbps_per_tib=500"),
            "lustre.capacity_gib=18000",
        ),
    ),
    Act(
        "Google has no more machines: what came, what it costs, and where there are some",
        "up",
        "kueue-mixed",
        rules=(
            {
                "kind": "stockout",
                "machine_type": "g2-standard-24",
                "zone": "us-central1-a",
                "machines": 1,
            },
        ),
    ),
)

_LAST = len(ACTS) + 1


def demo(root: Path) -> bool:
    """Leave both stacks as the acts leave them; False where an act does not end as it is told.

    The folder is the demo's own: what is in it goes first.
    """
    shutil.rmtree(root, ignore_errors=True)
    for number, act in enumerate(ACTS, start=1):
        _head(number, act.title)
        say(f"$ {act.shown(root)}", "")
        result = _played(act, Workspace(root, act.stack))
        if result.ok != act.ends_well:
            say(f"act {number} of the demo did not end as it should")
            return False
    _head(_LAST, "a job has failed on a real control plane: why, from a snapshot of it")
    if not explained():
        say(f"act {_LAST} of the demo did not end as it should")
        return False
    console = new_console()
    console.print()
    console.print("=== what is up now, and how it goes away", style="bold")
    say(*(command(verb, "b200-lustre", root) for verb in ("status", "destroy")))
    say(command("destroy", "kueue-mixed", root))
    return True


def _played(act: Act, workspace: Workspace) -> RunResult:
    file = None
    if act.rules:
        file = _file_of(workspace.root)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump({"rules": list(act.rules)}), encoding="utf-8")
    faults = Faults.load(file)
    with told(f"{act.verb} of {act.stack}"):
        result = run(workspace, act.verb, SPEED, list(act.overrides), faults, tell=_nobody)
    if result.ok:
        _print_parts(result)
    else:
        print_failure(result)
    if act.verb == "up":
        print_cost(result, workspace)
    return result


def _head(number: int, title: str) -> None:
    console = new_console()
    console.print()
    console.print(f"=== {number} of {_LAST}: {title}", style="bold")


def explained() -> bool:
    """Whether `aistack why` has found what ended the job of a snapshot."""
    say(f"$ {shlex.join([aistack(), *WHY])}", "")
    done = subprocess.run([*this_program(), *WHY], check=False)
    return done.returncode == FOUND


def _nobody(_: str) -> None:
    """The engine's own lines are for a run of one's own."""


def _print_parts(result: RunResult) -> None:
    """What took over a minute, and all of it."""
    long = [it for it in result.steps if it.seconds > _SHORT_S]
    for step in long[:_MOST_LINES]:
        say(f"  {minutes(step.seconds):>10}  {step.operation} {name_of(step.urn)}")
    say(
        f"{result.report.changes.get('create', 0)} resources in {minutes(result.makespan_s)} of "
        f"cloud time, {minutes(result.sequential_s)} one after the other; {result.wall_s:.1f} s "
        "here"
    )


def _file_of(root: Path) -> Path:
    return root / "demo-stockout.yaml"
