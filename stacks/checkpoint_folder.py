"""Where a job has its checkpoints, by what its object runs. Pure."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from components.base.pod_manifest import SCRIPT_DIR
from components.ray.manifest import LAUNCHER_DIR
from stacks.parts.jobs import fine_tune, image_classifier, maxtext, nemo_rl, verl
from stacks.parts.jobs.checkpoint_layout import CheckpointLayout
from stacks.workloads import JOB, RAY_JOB

LAYOUTS = {
    it.CHECKPOINTS.launcher: it.CHECKPOINTS
    for it in (fine_tune, image_classifier, maxtext, nemo_rl, verl)
}
# components/base/script_file.py has the name follow from what the file holds.
_FILE = re.compile(rf"(?:{LAUNCHER_DIR}|{SCRIPT_DIR})/(.+)-[0-9a-f]{{8}}(\.\w+)")


def layout_of(words: Iterable[str]) -> CheckpointLayout | None:
    """Of a command; None for a program that is none of the project's."""
    return next(filter(None, map(_layout, words)), None)


def parameters_of(words: Iterable[str]) -> dict[str, str]:
    return {key: it for key, equals, it in (it.partition("=") for it in words) if equals}


def command_words(entrypoint: object) -> list[str]:
    """Of a command in one text, which none of the project's is where a quote in it has no end."""
    try:
        return shlex.split(str(entrypoint or ""))
    except ValueError:
        return []


def container_words(container: Mapping[str, Any]) -> Iterator[str]:
    """Its command, with the variables of its environment as they would stand in one."""
    yield from (*(container.get("command") or ()), *(container.get("args") or ()))
    yield from (f"{it['name']}={it.get('value', '')}" for it in container.get("env") or ())


def folder_of(token: str, values: Mapping[str, Any]) -> str | None:
    """Of the object of a training, of inputs or outputs; None where it does not say."""
    words = list(_words(token, values.get("spec") or {}))
    layout = layout_of(words)
    try:
        return None if layout is None else layout.at(parameters_of(words))
    except KeyError:
        return None


def _words(token: str, spec: Mapping[str, Any]) -> Iterator[str]:
    if token == RAY_JOB:
        yield from command_words(spec.get("entrypoint"))
    elif token == JOB:
        pod = (spec.get("template") or {}).get("spec") or {}
        for container in pod.get("containers") or ():
            yield from container_words(container)


def _layout(word: str) -> CheckpointLayout | None:
    match = _FILE.fullmatch(word)
    return LAYOUTS.get(f"{match[1]}{match[2]}") if match else None
