"""All that can be known of a job before any of it is made, by the rules that hold for a stack."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aistack.errors import CannotRunError, VerbError
from aistack.stack import Config
from aistack.submit.files_here import left_here
from aistack.submit.launcher import launch_words, launched
from aistack.submit.parcel import Parcel, packed, without_service_links
from aistack.submit.plain_job import as_plain_job
from aistack.submit.render import Plans, difference
from aistack.submit.request import BROUGHT, Request, job_of, name_of
from aistack.submit.shape import as_if_job_sets, is_plain
from aistack.submit.team import for_team, moved
from aistack.submit.team_limits import check_limits
from cli.project import PROJECT_FOLDER
from components.jobs.job_set_manifest import MAX_FILE_BYTES
from components.ray.manifest import READY_MINUTES
from kube.kinds import RAY_JOB
from stacks.config import ConfigError, validate
from stacks.parts.cluster.config import Operator
from stacks.parts.images.advice import unread
from stacks.parts.jobs import script_files
from stacks.parts.jobs.command_words import FILES_VARIABLE
from stacks.parts.jobs.plan import PlannedScript
from stacks.parts.jobs.requirements import REQUIREMENTS, installs_itself, packages_of
from stacks.parts.jobs.script import Script
from stacks.parts.jobs.script_rules import FEW_REQUESTS, OWN_PODS
from stacks.parts.queues.advice import advice as queue_advice
from stacks.parts.teams.plan import PlannedTeam
from stacks.plan import Plan
from stacks.planned_jobs import PlannedJob, planned_jobs
from stacks.secret_references import SecretKey, named_secret

# What a folder may be called, under which others' messages speak of it.
_FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}")

# Options of fields that a job may lack.
_MISSING = {
    "image": "--image",
    "pool": "--pool",
    "requests": "--cpu and --memory",
    "requests.cpu": "--cpu",
    "requests.memory_gib": "--memory",
}
_OWN_PODS = "--image, --cpu and --memory, without --ray, for pods of its own"
_FILE = f"$({FILES_VARIABLE})/{{}}"
_PACKAGES = re.compile(r"requirements[\w.-]*\.txt")


@dataclass(frozen=True)
class Checked:
    """`team` is that in whose namespace the job is, if it is in one, and `script` the job there.
    `left_out` are files that stay behind in the user's folders, and why. `patience` are the minutes
    that Kueue leaves its pods to be ready, where they are few. `installs` are packages that pip
    installs before its program starts, `launch` says what torchrun starts, if it does, and
    `uninstalled` are lists of packages that nobody installs and its command does not name.
    `disk_gib` is the room that each pod asks for, which packages take, too, and `never_beside` says
    what of the stack leaves its queue no quota for it. `unread` says of its image that nodes are
    not known to be let read it."""

    parcel: Parcel
    planned: PlannedJob
    team: PlannedTeam | None = None
    script: PlannedScript | None = None
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    patience: int | None = None
    installs: Sequence[str] = ()
    launch: str = ""
    uninstalled: Sequence[str] = ()
    disk_gib: int | None = None
    never_beside: Sequence[str] = ()
    unread: Sequence[str] = ()


def checked(
    request: Request,
    config: Config,
    ended: Collection[str],
    stack: str,
    operators: Sequence[str] = (),
) -> Checked:
    """`ended` are the stack's own jobs that take no room any more, `operators` what is in its
    cluster. Raises VerbError with every mistake."""
    own: Mapping[str, Any] = config.values.get("jobs") or {}
    if request.name in own:
        raise VerbError(
            f"--name: the stack has a job {request.name} of its own; nearest: {request.name}-2"
        )
    values, job = config.values, job_of(request, config.values)
    if request.team is not None:
        values, job = for_team(request.team, values, job, asked=request.fields)
    try:
        return _checked(request, config, values, job, ended, stack, operators)
    except CannotRunError as error:
        raise CannotRunError([_as_given(request, it) for it in error.reasons]) from None


def _as_given(request: Request, line: str) -> str:
    """A problem with its option in place of the field that the user has not seen."""
    place, colon, message = line.partition(": ")
    given = request.as_given(place)
    own = f"jobs.{request.name}"
    if given == own and message.startswith(f'"{request.name}" '):
        given = "--name"
    if given == place and message.startswith("missing"):
        given = _MISSING.get(place.removeprefix(f"{own}."), place)
        message = message.replace(FEW_REQUESTS, "--cpu 1 --memory 2")
    return f"{given}{colon}{message.replace(OWN_PODS, _OWN_PODS)}"


def _checked(
    request: Request,
    config: Config,
    values: Mapping[str, Any],
    job: dict[str, Any],
    ended: Collection[str],
    stack: str,
    operators: Sequence[str],
) -> Checked:
    own: Mapping[str, Any] = config.values.get("jobs") or {}
    all_ = {name: _bystander(it) for name, it in own.items()}
    judged = Config(values, config.secrets)
    whole = _planned(judged, all_)
    has_job_sets = whole.needs_job_sets or Operator.JOBSET in operators
    plain = is_plain(request, values, job, has_job_sets=has_job_sets)
    if plain:
        judged = Config(as_if_job_sets(request, values, job), config.secrets)
        whole = _planned(judged, all_)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        files = request.files or _own_files(request.name, judged, all_, job)
        left_out = _left_out(request, files, job)
        job = _with_files(files, job, folder)
        others = {name: it for name, it in all_.items() if name not in ended}
        without = whole if others == all_ else _planned(judged, others)
        _keep_shared(whole, without)
        with_job = _with_job(whole, judged, others, request.name, job)
        texts = _check_files(request, with_job, folder)
        _check_here(request, files, job)
        launch = ""
        if words := launched(request, with_job.scripts.get(request.name), texts):
            job = {**job, "command": words}
            with_job = _with_job(whole, judged, others, request.name, job)
            launch = launch_words(with_job.scripts[request.name])
        assumed = (Operator.JOBSET,) if plain else ()
        found = difference(Plans(whole, without, with_job, assumed), stack, folder, operators)
        parcel = as_plain_job(packed(found)) if plain else packed(found)
        team = script = None
        if request.team is not None:
            team, script = with_job.teams[request.team], with_job.scripts[request.name]
            check_limits(parcel, team, script)
            there = found.there.values()
            secrets = [it.of_key for it in script.config.named_secrets]
            parcel = moved(parcel, request.team, team.config.service_account, there, secrets)
    if request.name in with_job.scripts:
        parcel = replace(parcel, secrets=_secrets(with_job, request))
    parcel = without_service_links(parcel)
    jobs = planned_jobs(with_job).values()
    planned = next(it for it in jobs if it.name == request.name)
    patience = _patience(with_job) if parcel.queue and parcel.work.kind != RAY_JOB else None
    installs = _installs(with_job, request.name, texts)
    done = {REQUIREMENTS} if installs else set[str]()
    left = [it for it in _uninstalled(files, job) if it not in done]
    pods = with_job.scripts.get(request.name)
    disk = None if pods is None else pods.requests.ephemeral_storage_gib
    return Checked(
        parcel,
        planned,
        team,
        script,
        left_out,
        patience,
        installs,
        launch,
        left,
        disk,
        [*_never_beside(with_job, request)],
        [*_unread(with_job, request)],
    )


def _unread(plan: Plan, request: Request) -> Iterator[str]:
    place = f"jobs.{request.name}.image"
    for it in unread(plan):
        if it.field == place:
            yield f"{request.as_given(place)}: {it.message}"


def _never_beside(plan: Plan, request: Request) -> Iterator[str]:
    place = f"jobs.{request.name}.queue"
    for line in queue_advice(plan):
        if line.startswith(f"{place}: "):
            said = f"--team {request.team}" if request.team is not None else request.as_given(place)
            yield said + line.removeprefix(place)


def _secrets(plan: Plan, request: Request) -> dict[SecretKey, str]:
    """Those that its pods need, and who names each."""
    shared = [] if request.team is None else plan.teams[request.team].config.secrets
    of_team = {named_secret(it) for it in shared}
    named = plan.scripts[request.name].config.named_secrets
    whose = f"teams.{request.team}.secrets"
    return {it.of_key: whose if it in of_team else "--secret" for it in named}


def _with_job(
    whole: Plan, config: Config, others: Mapping[str, Any], name: str, job: Mapping[str, Any]
) -> Plan:
    found = _planned(_patient(config), {**others, name: job})
    _keep_shared(whole, found)
    return found


def _uninstalled(files: Sequence[Path], job: Mapping[str, Any]) -> list[str]:
    each = [one for it in files for one in (script_files.files_in(it) if it.is_dir() else [it])]
    lists = sorted(it.name for it in each if _PACKAGES.fullmatch(it.name))
    words = " ".join(str(it) for it in job.get("command") or ())
    # A shell script may install them.
    return [] if "pip " in words or ".sh" in words else [it for it in lists if it not in words]


def _patience(plan: Plan) -> int | None:
    """Minutes after which Kueue stops a queued job whose pods are not ready, where a script of the
    stack's own would have more."""
    minutes = None if plan.queues is None else plan.queues.ready_minutes
    return minutes if minutes is not None and minutes < READY_MINUTES else None


