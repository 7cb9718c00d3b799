"""When GKE may upgrade a cluster: windows, and exclusions from them. No Pulumi import.

Sources: GKE documentation, "Maintenance windows and exclusions" (maintenance takes place where a
window is open and no exclusion holds; three exclusions without any upgrade) and "Configure
maintenance windows and exclusions"; hashicorp/terraform-provider-google-beta
website/docs/r/container_cluster (20 exclusions); read 2026-11-22 and 2026-11-29.
"""

from bisect import bisect
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import accumulate

from stacks.parts.cluster.config import ExclusionScope, Maintenance, MaintenanceExclusion
from stacks.problems import Problem, repeats
from stacks.recurrence import parsed

FIELD = "cluster.maintenance"
# google/skills skills/cloud/gke-upgrades/SKILL.md:82-83, 400e7604, 2026-08-19.
_LONGEST_WITHOUT_UPGRADES = timedelta(days=90)
_MOST_EXCLUSIONS = 20
_MOST_WITHOUT_UPGRADES = 3
# Of which so many hours are to be open to maintenance, in pieces of no less than four. English
# pages say 32 days, the newest 92 (google/skills skills/cloud/gke-upgrades/SKILL.md:83, 400e7604):
# what is too little for the longer is too little for both. GKE refuses the whole policy for it
# ("maintenance policy would go longer than 32d without 48h maintenance availability", as modules of
# others quote it).
_ROLLING_DAYS = 92
_ROLLING = timedelta(days=_ROLLING_DAYS)
_OPEN_HOURS = 48
_OPEN = timedelta(hours=_OPEN_HOURS)
_LEAST_PIECE = timedelta(hours=4)
# A leap year and those around it.
_LOOKED_AT_DAYS = 4 * 366
_LOOKED_AT_YEARS = 40

_Span = tuple[datetime, datetime]


def maintenance_problems(maintenance: Maintenance, now: datetime) -> Iterator[Problem]:
    narrow = [*_window_problems(maintenance)]
    yield from narrow
    for place, name in repeats(it.name for it in maintenance.exclusions):
        yield Problem(
            f"{FIELD}.exclusions[{place}].name",
            f'"{name}" is there twice; nearest: {name}-{place + 1}',
        )
    for place, one in enumerate(maintenance.exclusions):
        yield from _exclusion_problems(f"{FIELD}.exclusions[{place}]", maintenance, one, now)
    if len(maintenance.exclusions) > _MOST_EXCLUSIONS:
        yield Problem(
            f"{FIELD}.exclusions",
            f"{len(maintenance.exclusions)} exclusions are more than a cluster takes; "
            f"nearest: {_MOST_EXCLUSIONS} of them",
        )
        return
    without = [it for it in maintenance.exclusions if it.scope is ExclusionScope.NO_UPGRADES]
    if len(without) > _MOST_WITHOUT_UPGRADES:
        yield Problem(
            f"{FIELD}.exclusions",
            f"{len(without)} exclusions without any upgrade are more than a cluster takes; "
            f"nearest: {_MOST_WITHOUT_UPGRADES} of them, others as "
            f"{ExclusionScope.NO_MINOR_UPGRADES}",
        )
    elif not narrow:
        yield from _starved_problems(maintenance, maintenance.exclusions)


def _starved_problems(
    window: Maintenance, exclusions: Sequence[MaintenanceExclusion]
) -> Iterator[Problem]:
    """Windows and exclusions that are each as GKE takes them leave it its hours together, too."""
    without = {
        place: (it.start, it.end)
        for place, it in enumerate(exclusions)
        if it.scope is ExclusionScope.NO_UPGRADES and it.end is not None
    }
    if any(it - start > _LONGEST_WITHOUT_UPGRADES for start, it in without.values()):
        return
    for place, (start, end) in without.items():
        closed = [it for at, it in without.items() if at <= place]
        least = _least_open(window, closed)
        if least >= _OPEN:
            continue
        longest = _longest(window, start, closed[:-1])
        near = f"{shown_moment(start + longest)}, or " if longest else ""
        yield Problem(
            f"{FIELD}.exclusions[{place}].end",
            f"with {shown_moment(end)} the windows have {_hours(least)} in some {_ROLLING_DAYS} "
            f"days that no exclusion takes, and GKE wants {_OPEN_HOURS}; nearest: {near}the scope "
            f"{ExclusionScope.NO_MINOR_UPGRADES}",
        )
        return


def _longest(window: Maintenance, start: datetime, others: Sequence[_Span] = ()) -> timedelta:
    """The longest in whole days that an exclusion without any upgrade may be; 0 for none."""

    def starves(days: int) -> bool:
        return _least_open(window, [*others, (start, start + timedelta(days=days))]) < _OPEN

    days = range(1, _LONGEST_WITHOUT_UPGRADES.days + 1)
    return timedelta(days=bisect(days, 0, key=starves))


