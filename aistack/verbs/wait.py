from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from aistack.exit_codes import ExitCode
from aistack.options import JsonOption, NameArgument, SandboxOption, StackOption, opened
from aistack.progress import told

if TYPE_CHECKING:
    from aistack.cluster import Cluster
    from aistack.find import Found


def wait(
    name: NameArgument,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Wait until a job has ended, and end as it did. Ctrl-C leaves the job alone."""
    from aistack.find import find_job
    from aistack.tables import print_json

    with told("looking for the job"):
        here, cluster = opened(stack, sandbox)
        found = find_job(cluster, here.namespaces, name)
    state = ended(cluster, found)
    if as_json:
        print_json({"job": f"{found.job.namespace}/{found.job.name}", "state": state})
    leave(state)


def ended(cluster: Cluster, found: Found) -> str:
    """How it did, with each state that it came through told on the other channel."""
    from aistack.wait import states

    name, last = found.job.name, "gone"
    try:
        for state in states(cluster, found):
            last = "gone" if state is None else str(state)
            print(f"{name} is {last}", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print(f"{name} goes on; come back with: aistack wait {name}", file=sys.stderr)
        raise
    return last


def leave(state: str) -> None:
    if state != "succeeded":
        raise typer.Exit(ExitCode.JOB_FAILED)
