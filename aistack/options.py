"""What every verb of the command line takes, and the stack and its cluster that it means."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aistack.offered import SANDBOX_VARIABLE, given, means
from cli.project import stack_names

if TYPE_CHECKING:
    from aistack.cluster import Cluster
    from aistack.stack import Stack

StackOption = Annotated[
    str | None,
    typer.Option(
        "--stack",
        "-s",
        autocompletion=lambda: stack_names(),
        help="The stack; by default the one that Pulumi has selected.",
    ),
]
SandboxOption = Annotated[
    Path | None,
    typer.Option(
        "--sandbox",
        envvar=SANDBOX_VARIABLE,
        help="The sandbox's folder, for a stack that is up there with --kube real.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
NameArgument = Annotated[str, typer.Argument(help="[NAMESPACE/][KIND/]NAME of a job.")]


def opened(name: str | None, sandbox: Path | None) -> tuple[Stack, Cluster]:
    """Raises VerbError."""
    given(name, sandbox)
    # The client costs most of a second to import: `--help` does without.
    from aistack.cluster import Cluster
    from aistack.sandbox_stack import sandbox_stack
    from aistack.stack import selected_stack

    stack = selected_stack(name) if sandbox is None else sandbox_stack(sandbox, name)
    means(stack.name, stack.kubectl)
    return stack, Cluster.of(stack)
