"""What a user wants to run, as a job of the stack's config. Pure."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aistack.errors import VerbError
from aistack.exit_codes import ExitCode
from aistack.kinds import Launcher, Shape
from aistack.submit.secret_words import check_secrets
from catalog.strict_yaml import YamlError
from kube.text import nearest
from stacks.parts.jobs import script_files
from stacks.parts.jobs.command_words import FILES_VARIABLE, notebook_message
from stacks.stack_file import value_of

BROUGHT = ("file", "folder")
_PYTHONS = re.compile(rb"#!.*\bpython")
# What people call the program of a folder.
ENTRY_POINTS = (
    "train.py",
    "main.py",
    "run.py",
    "finetune.py",
    "pretrain.py",
    "train.sh",
    "main.sh",
    "run.sh",
)


@dataclass(frozen=True, kw_only=True)
class Request:
    """`like` is the job of the stack that it is otherwise like; `shape` is for one on pods of its
    own; `launcher` is None where its source says which; `fields` are fields of a job as the config
    has them, and `variables` those of its environment. `arguments` are the program's own, the first
    of `files`. `options` are names of options by the fields that they say."""

    name: str
    files: Sequence[Path] = ()
    like: str | None = None
    command: str | None = None
    arguments: Sequence[str] = ()
    ray: str | None = None
    team: str | None = None
    shape: Shape | None = None
    launcher: Launcher | None = None
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    options: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def command_option(self) -> str:
        """What the command is said by."""
        if self.command is None and self.files:
            return "the words after FILE" if self.arguments else "FILE"
        return "--command"

    def as_given(self, place: str) -> str:
        """Place of a field in the config, as the command line has it; any other as it is."""
        own = f"jobs.{self.name}."
        if not place.startswith(own):
            return place
        path = place.removeprefix(own)
        said = {**self.options}
        if self.files or self.command is not None:
            said.setdefault("command", self.command_option)
        for name in self.variables:
            said[f"environment.{name}"] = f"--env {name}"
        for known, option in said.items():
            rest = path.removeprefix(known)
            if path.startswith(known) and rest[:1] in ("", ".", "["):
                return option
        return place


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
    check_secrets(job, before, lambda path: request.as_given(f"jobs.{request.name}.{path}"))
    return job


def name_of(path: Path) -> str:
    """Of `.` and `..`, too, and of a link its own."""
    return Path(os.path.abspath(path)).name


def variables_of(pairs: Sequence[str]) -> dict[str, str]:
    """Raises VerbError for what is no NAME=VALUE."""
    return _once("--env", [_split("--env", pair, "NAME=VALUE") for pair in pairs])


def fields_of(pairs: Sequence[str]) -> dict[str, Any]:
    """Values are YAML. Raises VerbError for what is no FIELD=VALUE."""
    found = _once("--set", [_split("--set", pair, "FIELD=VALUE") for pair in pairs])
    return {path: _yaml(value) for path, value in found.items()}


def _once(option: str, pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Raises VerbError for a name that is given twice: which value counts, nobody said."""
    found = dict(pairs)
    for name in found:
        if sum(it == name for it, _ in pairs) > 1:
            raise VerbError(f"{option}: {name}: stands twice; nearest: one of them", ExitCode.USAGE)
    return found


def _split(option: str, pair: str, form: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise VerbError(f'{option}: "{pair}" is no {form}', ExitCode.USAGE)
    return name, value


def _yaml(value: str) -> Any:
    try:
        return value_of(value)
    except YamlError:
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
    of_pods = request.fields.keys() - {"install_requirements", "secrets"}
    own_pods = bool(of_pods) or request.shape is not None or request.team is not None
    if request.ray is not None or own_pods:
        return request.ray
    clusters = list(config.get("ray") or {})
    return clusters[0] if len(clusters) == 1 else None


def _command(request: Request) -> list[str]:
    if request.command is not None:
        if request.arguments:
            raise VerbError(
                f"--command: says what runs, and {shlex.join(request.arguments)} stand after FILE; "
                "nearest: these among the words of --command",
                ExitCode.USAGE,
            )
        try:
            words = shlex.split(request.command)
        except ValueError as error:
            raise VerbError(f"--command: {error}", ExitCode.USAGE) from None
        if not words:
            raise VerbError("--command: is empty; nearest: --command nvidia-smi", ExitCode.USAGE)
        return words
    first = request.files[0]
    program = _program(first)
    interpreter = _interpreter(first / program if first.is_dir() else first, request.files[1:])
    return [interpreter, f"$({FILES_VARIABLE})/{program}", *request.arguments]


def _interpreter(program: Path, others: Sequence[Path]) -> str:
    """Raises VerbError for what is no program by its name."""
    kind = program.suffix.lower()
    if kind == ".py" or (not kind and _PYTHONS.match(_first_line(program))):
        return "python3"
    if kind in ("", ".sh", ".bash"):
        return "bash"
    runs = next((it.name for it in others if it.suffix.lower() in (".py", ".sh")), None)
    near = f"{runs} before it" if runs else f"--command, with $({FILES_VARIABLE})/{program.name}"
    raise VerbError(
        f"FILE: the first one runs, and {program.name} is no program, .py or .sh; nearest: {near}",
        ExitCode.USAGE,
    )


def _first_line(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.readline(200)
    except OSError:
        # What cannot be read is told with the files.
        return b""


def _program(first: Path) -> str:
    """The file that runs. Raises VerbError where nobody knows which."""
    if not first.is_dir():
        if first.suffix.lower() == ".ipynb":
            raise VerbError(f"FILE: {notebook_message(first.name)}", ExitCode.USAGE)
        return first.name
    files = sorted(it.name for it in script_files.files_in(first) if it.is_file())
    known = [it for it in ENTRY_POINTS if it in files]
    candidates = known or [it for it in files if it.endswith((".py", ".sh"))]
    if len(candidates) == 1:
        return candidates[0]
    notebooks = [it for it in files if it.lower().endswith(".ipynb")]
    if not candidates and notebooks:
        raise VerbError(f"FILE: {notebook_message(notebooks[0])}", ExitCode.USAGE)
    example = candidates[0] if candidates else "NAME"
    folder = name_of(first)
    why = (
        f"{folder} has {', '.join(candidates)}, and which one runs is not said"
        if candidates
        else f"{folder} has no program, .py or .sh"
    )
    interpreter = "bash" if example.endswith(".sh") else "python3"
    near = shlex.quote(f"{interpreter} $({FILES_VARIABLE})/{example}")
    raise VerbError(f"--command: missing, for {why}; nearest: --command {near}", ExitCode.USAGE)


def _set(job: dict[str, Any], path: Sequence[str], value: Any) -> None:
    *parents, last = path
    here = job
    for name in parents:
        inner = here.get(name)
        here[name] = dict(inner) if isinstance(inner, Mapping) else {}
        here = here[name]
    here[last] = value
