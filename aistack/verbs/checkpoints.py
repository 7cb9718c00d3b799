from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from aistack.errors import VerbError
from aistack.exit_codes import ExitCode
from aistack.options import JsonOption, NameArgument, SandboxOption, StackOption, opened
from cli.lines import say, say_aside
from cli.progress import told

if TYPE_CHECKING:
    from kube.objects import JsonObject


def checkpoints(
    name: NameArgument,
    copy: Annotated[
        int | None, typer.Option("--copy", help="Copy the one of this step.", metavar="STEP")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", help="gs://BUCKET/FOLDER, or a path where its pod has a bucket."),
    ] = None,
    folder: Annotated[
        str | None, typer.Option("--folder", help="Where they are in its pod, if elsewhere.")
    ] = None,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print a job's checkpoints and which one a restart takes, or copy one into a bucket."""
    from aistack.checkpoints.ask import ask, listing_of
    from aistack.checkpoints.buckets import buckets_of, path_of
    from aistack.checkpoints.listing import checkpoints_of, counted
    from aistack.checkpoints.whereabouts import whereabouts
    from aistack.find import find_job
    from aistack.members import members_of
    from aistack.shell import member_for
    from aistack.simulated import refuse_simulated
    from aistack.tables import print_json, show_checkpoints

    if (copy is None) != (to is None):
        raise VerbError("--copy and --to go together: which one, and where to", ExitCode.USAGE)
    with told("reading the checkpoints"):
        here, cluster = opened(stack, sandbox)
        job = find_job(cluster, here.namespaces, name)
        where = whereabouts(job, folder)
        member = member_for(job, members_of(cluster, job).pods, None)
        refuse_simulated(cluster, [member.pod], "checkpoints", ("why", name), ("events", name))
        place = None if to is None else path_of(to, list(buckets_of(cluster, member)))
        answer = ask(cluster, member, listing_of(where), show_progress)
    found = checkpoints_of(where.folder, answer)
    if copy is None or place is None:
        if as_json:
            print_json({**asdict(found), "pod": member.name})
        else:
            show_checkpoints(found, datetime.now(UTC))
        return
    source = found.of_step(copy).name
    request = {"source": f"{where.folder}/{source}", "to": str(place / source)}
    with told(f"copying {source}"):
        copied = ask(cluster, member, request, show_progress)
    if as_json:
        print_json({**request, **copied})
    else:
        files, size = counted(copied, "files"), counted(copied, "bytes")
        say(f"{source} is in {to}: {files} files, {size:,} bytes")


def show_progress(said: JsonObject) -> None:
    # As in the verb: what it needs costs its start.
    from aistack.checkpoints.listing import counted

    whole = counted(said, "of")
    share = 100 * counted(said, "copied") // max(1, whole)
    say_aside(f"copied {share}% of {whole:,} bytes ...")