def _planned(config: Config, jobs: Mapping[str, Any]) -> Plan:
    try:
        return validate({**config.values, "jobs": jobs}, secrets_set=config.secrets)
    except ConfigError as error:
        lines = [it.removeprefix("stack.") for it in error.lines]
        raise CannotRunError(lines) from None


def _patient(config: Config) -> Config:
    """The config without a bound of its own on how long Kueue waits for pods: the queues are there,
    and a job that takes longer is stopped and waits again."""
    queues = config.values.get("queues")
    if queues is None:
        return config
    without = {key: it for key, it in queues.items() if key != "ready_minutes"}
    return Config({**config.values, "queues": without}, config.secrets)


def _keep_shared(whole: Plan, plan: Plan) -> None:
    """Values that the stack derives from all of its jobs together stay as they are in the cluster:
    a submitted job brings no mirror, nothing that pulls its image beforehand, and no other patience
    of Kueue's."""
    plan.images = whole.images
    if plan.queues is not None and whole.queues is not None:
        own = whole.queues
        plan.queues = replace(plan.queues, config=own.config, waiting=own.waiting)


def _own_files(
    name: str, config: Config, others: Mapping[str, Any], job: Mapping[str, Any]
) -> list[Path]:
    """What a job of the stack brings. The config is the last run's, from the state: its paths are
    judged before one is opened. Raises VerbError."""
    keys = [it for it in BROUGHT if it in job]
    if keys:
        _planned(config, {**others, name: job})
    problems = [
        f"{it.field}: {it.message}"
        for key in keys
        for it in script_files.named_problems(f"jobs.{name}.{key}", PROJECT_FOLDER, job[key])
    ]
    if problems:
        raise CannotRunError(problems)
    return [PROJECT_FOLDER / job[key] for key in keys]


