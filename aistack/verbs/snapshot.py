import shlex
from pathlib import Path
from typing import Annotated

import typer

from aistack.options import JsonOption, NameArgument, SandboxOption, StackOption, opened
from cli.lines import say
from cli.progress import told
from stacks.commands import aistack


def snapshot(
    name: NameArgument,
    out: Annotated[Path, typer.Option(help="The file; one that is there is replaced.")],
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write what `why` looks at into a file, without secrets; `why --snapshot` reads it anywhere.

    Left out are values of variables, words of commands, annotations, and what looks like a secret.
    Read the file before you send it.
    """
    from aistack.find import find_job
    from aistack.tables import print_json
    from aistack.why.look import look
    from aistack.why.saved import written

    with told("looking at the job, its pods and its queue"):
        here, cluster = opened(stack, sandbox)
        found = find_job(cluster, here.namespaces, name)
        text = written(look(cluster, found))
    out.write_text(text, encoding="utf-8")
    if as_json:
        print_json({"file": str(out)})
        return
    again = shlex.join([aistack(), "why", "--snapshot", str(out)])
    job = found.job
    say(f"{job.kind} {job.namespace}/{job.name}: `{again}` says why. Read it before you send it.")
