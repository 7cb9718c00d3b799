import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated

import typer

from aistack.errors import VerbError
from aistack.exit_codes import ExitCode
from aistack.offered import offered
from aistack.options import NameArgument, SandboxOption, StackOption, opened
from cli.lines import last_state, say, say_aside, say_raw
from cli.progress import told

if TYPE_CHECKING:
    from aistack.container_log import Line


def logs(
    name: NameArgument,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on until the job is over, or Ctrl-C.")
    ] = False,
    rank: Annotated[
        str | None, typer.Option(help="Of one alone: a number, head or launcher; or all.")
    ] = None,
    container: Annotated[
        str | None, typer.Option("--container", "-c", help="Another container of the pods.")
    ] = None,
    tail: Annotated[int | None, typer.Option(min=0, help="So many last lines of each.")] = None,
    previous: Annotated[
        bool, typer.Option("--previous", "-p", help="What was said before its last restart.")
    ] = False,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object a line.")] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Let control characters go to the terminal.")
    ] = False,
) -> None:
    """Print what all ranks of a job say, or one; of a RayJob what its launcher does."""
    from aistack.find import find_job
    from aistack.follow import Following
    from aistack.logs import Wanted, lines_of, nothing_said
    from aistack.members import members_of

    if follow and previous:
        raise VerbError("--previous: what was said before goes on no more", ExitCode.USAGE)
    # A file or another program gets what was said as it is.
    raw = raw or not sys.stdout.isatty()
    wanted = Wanted(rank=rank, container=container, tail=tail, previous=previous)
    with told("looking for the job's pods"):
        here, cluster = opened(stack, sandbox)
        job = find_job(cluster, here.namespaces, name)
        pods = members_of(cluster, job).pods
    found = wanted.logs(cluster, job, pods)
    if not follow and not found:
        raise nothing_said(job, pods, wanted)
    if not follow:
        lines = lines_of(found, wanted)
        with told("asking for what was said"):
            first = list(islice(lines, 1))
        show_lines(chain(first, lines), as_json=as_json, several=len(found) > 1, raw=raw)
        return
    try:
        following = Following(cluster, job, wanted, say_aside)
        show_lines(following.lines(), as_json=as_json, several=wanted.several(job), raw=raw)
    except KeyboardInterrupt:
        said = {"--rank": rank, "--container": container}
        words = [word for key, it in said.items() if it for word in (key, it)]
        again = offered("logs", name, "--follow", "--tail", "10", *words)
        say_aside("")
        say_aside(f"{name} goes on; back to it: `{again}`")
        raise typer.Exit(ExitCode.INTERRUPTED) from None


def show_lines(lines: Iterable["Line"], *, as_json: bool, several: bool, raw: bool) -> None:
    for it in lines:
        if as_json:
            say_raw(json.dumps(asdict(it)))
            continue
        rank = f"[{it.role}] " if several else ""
        if raw:
            say_raw(f"{rank}{it.text}")
        else:
            say(f"{rank}{last_state(it.text)}")
