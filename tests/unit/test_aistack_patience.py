"""What `aistack` does while something takes long: says so, and asks again where nobody answers."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import pytest

import aistack.wait
from aistack import patience
from aistack.__main__ import app
from aistack.cluster import Cluster
from aistack.errors import ForbiddenError, LostError, VerbError
from aistack.find import Found
from aistack.wait import states
from cli import progress
from kube.jobs import State
from kube.kinds import JOB, Kind
from kube.objects import JsonObject

RUNS: JsonObject = {
    "metadata": {
        "name": "mine",
        "namespace": "default",
        "uid": "1",
        "creationTimestamp": "2026-11-23T12:00:00Z",
    },
    "spec": {"template": {"spec": {"containers": []}}},
    "status": {"ready": 1},
}
ENDED = {**RUNS, "status": {"conditions": [{"type": "Complete", "status": "True"}]}}
OTHER = {**RUNS, "metadata": {**RUNS["metadata"], "uid": "2"}}


class _Answering(Cluster):
    """One answer after the other; the last for ever."""

    def __init__(self, *answers: JsonObject | VerbError | None) -> None:
        self._answers = list(answers)

    def get(self, kind: Kind, namespace: str, name: str) -> JsonObject | None:
        found = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(found, VerbError):
            raise found
        return deepcopy(found)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes on by itself, ten seconds a look."""
    now = [0.0]

    def later() -> float:
        now[0] += 10
        return now[0]

    monkeypatch.setattr(aistack.wait, "time", SimpleNamespace(sleep=lambda _: None))
    monkeypatch.setattr(patience, "time", SimpleNamespace(monotonic=later))


def seen(*answers: JsonObject | VerbError | None) -> list[State | None]:
    return list(states(_Answering(*answers), Found(JOB, deepcopy(RUNS))))


def test_each_state_is_told_once_until_the_end() -> None:
    assert seen(RUNS, RUNS, ENDED) == [State.RUNNING, State.SUCCEEDED]


@pytest.mark.parametrize("gone", [None, OTHER])
def test_a_job_that_is_gone_or_another_one_is_none(gone: JsonObject | None) -> None:
    assert seen(RUNS, gone) == [State.RUNNING, None]


def test_a_lost_connection_is_taken_up_again_however_long_it_was() -> None:
    lost = [LostError("cluster lab does not answer")] * 100
    assert seen(RUNS, *lost, ENDED) == [State.RUNNING, State.SUCCEEDED]


def test_a_server_that_has_just_come_back_may_refuse_for_a_while() -> None:
    lost, forbidden = LostError("away"), ForbiddenError("not yet")
    assert seen(lost, forbidden, forbidden, ENDED) == [State.RUNNING, State.SUCCEEDED]


@pytest.mark.parametrize("before", [(), (LostError("away"),)])
def test_who_may_not_see_it_is_told_so(before: tuple[VerbError, ...]) -> None:
    with pytest.raises(ForbiddenError, match="not yours"):
        seen(*before, ForbiddenError("not yours"))


def test_what_takes_more_than_two_seconds_says_what_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[float] = []

    class AtOnce:
        """A timer that is over as it starts."""

        daemon = False

        def __init__(self, seconds: float, call: Callable[..., None], args: Any) -> None:
            asked.append(seconds)
            self.start = lambda: call(*args)
            self.cancel = lambda: None

    monkeypatch.setattr(progress, "threading", SimpleNamespace(Timer=AtOnce))
    with progress.told("reading jobs"):
        pass
    assert asked == [2.0]
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "reading jobs ...\n")


def test_every_verb_says_what_it_does_when_it_takes_long() -> None:
    verbs = [it.callback for it in app.registered_commands]
    silent = [it for it in verbs if it and "told" not in it.__code__.co_names]
    assert silent == []
