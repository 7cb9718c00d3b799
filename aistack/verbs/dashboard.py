from typing import Annotated

import typer

from aistack.options import JsonOption, SandboxOption, StackOption, opened
from aistack.verbs.tunnel import PortOption, lead
from cli.progress import told


def dashboard(
    name: Annotated[
        str | None, typer.Argument(help="A Ray cluster, or a job on one; by default the only one.")
    ] = None,
    port: PortOption = None,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Lead a port of this machine to the page of a Ray cluster, until Ctrl-C."""
    from aistack.dashboard import ray_dashboard

    with told("looking for the Ray cluster"):
        here, cluster = opened(stack, sandbox)
        page = ray_dashboard(cluster, here.namespaces, name)
    lead(cluster, page.door, port, as_json=as_json, token_command=page.token_command)
