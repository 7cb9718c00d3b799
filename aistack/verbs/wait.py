from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from aistack.exit_codes import ExitCode
from aistack.offered import offered
from aistack.options import JsonOption, NameArgument, SandboxOption, StackOption, opened
from cli.lines import say_aside
from cli.progress import told

if TYPE_CHECKING:
    from aistack.cluster import Cluster
    from aistack.find import Found


def wait(
    name: NameArgument,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Wait until a job has ended, and end as it did, or until a server can be used. Ctrl-C leaves
    it alone."""
    from aistack.find import find_job
    from aistack.tables import print_json

    with told("looking for the job"):
        here, cluster = opened(stack, sandbox)
        found = find_job(cluster, here.namespaces, name)
    state = ended(cluster, found)
    if as_json:
        print_json({"job": f"{found.job.namespace}/{found.job.name}", "state": state})
    leave(state, found)


def ended(cluster: Cluster, found: Found) -> str:
    """How it did, with each state that it came through told on the other channel."""
    from aistack.wait import states

    name, last = found.job.name, "gone"
    try:
        for state in states(cluster, found):
            last = "gone" if state is None else str(state)
            say_aside(f"{name} is {last}")
    except KeyboardInterrupt:
        say_aside(f"{name} goes on; come back with: {offered('wait', name)}")
        raise
    return last


def leave(state: str, found: Found) -> None:
    from kube.kinds import DEPLOYMENT

    if state != ("running" if found.kind == DEPLOYMENT else "succeeded"):
        raise typer.Exit(ExitCode.JOB_FAILED)
