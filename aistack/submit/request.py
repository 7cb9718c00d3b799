"""What a user wants to run, as a job of the stack's config. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from aistack.errors import VerbError
from aistack.exit_codes import ExitCode
from aistack.kinds import Shape
from aistack.submit.secret_words import check_secrets
from sandbox.kube.text import nearest

BROUGHT = ("file", "folder")


@dataclass(frozen=True, kw_only=True)
class Request:
    """`like` is the job of the stack that it is otherwise like; `shape` is for one on pods of its
    own; `fields` are fields of a job as the config has them, and `variables` those of its
    environment."""

    name: str
    files: Sequence[Path] = ()
    like: str | None = None
    command: str | None = None
    ray: str | None = None
    team: str | None = None
    shape: Shape | None = None
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    variables: Mapping[str, str] = field(default_factory=dict[str, str])


def job_of(request: Request, config: Mapping[str, Any]) -> dict[str, Any]:
    """Its entry below `jobs`, but for files that it brings. Raises VerbError."""
    job = _base(request, config)
    before = dict(job)
    if request.files or request.command is not None:
        job["command"] = _command(request)
    for path, value in request.fields.items():
        if path.partition(".")[0] in BROUGHT:
            raise VerbError(
                f"--set: what the job brings is said by FILE, not by {path}", ExitCode.USAGE
            )
        _set(job, path.split("."), value)
    own = job.get("environment") or {}
    # What is none is refused in the words of the config.
    if request.variables and isinstance(own, Mapping):
        job["environment"] = {**own, **request.variables}
    check_secrets(job, before)
    return job


def variables_of(pairs: Sequence[str]) -> dict[str, str]:
    """Raises VerbError for what is no NAME=VALUE."""
    return dict(_split("--env", pair, "NAME=VALUE") for pair in pairs)


def fields_of(pairs: Sequence[str]) -> dict[str, Any]:
    """Values are YAML. Raises VerbError for what is no FIELD=VALUE."""
    found = dict(_split("--set", pair, "FIELD=VALUE") for pair in pairs)
    return {path: _yaml(value) for path, value in found.items()}


def _split(option: str, pair: str, form: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise VerbError(f'{option}: "{pair}" is no {form}', ExitCode.USAGE)
    return name, value


def _yaml(value: str) -> Any:
    try:
        return yaml.safe_load(value)
    except yaml.YAMLError:
        raise VerbError(f'--set: "{value}" is no value that YAML has', ExitCode.USAGE) from None


def _base(request: Request, config: Mapping[str, Any]) -> dict[str, Any]:
    jobs: Mapping[str, Any] = config.get("jobs") or {}
    if request.like is None:
        if not request.files and request.command is None:
            raise VerbError(
                "FILE: missing; nearest: --job with one of the stack's, "
                + (", ".join(jobs) or "of which there is none"),
                ExitCode.USAGE,
            )
        own = _place(request, config)
        return {"type": "script", **({} if own is None else {"ray": own})}
    if request.like not in jobs:
        near = nearest(request.like, jobs) or "; nearest: FILE, for the stack has no jobs"
        raise VerbError(
            f'--job: "{request.like}" is no job of this stack{near}', ExitCode.NOT_FOUND
        )
    found = dict(jobs[request.like])
    if request.files and found.get("type") != "script":
        raise VerbError(
            f"--job: {request.like} brings its own program, type {found.get('type')}; nearest: "
            "leave FILE out, or --job",
            ExitCode.USAGE,
        )
    return found


def _place(request: Request, config: Mapping[str, Any]) -> str | None:
    """The RayCluster that it runs on: the one that is asked for, else the only one, where nothing
    is asked for that a cluster has already."""
    own_pods = bool(request.fields) or request.shape is not None or request.team is not None
    if request.ray is not None or own_pods:
        return request.ray
    clusters = list(config.get("ray") or {})
    return clusters[0] if len(clusters) == 1 else None


def _command(request: Request) -> list[str]:
    if request.command is not None:
        try:
            words = shlex.split(request.command)
        except ValueError as error:
            raise VerbError(f"--command: {error}", ExitCode.USAGE) from None
        if not words:
            raise VerbError("--command: is empty; nearest: --command nvidia-smi", ExitCode.USAGE)
        return words
    first = request.files[0]
    if first.is_dir():
        raise VerbError(
            f"--command: missing, for {first.name} is a folder; "
            f'nearest: --command "python3 $(SCRIPT_DIR)/{_program(first)}"',
            ExitCode.USAGE,
        )
    interpreter = "python3" if first.suffix == ".py" else "bash"
    return [interpreter, f"$(SCRIPT_DIR)/{first.name}"]


def _program(folder: Path) -> str:
    return next((it.name for it in sorted(folder.glob("*.py"))), "NAME")


def _set(job: dict[str, Any], path: Sequence[str], value: Any) -> None:
    *parents, last = path
    here = job
    for name in parents:
        inner = here.get(name)
        here[name] = dict(inner) if isinstance(inner, Mapping) else {}
        here = here[name]
    here[last] = value
