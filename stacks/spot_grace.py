"""How long nodes of a spot pool have once Google takes them back, by what is on record of the pool.

GKE makes a pool's nodes anew for another time, so a pool that stands keeps what it has unless the
config says otherwise; of what is left out the provider leaves it as it is (hashicorp/
terraform-provider-google-beta node_config.go:795, kubelet_config, optional and computed,
93c65b2d60).
"""

from collections.abc import Iterator

from catalog import ReleaseChannel
from stacks.config import ConfigError
from stacks.on_record import Record
from stacks.parts.pools.config import Spot
from stacks.parts.pools.plan import PlannedPool
from stacks.plan import Plan
from stacks.property_paths import value_at
from stacks.refusal import NODE_POOL

_PATH = "nodeConfig.kubeletConfig.shutdownGracePeriodSeconds"
_FEATURE = "spot_notice"


def to_be_set(plan: Plan, record: Record, pool: PlannedPool, name: str) -> int | None:
    """Seconds for the node pool of the component `name`; None leaves them as GKE has them."""
    capacity, notice = pool.config.capacity, plan.facts.spot_notice
    if not isinstance(capacity, Spot):
        return None
    pools = (it for it in record.standing if it.type == NODE_POOL)
    there = next((it for it in pools if it.name == f"{name}-pool"), None)
    kept = None if there is None else value_at(there.outputs, _PATH)
    if capacity.grace_seconds is not None:
        said = capacity.grace_seconds != notice.default or kept is not None
        return capacity.grace_seconds if said else None
    # Machines of another way are made anew in any case.
    new = there is None or not value_at(there.outputs, "nodeConfig.spot")
    return notice.longest if new and _has_more(plan, pool) else kept


def check(plan: Plan, record: Record) -> None:
    """Raises ConfigError for a job that wants more seconds than its node leaves it."""
    if found := [*_too_long(plan, record)]:
        raise ConfigError(found)


def _has_more(plan: Plan, pool: PlannedPool) -> bool:
    """What is sure to have it: of clusters of others the owner knows the version, and of a
    channel's default nobody but of the newest channel."""
    cluster, version = plan.stack.cluster, plan.gke_version
    if not cluster.is_made or plan.autopilot or pool.kind == "cpu":
        return False
    if version is None:
        return cluster.release_channel is ReleaseChannel.RAPID
    return version.meets(plan.facts.feature(_FEATURE).minimum_gke)


def _too_long(plan: Plan, record: Record) -> Iterator[str]:
    notice = plan.facts.spot_notice
    for script in plan.scripts.values():
        wanted = script.config.grace_seconds
        if "grace_seconds" not in script.config.model_fields_set:
            continue
        for pool in (it for it in script.pools if it.is_spot):
            left = notice.left_to_pods(_seconds(plan, record, pool))
            if wanted <= left:
                continue
            most = notice.left_to_pods(notice.longest)
            more = f"{pool.field}.capacity.grace_seconds {notice.longest}, which leaves {most}"
            yield (
                f"stack.{script.field}.grace_seconds: {wanted} are more than the {left} seconds "
                f"that nodes of {pool.name} leave pods when Google takes one back; nearest: {left}"
                + (f", or {more}" if left < most and not plan.autopilot else "")
            )


def _seconds(plan: Plan, record: Record, pool: PlannedPool) -> int:
    """The fewest of the pool's nodes."""
    names = [f"{pool.name}-{it}" for it in pool.slices] or [pool.name]
    each = (to_be_set(plan, record, pool, it) for it in names)
    return min(it or plan.facts.spot_notice.default for it in each)
