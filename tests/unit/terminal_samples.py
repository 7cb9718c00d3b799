"""Every verb as it prints to a person, where all that it finds is one text of somebody else's."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from importlib import import_module
from pathlib import Path, PurePosixPath
from pkgutil import walk_packages
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import pytest
from kubernetes.stream.ws_client import ERROR_CHANNEL
from pydantic import BaseModel

import aistack as aistack_package
from aistack.__main__ import main as aistack
from aistack.calibration import Figure
from aistack.checkpoints.listing import Checkpoint, Checkpoints
from aistack.cluster import Cluster
from aistack.container_log import Line
from aistack.dashboard import RayPage
from aistack.errors import CannotRunError
from aistack.events import Event
from aistack.find import Found
from aistack.fit.report import Fit
from aistack.job import Job
from aistack.listing import Listing
from aistack.people.look import Look
from aistack.service import Door
from aistack.status.report import Report
from aistack.submit.parcel import Parcel
from aistack.submit.preflight import Checked
from aistack.why.verdict import Verdict
from cli.progress import told
from kube.kinds import JOB_SET
from kube.objects import JsonObject
from kube.people.going import Effect
from kube.people.work import Work
from review.__main__ import app as review_app
from review.review import Review
from review.stack_review import StackReview
from sandbox.__main__ import main as sandbox
from sandbox.events import EngineReport
from sandbox.kube.queue_view import QueueView
from sandbox.report import print_report
from sandbox.run_result import RunResult
from tests.unit.odd_objects import stack

# A module that is imported while something else stands in the place of what it calls keeps that.
for _it in walk_packages(aistack_package.__path__, "aistack."):
    if not _it.name.endswith("__main__"):
        import_module(_it.name)
NOW = datetime(2026, 12, 1, tzinfo=UTC)
Filled = TypeVar("Filled")


def filled(of: type[Filled], text: str, **given: Any) -> Filled:
    """One of a dataclass, a block of a config or a tuple with names, whose every string is the
    text."""
    hints = get_type_hints(of)
    if issubclass(of, BaseModel):
        return of.model_construct(**{it: _value(hints[it], text) for it in of.model_fields})
    if is_dataclass(of):
        names = [it.name for it in fields(of) if it.init and not it.name.startswith("_")]
    else:
        names = list(getattr(of, "_fields", ()))
    return of(**{it: given[it] if it in given else _value(hints[it], text) for it in names})


_PLAIN: Mapping[Any, Any] = {bool: True, int: 1, float: 1.0, datetime: NOW, NoneType: None}


def _value(hint: Any, text: str) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if hint in (str, Any, object):
        return text
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is Literal:
        return inner[0]
    if origin in (Union, UnionType):
        return _value(inner[0], text)
    if origin is not None:
        return _collection(origin, inner, text)
    return next(iter(hint)) if issubclass(hint, Enum) else filled(hint, text)


def _collection(origin: type, inner: Sequence[Any], text: str) -> Any:
    if issubclass(origin, Mapping):
        return {_value(inner[0], text): _value(inner[1], text)}
    values = [_value(it, text) for it in inner if it is not ...]
    return values if issubclass(list, origin) else origin(values)


def _run(main: Callable[[], int], words: Sequence[str], instead: Mapping[str, Any]) -> None:
    """A command line, with something else in the place of what it calls."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["program", *words])
        for name, value in instead.items():
            patch.setattr(name, value)
        main()


