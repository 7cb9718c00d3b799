"""The cluster's GKE version held against the calendar and against the cluster on record.

Sources: hashicorp/terraform-provider-google-beta resource_container_cluster.go:4916, 93c65b2d60 (a
minimum version that is changed upgrades the control plane where it is higher, and else does
nothing); nebari-dev/nebari-docs docs/docs/how-tos/upgrade-kubernetes-version.md, f194b10a (GKE:
"cannot upgrade the master more than a minor version at a time"); GKE documentation, "Maintenance
windows and exclusions".
"""

import shlex
from collections.abc import Iterator
from datetime import date, datetime, timedelta

import pulumi

from catalog import FactError, GkeVersion
from catalog.gke_calendar import FRESH
from catalog.machines import MachineTable
from catalog.prices import Way
from catalog.table import Table, load_table
from catalog.zones import ZoneTable
from stacks import clock
from stacks.config import ConfigError
from stacks.machine_price import price_of
from stacks.on_record import Record, Recorded
from stacks.parts.cluster.config import KEEP_NODES, ExclusionScope
from stacks.plan import Plan
from stacks.refusal import CLUSTER

_FIELD = "stack.cluster.version"
_MOUNTS_FAIL = (
    "under a control plane of GKE {} nodes of Ubuntu, or of an older Container-Optimized OS, may "
    "not mount buckets"
)
# How long before the end of support a preview speaks of it.
_EARLY = timedelta(days=90)


def check(plan: Plan, record: Record) -> None:
    """Raises ConfigError for a version that GKE makes no cluster of, or that the cluster on record
    cannot have."""
    if found := list(refused(plan, record, clock.now().date())):
        raise ConfigError(found)


def install(plan: Plan, record: Record) -> None:
    """Has `preview` and `up` say what the calendar brings, and a preview how old the books are."""
    now = clock.now()
    books = old_books(plan, now.date()) if pulumi.runtime.is_dry_run() else ()
    for line in (*told(plan, record, now), *unmounted(plan, record, now), *books):
        pulumi.log.warn(line)


def refused(plan: Plan, record: Record, today: date) -> Iterator[str]:
    """A version that was not asked for before has to be there, and one minor above the cluster's at
    most. What the config has said all along is GKE's to keep up with."""
    version, cluster = plan.gke_version, _of_record(plan, record)
    if not plan.stack.cluster.is_made:
        return
    running = None if cluster is None else _running(cluster)
    if running is not None and (version is None or _covers(version, running)):
        yield from _too_old(plan, running, today)
    if version is None:
        return
    if cluster is not None and cluster.outputs.get("minMasterVersion") == str(version):
        return
    if running is not None and (line := _out_of_reach(version, running)):
        yield line
        return
    mended = plan.facts.gcsfuse.mended_by(version)
    if plan.stack.buckets and mended is not None and not version.meets(mended):
        yield f"{_FIELD}: {_MOUNTS_FAIL.format(version)}; nearest: {mended}"
        return
    if running is not None and _minors(version) == _minors(running):
        return
    machines = [it.machine.name for it in plan.pools.values()] or [None]
    minimums = (plan.facts.minimum_gke(*plan.features, machine=it) for it in machines)
    least = max((it for it in minimums if it is not None), default=None)
    channel = plan.stack.cluster.release_channel
    try:
        plan.facts.gke_calendar.check_offered(version, channel, today, least)
    except FactError as error:
        yield f"{_FIELD}: {error}"


def _out_of_reach(version: GkeVersion, running: GkeVersion) -> str:
    """Why no run of today leads from one to the other; empty where one does."""
    if _is_lower(version, running):
        return (
            f"{_FIELD}: the cluster runs {running}, and GKE takes no control plane back to "
            f"{version}; nearest: {running.major}.{running.minor}"
        )
    if version.minor > running.minor + 1:
        return (
            f"{_FIELD}: the cluster runs {running}, and GKE raises a control plane by one "
            f"minor version at a time, not to {version}; nearest: "
            f"{running.major}.{running.minor + 1}, and {version} in a later run"
        )
    return ""


