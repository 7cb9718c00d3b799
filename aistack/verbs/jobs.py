from datetime import UTC, datetime

from aistack.options import JsonOption, SandboxOption, StackOption, opened
from cli.progress import told


def jobs(
    stack: StackOption = None, sandbox: SandboxOption = None, as_json: JsonOption = False
) -> None:
    """List the jobs of every team that you may see, the newest first."""
    from aistack.listing import list_jobs
    from aistack.tables import job_json, print_json, show_jobs

    with told("reading jobs"):
        here, cluster = opened(stack, sandbox)
        found = list_jobs(cluster, here.namespaces)
    if as_json:
        print_json({"jobs": [job_json(it) for it in found.jobs], "hidden": found.hidden})
    else:
        show_jobs(found, datetime.now(UTC))
