from dataclasses import asdict
from datetime import UTC, datetime

import typer

from aistack.exit_codes import ExitCode
from aistack.options import JsonOption, SandboxOption, StackOption, opened
from cli.progress import told


def status(
    stack: StackOption = None, sandbox: SandboxOption = None, as_json: JsonOption = False
) -> None:
    """Show pools, who uses them, queues, teams, storage, versions and cost, and what is ready."""
    from aistack.status.look import look
    from aistack.status.report import report
    from aistack.status.show import show_report
    from aistack.tables import print_json

    with told("looking at nodes, queues, teams and storage"):
        found = report(look(*opened(stack, sandbox)))
    if as_json:
        print_json(asdict(found))
    else:
        show_report(found, datetime.now(UTC))
    if not found.is_ready:
        raise typer.Exit(ExitCode.NOT_READY)
