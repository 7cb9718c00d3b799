from __future__ import annotations

import getpass
import os
import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aistack.errors import VerbError
from aistack.exit_codes import ExitCode
from aistack.kinds import Launcher, Shape
from aistack.offered import offered
from aistack.options import JsonOption, SandboxOption, StackOption, opened
from aistack.verbs.wait import ended, leave
from cli.app import Verb
from cli.lines import say, say_aside
from cli.progress import told

if TYPE_CHECKING:
    from aistack.cluster import Cluster
    from aistack.find import Found
    from aistack.job import Job
    from aistack.stack import Stack
    from aistack.submit.request import Request

# Where the words of the program's own are kept until the command line is read.
_ARGUMENTS = "aistack.arguments"


class SubmitCommand(Verb):
    """Takes the program's own words off the command line: from the first option after FILE on that
    is none of `submit`'s, or all after `--`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own, words = self._parted(args)
        ctx.meta[_ARGUMENTS] = words
        return super().parse_args(ctx, own)

    def _parted(self, args: list[str]) -> tuple[list[str], list[str]]:
        names = self.by_name
        with_help = {*names, "--help"}
        has_file = False
        at = 0
        while at < len(args):
            word = args[at]
            name = word.partition("=")[0]
            if word == "--":
                return args[:at], args[at + 1 :]
            if not word.startswith("-") or word == "-":
                self._check_file(word, is_first=not has_file)
                has_file = True
            elif name in with_help:
                found = names.get(name)
                at += found is not None and not found.is_flag and "=" not in word
            elif has_file:
                self._check_swallowed(args[at:], with_help)
                return args[:at], args[at:]
            at += 1
        return args, []

    @staticmethod
    def _check_file(word: str, *, is_first: bool) -> None:
        """Raises VerbError for what may be a word of the program's own; that the first is no file
        is told as of any argument."""
        if not is_first and not os.path.exists(word):
            raise VerbError(
                f'FILE: "{word}" does not exist; nearest: -- before {word}, where it is a word of '
                "the program's own",
                ExitCode.USAGE,
            )

    @staticmethod
    def _check_swallowed(words: list[str], names: set[str]) -> None:
        """Raises VerbError for an option that two may have meant."""
        for word in words:
            if word == "--":
                return
            if (name := word.partition("=")[0]) in names:
                raise VerbError(
                    f"{name} stands after {words[0]}, which is the program's own: whose it is, is "
                    f"not said; nearest: {name} before {words[0]}, or -- before {words[0]}",
                    ExitCode.USAGE,
                )


FilesArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        exists=True,
        help="Files, or a folder, to bring; the first file runs, with the options after it.",
    ),
]


def submit(
    context: typer.Context,
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
    secret: Annotated[
        list[str] | None,
        typer.Option(
            "--secret",
            help="NAME, NAME=KEY or NAME=KEY:VARIABLE, a Secret of its namespace as variables.",
        ),
    ] = None,
    launcher: Annotated[
        Launcher | None,
        typer.Option(help="Who starts its processes; by default torchrun, for what needs it."),
    ] = None,
    requirements: Annotated[
        bool,
        typer.Option(
            "--requirements/--no-requirements",
            help="Install a requirements.txt that comes along, before the program starts.",
        ),
    ] = True,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="FIELD=VALUE of a job as docs/keys.md has them."),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for its end, and end as it.")] = False,
    stack: StackOption = None,
    sandbox: SandboxOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a script of yours, or a job of the stack again with other values, beside what runs."""
    from aistack.submit.request import Request, fields_of, variables_of
    from aistack.tables import job_json, print_json

    options = {"requests.cpu": "--cpu", "requests.memory_gib": "--memory", "secrets": "--secret"}
    asked = {"image": image, "nodes": nodes, "gpus": gpus, "pool": pool, "queue": queue}
    options |= {it: f"--{it}" for it in asked}
    asked |= {"requests.cpu": cpu, "requests.memory_gib": memory}
    asked |= {"secrets": secret}
    asked |= {"install_requirements": None if requirements else False}
    own = {key: it for key, it in asked.items() if it is not None}
    by_field = fields_of(set_ or [])
    options = {key: options[key] for key in own if key in options}
    options |= {key: f"--set {key}" for key in by_field}
    request = Request(
        name=name or _name(like, files or []),
        files=files or [],
        like=like,
        command=command,
        arguments=context.meta.get(_ARGUMENTS, ()),
        ray=ray,
        team=team,
        shape=shape,
        launcher=launcher,
        fields={**own, **by_field},
        variables=variables_of(env or []),
        options=options,
    )
    with told("checking the job, and what it would run on"):
        here, cluster = opened(stack, sandbox)
        found, said = _submitted(request, here, cluster)
    if as_json:
        print_json({"job": job_json(found.job), **said})
    else:
        say(*report(found.job, said))
    if wait:
        leave(ended(cluster, found), found)


