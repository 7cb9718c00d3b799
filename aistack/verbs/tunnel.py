import sys
from typing import TYPE_CHECKING, Annotated

import typer

from aistack.options import JsonOption, SandboxOption, StackOption, opened
from aistack.progress import told

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


def lead(cluster: "Cluster", door: "Door", port: int | None, *, as_json: bool) -> None:
    """Says where it is open, and serves for ever."""
    from aistack.tables import print_json
    from aistack.tunnel import Tunnel

    made = Tunnel(cluster, door, lambda what: print(what, file=sys.stderr, flush=True))
    with made.open(port) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        if as_json:
            print_json({"url": url, "to": str(door)})
        else:
            print(f"{url} leads to {door}, until Ctrl-C")
        sys.stdout.flush()
        made.serve(listener)
