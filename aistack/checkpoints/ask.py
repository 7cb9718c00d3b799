"""The storage of a job, asked by a program in the pod that has it mounted."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import cast

from kubernetes.stream.ws_client import STDOUT_CHANNEL

from aistack.checkpoints.whereabouts import Whereabouts
from aistack.cluster import Cluster
from aistack.errors import VerbError
from aistack.members import Member
from aistack.shell import end_of, started
from kube.objects import JsonObject
from kube.reading import document

_PROGRAM = Path(__file__).parent / "in_pod.py"
# Of a line: some 100000 checkpoints. What is said of an error is less.
_LONGEST, _LONGEST_ERROR = 16 * 2**20, 64 * 2**10
Progress = Callable[[JsonObject], None]


def listing_of(where: Whereabouts) -> JsonObject:
    return {"folder": where.folder, "layout": asdict(where.layout)}


def command(request: JsonObject) -> list[str]:
    return ["python3", "-c", _PROGRAM.read_text(encoding="utf-8"), json.dumps(request)]


def ask(cluster: Cluster, member: Member, request: JsonObject, progress: Progress) -> JsonObject:
    """The answer; `progress` is told what comes before it. Raises VerbError."""
    said = Said(progress, member.name)
    options = {"container": member.container, "stdin": False, "stderr": True, "tty": False}
    with started(cluster, member, options, command(request)) as channels:
        end_of(channels.exchange(None), said.hear)
    if said.answer is None:
        words = said.wrong.decode(errors="replace").strip().rpartition("\n")[2] or "nothing"
        raise no_answer(member.name, words)
    if "refused" in said.answer:
        raise VerbError(str(said.answer["refused"]))
    return said.answer


def no_answer(pod: str, said: str) -> VerbError:
    return VerbError(f"python3 in {pod} gave no answer, and said: {said}")


class Said:
    """What a program in `pod` says, which the pod's image may have put another one in place of."""

    def __init__(self, progress: Progress, pod: str) -> None:
        self.answer: JsonObject | None = None
        self.wrong = b""
        self._line = b""
        self._progress = progress
        self._pod = pod

    def hear(self, channel: int, data: bytes) -> None:
        if channel != STDOUT_CHANNEL:
            self.wrong = (self.wrong + data)[-_LONGEST_ERROR:]
            return
        *lines, self._line = (self._line + data).split(b"\n")
        if len(self._line) > _LONGEST:
            raise no_answer(self._pod, "a line without an end")
        for it in map(self._read, lines):
            if "copied" in it:
                self._progress(it)
            else:
                self.answer = it

    def _read(self, line: bytes) -> JsonObject:
        found = document(line)
        if not isinstance(found, dict):
            raise no_answer(self._pod, line[:80].decode(errors="replace"))
        return cast("JsonObject", found)
