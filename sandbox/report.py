"""The summary after a run, for a person to read."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from catalog.durations import OWN
from cli.console import new_console, new_table
from cli.kube_mode import KubeMode
from cli.next_steps import command
from cli.overrides import path_of
from cli.urns import name_of
from sandbox.imports import ALWAYS
from sandbox.of_stacks.first_step import Course
from sandbox.of_stacks.first_step_words import better, minutes, usd
from sandbox.providers.operations import OPERATIONS_AT_ONCE
from sandbox.run_result import RunResult
from stacks.refusal import off_first
from stacks.tried import is_within
from stacks.two_runs import back_on

SHOWN_STEPS = 12
_OFF = "deletion_protection=false"
# What does not come next, by verb, whether it succeeded, and whether the stack has anything.
_OTHER_ROWS = {
    ("preview", True, False): ("go on", "destroy"),
    ("preview", True, True): ("go on", "destroy"),
    ("preview", False, False): ("look", "go on", "bring up", "destroy"),
    ("preview", False, True): ("go on", "bring up", "destroy"),
    ("up", True, False): ("go on", "bring up"),
    ("up", True, True): ("go on", "bring up"),
    ("up", False, False): ("look", "bring up", "destroy"),
    ("up", False, True): ("bring up",),
}
# Of a refusal: a verb, its options, and when it is needed.
_COMMANDS = re.compile(
    r"^ +(?:nearest: )?pulumi (destroy|up|state untaint|import)\b([^,\n]*)", re.MULTILINE
)
# Of a line of a refusal: the path that `--set` takes.
_REFUSED_FIELD = re.compile(r"^ *((?:stack\.|gcp:)[\w.\[\]\"-]+): ", re.MULTILINE)
# pulumi/pulumi pkg/resource/deploy/step_generator.go, v3.256.0.
_HOOK = "Resource has delete hooks registered"
_UNTAINT = "state untaint"
_IMPORT = "import"


def print_report(
    result: RunResult,
    root: Path,
    overrides: Sequence[str] = (),
    kube: KubeMode = KubeMode.auto,
    *,
    protected: bool = False,
) -> None:
    """`root`, `overrides` and `kube` are what the command was given, for the next ones; a stack
    that is `protected` is not destroyed at once."""
    console = new_console()
    console.print()
    if not result.ok:
        protected_destroy = result.operation == "destroy" and _is_protected(result)
        print_failure(result, hooks=not protected_destroy)
        said = "\n".join([*result.report.diagnostics, *result.failure])
        if _COMMANDS.search(said):
            _print_here(console, said, result.stack, root, overrides, kube)
        elif protected_destroy:
            _print_protected(console, result, root, overrides)
        else:
            accepted = _accepted(result, overrides)
            _print_next(console, result, root, accepted, kube, protected)
        if result.report.failed:
            _print_lines(console, [f"warning: {it}" for it in result.report.warnings])
        return
    print_result(console, result)
    _print_next(console, result, root, overrides, kube, protected)


def print_result(console: Console, result: RunResult) -> None:
    """What a run that succeeded did, and how long it took."""
    console.print(f"{result.operation} of {result.stack} succeeded", style="bold green")
    _print_lines(console, [f"warning: {it}" for it in result.report.diagnostics])
    if result.operation in ("up", "destroy"):
        _print_resources(console, result)
    if result.outputs and result.operation == "up":
        _print_outputs(console, result.outputs)
    _print_times(console, result)
    _print_courses(console, result.courses)
    _print_lines(console, result.unknown.lines)


def print_failure(result: RunResult, *, hooks: bool = True) -> None:
    """What went wrong, and what works; with `hooks` what the engine says of those that protect."""
    console = new_console()
    console.print(f"{result.operation} of {result.stack} failed", style="bold red")
    lines = result.failure or result.report.errors
    _print_lines(console, lines if hooks else _without_hooks(lines))


def _without_hooks(lines: Sequence[str]) -> list[str]:
    """Without what the engine says of each resource that a hook protects, and what goes with it."""
    kept: list[str] = []
    is_of_hook = False
    for line in lines:
        is_of_hook = _HOOK in line or (is_of_hook and line.startswith(" "))
        if not is_of_hook:
            kept.append(line)
    return kept


def _accepted(result: RunResult, overrides: Sequence[str]) -> list[str]:
    """Without those values that are refused: by the same again nothing comes out. What an `up` has
    begun goes on with all."""
    if result.operation != "preview" and result.steps:
        return list(overrides)
    said = "\n".join([*result.report.diagnostics, *result.failure])
    fields = [path_of(f"{it}=") for it in _REFUSED_FIELD.findall(said)]

    def is_refused(override: str) -> bool:
        path = path_of(override)
        return any(is_within(path, it) or is_within(it, path) for it in fields)

    return [it for it in overrides if not is_refused(it)]


def _print_lines(console: Console, lines: Sequence[str]) -> None:
    for one in lines:
        for line in one.splitlines():
            console.print(f"  {line}", soft_wrap=True)


def _print_resources(console: Console, result: RunResult) -> None:
    """The stack's own: other stacks have theirs in the same folder."""
    table = new_table(f"{result.stack} in the simulated cloud", "count")
    for kind, count in sorted(kinds(result.own).items()):
        table.add_row(kind, str(count))
    if table.row_count:
        console.print(table)
    elif result.operation == "destroy":
        gone = result.report.changes.get("delete", 0)
        said = "is left in the simulated cloud" if gone else "was up, so nothing was deleted"
        console.print(f"nothing of {result.stack} {said}")