def told(plan: Plan, record: Record, now: datetime) -> Iterator[str]:
    """Support that ends soon or is over, a channel that is behind, and nodes that stay behind."""
    version, cluster = plan.gke_version, _of_record(plan, record)
    if not plan.stack.cluster.is_made:
        return
    running = None if cluster is None else _running(cluster)
    if cluster is not None and running is not None:
        yield from _channel_behind(plan, cluster, running, now.date())
    if version is None:
        return
    if running is not None and _minors(version) > _minors(running):
        yield _nodes_behind(plan, running, version, now)
    asked = None if cluster is None else cluster.outputs.get("minMasterVersion")
    if version.patch is not None and str(version) not in (asked, str(running)):
        yield _unconfirmed(plan, version)
    yield from _support(plan, version, now.date())


def _too_old(plan: Plan, standing: GkeVersion, today: date) -> Iterator[str]:
    """What no version of the config raises stays as it is, whatever the channel has by now."""
    channel = plan.stack.cluster.release_channel
    for machine in dict.fromkeys(it.machine.name for it in plan.pools.values()):
        try:
            plan.facts.check_gke(
                standing, *plan.features, machine=machine, channel=channel, today=today
            )
        except FactError as error:
            yield f"{_FIELD}: the cluster stays at its version, and {error}"
            return


def _covers(version: GkeVersion, standing: GkeVersion) -> bool:
    """Whether the provider takes the version that stands for the one that is asked for."""
    return version.patch is None and _minors(version) == _minors(standing)


def unmounted(plan: Plan, record: Record, now: datetime) -> Iterator[str]:
    """A control plane under which buckets may not be mounted: one that runs, or one that the
    channel may bring to a cluster of no version in particular, or to one of an older minor that
    nothing keeps there."""
    cluster = _of_record(plan, record)
    if not plan.stack.cluster.is_made or not plan.stack.buckets:
        return
    facts, version = plan.facts.gcsfuse, _running(cluster) if cluster else plan.gke_version
    mended = None if version is None else facts.mended_by(version)
    if version is not None and mended is not None and not version.meets(mended):
        upgraded = [plan.cluster_name, "--location", plan.location, "--master"]
        yield (
            f"stack.buckets: {_MOUNTS_FAIL.format(version)}; nearest: gcloud container clusters "
            f"upgrade {shlex.join([*upgraded, '--cluster-version', str(mended)])}"
        )
        return
    known = version is not None and (version.patch is not None or mended is None)
    channel = plan.stack.cluster.release_channel
    newest = plan.facts.gke_calendar.newest_possible(channel, now.date())
    # Of a minor alone nobody knows the patch.
    coming = [
        it
        for it in facts.mended
        if _minors(it) <= _minors(newest)
        and (version is None or _minors(it) >= (version.major, version.minor + known))
    ]
    if not coming or (known and _keeps_minor(plan, now)):
        return
    first = coming[0]
    fails = _MOUNTS_FAIL.format(f"{first.major}.{first.minor} before {first}")
    yield (
        f"stack.buckets: {fails}, and the channel {channel} may bring one; nearest: "
        f"cluster.version {first} once the channel has it, or an exclusion of "
        f"{ExclusionScope.NO_MINOR_UPGRADES} in cluster.maintenance until then"
    )


def _keeps_minor(plan: Plan, now: datetime) -> bool:
    """Whether an exclusion of today keeps the control plane at its minor version."""
    window = plan.stack.cluster.maintenance
    exclusions = () if window is None else window.exclusions
    return any(it.start <= now and (it.end is None or it.end > now) for it in exclusions)


def _is_lower(version: GkeVersion, running: GkeVersion) -> bool:
    """A version without a patch, or a build, is any of those that it covers."""
    if version.patch is None:
        return _minors(version) < _minors(running)
    return version < running and not str(running).startswith(f"{version}-")


def old_books(plan: Plan, today: date) -> Iterator[str]:
    """One line for the books of the catalog that nobody has read again for 90 days."""
    books: dict[str, Table] = {
        "machine types": load_table(MachineTable, "machine_types"),
        "zones": load_table(ZoneTable, "zones"),
        "GKE versions": plan.facts.gke_calendar,
    }
    dates = {name: it.date for name, it in books.items()}
    for pool in plan.pools.values():
        rate = price_of(pool, plan.facts)
        if rate is not None and rate.date is not None:
            spot = "spot " if rate.way is Way.SPOT else ""
            dates[f"{spot}prices of {pool.machine.name}"] = rate.date
    old = {name: it for name, it in dates.items() if today - it > FRESH}
    if old:
        named = ", ".join(f"{name} of {it}" for name, it in old.items())
        yield (
            f"the catalog is older than {FRESH.days} days: {named}. What Google has changed since "
            "is not in it; a newer release may know"
        )


