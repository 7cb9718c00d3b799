from __future__ import annotations

import re
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aistack.kinds import Shape
from aistack.options import JsonOption, SandboxOption, StackOption, opened
from aistack.progress import told
from aistack.verbs.wait import ended, leave

if TYPE_CHECKING:
    from aistack.cluster import Cluster
    from aistack.find import Found
    from aistack.job import Job
    from aistack.stack import Stack
    from aistack.submit.request import Request

FilesArgument = Annotated[
    list[Path] | None,
    typer.Argument(exists=True, help="Files, or a folder, to bring; the first file is what runs."),
]


def submit(
    files: FilesArgument = None,
    like: Annotated[
        str | None, typer.Option("--job", help="A job of the stack that it is otherwise like.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Its name; by default one of its own.")] = None,
    command: Annotated[
        str | None, typer.Option(help="What to run: python3 $(SCRIPT_DIR)/train.py --epochs 3.")
    ] = None,
    ray: Annotated[str | None, typer.Option(help="RayCluster of the stack to run on.")] = None,
    team: Annotated[
        str | None, typer.Option(help="Team of the stack, in whose namespace and queue it runs.")
    ] = None,
    shape: Annotated[
        Shape | None,
        typer.Option("--as", help="Of a script on pods; by default a JobSet, if there are any."),
    ] = None,
    image: Annotated[str | None, typer.Option(help="Image of its pods.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Pods, each on a node of its own.")] = None,
    gpus: Annotated[int | None, typer.Option(help="GPUs of each pod.")] = None,
    pool: Annotated[str | None, typer.Option(help="Pool whose nodes it runs on.")] = None,
    cpu: Annotated[float | None, typer.Option(help="CPUs of each pod.")] = None,
    memory: Annotated[int | None, typer.Option(help="GiB of each pod.")] = None,
    queue: Annotated[str | None, typer.Option(help="LocalQueue in which it waits.")] = None,
    env: Annotated[
        list[str] | None, typer.Option("--env", help="NAME=VALUE, a variable of the command.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="FIELD=VALUE of a job as docs/config.md has them."),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for its end, and end as it.")] = False,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a script of yours, or a job of the stack again with other values, beside what runs."""
    from aistack.submit.request import Request, fields_of, variables_of
    from aistack.tables import job_json, print_json

    asked = {"image": image, "nodes": nodes, "gpus": gpus, "pool": pool, "queue": queue}
    asked |= {"requests.cpu": cpu, "requests.memory_gib": memory}
    own = {key: it for key, it in asked.items() if it is not None}
    request = Request(
        name=name or _name(like, files or []),
        files=files or [],
        like=like,
        command=command,
        ray=ray,
        team=team,
        shape=shape,
        fields={**own, **fields_of(set_ or [])},
        variables=variables_of(env or []),
    )
    with told("checking the job, and what it would run on"):
        here, cluster = opened(stack, sandbox)
        found, said = _submitted(request, here, cluster)
    if as_json:
        print_json({"job": job_json(found.job), **said})
    else:
        print(_sentence(found.job, said))
    if wait:
        leave(ended(cluster, found))


def _submitted(request: Request, here: Stack, cluster: Cluster) -> tuple[Found, dict[str, Any]]:
    from aistack.find import Found
    from aistack.listing import list_jobs
    from aistack.stack import last_config
    from aistack.submit.hand_over import hand_over, used_in, waiting
    from aistack.submit.preflight import checked
    from aistack.submit.team_limits import short_of

    listing = list_jobs(cluster, here.namespaces)
    running = {it.name for it in listing.jobs if not it.state.has_ended}
    config = last_config(here)
    # Of jobs that the user may not see nothing is known.
    seen = here.namespaces[0] not in listing.hidden
    over = set(config.values.get("jobs") or {}) - running if seen else ()
    operators = here.outputs.get("operators") or []
    ready = checked(request, config, over, here.name, operators)
    parcel = ready.parcel
    before = waiting(cluster, parcel.namespace, parcel.queue) if parcel.queue else 0
    short: list[str] = []
    if ready.team is not None and ready.script is not None:
        used = used_in(cluster, parcel.namespace)
        short = [*short_of(ready.team, ready.script, used)]
    work = hand_over(cluster, parcel, _warn)
    said = {"hourly": ready.planned.hourly, "waiting_before": before, "short_of": short}
    return Found(parcel.work.kind, work), said


def _warn(what: str) -> None:
    print(f"warning: {what}", file=sys.stderr, flush=True)


def _sentence(job: Job, said: dict[str, Any]) -> str:
    place = f" waits in {job.queue} behind {said['waiting_before']} others" if job.queue else ""
    on = f" runs on the Ray cluster {job.runs_on}" if job.runs_on else ""
    short = "".join(f"For now it waits, for {it}.\n" for it in said["short_of"])
    return (
        f"{job.kind} {job.namespace}/{job.name}{place or on or ' starts'}. "
        f"An hour of its machines costs {said['hourly']}.\n{short}"
        f"  aistack logs {job.name} -f\n  aistack why {job.name}\n  aistack cancel {job.name}"
    )


def _name(like: str | None, files: list[Path]) -> str:
    stem = like or (files[0].resolve().stem if files else "job")
    plain = re.sub(r"[^a-z0-9]+", "-", stem.lower()).lstrip("-0123456789")[:24].strip("-")
    return f"{plain or 'job'}-{secrets.token_hex(2)}"
