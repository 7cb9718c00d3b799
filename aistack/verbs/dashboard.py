import sys
from typing import TYPE_CHECKING, Annotated

import typer

from aistack.options import JsonOption, SandboxOption, StackOption, opened
from aistack.progress import told
from aistack.verbs.tunnel import PortOption, lead
from cli.console import say, say_aside

if TYPE_CHECKING:
    from aistack.cluster import Cluster
    from aistack.queues_page import QueuesPage


def dashboard(
    name: Annotated[
        str | None, typer.Argument(help="A Ray cluster, or a job on one; by default the only one.")
    ] = None,
    queues: Annotated[
        bool, typer.Option("--queues", help="Kueue's page instead, which is KueueViz.")
    ] = False,
    port: PortOption = None,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Lead a port of this machine to the page of a Ray cluster, or of Kueue, until Ctrl-C."""
    if queues:
        _of_queues(name, port, stack, sandbox, as_json=as_json)
        return
    from aistack.dashboard import ray_dashboard

    with told("looking for the Ray cluster"):
        here, cluster = opened(stack, sandbox)
        page = ray_dashboard(cluster, here.namespaces, name)
    lead(cluster, page.door, port, as_json=as_json, token_command=page.token_command)


def _of_queues(
    name: str | None, port: int | None, stack: StackOption, sandbox: SandboxOption, *, as_json: bool
) -> None:
    from aistack.errors import VerbError
    from aistack.exit_codes import ExitCode
    from aistack.queues_page import queues_page

    if name is not None or port is not None:
        given = "--port" if name is None else "NAME"
        raise VerbError(
            f"{given}: the page of the queues is one, at a port of its own; nearest: leave it out",
            ExitCode.USAGE,
        )
    with told("looking for the page of the queues"):
        _, cluster = opened(stack, sandbox)
        found = queues_page(cluster)
    _lead_to_queues(cluster, found, as_json=as_json)


def _lead_to_queues(cluster: "Cluster", found: "QueuesPage", *, as_json: bool) -> None:
    from aistack.queues_page import TOKEN_COMMAND, led_to, token_for
    from aistack.tables import print_json
    from components.kueueviz_manifest import BACKEND_PORT, HERE, PAGE_PORT

    with led_to(cluster, found, say_aside) as serve:
        url, backend = (f"http://{HERE}:{it}" for it in (PAGE_PORT, BACKEND_PORT))
        if as_json:
            print_json(
                {
                    "url": url,
                    "to": str(found.page),
                    "backend": {"url": backend, "to": str(found.backend)},
                    "token_command": TOKEN_COMMAND,
                }
            )
        else:
            say(f"{url} leads to {found.page}, and {backend} to {found.backend}, until Ctrl-C")
            # None goes into a file or a log.
            token = token_for(cluster) if sys.stdout.isatty() else None
            if token is None:
                say(f"The page asks for a token, which who may make one has by: {TOKEN_COMMAND}")
            else:
                say("The page asks for a token; this one is good for it alone:")
                say(token)
        sys.stdout.flush()
        serve()
