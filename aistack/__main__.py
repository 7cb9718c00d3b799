"""Work on a stack: what runs, what waits, and why."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aistack.exit_codes import ExitCode
from aistack.progress import told
from sandbox.command_line import run_app

if TYPE_CHECKING:
    from aistack.cluster import Cluster
    from aistack.stack import Stack

app = typer.Typer(
    name="aistack",
    add_completion=False,
    no_args_is_help=True,
    help=f"{__doc__}\n\nExit codes: {'; '.join(f'{it.value} {it.meaning}' for it in ExitCode)}.",
    rich_markup_mode=None,
)

StackOption = Annotated[
    str | None,
    typer.Option("--stack", "-s", help="The stack; by default the one that Pulumi has selected."),
]
SandboxOption = Annotated[
    Path | None,
    typer.Option(
        "--sandbox",
        envvar="AISTACK_SANDBOX",
        help="The sandbox's folder, for a stack that is up there with --kube real.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
NameArgument = Annotated[str, typer.Argument(help="[NAMESPACE/][KIND/]NAME of a job.")]


@app.command(epilog="Example: aistack jobs --stack lab --json")
def jobs(
    stack: StackOption = None, sandbox: SandboxOption = None, as_json: JsonOption = False
) -> None:
    """List the jobs of every team that you may see, the newest first."""
    from aistack.listing import list_jobs
    from aistack.tables import job_json, print_json, show_jobs

    with told("reading jobs"):
        here, cluster = _opened(stack, sandbox)
        found = list_jobs(cluster, here.namespaces)
    if as_json:
        print_json({"jobs": [job_json(it) for it in found.jobs], "hidden": found.hidden})
    else:
        show_jobs(found, datetime.now(UTC))


@app.command(epilog="Example: aistack events nccl-test --stack lab")
def events(
    name: NameArgument,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what was said of a job, its pods and its place in the queue, the oldest first."""
    from aistack.events import events_of, workload_of
    from aistack.find import find_job
    from aistack.members import members_of
    from aistack.tables import print_json, show_events

    with told("reading events"):
        here, cluster = _opened(stack, sandbox)
        job = find_job(cluster, here.namespaces, name)
        workload = workload_of(cluster, job)
        found = events_of(cluster, job, members_of(cluster, job), workload)
    if as_json:
        print_json({"events": [asdict(it) for it in found]})
    else:
        show_events(found, datetime.now(UTC))


@app.command(epilog="Example: aistack why finetune-gemma-l4 --stack kueue-mixed")
def why(
    name: NameArgument,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what is in a job's way, in a sentence, and what to do about it."""
    from aistack.find import find_job
    from aistack.tables import job_json, print_json, show_verdict
    from aistack.why.look import look
    from aistack.why.verdict import verdict

    with told("looking at the job, its pods and its queue"):
        here, cluster = _opened(stack, sandbox)
        found = find_job(cluster, here.namespaces, name)
        said = verdict(look(cluster, found))
    if as_json:
        print_json({"job": job_json(found.job), **asdict(said)})
    else:
        show_verdict(found.job, said)
    if said.reason is not None:
        raise typer.Exit(ExitCode.IN_THE_WAY)


def _opened(name: str | None, sandbox: Path | None) -> tuple[Stack, Cluster]:
    # The client costs most of a second to import: `--help` does without.
    from aistack.cluster import Cluster
    from aistack.sandbox_stack import sandbox_stack
    from aistack.stack import selected_stack

    stack = selected_stack(name) if sandbox is None else sandbox_stack(sandbox, name)
    return stack, Cluster.of(stack)


def main() -> int:
    return run_app(app)


if __name__ == "__main__":
    sys.exit(main())
