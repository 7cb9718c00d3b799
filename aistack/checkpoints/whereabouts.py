"""Where a job has its checkpoints, by what its object runs. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from aistack.errors import VerbError
from aistack.find import Found
from aistack.offered import offered
from kube.jobs import pod_groups
from kube.kinds import RAY_JOB
from kube.objects import dig, maps
from stacks.checkpoint_folder import command_words, container_words, layout_of, parameters_of
from stacks.parts.jobs.checkpoint_layout import CheckpointLayout

# Of a folder of which nothing is known but that steps are the last number of a name.
_ANY = CheckpointLayout(
    launcher="", folder="", key="", name=r".*?(\d+)(?:\.(?!copying$)\w+)?", told_whole=False
)


@dataclass(frozen=True)
class Whereabouts:
    layout: CheckpointLayout
    folder: str


def whereabouts(found: Found, folder: str | None) -> Whereabouts:
    """`folder` is where the user says that they are. Raises VerbError where nobody does."""
    words = list(_words(found))
    layout = layout_of(words)
    if folder is not None:
        return Whereabouts(layout or _ANY, folder)
    if layout is not None:
        # Who names the program of a training need not give it the parameters of one.
        with suppress(KeyError):
            return Whereabouts(layout, layout.at(parameters_of(words)))
    name = found.job.name
    raise VerbError(
        f"NAME: {name} runs a program of its own, and nobody knows where that has its "
        f"checkpoints; nearest: {offered('checkpoints', name, '--folder', 'PATH')}"
    )


def _words(found: Found) -> Iterator[str]:
    if found.kind == RAY_JOB:
        yield from command_words(dig(found.obj, "spec", "entrypoint"))
        return
    for _, pod in pod_groups(found.kind, found.obj):
        for container in maps(pod.get("containers")):
            yield from container_words(container)
