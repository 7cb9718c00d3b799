from dataclasses import asdict

import typer

from aistack.exit_codes import ExitCode
from aistack.options import JsonOption, NameArgument, SandboxOption, StackOption, opened
from aistack.progress import told


def why(
    name: NameArgument,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what is in a job's way, in a sentence, and what to do about it."""
    from aistack.find import find_job
    from aistack.tables import job_json, print_json, show_verdict
    from aistack.why.look import look
    from aistack.why.verdict import verdict

    with told("looking at the job, its pods and its queue"):
        here, cluster = opened(stack, sandbox)
        found = find_job(cluster, here.namespaces, name)
        said = verdict(look(cluster, found))
    if as_json:
        print_json({"job": job_json(found.job), **asdict(said)})
    else:
        show_verdict(found.job, said)
    if said.reason is not None:
        raise typer.Exit(ExitCode.IN_THE_WAY)
