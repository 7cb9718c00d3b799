from dataclasses import asdict
from datetime import UTC, datetime

from aistack.options import JsonOption, NameArgument, SandboxOption, StackOption, opened
from cli.progress import told


def events(
    name: NameArgument,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what was said of a job, its pods and its place in the queue, the oldest first."""
    from aistack.events import events_of, workload_of
    from aistack.find import find_job
    from aistack.members import members_of
    from aistack.tables import print_json, show_events

    with told("reading events"):
        here, cluster = opened(stack, sandbox)
        job = find_job(cluster, here.namespaces, name)
        workload = workload_of(cluster, job)
        found = events_of(cluster, job, members_of(cluster, job), workload)
    if as_json:
        print_json({"events": [asdict(it) for it in found]})
    else:
        show_events(found, datetime.now(UTC))
