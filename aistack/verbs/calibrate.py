from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from aistack.options import JsonOption
from cli.output_file import require_own
from cli.progress import told


def calibrate(
    event_log: Annotated[
        list[Path],
        typer.Option(
            help="What `PULUMI_DEBUG_COMMANDS=true pulumi up --event-log FILE` wrote; may be given "
            "several times."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Write the table here; the sandbox and review take durations.yaml."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a table of durations of your own runs, for the sandbox and review."""
    from aistack.calibration import HEAD, Runs, figures, own_table, show
    from aistack.tables import print_json

    require_own("--out", out, HEAD)
    runs = Runs()
    with told("reading your runs"):
        for file in event_log:
            runs.read(file)
        found = figures(runs)
        text = own_table(found, runs.sources, datetime.now(UTC).date())
    if out is not None:
        out.write_text(text, encoding="utf-8")
    if as_json:
        left_out = {"failed": runs.failed, "unfinished": runs.unfinished}
        said = {"figures": [asdict(it) for it in found], "sources": runs.sources, "text": text}
        print_json({**said, **left_out})
    else:
        show(found, runs, out)
