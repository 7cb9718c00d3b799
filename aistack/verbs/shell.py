from typing import Annotated

import typer

from aistack.options import NameArgument, SandboxOption, StackOption, opened
from aistack.progress import told


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
) -> None:
    """Run a command in a rank of a job, or a shell; it ends with the command's exit code."""
    from aistack.find import find_job
    from aistack.members import members_of
    from aistack.shell import SHELL, member_for, run

    with told("looking for the job's pods"):
        here, cluster = opened(stack, sandbox)
        job = find_job(cluster, here.namespaces, name)
        member = member_for(job, members_of(cluster, job).pods, rank)
    code = run(cluster, member, container or member.container, command or SHELL)
    if code:
        raise typer.Exit(code)
