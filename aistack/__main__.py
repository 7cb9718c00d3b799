"""AI infrastructure on Google Cloud: try a stack, work on it, and see why a job does not run."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from aistack.command_line import HANDED_OVER, Sections, handed_over, own_version
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
from aistack.verbs.snapshot import snapshot
from aistack.verbs.status import status
from aistack.verbs.submit import SubmitCommand, submit
from aistack.verbs.tunnel import tunnel
from aistack.verbs.wait import wait
from aistack.verbs.why import why
from aistack.verbs.work import work
from cli.app import run_app
from cli.lines import say
from stacks.commands import aistack


def _example(words: str) -> str:
    return f"Example: {aistack()} {words}"


app = typer.Typer(
    name="aistack",
    cls=Sections,
    no_args_is_help=True,
    help=__doc__,
    epilog=f"{aistack()} VERB --help says more. Exit codes: docs/aistack.md.",
    rich_markup_mode=None,
)


def _show_version(asked: bool) -> None:
    if asked:
        say(own_version())
        raise typer.Exit


@app.callback()
def each(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    context.call_on_close(forget)


app.command(cls=SubmitCommand, epilog=_example("submit train.py --stack lab --ray lab --wait"))(
    submit
)
app.command(epilog=_example("jobs --stack lab --json"))(jobs)
app.command(epilog=_example("logs classifier --follow --stack lab"))(logs)
app.command(epilog=_example("why finetune-gemma-l4 --stack kueue-mixed"))(why)
app.command(epilog=_example("snapshot classifier --out why.json --stack lab"))(snapshot)
app.command(epilog=_example("events classifier --stack lab"))(events)
app.command(epilog=_example("cancel classifier --stack lab"))(cancel)
app.command(epilog=_example("status --stack lab --json"))(status)
app.command(epilog=_example("work --stack lab"))(work)
app.command(epilog=_example("wait classifier --stack lab"))(wait)
app.command(epilog=_example("shell classifier --rank head --stack lab -- ray status"))(shell)
app.command(epilog=_example("tunnel chat:8000 --stack serve-autopilot"))(tunnel)
app.command(epilog=_example("dashboard --stack dev"))(dashboard)
app.command(epilog=_example("checkpoints classifier --stack lab"))(checkpoints)
app.command(epilog=_example("calibrate --event-log up.json --out durations.yaml"))(calibrate)
app.command(epilog=_example("fit --stack tpu-multislice --search --estimate"))(fit)


# What belongs to Pulumi, and to the sandbox beside it.
_OF_PULUMI = ("up", "preview", "destroy", "refresh", "import")


def main() -> int:
    code = handed_over()
    meant = {it: it for it in HANDED_OVER} | {it: f"sandbox {it}" for it in _OF_PULUMI}
    return run_app(app, meant, aistack()) if code is None else code


if __name__ == "__main__":
    sys.exit(main())
