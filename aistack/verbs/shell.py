from typing import Annotated

import typer

from aistack.errors import VerbError
from aistack.exit_codes import ExitCode
from aistack.options import JsonOption, NameArgument, SandboxOption, StackOption, opened
from cli.progress import told


def shell(
    name: NameArgument,
    command: Annotated[
        list[str] | None, typer.Argument(help="After --; by default a shell.", metavar="COMMAND")
    ] = None,
    rank: Annotated[
        str | None, typer.Option(help="A number, head or launcher; by default head, or 0.")
    ] = None,
    container: Annotated[
        str | None, typer.Option("--container", "-c", help="Another container of the pod.")
    ] = None,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a command in a rank of a job, or a shell; it ends with the command's exit code."""
    from aistack.find import find_job
    from aistack.members import members_of
    from aistack.shell import SHELL, heard, member_for, run
    from aistack.simulated import refuse_simulated
    from aistack.tables import print_json

    if as_json and not command:
        raise VerbError("--json: a shell has no one answer; nearest: COMMAND", ExitCode.USAGE)

    with told("looking for the job's pods"):
        here, cluster = opened(stack, sandbox)
        job = find_job(cluster, here.namespaces, name)
        member = member_for(job, members_of(cluster, job).pods, rank)
        refuse_simulated(cluster, [member.pod], "shell", ("why", name), ("events", name))
    inside = container or member.container
    if as_json and command:
        said = heard(cluster, member, inside, command)
        print_json(said)
        code = int(said["exit_code"])
    else:
        code = run(cluster, member, inside, command or SHELL)
    if code:
        raise typer.Exit(code)