def _submitted(request: Request, here: Stack, cluster: Cluster) -> tuple[Found, dict[str, Any]]:
    from aistack.find import Found
    from aistack.listing import list_jobs
    from aistack.stack import last_config
    from aistack.submit.hand_over import hand_over, used_in, waiting
    from aistack.submit.parcel import submitted_by
    from aistack.submit.preflight import checked
    from aistack.submit.secret_words import InPlainError
    from aistack.submit.team_limits import short_of
    from kube.kinds import DEPLOYMENT

    listing = list_jobs(cluster, here.namespaces)
    jobs = [it for it in listing.jobs if it.kind != DEPLOYMENT.name]
    running = {it.name for it in jobs if not it.state.has_ended}
    config = last_config(here)
    # Of jobs that the user may not see nothing is known.
    seen = here.namespaces[0] not in listing.hidden
    over = set(config.values.get("jobs") or {}) - running if seen else ()
    operators = here.outputs.get("operators") or []
    try:
        ready = checked(request, config, over, here.name, operators)
    except InPlainError as error:
        raise error.with_those_there(cluster, request.team or here.namespaces[0]) from None
    for file, why in ready.left_out.items():
        say_aside(f"left out: {file}, for {why}")
    for file in ready.uninstalled:
        _warn(
            f"nothing installs {file}; nearest: an image with its packages, or --command "
            f"'bash -c \"pip install -r $SCRIPT_DIR/{file} && exec python3 ...\"'"
        )
    for line in (*ready.never_beside, *ready.unread):
        _warn(line)
    parcel = submitted_by(ready.parcel, _user())
    before = waiting(cluster, parcel.namespace, parcel.queue) if parcel.queue else 0
    short: list[str] = []
    if ready.team is not None and ready.script is not None:
        used = used_in(cluster, parcel.namespace)
        short = [*short_of(ready.team, ready.script, used)]
    work = hand_over(cluster, parcel, _warn)
    said: dict[str, Any] = {
        "hourly": ready.planned.hourly({}),
        "waiting_before": before,
        "short_of": short,
        "ready_minutes": ready.patience,
        "installs": list(ready.installs),
        "disk_gib": ready.disk_gib,
        "launch": ready.launch,
    }
    return Found(parcel.work.kind, work), said


def _user() -> str:
    """Who is at work on this machine; nothing where it has no name for them."""
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return ""


def _warn(what: str) -> None:
    say_aside(f"warning: {what}")


def report(job: Job, said: dict[str, Any]) -> list[str]:
    place = f" is in {job.queue}, where {_others(said['waiting_before'])}" if job.queue else ""
    on = f" runs on the Ray cluster {job.runs_on}" if job.runs_on else ""
    return [
        f"{job.kind} {job.namespace}/{job.name}{place or on or ' starts'}. "
        f"An hour of its machines costs {said['hourly']}.",
        *(f"For now it waits, for {it}." for it in said["short_of"]),
        *_installs(said["installs"], said["disk_gib"]),
        *([said["launch"]] if said["launch"] else []),
        *_patience(said["ready_minutes"]),
        *(f"  {offered(*words)}" for words in _next(job.name)),
    ]


def _installs(packages: list[str], disk_gib: int | None) -> list[str]:
    if not packages:
        return []
    # How large they are, with what they depend on, an index alone knows.
    room = (
        "."
        if disk_gib is None
        else f". They count against the {disk_gib} GiB of disk that each pod asks for, past which "
        "Kubernetes ends it; --set requests.ephemeral_storage_gib=N gives more."
    )
    return [
        f"pip installs requirements.txt before the program starts: {', '.join(packages)[:200]}; "
        f"--no-requirements leaves it out, for an image that has all of it{room}"
    ]


def _others(waiting: int) -> str:
    """Whether they are let in before it, Kueue knows alone: by order, by priority, or as they
    fit."""
    return "1 other waits" if waiting == 1 else f"{waiting or 'no'} others wait"


def _patience(minutes: int | None) -> list[str]:
    if minutes is None:
        return []
    return [
        f"Kueue takes its quota back when not all its pods are ready {minutes} minutes after its "
        "admission, and it waits again; `queues.ready_minutes` of the stack's config gives more."
    ]


def _next(name: str) -> list[tuple[str, ...]]:
    return [("logs", name, "-f"), ("why", name), ("cancel", name)]


def _name(like: str | None, files: list[Path]) -> str:
    stem = like or (files[0].resolve().stem if files else "job")
    plain = re.sub(r"[^a-z0-9]+", "-", stem.lower()).lstrip("-0123456789")[:24].strip("-")
    return f"{plain or 'job'}-{secrets.token_hex(2)}"
