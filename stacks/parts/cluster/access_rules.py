"""Who may reach a cluster, and when GKE may upgrade it.

Sources: GKE documentation, "Maintenance windows and exclusions", "Configure maintenance windows and
exclusions", "Authorized networks"; hashicorp/terraform-provider-google-beta
website/docs/r/container_cluster (20 exclusions); read 2026-11-22.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from stacks.parts.cluster.config import (
    AuthorizedRange,
    ExclusionScope,
    Maintenance,
    MaintenanceExclusion,
    StackCluster,
)
from stacks.problems import Problem, problem_of
from stacks.recurrence import parsed

_FIELD = "cluster.maintenance"
_LONGEST_WITHOUT_UPGRADES = timedelta(days=90)
_MOST_EXCLUSIONS = 20
_MOST_AUTHORIZED = 100
# Of which so many hours are to be open to maintenance, in pieces of no less than four. English
# pages say 32 days, the newest 92: what is too little for the longer is too little for both.
_ROLLING_DAYS = 92
_OPEN_HOURS = 48
_LEAST_PIECE = timedelta(hours=4)
# A leap year and those around it.
_LOOKED_AT_DAYS = 4 * 366


def cluster_problems(cluster: StackCluster, now: datetime) -> Iterator[Problem]:
    """Of what a cluster has whatever its mode."""
    yield from authorized_problems(cluster.authorized_networks or ())
    if cluster.maintenance is not None:
        yield from maintenance_problems(cluster.maintenance, now)


def authorized_problems(ranges: Sequence[AuthorizedRange]) -> Iterator[Problem]:
    """None twice, and no more than GKE takes of a cluster with private nodes."""
    seen: set[str] = set()
    for number, one in enumerate(ranges):
        if one.cidr in seen:
            yield Problem(
                f"cluster.authorized_networks[{number}]",
                f"{one.cidr} is there twice; nearest: leave it out",
            )
        seen.add(one.cidr)
    if len(ranges) > _MOST_AUTHORIZED:
        yield Problem(
            "cluster.authorized_networks",
            f"{len(ranges)} ranges are more than GKE takes; nearest: {_MOST_AUTHORIZED} of them",
        )


def maintenance_problems(maintenance: Maintenance, now: datetime) -> Iterator[Problem]:
    yield from _window_problems(maintenance)
    seen: set[str] = set()
    for number, one in enumerate(maintenance.exclusions):
        field = f"{_FIELD}.exclusions[{number}]"
        if one.name in seen:
            yield Problem(
                f"{field}.name", f'"{one.name}" is there twice; nearest: {one.name}-{number + 1}'
            )
        seen.add(one.name)
        yield from _exclusion_problems(field, one, now)
    if len(maintenance.exclusions) > _MOST_EXCLUSIONS:
        yield Problem(
            f"{_FIELD}.exclusions",
            f"{len(maintenance.exclusions)} exclusions are more than a cluster takes; "
            f"nearest: {_MOST_EXCLUSIONS} of them",
        )


def _window_problems(window: Maintenance) -> Iterator[Problem]:
    length = window.end - window.start
    if length < _LEAST_PIECE:
        end = window.start + _LEAST_PIECE
        yield Problem(
            f"{_FIELD}.end",
            f"the window ends {_hours(length)} after its start, and GKE counts none of less than "
            f"{_hours(_LEAST_PIECE)}; nearest: {_shown(end)}",
        )
        return
    broken = problem_of(f"{_FIELD}.recurrence", lambda: parsed(window.recurrence))
    yield from broken
    if broken:
        return
    # Days of the week are UTC's.
    first = window.start.astimezone(UTC).date()
    days = list(parsed(window.recurrence).days(first, _LOOKED_AT_DAYS))
    most = length.total_seconds() / 3600
    counted = [0.0] * (_LOOKED_AT_DAYS + 1)
    for day in days:
        counted[(day - first).days] = most
    least = min(
        sum(counted[at : at + _ROLLING_DAYS]) for at in range(0, _LOOKED_AT_DAYS - _ROLLING_DAYS, 7)
    )
    if least < _OPEN_HOURS:
        yield Problem(
            f"{_FIELD}.recurrence",
            f"{window.recurrence} has windows of {least:g} hours in some {_ROLLING_DAYS} days, and "
            f"GKE wants {_OPEN_HOURS}; nearest: FREQ=WEEKLY;BYDAY=SA,SU",
        )


def _exclusion_problems(field: str, one: MaintenanceExclusion, now: datetime) -> Iterator[Problem]:
    if one.end is None:
        # Until the end of support, which provider and gcloud take with the other scopes alone.
        if one.scope is ExclusionScope.NO_UPGRADES:
            yield Problem(
                f"{field}.end",
                "without an end it is longer than GKE allows without any upgrade; "
                f"nearest: {_shown(one.start + _LONGEST_WITHOUT_UPGRADES)}",
            )
        return
    length = one.end - one.start
    if length <= timedelta(0):
        yield Problem(
            f"{field}.end",
            f"{_shown(one.end)} is not after the start; "
            f"nearest: {_shown(one.start + timedelta(days=1))}",
        )
    elif one.end <= now:
        yield Problem(
            field, f"it ended on {_shown(one.end)} and keeps nothing away; nearest: leave it out"
        )
    elif one.scope is ExclusionScope.NO_UPGRADES and length > _LONGEST_WITHOUT_UPGRADES:
        yield Problem(
            f"{field}.end",
            f"{length.days} days without any upgrade are more than GKE allows; "
            f"nearest: {_shown(one.start + _LONGEST_WITHOUT_UPGRADES)}",
        )


def _shown(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _hours(length: timedelta) -> str:
    return f"{length.total_seconds() / 3600:g} hours"