def _left_out(request: Request, files: Sequence[Path], job: Mapping[str, Any]) -> dict[str, str]:
    """Raises VerbError where the job's command runs one of them."""
    folders = [it for it in files if it.is_dir()]
    words = [str(it) for it in job.get("command") or ()]
    for it in folders:
        for problem in script_files.left_out_problems(request.command_option, it, words):
            raise VerbError(f"{problem.field}: {problem.message}")
    return {name: by for it in folders for name, by in script_files.left_out_of(it).items()}


def _check_here(request: Request, files: Sequence[Path], job: Mapping[str, Any]) -> None:
    """Raises CannotRunError for files of this machine that the user's command names."""
    if request.files or request.command is not None:
        words = [str(it) for it in job.get("command") or ()]
        if found := [f"{request.command_option}: {it}" for it in left_here(words, files)]:
            raise CannotRunError(found)


def _with_files(files: Sequence[Path], job: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The job with its files in `folder`."""
    if not files:
        return job
    folders = [name_of(it) for it in files if it.is_dir()]
    name = folders[0] if len(folders) == 1 and _FOLDER.fullmatch(folders[0]) else "files"
    _bring(files, folder / name)
    return {**_without_files(job), "folder": name}


def _bring(files: Sequence[Path], folder: Path) -> None:
    """All of them beside each other, each once. Raises VerbError."""
    for it in files:
        _check_given(it)
    given = {it.resolve() for it in files}
    within = [one for it in files for one in (script_files.files_in(it) if it.is_dir() else [it])]
    # A folder in a folder is fine that is brought by itself.
    unique = {it.resolve(): it for it in within if not (it.is_dir() and it.resolve() in given)}
    each = list(unique.values())
    names = [it.name for it in each]
    for name in names:
        if names.count(name) > 1:
            raise VerbError(f"FILE: there are several {name}, and all lie beside each other")
    size = sum(it.stat().st_size for it in each if it.is_file())
    if size > MAX_FILE_BYTES:
        problem = script_files.too_large("FILE", "all of them have", size)
        raise VerbError(f"{problem.field}: {problem.message}")
    folder.mkdir()
    for it in each:
        if it.is_file():
            shutil.copy(it, folder)
        elif it.is_dir():
            # Refused in the words of a stack.
            (folder / it.name).mkdir()


def _check_given(path: Path) -> None:
    """A file or a folder that the user names. Raises VerbError."""
    if not path.is_file() and not path.is_dir():
        raise VerbError(f"FILE: {path} is neither a file nor a folder; nearest: a copy of it")
    if name_of(path).startswith("."):
        raise VerbError(
            f"FILE: {name_of(path)} is hidden, as what is private is: all who may read the job "
            "could read it; nearest: leave it out, and --env for what everybody may know"
        )
    given = script_files.path_problems("FILE", [path], path.absolute().parent)
    within = script_files.files_in(path) if path.is_dir() else []
    for problem in (*given, *script_files.path_problems("FILE", within, path)):
        raise VerbError(f"{problem.field}: {problem.message}")


def _check_files(request: Request, plan: Plan, folder: Path) -> Mapping[str, str]:
    """What the job's files hold. Raises CannotRunError."""
    name = request.name
    script = plan.stack.jobs[name]
    if not isinstance(script, Script):
        return {}
    # A team's namespace has no Secret of the stack's.
    of_stack = [] if request.team else script_files.tokens_of(plan.stack, script).of_stack
    tokens = script_files.Tokens(of_stack=of_stack, submitted=True)
    found = script_files.read(folder, {name: script}, {name: tokens})
    fields = {f"jobs.{name}.folder": "FILE"}
    problems = [f"{fields.get(it.field, it.field)}: {it.message}" for it in found.problems]
    problems += [
        f"FILE: {file} is empty"
        for file, text in found.files.get(name, {}).items()
        if not text.strip()
        and file.endswith((".py", ".sh"))
        and _FILE.format(file) in script.command
    ]
    if problems:
        raise CannotRunError(problems)
    return found.files.get(name, {})


def _installs(plan: Plan, name: str, files: Mapping[str, str]) -> Sequence[str]:
    script = plan.stack.jobs[name]
    if not isinstance(script, Script) or not script.install_requirements:
        return ()
    own = script.ray is None and installs_itself(script.command, files)
    return () if own else packages_of(files)


def _bystander(job: Mapping[str, Any]) -> dict[str, Any]:
    """A job of the stack's own for a plan: without its files, which may be elsewhere, and without a
    command, which may name them."""
    found = _without_files(job)
    return {**found, "command": ["true"]} if found.get("type") == "script" else found


def _without_files(job: Mapping[str, Any]) -> dict[str, Any]:
    return {key: it for key, it in job.items() if key not in BROUGHT}
