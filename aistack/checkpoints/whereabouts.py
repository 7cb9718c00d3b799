"""Where a job has its checkpoints, by what its object runs. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from aistack.errors import VerbError
from aistack.find import Found
from aistack.job import pod_groups
from aistack.kinds import RAY_JOB
from components.pod_manifest import SCRIPT_DIR
from components.ray_manifest import LAUNCHER_DIR
from sandbox.kube.objects import dig, maps
from stacks.parts.jobs import fine_tune, image_classifier, maxtext, nemo_rl, verl
from stacks.parts.jobs.checkpoint_layout import CheckpointLayout

LAYOUTS = {
    it.CHECKPOINTS.launcher: it.CHECKPOINTS
    for it in (fine_tune, image_classifier, maxtext, nemo_rl, verl)
}
# Of a folder of which nothing is known but that steps are the last number of a name.
_ANY = CheckpointLayout(
    launcher="", folder="", name=r".*?(\d+)(?:\.(?!copying$)\w+)?", told_whole=False
)
# components/script_file.py has the name follow from what the file holds.
_FILE = re.compile(rf"(?:{LAUNCHER_DIR}|{SCRIPT_DIR})/(.+)-[0-9a-f]{{8}}(\.\w+)")


@dataclass(frozen=True)
class Whereabouts:
    layout: CheckpointLayout
    folder: str


def whereabouts(found: Found, folder: str | None) -> Whereabouts:
    """`folder` is where the user says that they are. Raises VerbError where nobody does."""
    words = list(_words(found))
    parameters = {key: it for key, equals, it in (it.partition("=") for it in words) if equals}
    layout = next(filter(None, map(_layout, words)), None)
    if folder is not None:
        return Whereabouts(layout or _ANY, folder)
    if layout is None:
        name = found.job.name
        raise VerbError(
            f"NAME: {name} runs a program of its own, and nobody knows where that has its "
            f"checkpoints; nearest: aistack checkpoints {name} --folder PATH"
        )
    return Whereabouts(layout, layout.at(parameters))


def _layout(word: str) -> CheckpointLayout | None:
    match = _FILE.fullmatch(word)
    return LAYOUTS.get(f"{match[1]}{match[2]}") if match else None


def _words(found: Found) -> Iterator[str]:
    """Of its command, with the variables of its environment as they would stand in one."""
    if found.kind == RAY_JOB:
        yield from shlex.split(dig(found.obj, "spec", "entrypoint") or "")
        return
    for _, pod in pod_groups(found.kind, found.obj):
        for container in maps(pod.get("containers")):
            yield from (*container.get("command", ()), *container.get("args", ()))
            yield from (f"{it['name']}={it.get('value', '')}" for it in maps(container.get("env")))
