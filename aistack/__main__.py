"""Work on a stack: what runs, what waits and why, and how it is stopped."""

from __future__ import annotations

import sys

import typer

from aistack.exit_codes import ExitCode
from aistack.offered import forget
from aistack.verbs.calibrate import calibrate
from aistack.verbs.cancel import cancel
from aistack.verbs.checkpoints import checkpoints
from aistack.verbs.dashboard import dashboard
from aistack.verbs.events import events
from aistack.verbs.fit import fit
from aistack.verbs.jobs import jobs
from aistack.verbs.logs import logs
from aistack.verbs.shell import shell
from aistack.verbs.status import status
from aistack.verbs.submit import SubmitCommand, submit
from aistack.verbs.tunnel import tunnel
from aistack.verbs.wait import wait
from aistack.verbs.why import why
from aistack.verbs.work import work
from cli.app import run_app

app = typer.Typer(
    name="aistack",
    add_completion=False,
    no_args_is_help=True,
    help=f"{__doc__}\n\nExit codes: {'; '.join(f'{it.value} {it.meaning}' for it in ExitCode)}.",
    rich_markup_mode=None,
)


@app.callback()
def each(context: typer.Context) -> None:
    context.call_on_close(forget)


app.command(
    cls=SubmitCommand, epilog="Example: aistack submit train.py --stack lab --ray lab --wait"
)(submit)
app.command(epilog="Example: aistack jobs --stack lab --json")(jobs)
app.command(epilog="Example: aistack logs classifier --follow --stack lab")(logs)
app.command(epilog="Example: aistack why finetune-gemma-l4 --stack kueue-mixed")(why)
app.command(epilog="Example: aistack events classifier --stack lab")(events)
app.command(epilog="Example: aistack cancel classifier --stack lab")(cancel)
app.command(epilog="Example: aistack status --stack lab --json")(status)
app.command(epilog="Example: aistack work --stack lab")(work)
app.command(epilog="Example: aistack wait classifier --stack lab")(wait)
app.command(epilog="Example: aistack shell classifier --rank head --stack lab -- ray status")(shell)
app.command(epilog="Example: aistack tunnel chat:8000 --stack serve-autopilot")(tunnel)
app.command(epilog="Example: aistack dashboard --stack dev")(dashboard)
app.command(epilog="Example: aistack checkpoints classifier --stack lab")(checkpoints)
app.command(epilog="Example: aistack calibrate --event-log up.json --out durations.yaml")(calibrate)
app.command(epilog="Example: aistack fit --stack tpu-multislice --search --estimate")(fit)


def main() -> int:
    return run_app(app)


if __name__ == "__main__":
    sys.exit(main())
