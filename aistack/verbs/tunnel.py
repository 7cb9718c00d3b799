import sys
from typing import TYPE_CHECKING, Annotated

import typer

from aistack.options import JsonOption, SandboxOption, StackOption, opened
from cli.lines import say, say_aside
from cli.progress import told

if TYPE_CHECKING:
    from aistack.cluster import Cluster
    from aistack.service import Door

PortOption = Annotated[
    int | None,
    typer.Option(min=1, max=65535, help="Of this machine; by default the service's own, if free."),
]


def tunnel(
    name: Annotated[
        str, typer.Argument(help="[NAMESPACE/]NAME[:PORT] of a model server or other service.")
    ],
    port: PortOption = None,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Lead a port of this machine to a service, until Ctrl-C; through a change of pods, too."""
    from aistack.service import find_service

    with told("looking for the service"):
        here, cluster = opened(stack, sandbox)
        door = find_service(cluster, here.namespaces, name)
    lead(cluster, door, port, as_json=as_json)


def lead(
    cluster: "Cluster",
    door: "Door",
    port: int | None,
    *,
    as_json: bool,
    token_command: str | None = None,
) -> None:
    """Says where it is open and what prints the token that is asked for there, and serves for
    ever."""
    from aistack.simulated import refuse_simulated
    from aistack.tables import print_json
    from aistack.tunnel import Tunnel

    if cluster.is_simulated:
        refuse_simulated(cluster, door.pods(cluster), "port", ("jobs",), ("status",))
    made = Tunnel(cluster, door, say_aside)
    with made.open(port) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        if as_json:
            asked = {} if token_command is None else {"token_command": token_command}
            print_json({"url": url, "to": str(door), **asked})
        else:
            say(f"{url} leads to {door}, until Ctrl-C")
            if token_command is not None:
                say(
                    "Ray asks for a token, in the page and as RAY_AUTH_TOKEN with "
                    f"RAY_AUTH_MODE=token for `ray job`; who may read it has it by: {token_command}"
                )
        sys.stdout.flush()
        made.serve(listener)
