"""The cluster's mode, version and zone, who may reach it, and when GKE may upgrade it. No Pulumi
import.

Sources: GKE documentation, "Maintenance windows and exclusions", "Configure maintenance windows and
exclusions", "Authorized networks"; hashicorp/terraform-provider-google-beta
website/docs/r/container_cluster (20 exclusions); read 2026-11-22.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial

from stacks.beside import beside_problems
from stacks.parts.cluster.config import (
    ClusterLocation,
    ExclusionScope,
    Maintenance,
    MaintenanceExclusion,
    StackCluster,
)
from stacks.plan import Plan
from stacks.problems import Problem, problem_of, repeats
from stacks.recurrence import parsed

_OF_MADE = ("name", "location", "version", "authorized_networks", "maintenance", "security_group")
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


def existing_problems(plan: Plan) -> Iterator[Problem]:
    """A cluster that is not made here is one of two, and its owner decides the rest."""
    cluster = plan.stack.cluster
    if cluster.is_made:
        return
    if cluster.existing is not None and cluster.stack is not None:
        yield Problem(
            "cluster.stack", "the cluster is named by cluster.existing, too; nearest: one of both"
        )
    whose = "the cluster is there already, with its own"
    yield from beside_problems("cluster", cluster, _OF_MADE, whose)


def mode_problems(plan: Plan) -> Iterator[Problem]:
    cluster = plan.stack.cluster
    if plan.autopilot and cluster.is_made and cluster.location is ClusterLocation.ZONAL:
        yield Problem(
            "cluster.location", "Autopilot clusters are always regional; nearest: regional"
        )


def gke_problems(plan: Plan) -> Iterator[Problem]:
    """The version has what the stack uses."""
    if plan.gke_version is None:
        return
    for pool in plan.pools.values():
        check = partial(plan.facts.check_gke, plan.gke_version, *plan.features)
        yield from problem_of("cluster.version", partial(check, machine=pool.machine.name))


def profile_problems(plan: Plan) -> Iterator[Problem]:
    """Google has a network profile for RDMA in the zone of such machines."""
    for one in plan.interface_sets:
        if one.machine.rdma_nics and one.zone in plan.facts.zones:
            own = next((it for it in one.pools if plan.pools[it].config.zone is not None), None)
            yield from problem_of(
                "zone" if own is None else f"pools.{own}.zone",
                partial(plan.facts.roce_profile, one.zone, one.machine.name),
            )


RULES = (existing_problems, mode_problems, gke_problems, profile_problems)


def cluster_problems(cluster: StackCluster, now: datetime) -> Iterator[Problem]:
    """No range twice, no more of them than GKE takes of a cluster with private nodes, and times for
    upgrades as it takes them."""
    if cluster.maintenance is not None:
        yield from maintenance_problems(cluster.maintenance, now)
    ranges = cluster.authorized_networks or ()
    for place, cidr in repeats(it.cidr for it in ranges):
        yield Problem(
            f"cluster.authorized_networks[{place}]",
            f"{cidr} is there twice; nearest: leave it out",
        )
    if len(ranges) > _MOST_AUTHORIZED:
        yield Problem(
            "cluster.authorized_networks",
            f"{len(ranges)} ranges are more than GKE takes; nearest: {_MOST_AUTHORIZED} of them",
        )


def maintenance_problems(maintenance: Maintenance, now: datetime) -> Iterator[Problem]:
    yield from _window_problems(maintenance)
    for place, name in repeats(it.name for it in maintenance.exclusions):
        yield Problem(
            f"{_FIELD}.exclusions[{place}].name",
            f'"{name}" is there twice; nearest: {name}-{place + 1}',
        )
    for place, one in enumerate(maintenance.exclusions):
        yield from _exclusion_problems(f"{_FIELD}.exclusions[{place}]", one, now)
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
    # Days of the week are UTC's.
    first = window.start.astimezone(UTC).date()
    days = parsed(window.recurrence).days(first, _LOOKED_AT_DAYS)
    open_at = {(day - first).days for day in days}
    windows = min(
        len(open_at.intersection(range(at, at + _ROLLING_DAYS)))
        for at in range(0, _LOOKED_AT_DAYS - _ROLLING_DAYS, 7)
    )
    least = windows * length / timedelta(hours=1)
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
        # GKE takes it (hashicorp/terraform-provider-google-beta resource_container_cluster_test.go,
        # TestAccContainerCluster_withMaintenanceExclusionWindow, has times of 2019), and then does
        # nothing for it; without it a cluster that runs is updated in place.
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
