"""The status of a stack for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.console import Console, RenderableType
from rich.text import Text

from aistack.offered import offered
from aistack.status.holdings import Waiting
from aistack.status.leases import Lease
from aistack.status.old_values import OldValue
from aistack.status.pools import Pool
from aistack.status.queues import Queue, Quota
from aistack.status.readiness import State
from aistack.status.report import Report
from aistack.status.spending import Spending
from aistack.status.teams import Bound
from aistack.tables import age
from cli.console import Rows, new_console, new_table
from review.hourly import usd
from stacks.money import total

_NOTHING = Quota(flavor="", resource="", most="", may_borrow="", used="", borrowed="0")


def show_report(it: Report, now: datetime) -> None:
    console = new_console()
    for number, part in enumerate(_parts(it, now)):
        if number:
            console.print()
        console.print(part)
    _show_readiness(console, it)
    if it.hidden:
        console.print(f"not yours to see: {', '.join(it.hidden)}")


def _parts(it: Report, now: datetime) -> Iterator[RenderableType]:
    yield _pools(it)
    if it.leases:
        yield _leases(it.leases, now)
    if it.uses:
        yield _uses(it)
    if it.waiting:
        yield _waiting(it.waiting)
    for one in it.old_values:
        yield _old_value(one, now)
    if it.queues:
        yield _queues(it)
    if it.teams:
        yield _teams(it)
    if it.claims or it.storage:
        yield _storage(it)
    yield "versions: " + ", ".join(f"{name} {version}" for name, version in it.versions.items())
    yield _spending(it.spending, now)
    if it.after_jobs:
        yield from it.after_jobs


def _pools(it: Report) -> Rows:
    table = new_table("pool", "machine", "nodes", "wanted", "healthy", "acc.", "in use")
    for pool in it.pools:
        table.add_row(*_pool(pool))
    return table


def _leases(leases: Sequence[Lease], now: datetime) -> str:
    each = (f"of {it.of} in {age(now, it.until)}, {it.until:%Y-%m-%d %H:%M %Z}" for it in leases)
    return "machines go at the latest, the first " + "; ".join(each)


def _uses(it: Report) -> Rows:
    table = new_table("namespace", "job", "acc.", "nodes")
    for use in it.uses:
        table.add_row(use.namespace, use.job, str(use.accelerators), str(use.nodes))
    return table


def _waiting(waiting: Sequence[Waiting]) -> str:
    each = (
        f"{it.namespace}/{it.job} with {it.pods} pod{'' if it.pods == 1 else 's'}"
        + (f" for {it.accelerators} accelerators" if it.accelerators else "")
        for it in waiting
    )
    return f"waits for nodes: {', '.join(each)}; `{offered('why')}` says what of"


def _old_value(it: OldValue, now: datetime) -> str:
    pods = "a pod" if len(it.pods) == 1 else f"{len(it.pods)} pods"
    again = f"; {it.restart}" if it.restart else ""
    return (
        f"{', '.join(it.keys)} of the Secret {it.namespace}/{it.secret} changed "
        f"{age(it.changed, now)} ago, and {pods} of {it.workload} that started before may still "
        f"have the old value: variables of a running container never change{again}"
    )


def _queues(it: Report) -> Rows:
    table = new_table(
        "queue", "flavor", "resource", "quota", "may borrow", "used", "borrowed", "waiting", ""
    )
    for queue in it.queues:
        for row in _queue(queue):
            table.add_row(*row)
    return table


def _teams(it: Report) -> Rows:
    table = new_table("team", "may have", "resource", "at most", "used")
    for team in it.teams:
        own = (team.name, team.given)
        for one in team.bounds or (Bound(resource="", most="", used=""),):
            table.add_row(*own, one.resource, one.most, one.used)
            own = ("", "")
    return table


def _storage(it: Report) -> Rows:
    table = new_table("storage", "size", "state")
    for claim in it.claims:
        table.add_row(f"claim {claim.namespace}/{claim.name}", claim.size, claim.phase)
    for kind, where in it.storage.items():
        for one in where:
            table.add_row(f"{kind} {one}", "", "")
    return table


def _pool(it: Pool) -> tuple[str, ...]:
    bounds = [str(one) for one in (it.least, it.most) if one is not None]
    wanted = " to ".join(dict.fromkeys(bounds))
    there, healthy = ("?" if it is None else str(it) for it in (it.there, it.healthy))
    numbers = (str(it.accelerators or ""), str(it.in_use or ""))
    return (it.name, it.machine, there, wanted, healthy, *numbers)


def _queue(it: Queue) -> Iterator[tuple[str, ...]]:
    """What is the queue's own stands in the first row alone."""
    own = (it.name, str(it.waiting), "" if it.active else "inactive")
    shown = [each for each in it.quotas if (each.most, each.used) != ("0", "0")]
    for each in shown or (_NOTHING,):
        borrowed, may = ("" if one == "0" else one for one in (each.borrowed, each.may_borrow))
        yield (own[0], each.flavor, each.resource, each.most, may, each.used, borrowed, *own[1:])
        own = ("", "", "")


def _spending(it: Spending, now: datetime) -> str:
    since = "" if it.since is None else f" in the {age(it.since, now)} since it was made"
    nodes = (
        "pools at their smallest to largest size" if it.by_bounds else "the nodes that are there"
    )
    elsewhere = f"; at the prices of other regions: {_of(it.elsewhere)}" if it.elsewhere else ""
    hour = total(usd(it.hourly), "USD an hour", it.unpriced)
    spent = f"{'at least ' if it.unpriced else ''}{usd(it.spent)}"
    near = f"; {it.nearest}" if it.nearest else ""
    return (
        f"costs {hour}, and has cost {spent}{since}: at {it.prices}; of {nodes}{elsewhere}{near}; "
        f"not in it are parts without a price or an amount, of {_of(it.unknown) or 'nothing'}"
    )


def _of(parts: Sequence[str]) -> str:
    return ", ".join(sorted({it.partition(":")[0] for it in parts}))


def _show_readiness(console: Console, it: Report) -> None:
    table = new_table("", "", "")
    for one in it.readiness:
        style = "bold red" if one.state is State.NOT_READY else ""
        first, *more = one.missing or ("",)
        table.add_row(one.area, Text(one.state, style), first)
        for sentence in more:
            table.add_row("", "", sentence)
    console.print(table)
