import typer

from aistack.exit_codes import ExitCode
from aistack.options import JsonOption, SandboxOption, StackOption, opened
from cli.progress import told


def work(
    stack: StackOption = None, sandbox: SandboxOption = None, as_json: JsonOption = False
) -> None:
    """List what people have in the cluster, beside the stack, and what a destroy does with it."""
    from aistack.people.look import look
    from aistack.people.show import show_work, work_json
    from aistack.tables import print_json

    with told("looking for what people have in the cluster"):
        found = look(*opened(stack, sandbox))
    if as_json:
        print_json(work_json(found))
    else:
        show_work(found)
    if found.stop_first:
        raise typer.Exit(ExitCode.STOP_FIRST)
