from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from aistack.errors import VerbError
from aistack.exit_codes import ExitCode
from aistack.options import JsonOption, StackOption
from aistack.progress import told


def calibrate(
    event_log: Annotated[
        list[Path] | None,
        typer.Option(
            help="What `PULUMI_DEBUG_COMMANDS=true pulumi up --event-log FILE` wrote; may be given "
            "several times."
        ),
    ] = None,
    from_state: Annotated[
        bool,
        typer.Option(
            "--from-state", help="Upper bounds, from when the state's resources were made."
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the table here; the sandbox and review take durations.yaml."),
    ] = None,
    stack: StackOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a table of durations of your own runs, for the sandbox and review."""
    from aistack.calibration.own_table import own_table
    from aistack.calibration.show import show
    from aistack.tables import print_json

    if not event_log and not from_state:
        raise VerbError(
            "--event-log or --from-state: say of what; nearest: --event-log FILE of an `up`",
            ExitCode.USAGE,
        )
    with told("reading your runs"):
        found = own_table(event_log or (), stack, datetime.now(UTC).date(), from_state=from_state)
    if out is not None:
        out.write_text(found.text, encoding="utf-8")
    if as_json:
        print_json({**asdict(found), "figures": [it.to_json() for it in found.figures]})
    else:
        show(found, out)
