"""Work on a stack: what runs, what waits, and why."""

from __future__ import annotations

import sys

import typer

from aistack.exit_codes import ExitCode
from aistack.verbs.events import events
from aistack.verbs.jobs import jobs
from aistack.verbs.why import why
from sandbox.command_line import run_app

app = typer.Typer(
    name="aistack",
    add_completion=False,
    no_args_is_help=True,
    help=f"{__doc__}\n\nExit codes: {'; '.join(f'{it.value} {it.meaning}' for it in ExitCode)}.",
    rich_markup_mode=None,
)
app.command(epilog="Example: aistack jobs --stack lab --json")(jobs)
app.command(epilog="Example: aistack why finetune-gemma-l4 --stack kueue-mixed")(why)
app.command(epilog="Example: aistack events nccl-test --stack lab")(events)


def main() -> int:
    return run_app(app)


if __name__ == "__main__":
    sys.exit(main())
