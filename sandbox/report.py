"""The summary after a run, for a person to read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from sandbox.console import new_console, new_table
from sandbox.durations import OWN
from sandbox.first_step import Course
from sandbox.first_step_words import better, minutes, usd
from sandbox.kube_mode import KubeMode
from sandbox.next_steps import command
from sandbox.run_result import RunResult
from sandbox.urns import name_of

SHOWN_STEPS = 12
_COMMANDS = re.compile(r"^ +pulumi (destroy|up)\b(.*)$", re.MULTILINE)
_TARGETS = re.compile(r"--target '([^']*)'")


def print_report(
    result: RunResult, root: Path, overrides: Sequence[str] = (), kube: KubeMode = KubeMode.auto
) -> None:
    """`root`, `overrides` and `kube` are what the command was given, for the next ones."""
    console = new_console()
    console.print()
    if not result.ok:
        console.print(f"[bold red]{result.operation} of {result.stack} failed[/]")
        for message in result.report.diagnostics:
            console.print(f"  {message}", markup=False, soft_wrap=True)
        _print_here(console, result, root, overrides, kube)
        if result.operation == "destroy" and _is_protected(result):
            _print_protected(console, result, root, overrides)
        return
    console.print(f"[bold green]{result.operation} of {result.stack} succeeded[/]")
    if result.operation in ("up", "destroy"):
        _print_resources(console, result)
    if result.outputs and result.operation == "up":
        _print_outputs(console, result.outputs)
    _print_times(console, result)
    _print_courses(console, result.courses)
    _print_next(console, result, root, overrides, kube)


def _print_resources(console: Console, result: RunResult) -> None:
    table = new_table("in the simulated cloud", "count")
    for kind, count in sorted(kinds(result.cloud).items()):
        table.add_row(kind, str(count))
    if table.row_count:
        console.print(table)
    elif result.operation == "destroy":
        console.print("nothing is left in the simulated cloud")


def _print_outputs(console: Console, outputs: dict[str, Any]) -> None:
    console.print("[bold]outputs[/]")
    for name, value in outputs.items():
        shown = "[secret]" if _is_secret(value) else str(value)
        # Unbroken, so that commands can be copied.
        console.print(f"  {name}: {shown}", markup=False, soft_wrap=True)


def _print_times(console: Console, result: RunResult) -> None:
    if not result.sequential_s:
        console.print(f"{minutes(0)} of cloud time; {result.wall_s:.1f} s here")
        return
    if result.operation == "preview":
        console.print(
            f"`up` would take about {_about(result)} of cloud time; "
            f"{minutes(result.sequential_s)} one after the other"
        )
    else:
        over = result.makespan_s / result.critical.seconds
        console.print(
            f"simulated time {_about(result)}: {over:.2f} x its critical path "
            f"({minutes(result.critical.seconds)}), and {minutes(result.sequential_s)} "
            f"one after the other ({result.sequential_s / result.makespan_s:.1f} x); "
            f"{result.wall_s:.1f} s here"
        )
    if result.own_durations:
        console.print(f"times are those of {OWN}, where it has them", markup=False)
    table = new_table("critical path", "time")
    for step in result.critical.steps[:SHOWN_STEPS]:
        table.add_row(f"{step.operation} {name_of(step.urn)}", minutes(step.seconds))
    hidden = len(result.critical.steps) - SHOWN_STEPS
    if hidden > 0:
        table.add_row(f"and {hidden} more", "")
    console.print(table)


def _print_courses(console: Console, courses: Sequence[Course]) -> None:
    if not courses:
        return
    table = new_table("pools", "first step after", "accelerator-minutes paid before it", "USD")
    for it in courses:
        when = f"{it.when} (this config)" if it.chosen else it.when
        table.add_row(when, minutes(it.seconds), f"{it.accelerator_minutes:,.0f}", usd(it.usd))
    console.print(table)
    console.print(better(courses), markup=False, soft_wrap=True)


def _print_next(
    console: Console, result: RunResult, root: Path, overrides: Sequence[str], kube: KubeMode
) -> None:
    if result.operation not in ("preview", "up"):
        return
    stack = result.stack
    preview = command("preview", stack, root, overrides=overrides)
    rows = {
        "look": command("status", stack, root),
        "change": f"edit Pulumi.{stack}.yaml, then {preview}",
        "bring up": command("up", stack, root, overrides=overrides, kube=kube),
        "destroy": command("destroy", stack, root),
    }
    del rows["bring up" if result.operation == "up" else "destroy"]
    console.print("[bold]next[/]")
    for what, how in rows.items():
        console.print(f"  {what:9} {how}", markup=False, soft_wrap=True)


def _print_here(
    console: Console, result: RunResult, root: Path, overrides: Sequence[str], kube: KubeMode
) -> None:
    """The commands of Pulumi that the program names, as they are here."""
    named = _COMMANDS.findall("\n".join(result.report.diagnostics))
    if named:
        console.print("on the sandbox:", markup=False)
    for verb, options in dict.fromkeys(named):
        up = {"overrides": overrides, "kube": kube} if verb == "up" else {}
        line = command(verb, result.stack, root, **up, targets=_TARGETS.findall(options))
        console.print(f"  {line}", markup=False, soft_wrap=True)


def _is_protected(result: RunResult) -> bool:
    # The engine's words: "cannot be deleted", "because it is protected" and the like.
    return any("protect" in message for message in result.report.diagnostics)


def _print_protected(
    console: Console, result: RunResult, root: Path, overrides: Sequence[str]
) -> None:
    """What to do, for the engine says it for one resource after the other, and by its state."""
    off = [*overrides, "deletion_protection=false"]
    up = command("up", result.stack, root, overrides=off)
    gone = result.report.changes.get("delete", 0)
    what = f"{gone} resources without protection are gone" if gone else "nothing was deleted"
    console.print(f"the stack is protected: {what}. Take the protection off first:", markup=False)
    for line in (up, command("destroy", result.stack, root)):
        console.print(f"  {line}", markup=False, soft_wrap=True)


def kinds(cloud: dict[str, list[str]]) -> Counter[str]:
    """Counts by short kind: `container.NodePool`."""
    counts: Counter[str] = Counter()
    for token, ids in cloud.items():
        module, _, kind = token.removeprefix("gcp:").rpartition(":")
        counts[f"{module.split('/')[0]}.{kind}"] += len(ids)
    return counts


def _is_secret(value: Any) -> bool:
    # The engine's signature of an encrypted value in an exported state.
    return isinstance(value, dict) and "ciphertext" in value


def _about(result: RunResult) -> str:
    """The likely time, and between what and what it may be."""
    low, high = minutes(result.bounds.low), minutes(result.bounds.high)
    if low.endswith("min") and high.endswith("min"):
        low = low.removesuffix(" min")
    return f"{minutes(result.makespan_s)} ({low} to {high})"
