from aistack.options import JsonOption, NameArgument, SandboxOption, StackOption, opened
from cli.lines import say
from cli.progress import told


def cancel(
    name: NameArgument,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Stop a job for good; its pods go, and its place in the queue."""
    from aistack.cancel import cancel as stop
    from aistack.find import find_job
    from aistack.tables import job_json, print_json

    with told("stopping the job"):
        here, cluster = opened(stack, sandbox)
        found = find_job(cluster, here.namespaces, name)
        said = stop(cluster, found)
    if as_json:
        print_json({"job": job_json(found.job), "said": said})
    else:
        say(said)