def _least_open(window: Maintenance, closed: Sequence[_Span]) -> timedelta:
    """What the windows have in those days around an exclusion in which they have the least."""
    first, last = window.start.astimezone(UTC), max(it[1] for it in closed)
    if last.year > first.year + _LOOKED_AT_YEARS:
        return _OPEN
    begin, end = max(first, min(it[0] for it in closed) - _ROLLING), last + _ROLLING
    opened = _windows(window.recurrence, first, window.end - window.start, end.year)
    pieces = [it for it in opened if it[1] > begin]
    for start, over in closed:
        halves = [it for a, b in pieces for it in ((a, min(b, start)), (max(a, over), b))]
        pieces = [it for it in halves if it[1] - it[0] >= _LEAST_PIECE]
    # The least is where the days begin as a piece ends, or end as one begins.
    begins = {begin, *(it[1] for it in pieces), *(it[0] - _ROLLING for it in pieces)}
    starts = [it[0] for it in pieces]
    before = list(accumulate((b - a for a, b in pieces), initial=timedelta()))

    def open_until(at: datetime) -> timedelta:
        whole = bisect(starts, at) - 1
        if whole < 0:
            return timedelta()
        return before[whole] + min(at, pieces[whole][1]) - starts[whole]

    sums = (
        open_until(at + _ROLLING) - open_until(at) for at in begins if begin <= at <= end - _ROLLING
    )
    return min(sums, default=_OPEN)


@cache
def _windows(
    recurrence: str, first: datetime, length: timedelta, last_year: int
) -> Sequence[_Span]:
    """Those until the end of a year; what follows on one another is one."""
    days = (date(last_year, 12, 31) - first.date()).days
    found: list[_Span] = []
    for day in parsed(recurrence).days(first.date(), max(0, days)):
        begin = datetime.combine(day, first.timetz())
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], begin + length)
        else:
            found.append((begin, begin + length))
    return found


def _window_problems(window: Maintenance) -> Iterator[Problem]:
    length = window.end - window.start
    if length < _LEAST_PIECE:
        end = window.start + _LEAST_PIECE
        yield Problem(
            f"{FIELD}.end",
            f"the window ends {_hours(length)} after its start, and GKE counts none of less than "
            f"{_hours(_LEAST_PIECE)}; nearest: {shown_moment(end)}",
        )
        return
    # Days of the week are UTC's.
    windows = _fewest_windows(window.recurrence, window.start.astimezone(UTC).date())
    least = windows * length / timedelta(hours=1)
    if least < _OPEN_HOURS:
        yield Problem(
            f"{FIELD}.recurrence",
            f"{window.recurrence} has windows of {least:g} hours in some {_ROLLING_DAYS} days, and "
            f"GKE wants {_OPEN_HOURS}; nearest: FREQ=WEEKLY;BYDAY=SA,SU",
        )


@cache
def _fewest_windows(recurrence: str, first: date) -> int:
    """Windows in those days of which a rule that begins on `first` has the fewest."""
    days = parsed(recurrence).days(first, _LOOKED_AT_DAYS)
    open_at = {(day - first).days for day in days}
    return min(
        len(open_at.intersection(range(at, at + _ROLLING_DAYS)))
        for at in range(0, _LOOKED_AT_DAYS - _ROLLING_DAYS, 7)
    )


def _exclusion_problems(
    field: str, window: Maintenance, one: MaintenanceExclusion, now: datetime
) -> Iterator[Problem]:
    if one.end is None:
        # Until the end of support, which provider and gcloud take with the other scopes alone.
        if one.scope is ExclusionScope.NO_UPGRADES:
            yield Problem(
                f"{field}.end",
                "without an end it is longer than GKE allows without any upgrade; "
                f"nearest: {_latest_end(window, one.start)}",
            )
        return
    length = one.end - one.start
    if length <= timedelta(0):
        yield Problem(
            f"{field}.end",
            f"{shown_moment(one.end)} is not after the start; "
            f"nearest: {shown_moment(one.start + timedelta(days=1))}",
        )
    elif one.end <= now:
        # GKE takes it (hashicorp/terraform-provider-google-beta resource_container_cluster_test.go,
        # TestAccContainerCluster_withMaintenanceExclusionWindow, has times of 2019), and then does
        # nothing for it; without it a cluster that runs is updated in place.
        yield Problem(
            field,
            f"it ended on {shown_moment(one.end)} and keeps nothing away; nearest: leave it out",
        )
    elif one.scope is ExclusionScope.NO_UPGRADES and length > _LONGEST_WITHOUT_UPGRADES:
        yield Problem(
            f"{field}.end",
            f"{length.days} days without any upgrade are more than GKE allows; "
            f"nearest: {_latest_end(window, one.start)}",
        )


def _latest_end(window: Maintenance, start: datetime) -> str:
    """Of an exclusion without any upgrade. Of windows that are too few by themselves nothing is
    left."""
    return shown_moment(start + (_longest(window, start) or _LONGEST_WITHOUT_UPGRADES))


def shown_moment(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _hours(length: timedelta) -> str:
    return f"{length.total_seconds() / 3600:g} hours"
