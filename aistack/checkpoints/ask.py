"""The storage of a job, asked by a program in the pod that has it mounted."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from kubernetes.stream.ws_client import STDOUT_CHANNEL

from aistack.checkpoints.whereabouts import Whereabouts
from aistack.cluster import Cluster
from aistack.errors import VerbError
from aistack.members import Member
from aistack.shell import end_of, started
from kube.objects import JsonObject

_PROGRAM = Path(__file__).parent / "in_pod.py"
Progress = Callable[[JsonObject], None]


def listing_of(where: Whereabouts) -> JsonObject:
    return {"folder": where.folder, "layout": asdict(where.layout)}


def command(request: JsonObject) -> list[str]:
    return ["python3", "-c", _PROGRAM.read_text(encoding="utf-8"), json.dumps(request)]


def ask(cluster: Cluster, member: Member, request: JsonObject, progress: Progress) -> JsonObject:
    """The answer; `progress` is told what comes before it. Raises VerbError."""
    said = _Said(progress)
    options = {"container": member.container, "stdin": False, "stderr": True, "tty": False}
    with started(cluster, member, options, command(request)) as channels:
        end_of(channels.exchange(None), said.hear)
    if said.answer is None:
        words = said.wrong.decode(errors="replace").strip().rpartition("\n")[2] or "nothing"
        raise VerbError(f"python3 in {member.name} gave no answer, and said: {words}")
    if "refused" in said.answer:
        raise VerbError(said.answer["refused"])
    return said.answer


class _Said:
    def __init__(self, progress: Progress) -> None:
        self.answer: JsonObject | None = None
        self.wrong = b""
        self._line = b""
        self._progress = progress

    def hear(self, channel: int, data: bytes) -> None:
        if channel != STDOUT_CHANNEL:
            self.wrong += data
            return
        *lines, self._line = (self._line + data).split(b"\n")
        for it in map(json.loads, lines):
            if "copied" in it:
                self._progress(it)
            else:
                self.answer = it
