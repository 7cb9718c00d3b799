"""Fits for a person to read."""

from __future__ import annotations

from collections.abc import Sequence

from aistack.fit.report import Fit, How, Verdict
from cli.console import new_console, new_table


def show_fits(fits: Sequence[Fit], *, search: bool) -> None:
    """Of a search the layouts alone."""
    console = new_console()
    if not fits:
        no_job = "the stack has no job whose memory could be known beforehand"
        console.print("no layout on these machines holds the job" if search else no_job)
        return
    table = new_table("job", "model", "on", "GiB", "of", "fits", "by", "a step", "layout")
    for it in fits:
        on = f"{it.accelerators} x {it.accelerator}"
        on += "" if it.slices is None else f", {_slices(it.slices)}"
        used = "unknown" if it.used_gib is None else f"{it.used_gib:.1f}"
        words = (it.job, it.model, on, used, f"{it.memory_gib:g}", it.verdict.value)
        table.add_row(*words, it.how.value, _step(it), it.layout)
    console.print(table)
    if not search:
        for line in dict.fromkeys(line for it in fits for line in lines_of(it)):
            console.print(line)
    for source in dict.fromkeys(source for it in fits for source in it.sources):
        console.print(f"source: {source}")


def lines_of(fit: Fit) -> list[str]:
    where = fit.job if fit.slices is None else f"{fit.job}, {_slices(fit.slices)}"
    lines: list[str] = []
    if fit.parts:
        parts = ", ".join(f"{it:.1f} GiB {what}" for what, it in fit.parts.items())
        least = "" if fit.how is How.ESTIMATE else " by arithmetic"
        lines.append(f"{where}: at least{least} {parts}")
    if fit.verdict is Verdict.MAYBE and fit.how is How.ESTIMATE:
        compiled = f"; {fit.compiled_before}" if fit.compiled_before else ""
        lines.append(f"{where}: a lower bound alone, so it may not fit{compiled}")
    if fit.nearest is not None:
        lines.append(f"{where}: does not fit; nearest: {fit.nearest}")
    if fit.tflops is not None:
        lines.append(f"{where}: {fit.tflops:,.0f} TFLOPs a step")
    if fit.storage is not None:
        lines.append(f"{where}: {fit.storage.sentence}")
        if fit.storage.is_too_slow:
            lines.append(f"{where}: the storage is not done before the next checkpoint")
    if fit.note is not None:
        lines.append(f"{where}: {fit.note}")
    return lines


def _slices(count: int) -> str:
    return "1 slice" if count == 1 else f"{count} slices"


def _step(fit: Fit) -> str:
    if fit.step_seconds is None:
        return "unknown"
    return f"{fit.step_seconds:.2f} s at {fit.utilisation:.0%}"
