"""How verbs show what they found: to a person as a table, to a script as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from aistack.checkpoints.listing import Checkpoints
from aistack.events import Event
from aistack.job import Job
from aistack.listing import Listing
from aistack.why.verdict import Verdict
from cli.console import new_console, new_table
from cli.lines import say_raw

_GIB = 2**30


def age(since: datetime, now: datetime) -> str:
    """The largest unit that is whole, and not more."""
    seconds = max(0, int((now - since).total_seconds()))
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def show_jobs(listing: Listing, now: datetime) -> None:
    table = new_table("namespace", "job", "kind", "state", "queue", "pods", "acc.", "age", "of")
    for it in listing.jobs:
        numbers = (str(it.pods or ""), str(it.accelerators or ""))
        on = f"on {it.runs_on}" if it.runs_on else it.queue
        words = (it.namespace, it.name, it.kind, it.state, on)
        owner = ", ".join(filter(None, (it.owner, it.submitter)))
        table.add_row(*words, *numbers, age(it.created, now), owner)
    console = new_console()
    console.print(table if listing.jobs else "there are no jobs")
    if listing.hidden:
        console.print(f"jobs in {', '.join(listing.hidden)} are not yours to see")


def show_events(events: Sequence[Event], now: datetime) -> None:
    table = new_table("ago", "about", "reason", "message")
    for it in events:
        table.add_row(age(it.at, now), it.about, it.reason, it.message)
    new_console().print(table if events else "nothing was said of it within the last hour")


def show_verdict(job: Job, verdict: Verdict) -> None:
    console = new_console()
    console.print(f"{job.kind} {job.namespace}/{job.name} is {job.state}. {verdict.sentence}")
    if verdict.reason is not None:
        console.print(verdict.reason.advice)


def show_checkpoints(found: Checkpoints, now: datetime) -> None:
    table = new_table("step", "checkpoint", "GiB", "files", "age", "state")
    for it in found.checkpoints:
        state = {"": "whole", None: "not known"}.get(it.missing, f"not whole: {it.missing}")
        since = "" if it.written is None else age(it.written, now)
        table.add_row(str(it.step), it.name, f"{it.bytes / _GIB:,.2f}", str(it.files), since, state)
    console = new_console()
    console.print(table if found.checkpoints else "there are no checkpoints")
    console.print(f"in {found.folder}: {found.next_start}")


def job_json(job: Job) -> dict[str, object]:
    return {**asdict(job), "created": job.created.isoformat()}


def print_json(value: object) -> None:
    say_raw(json.dumps(value, indent=2, default=str))
