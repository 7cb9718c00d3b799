"""A table of the user's own durations, to a person."""

from __future__ import annotations

from pathlib import Path

from aistack.calibration.own_table import OwnTable
from catalog.durations import OWN
from cli.console import new_console, new_table
from cli.project import PROJECT_FOLDER


def show(found: OwnTable, out: Path | None) -> None:
    table = new_table(
        "type", "of", "operation", "times", "shortest", "likely", "longest", "shipped"
    )
    for it in found.figures:
        said = it.seconds
        numbers = (said.low, said.likely, said.high, it.shipped)
        words = (it.type, it.value, it.operation, str(it.count))
        most = "<= " if said.ours else ""
        table.add_row(
            *words, *(f"{most}{number:g} s" for number in numbers[:3]), f"{it.shipped:g} s"
        )
    console = new_console()
    console.print(table)
    for name, what in found.sources.items():
        console.print(f"{name}: {what}")
    left = {"failed": found.failed, "not ended": found.unfinished, "not known": found.unknown}
    if any(left.values()):
        said = ", ".join(f"{count} {why}" for why, count in left.items() if count)
        console.print(f"left out: {said}")
    if out is None:
        console.print(f"nothing is written; with --out {OWN} the sandbox and review take it")
    elif out.resolve() == PROJECT_FOLDER / OWN:
        console.print(f"written to {out}, which the sandbox and review take")
    else:
        console.print(f"written to {out}; as {OWN} beside Pulumi.yaml they take it")
