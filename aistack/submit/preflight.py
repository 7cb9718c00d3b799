"""All that can be known of a job before any of it is made, by the rules that hold for a stack."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aistack.errors import CannotRunError, VerbError
from aistack.stack import Config
from aistack.submit.parcel import Parcel, packed
from aistack.submit.plain_job import as_plain_job
from aistack.submit.render import Plans, difference
from aistack.submit.request import BROUGHT, Request, job_of
from aistack.submit.shape import as_if_job_sets, is_plain
from aistack.submit.team import for_team, moved
from aistack.submit.team_limits import check_limits
from components.job_set_manifest import MAX_FILE_BYTES
from sandbox.workspace import PROJECT_FOLDER
from stacks.config import ConfigError, validate
from stacks.parts.cluster.config import Operator
from stacks.parts.jobs import script_files
from stacks.parts.jobs.plan import PlannedScript
from stacks.parts.jobs.script import Script
from stacks.parts.teams.plan import PlannedTeam
from stacks.plan import Plan
from stacks.planned_jobs import PlannedJob, planned_jobs

# What a folder may be called, under which others' messages speak of it.
_FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}")


@dataclass(frozen=True)
class Checked:
    """`team` is that in whose namespace the job is, if it is in one, and `script` the job there."""

    parcel: Parcel
    planned: PlannedJob
    team: PlannedTeam | None = None
    script: PlannedScript | None = None


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
    all_ = {name: _without_files(it) for name, it in own.items()}
    judged = Config(values, config.secrets)
    whole = _planned(judged, all_)
    has_job_sets = whole.needs_job_sets or Operator.JOBSET in operators
    plain = is_plain(request, values, job, has_job_sets=has_job_sets)
    if plain:
        judged = Config(as_if_job_sets(request, values, job), config.secrets)
        whole = _planned(judged, all_)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        job = _with_files(request, job, folder)
        others = {name: it for name, it in all_.items() if name not in ended}
        without = whole if others == all_ else _planned(judged, others)
        with_job = _planned(judged, {**others, request.name: job})
        # A job brings no mirror, and nothing that pulls its image beforehand.
        with_job.images = without.images = whole.images
        _check_files(request.name, with_job, folder)
        assumed = (Operator.JOBSET,) if plain else ()
        found = difference(Plans(whole, without, with_job, assumed), stack, folder, operators)
        parcel = as_plain_job(packed(found)) if plain else packed(found)
        team = script = None
        if request.team is not None:
            team, script = with_job.teams[request.team], with_job.scripts[request.name]
            check_limits(parcel, team, script)
            there = found.there.values()
            parcel = moved(parcel, request.team, team.config.service_account, there)
    jobs = planned_jobs(with_job).values()
    planned = next(it for it in jobs if it.name == request.name)
    return Checked(parcel, planned, team, script)


def _planned(config: Config, jobs: Mapping[str, Any]) -> Plan:
    try:
        return validate({**config.values, "jobs": jobs}, secrets_set=config.secrets)
    except ConfigError as error:
        lines = [it.removeprefix("stack.") for it in error.lines]
        raise CannotRunError(lines) from None


def _with_files(request: Request, job: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The job with its files in `folder`: those of the request, else those of the stack's job."""
    theirs = [PROJECT_FOLDER / job[it] for it in BROUGHT if it in job]
    files = request.files or theirs
    if not files:
        return job
    own = files[0].name
    name = own if files[0].is_dir() and len(files) == 1 and _FOLDER.fullmatch(own) else "files"
    _bring(files, folder / name)
    return {**_without_files(job), "folder": name}


def _bring(files: Sequence[Path], folder: Path) -> None:
    """All of them beside each other. Raises VerbError."""
    each = [one for it in files for one in (sorted(it.iterdir()) if it.is_dir() else [it])]
    for it in files:
        if not it.is_file() and not it.is_dir():
            raise VerbError(f"FILE: {it} is neither a file nor a folder; nearest: a copy of it")
        if it.name.startswith("."):
            raise VerbError(
                f"FILE: {it.name} is hidden; nearest: {it.name.lstrip('.') or 'a name'}"
            )
    names = [it.name for it in each]
    for name in names:
        if names.count(name) > 1:
            raise VerbError(f"FILE: there are several {name}, and all lie beside each other")
    size = sum(it.stat().st_size for it in each if it.is_file() and not it.name.startswith("."))
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


def _check_files(name: str, plan: Plan, folder: Path) -> None:
    script = plan.stack.jobs[name]
    if not isinstance(script, Script):
        return
    found = script_files.read(folder, {name: script})
    fields = {f"jobs.{name}.folder": "FILE"}
    problems = [f"{fields.get(it.field, it.field)}: {it.message}" for it in found.problems]
    problems += [
        f"FILE: {file} is empty"
        for file, text in found.files.get(name, {}).items()
        if not text.strip() and any(it.endswith(f"/{file}") for it in script.command)
    ]
    if problems:
        raise CannotRunError(problems)


def _without_files(job: Mapping[str, Any]) -> dict[str, Any]:
    return {key: it for key, it in job.items() if key not in BROUGHT}