def _always(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def _found(text: str) -> Any:
    return SimpleNamespace(kind=JOB_SET, job=filled(Job, text))


_CLUSTER = SimpleNamespace(is_simulated=False)


def _verb(text: str, words: Sequence[str], instead: Mapping[str, Any]) -> None:
    here = SimpleNamespace(name=text, namespaces=[text], outputs={})
    always = {
        "aistack.find.find_job": _always(_found(text)),
        "aistack.members.members_of": _always(SimpleNamespace(pods=[])),
        "aistack.shell.member_for": _always(SimpleNamespace(name=text, container=text, pod={})),
    }
    if words[0] not in ("calibrate", "fit"):
        always[f"aistack.verbs.{words[0]}.opened"] = _always((here, _CLUSTER))
    _run(aistack, words, {**always, **instead})


def jobs(text: str) -> None:
    found = Listing(jobs=[filled(Job, text)], hidden=[text])
    _verb(text, ["jobs"], {"aistack.listing.list_jobs": _always(found)})


def events(text: str) -> None:
    _verb(
        text,
        ["events", "x"],
        {
            "aistack.events.workload_of": _always(None),
            "aistack.events.events_of": _always([filled(Event, text)]),
        },
    )


def why(text: str) -> None:
    _verb(
        text,
        ["why", "x"],
        {
            "aistack.why.look.look": _always(None),
            "aistack.why.verdict.verdict": _always(filled(Verdict, text)),
        },
    )


def snapshot(text: str) -> None:
    saved = {"aistack.why.look.look": _always(None), "aistack.why.saved.written": _always("")}
    _verb(text, ["snapshot", "x", "--out", os.devnull], saved)


def cancel(text: str) -> None:
    _verb(text, ["cancel", "x"], {"aistack.cancel.cancel": _always(text)})


def status(text: str) -> None:
    _verb(
        text,
        ["status"],
        {
            "aistack.status.look.look": _always(None),
            "aistack.status.report.report": _always(filled(Report, text)),
        },
    )


def work(text: str) -> None:
    one = filled(Work, text)
    found = Look([(one, Effect(one, text, holds=True))], partly=True)
    _verb(text, ["work"], {"aistack.people.look.look": _always(found)})


def wait(text: str) -> None:
    def states(*_: object) -> Iterator[str]:
        yield text
        raise KeyboardInterrupt

    _verb(text, ["wait", "x"], {"aistack.wait.states": states})


def logs(text: str) -> None:
    _verb(
        text,
        ["logs", "x"],
        {
            "aistack.logs.Wanted.logs": _always([1, 2]),
            "aistack.logs.lines_of": _always(iter([filled(Line, text)])),
        },
    )


def follow(text: str) -> None:
    class Following:
        def __init__(self, *given: Any) -> None:
            self.say = given[-1]

        def lines(self) -> Iterator[Line]:
            self.say(text)
            yield filled(Line, text)
            raise KeyboardInterrupt

    _verb(text, ["logs", "x", "--follow"], {"aistack.follow.Following": Following})


def submit(text: str) -> None:
    metadata = {
        "name": text,
        "namespace": text,
        "uid": "",
        "labels": {"kueue.x-k8s.io/queue-name": text},
        "creationTimestamp": NOW.isoformat(),
    }
    parcel = Parcel(
        work=Found(JOB_SET, {"metadata": metadata, "spec": {"replicatedJobs": []}}), beside=()
    )
    planned: Any = SimpleNamespace(hourly=_always(text))
    ready = Checked(
        parcel,
        planned,
        left_out={text: text},
        installs=[text],
        launch=text,
        uninstalled=[text],
        never_beside=[text],
    )

    def hand_over(_: object, parcel: Parcel, warn: Callable[[str], None]) -> JsonObject:
        warn(text)
        return parcel.work.obj

    _verb(
        text,
        ["submit", "--job", "x"],
        {
            "aistack.listing.list_jobs": _always(Listing(jobs=[], hidden=[])),
            "aistack.stack.last_config": _always(SimpleNamespace(values={})),
            "aistack.submit.preflight.checked": _always(ready),
            "aistack.submit.hand_over.waiting": _always(1),
            "aistack.submit.hand_over.hand_over": hand_over,
        },
    )


def submit_refused(text: str) -> None:
    def submitted(*_: object) -> None:
        raise CannotRunError([text])

    _verb(text, ["submit", "--job", "x"], {"aistack.verbs.submit._submitted": submitted})


def shell(text: str) -> None:
    failed = json.dumps({"status": "Failure", "message": text}).encode()
    channels = SimpleNamespace(exchange=_always(iter([(ERROR_CHANNEL, failed)])))
    with_them = _always(nullcontext(channels))
    _verb(text, ["shell", "x", "--json", "--", "ls"], {"aistack.shell.started": with_them})


@contextmanager
def _tunnel(text: str) -> Iterator[tuple[Door, dict[str, Any]]]:
    """A door, and a tunnel to it that tells once why nothing gets through."""
    service = {"metadata": {"name": text, "namespace": text}}
    listener = SimpleNamespace(getsockname=_always(("", 1)))

    def refused(_: Any) -> None:
        raise CannotRunError([text])

    with socket.socket() as caller:
        instead = {
            "aistack.tunnel.Tunnel.open": _always(nullcontext(listener)),
            "aistack.tunnel.Tunnel.serve": lambda it, _: it._lead(caller),
            "aistack.tunnel.Tunnel._channels": refused,
        }
        yield Door(service, {"port": 1}), instead


def tunnel(text: str) -> None:
    with _tunnel(text) as (door, instead):
        _verb(text, ["tunnel", "x"], {"aistack.service.find_service": _always(door), **instead})


def dashboard(text: str) -> None:
    with _tunnel(text) as (door, instead):
        page = RayPage(door, token_command=text)
        _verb(text, ["dashboard"], {"aistack.dashboard.ray_dashboard": _always(page), **instead})


def checkpoints(text: str, *options: str) -> None:
    # Of one that is not whole nothing is copied.
    one = filled(Checkpoint, text, **({"missing": ""} if options else {}))
    found = Checkpoints(folder=text, checkpoints=[one], restart=None)

    def ask(*given: Any) -> dict[str, Any]:
        given[-1]({"copied": 1, "of": 2})
        return {"files": text, "bytes": 1}

    _verb(
        text,
        ["checkpoints", "x", *options],
        {
            "aistack.checkpoints.whereabouts.whereabouts": _always(SimpleNamespace(folder=text)),
            "aistack.checkpoints.buckets.buckets_of": _always([]),
            "aistack.checkpoints.buckets.path_of": _always(PurePosixPath(text)),
            "aistack.checkpoints.ask.listing_of": _always({}),
            "aistack.checkpoints.ask.ask": ask,
            "aistack.checkpoints.listing.checkpoints_of": _always(found),
        },
    )


def calibrate(text: str) -> None:
    _verb(
        text,
        ["calibrate", "--event-log", "x"],
        {
            "aistack.calibration.Runs.read": lambda it, _: it.sources.update({text: text}),
            "aistack.calibration.figures": _always([filled(Figure, text)]),
            "aistack.calibration.own_table": _always(""),
        },
    )


def fit(text: str) -> None:
    def fits(*_: object, tell: Callable[[str], None], **__: object) -> list[Fit]:
        tell(text)
        return [filled(Fit, text)]

    _verb(
        text,
        ["fit", "--stack", "x"],
        {
            "aistack.fit.planned.planned": _always(None),
            "aistack.fit.planned.chosen": _always({}),
            "aistack.fit.fits.fits_of": fits,
        },
    )


def progress(text: str) -> None:
    class Timer:
        def __init__(self, _: float, tell: Callable[[str], None], words: Sequence[str]) -> None:
            self.start = lambda: tell(*words)

        def cancel(self) -> None:
            pass

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("threading.Timer", Timer)
        with told(text):
            pass


def sandbox_status(text: str) -> None:
    cluster = {
        "id": text,
        "state": text,
        "pools": {text: {"nodes": 1, "with_pods": 1, "state": text}},
        "objects": {"JobSet": [text]},
        "pods": [
            {"name": text, "namespace": text, "phase": it, "node": text, "reason": text}
            for it in ("Running", text)
        ],
        "queues": [asdict(filled(QueueView, text))],
    }
    instead = {
        "sandbox.__main__._workspace": _always(None),
        "sandbox.status.refuse_never_run": _always(None),
        "sandbox.status.describe": _always({"resources": {text: [text]}, "clusters": [cluster]}),
    }
    _run(sandbox, ["status", "--stack", "x"], instead)
    _run(sandbox, ["status", "--stack", text], {})


def sandbox_run(text: str, *, ok: bool) -> None:
    report = filled(EngineReport, text, step_events=[])
    found = filled(RunResult, text, operation="up", ok=ok, report=report, courses=[])
    print_report(found, Path())


def review(text: str) -> None:
    one = filled(StackReview, text, before=None, after=None)
    found = Review(base=text, commit=text, stacks=(one,))
    with suppress(SystemExit):
        _run(
            lambda: review_app(),
            ["--base", "main"],
            {"review.command.review": _always(found)},
        )


VERBS: Mapping[str, Callable[[str], None]] = {
    "calibrate": calibrate,
    "cancel": cancel,
    "checkpoints": checkpoints,
    "dashboard": dashboard,
    "events": events,
    "fit": fit,
    "jobs": jobs,
    "logs": logs,
    "shell": shell,
    "snapshot": snapshot,
    "status": status,
    "submit": submit,
    "tunnel": tunnel,
    "wait": wait,
    "why": why,
    "work": work,
}
# Verbs that read what others have in a cluster, beside `submit`, which reads jobs as `jobs` does.
READERS: Mapping[str, Sequence[str]] = {
    "cancel": ["x"],
    "checkpoints": ["x"],
    "dashboard": [],
    "events": ["x"],
    "jobs": [],
    "logs": ["x", "--rank", "all"],
    "shell": ["x", "--json", "--", "ls"],
    "snapshot": ["x", "--out", os.devnull],
    "status": [],
    "tunnel": ["x"],
    "wait": ["x"],
    "why": ["x"],
    "work": [],
}
WITHOUT_CLUSTER = ("calibrate", "fit")


def read(verb: str, cluster: Cluster) -> None:
    """The verb on that cluster, to where it would wait for something."""
    instead = {
        f"aistack.verbs.{verb}.opened": _always((stack(), cluster)),
        "aistack.tunnel.Tunnel.serve": _always(None),
        "aistack.wait.reached": _always(True),
    }
    _run(aistack, [verb, *READERS[verb]], instead)


PRINTERS: Mapping[str, Callable[[str], None]] = {
    **VERBS,
    "logs --follow": follow,
    "checkpoints --copy": lambda text: checkpoints(text, "--copy", "1", "--to", "gs://x"),
    "submit, refused": submit_refused,
    "progress": progress,
    "sandbox status": sandbox_status,
    "sandbox up": lambda text: sandbox_run(text, ok=True),
    "sandbox up, failed": lambda text: sandbox_run(text, ok=False),
    "review": review,
}