def _print_outputs(console: Console, outputs: dict[str, Any]) -> None:
    console.print("outputs", style="bold")
    for name, value in outputs.items():
        shown = "[secret]" if _is_secret(value) else str(value)
        # Unbroken, so that commands can be copied.
        console.print(f"  {name}: {shown}", soft_wrap=True)


def _print_times(console: Console, result: RunResult) -> None:
    if not result.sequential_s:
        console.print(f"{minutes(0)} of cloud time; {result.wall_s:.1f} s here")
        return
    if not result.critical.steps:
        console.print(f"{minutes(result.sequential_s)} of cloud time, one after the other")
        return
    if result.operation == "preview":
        console.print(
            f"`up` would take about {_about(result)} of cloud time; "
            f"{minutes(result.sequential_s)} one after the other"
        )
    else:
        console.print(f"simulated time {_about(result)}, in {result.wall_s:.1f} s here")
        waited = round(result.makespan_s) - round(result.critical.seconds)
        if waited > 0:
            console.print(
                f"{minutes(waited)} longer than the critical path: a cluster takes "
                f"{OPERATIONS_AT_ONCE} operations at once,\n"
                "  and objects are looked at until they are ready"
            )
        console.print(f"{minutes(result.sequential_s)} one after the other")
    if result.own_durations:
        console.print(f"times are those of {OWN}, where it has them")
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
    table = new_table("pools", "first step after", "accelerator-minutes", "USD")
    for it in courses:
        when = f"{it.when} (this config)" if it.chosen else it.when
        table.add_row(when, minutes(it.seconds), f"{it.accelerator_minutes:,.0f}", usd(it.usd))
    console.print(table)
    console.print(better(courses), soft_wrap=True)


def _print_next(
    console: Console,
    result: RunResult,
    root: Path,
    overrides: Sequence[str],
    kube: KubeMode,
    protected: bool,
) -> None:
    if result.operation not in ("preview", "up"):
        return
    stack = result.stack
    preview = command("preview", stack, root, overrides=overrides)
    up = command("up", stack, root, overrides=overrides, kube=kube)
    rows = {
        "look": command("status", stack, root),
        "change": f"edit Pulumi.{stack}.yaml, then {preview}",
        "go on": up,
        "bring up": up,
        "destroy": " && ".join(_destroy(stack, root, overrides, protected=protected)),
    }
    for each in _OTHER_ROWS[result.operation, result.ok, bool(result.own)]:
        del rows[each]
    console.print("next", style="bold")
    for what, how in rows.items():
        console.print(f"  {what:9} {how}", soft_wrap=True)


def _print_here(
    console: Console,
    said: str,
    stack: str,
    root: Path,
    overrides: Sequence[str],
    kube: KubeMode,
) -> None:
    """The commands of Pulumi that the program names, as they are here: each line can be pasted, one
    after the other."""
    console.print("on the sandbox:")
    for line in _here(said, stack, root, overrides, kube):
        console.print(f"  {line}", soft_wrap=True)


def _here(
    said: str, stack: str, root: Path, overrides: Sequence[str], kube: KubeMode
) -> Iterator[str]:
    """`--set` holds for one command, and a stack's file for all: while the protection is off every
    `up` is told so."""
    goes_first = off_first(stack) in said
    asked = dict.fromkeys(_COMMANDS.findall(said))
    if any(verb == _UNTAINT for verb, _ in asked):
        # No `up` ends before that.
        yield command("untaint", stack, root)
    if goes_first:
        yield f"# with Pulumi.{stack}.yaml as it was at the last up:"
        yield command("up", stack, root, overrides=[_OFF], kube=kube)
        yield f"# with Pulumi.{stack}.yaml as it is now:"
    up_with = _unprotected(overrides) if goes_first else list(overrides)
    for verb, options in (it for it in asked if it[0] != _UNTAINT):
        up = {"overrides": up_with, "kube": kube} if verb == "up" else {}
        words = [it for it in _without_stack(shlex.split(options)) if it not in ALWAYS]
        yield command(verb, stack, root, **up, options=words)
    if any(verb == _IMPORT for verb, _ in asked) or (goes_first and back_on(stack) in said):
        yield command("up", stack, root, overrides=overrides, kube=kube)


def _without_stack(words: Sequence[str]) -> list[str]:
    """A word after `--stack` is the name."""
    before = ["", *words]
    return [it for last, it in zip(before, words, strict=False) if "--stack" not in (last, it)]


def _destroy(
    stack: str, root: Path, overrides: Sequence[str], *, protected: bool
) -> tuple[str, ...]:
    """The commands that delete a stack; of one that is protected the protection goes first."""
    destroy = command("destroy", stack, root)
    if not protected:
        return (destroy,)
    return (command("up", stack, root, overrides=_unprotected(overrides)), destroy)


def _unprotected(overrides: Sequence[str]) -> list[str]:
    of_protection = path_of(_OFF)
    return [*(it for it in overrides if path_of(it) != of_protection), _OFF]


def _is_protected(result: RunResult) -> bool:
    # The engine's words: "cannot be deleted", "because it is protected" and the like.
    return any("protect" in message for message in result.report.diagnostics)


def _print_protected(
    console: Console, result: RunResult, root: Path, overrides: Sequence[str]
) -> None:
    """What to do, for the engine says it for one resource after the other, and by its state."""
    gone = result.report.changes.get("delete", 0)
    what = f"{gone} resources without protection are gone" if gone else "nothing was deleted"
    console.print(f"the stack is protected: {what}. Take the protection off first:")
    for line in _destroy(result.stack, root, overrides, protected=True):
        console.print(f"  {line}", soft_wrap=True)


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
