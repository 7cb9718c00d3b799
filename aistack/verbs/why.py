from dataclasses import asdict
from typing import Annotated

import typer

from aistack.exit_codes import ExitCode
from aistack.offered import given
from aistack.options import JsonOption, SandboxOption, StackOption, opened
from aistack.snapshot_names import snapshot_names
from cli.app import MistypedError
from cli.lines import say_aside
from cli.progress import told
from stacks.commands import aistack


def why(
    name: Annotated[
        str | None, typer.Argument(help="[NAMESPACE/][KIND/]NAME of a job; none with --snapshot.")
    ] = None,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    snapshot: Annotated[
        str | None,
        typer.Option(
            autocompletion=lambda: snapshot_names(),
            help="A file of `snapshot`, looked at in place of a cluster, or the name of "
            "one that comes along, such as quota-full.",
            metavar="FILE",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what is in a job's way, in a sentence, and what to do about it."""
    from aistack.find import find_job
    from aistack.tables import job_json, print_json, show_verdict
    from aistack.why.look import look
    from aistack.why.saved import judged, read
    from aistack.why.verdict import verdict

    if (name is None) == (snapshot is None):
        raise MistypedError(f"NAME: one of it and --snapshot; nearest: `{aistack()} why NAME`")
    if snapshot is not None:
        # No file says what its stack is called where the cluster is.
        given(stack or "STACK", sandbox)
        seen, said = judged(read(snapshot), snapshot)
        job = seen.job
        say_aside(f"as it was at {seen.now:%Y-%m-%d %H:%M} UTC")
        if said.reason is not None and "`" in said.reason.advice:
            name = "" if stack else ", with the stack's name as STACK"
            say_aside(f"its commands are for where that cluster is{name}")
    else:
        with told("looking at the job, its pods and its queue"):
            here, cluster = opened(stack, sandbox)
            found = find_job(cluster, here.namespaces, name or "")
            job, said = found.job, verdict(look(cluster, found))
    if as_json:
        print_json({"job": job_json(job), **asdict(said)})
    else:
        show_verdict(job, said)
    if said.reason is not None:
        raise typer.Exit(ExitCode.IN_THE_WAY)
