"""All that can be known of a job before any of it is made, by the rules that hold for a stack."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aistack.errors import VerbError
from aistack.stack import Config
from aistack.submit.hand_over import Parcel, packed
from aistack.submit.render import difference
from aistack.submit.request import Request, job_of
from aistack.submit.team import for_team, moved
from sandbox.workspace import PROJECT_FOLDER
from stacks.config import ConfigError, validate
from stacks.parts.jobs import script_files
from stacks.parts.jobs.script import Script
from stacks.plan import Plan
from stacks.planned_jobs import PlannedJob, planned_jobs

_BROUGHT = ("file", "folder")


@dataclass(frozen=True)
class Checked:
    parcel: Parcel
    planned: PlannedJob


def checked(
    request: Request,
    config: Config,
    ended: Collection[str],
    stack: str,
    operators: Sequence[str] = (),
) -> Checked:
    """`ended` are the stack's own jobs that take no room any more, `operators` what is in its
    cluster. Raises VerbError with every
    mistake."""
    own: Mapping[str, Any] = config.values.get("jobs") or {}
    if request.name in own:
        raise VerbError(
            f"--name: the stack has a job {request.name} of its own; nearest: {request.name}-2"
        )
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        others = {name: _without_files(it) for name, it in own.items() if name not in ended}
        values, job = config.values, job_of(request, config.values)
        if request.team is not None:
            values, job = for_team(request.team, values, job)
        job = _with_files(request, job, folder)
        judged = Config(values, config.secrets)
        without = _planned(judged, others)
        with_job = _planned(judged, {**others, request.name: job})
        _check_files(request.name, with_job, folder)
        parcel = packed(difference(without, with_job, stack, folder, operators))
        if request.team is not None:
            account = with_job.teams[request.team].config.service_account
            parcel = moved(parcel, request.team, account)
    jobs = planned_jobs(with_job).values()
    return Checked(parcel, next(it for it in jobs if it.name == request.name))


def _planned(config: Config, jobs: Mapping[str, Any]) -> Plan:
    try:
        return validate({**config.values, "jobs": jobs}, secrets_set=config.secrets)
    except ConfigError as error:
        lines = [it.removeprefix("stack.") for it in error.lines]
        raise VerbError("\n".join(["the job cannot run; nothing was made.", *lines])) from None


def _with_files(request: Request, job: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The job with its files in `folder`: those of the request, else those of the stack's job."""
    theirs = [PROJECT_FOLDER / job[it] for it in _BROUGHT if it in job]
    files = request.files or theirs
    if not files:
        return job
    _bring(files, folder / request.name)
    return {**_without_files(job), "folder": request.name}


def _bring(files: Sequence[Path], folder: Path) -> None:
    """All of them beside each other. Raises VerbError."""
    folder.mkdir()
    for it in files:
        if it.is_dir():
            shutil.copytree(it, folder, dirs_exist_ok=True)
        elif (folder / it.name).exists():
            raise VerbError(f"FILE: there are two {it.name}, and all lie beside each other")
        else:
            shutil.copy(it, folder)


def _check_files(name: str, plan: Plan, folder: Path) -> None:
    script = plan.stack.jobs[name]
    if not isinstance(script, Script):
        return
    found = script_files.read(folder, {name: script})
    problems = [f"{it.field}: {it.message}" for it in found.problems]
    problems += [
        f"FILE: {file} is empty"
        for file, text in found.files.get(name, {}).items()
        if not text.strip() and any(it.endswith(f"/{file}") for it in script.command)
    ]
    if problems:
        raise VerbError("\n".join(["the job cannot run; nothing was made.", *problems]))


def _without_files(job: Mapping[str, Any]) -> dict[str, Any]:
    return {key: it for key, it in job.items() if key not in _BROUGHT}