def _channel_behind(
    plan: Plan, cluster: Recorded, running: GkeVersion, today: date
) -> Iterator[str]:
    """A channel that the cluster is to move to and that has not its version. What GKE then answers
    no source says of the move itself; of versions it does (hashicorp/terraform-provider-google
    #15084: 'Master version must be one of "STABLE" channel supported versions')."""
    before: str | None = (cluster.outputs.get("releaseChannel") or {}).get("channel")
    after = plan.stack.cluster.release_channel
    newest = plan.facts.gke_calendar.newest_possible(after, today)
    if before in (None, after.value) or _minors(running) <= _minors(newest):
        return
    yield (
        f"cluster.release_channel: {before} -> {after}: the cluster runs {running}, and {after} is "
        f"known to have {newest} at most. GKE takes no control plane back: the cluster stays at "
        f"{running} until {after} has it, or GKE refuses the move; nearest: {before} until then"
    )


def _unconfirmed(plan: Plan, version: GkeVersion) -> str:
    """The catalog has Google's minor versions, and no list of their patches, of which GKE takes
    some away every week (GKE documentation, release notes of the channels)."""
    calendar, channel = plan.facts.gke_calendar, plan.stack.cluster.release_channel
    minor = GkeVersion(version.major, version.minor)
    return (
        f"cluster.version: of GKE {version} the catalog knows the minor version {minor} alone, as "
        f"of {calendar.date}: whether the channel {channel} has that patch is not confirmed, and "
        f"GKE makes no cluster of one that it has not; nearest: {minor}, of which GKE takes a "
        f"patch that is there, or one of `gcloud container get-server-config --location "
        f"{shlex.quote(plan.location)}`"
    )


def _support(plan: Plan, version: GkeVersion, today: date) -> Iterator[str]:
    calendar, channel = plan.facts.gke_calendar, plan.stack.cluster.release_channel
    end = calendar.end_of_support(version, channel)
    if end is None or end - today > _EARLY:
        return
    near = calendar.nearest(channel, today + _EARLY, GkeVersion(version.major, version.minor + 1))
    if end <= today:
        yield (
            f"cluster.version: GKE {version} is out of support in the channel {channel} since "
            f"{end}: GKE has raised the cluster, or will, and makes none of it again; nearest: "
            f"{near}"
        )
        return
    yield (
        f"cluster.version: the support of GKE {version} ends in the channel {channel} on {end}, in "
        f"{(end - today).days} days: GKE raises the cluster then, whatever an exclusion says; "
        f"nearest: {near}"
    )


def _nodes_behind(plan: Plan, running: GkeVersion, version: GkeVersion, now: datetime) -> str:
    window = plan.stack.cluster.maintenance
    holding = [] if window is None else window.exclusions
    held = [
        f'"{it.name}" ({it.scope}) until {it.end or "the end of support"}'
        for it in holding
        if it.scope in KEEP_NODES and it.start <= now and (it.end is None or it.end > now)
    ]
    when = (
        f"the exclusion {', '.join(held)} keeps them there"
        if held
        else "GKE raises them by itself, in a maintenance window"
    )
    since = plan.facts.feature("lustre_default_port").minimum_gke
    moves = plan.stack.lustre is not None and version.meets(since) and not running.meets(since)
    lustre = (
        "; nodes of the old version mount Lustre on port 6988, which the instance leaves"
        if moves
        else ""
    )
    return (
        f"cluster.version: {running} -> {version} raises the control plane alone; nodes stay at "
        f"their version, and {when}{lustre}. To raise them now: gcloud container clusters upgrade "
        f"{shlex.join([plan.cluster_name, '--location', plan.location])} --node-pool POOL, a pool "
        "at a time"
    )


def _of_record(plan: Plan, record: Record) -> Recorded | None:
    """The stack's own cluster, as the last run left it."""
    made = [it for it in record.of_type(CLUSTER) if it.outputs.get("name") == plan.cluster_name]
    return made[0] if made else None


def _running(cluster: Recorded) -> GkeVersion | None:
    version = cluster.outputs.get("masterVersion")
    return GkeVersion.parse(version) if version else None


def _minors(version: GkeVersion) -> tuple[int, int]:
    return version.major, version.minor
