"""What is lost with a resource that is deleted, in words. No Pulumi import."""

from collections.abc import Iterator, Mapping
from typing import Any

from catalog import Catalog
from components.base.capacity import CapacityMode
from stacks.node_pool_facts import PoolFacts, pool_facts
from stacks.refusal import BUCKET, CLUSTER, LUSTRE, NAMESPACE, NETWORK, NODE_POOL, RELEASE

_AGAIN = {
    CapacityMode.ON_DEMAND: "on-demand machines may not be had again",
    CapacityMode.SPOT: "spot machines may not be had again",
    CapacityMode.RESERVATION: "the reservation {reservation} keeps the machines",
    CapacityMode.ANY_RESERVATION: "had again only as far as an open reservation fits",
    CapacityMode.FLEX_START: "flex-start machines have to be waited for again",
    CapacityMode.QUEUED: "queued machines have to be waited for again",
}


def lost_with(token: str, values: Mapping[str, Any], catalog: Catalog) -> str:
    """What goes with a guarded resource, by its inputs or outputs."""
    if token == NODE_POOL:
        pool = pool_facts(values, catalog)
        return f"{pool.devices} taken away; {again(pool)}"
    if (data := data_lost(token, values)) is not None:
        return data
    match token:
        case _ if token == CLUSTER:
            return "every node, pod and object of the cluster lost; data outside of it kept"
        # Kubernetes documentation, "Namespaces walkthrough", 2026-11-22.
        case _ if token == NAMESPACE:
            return "every object in it is deleted: workloads, claims, secrets"
        case _ if token == RELEASE:
            return "Kueue's definitions go, and with them every queue and workload in the cluster"
        case _ if token == NETWORK and values.get("networkProfile"):
            return "RDMA between all nodes on it lost; the pools on it go too; no data lost"
        case _:
            return "what is attached to it goes too, or the delete fails; no data of its own"


def again(pool: PoolFacts) -> str:
    """Whether the pool's machines can be had again."""
    return _AGAIN[pool.capacity].format(reservation=pool.reservation or "(not named)")


def data_lost(token: str, values: Mapping[str, Any]) -> str | None:
    """By the resource's properties, of inputs or outputs; None for what holds none."""
    match token:
        case _ if token == LUSTRE:
            return f"all data on {values.get('capacityGib', 'an unknown number of')} GiB lost"
        case "gcp:redis/instance:Instance":
            gib = values.get("memorySizeGb", "an unknown number of")
            return f"all data in {gib} GiB lost: Ray clusters on it forget their actors and jobs"
        case _ if token == BUCKET:
            return _of_bucket(values)
        case _:
            return None


def lost_in_place(token: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """What data goes though its resource stays, and what no longer keeps it from going, by the
    properties before and after an update.

    Cloud Storage applies a new rule to the objects that are there (Google Cloud documentation,
    "Object Lifecycle Management", read 2026-11-26).
    """
    if token != BUCKET:
        return
    yield from objects_deleted(old, new)
    yield from _weakened(old, new)


def _weakened(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """What kept a bucket's data from being lost, and keeps it no more or for a shorter time."""
    before, after = _soft_delete_days(old), _soft_delete_days(new)
    if after < before:
        yield f"soft delete keeps deleted objects for {after} days, {before} before"
    if _has_versions(old) and not _has_versions(new):
        yield "versioning is off: an object that is overwritten or deleted leaves no version"
    if new.get("forceDestroy") and not old.get("forceDestroy"):
        yield "force_destroy is on: the bucket goes with all its objects when the stack goes"
    before, after = _retention_days(old), _retention_days(new)
    if after < before:
        yield f"the retention policy keeps objects for {after:g} days, {before:g} before"
    if old.get("defaultEventBasedHold") and not new.get("defaultEventBasedHold"):
        yield "the event-based hold is off: nothing holds new objects"


def objects_deleted(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """By the rules of a bucket that are new."""
    known = list(map(_conditions, _delete_rules(old)))
    for rule in _delete_rules(new):
        conditions = _conditions(rule)
        if conditions not in known:
            told = ", ".join(f"{key} {value}" for key, value in sorted(conditions.items()))
            yield f"Cloud Storage deletes the objects that a new rule is for ({told})"


def _delete_rules(values: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for rule in values.get("lifecycleRules") or ():
        if isinstance(rule, Mapping) and (rule.get("action") or {}).get("type") == "Delete":
            yield rule


def _conditions(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Without what the provider fills in."""
    conditions = (rule.get("condition") or {}).items()
    return {key: value for key, value in conditions if value not in (None, "", 0, False, [], "ANY")}


def _soft_delete_days(values: Mapping[str, Any]) -> int:
    policy = values.get("softDeletePolicy")
    seconds = policy.get("retentionDurationSeconds") if isinstance(policy, Mapping) else None
    return int(seconds or 0) // 86400


def _has_versions(values: Mapping[str, Any]) -> bool:
    versioning = values.get("versioning")
    return isinstance(versioning, Mapping) and versioning.get("enabled") is True


def _retention_days(values: Mapping[str, Any]) -> float:
    policy = values.get("retentionPolicy")
    seconds = policy.get("retentionPeriod") if isinstance(policy, Mapping) else None
    return float(seconds or 0) / 86400


def _of_bucket(values: Mapping[str, Any]) -> str:
    if not values.get("forceDestroy"):
        return "data kept: the delete fails unless the bucket is empty"
    days = _soft_delete_days(values)
    kept = f"; soft delete keeps them for {days} days" if days else ""
    return f"all objects lost{kept}"
