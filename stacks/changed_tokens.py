"""A changed value of a Secret reaches no pod that runs: `preview` and `up` say which keep the old
one, for whoever then revokes it."""

from collections.abc import Iterator, Mapping
from typing import Any

import pulumi

from stacks.arguments import plain
from stacks.on_record import Record, Recorded
from stacks.plan import Plan
from stacks.planned_jobs import planned_jobs
from stacks.property_paths import UNKNOWN, Secret
from stacks.running_work import ended
from stacks.secret_readers import SECRET, reads, restart_of
from stacks.warned_steps import warn_of
from stacks.workloads import DEPLOYMENT, RAY_CLUSTER, WORKLOADS


def install(plan: Plan, record: Record) -> None:
    async def changed(args: pulumi.ResourceHookArgs) -> str | None:
        old, new = await plain(args.old_inputs or {}), await plain(args.new_inputs or {})
        return warning(plan, record, old, new)

    warn_of("changed-tokens", "before_update", (SECRET,), changed)


def warning(
    plan: Plan, record: Record, old: Mapping[str, Any], new: Mapping[str, Any]
) -> str | None:
    """What to say of an update of a Secret, by its inputs; None where nothing reads what changes.
    No value is told."""
    keys = changed_keys(old, new)
    metadata = old.get("metadata") or {}
    name, namespace = metadata.get("name"), metadata.get("namespace")
    # The engine gives its record in any order.
    readers = sorted(
        f"{_field(plan, it)} ({_restart_of(plan, it, str(namespace))})"
        for it in _running(record, namespace)
        if reads(it.outputs.get("spec"), str(name), keys)
    )
    if not keys or not readers:
        return None
    return (
        f"{', '.join(keys)} of the Secret {name} changes, and pods that run keep the old value: "
        f"variables of a running container never change. Before you revoke the old value, start "
        f"again what has it: {'; '.join(readers)}"
    )


def changed_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Keys whose old value is no more."""
    before, after = _opened(old.get("data")), _opened(new.get("data"))
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return []
    return sorted(
        key
        for key, value in before.items()
        if (now := _opened(after.get(key))) is not UNKNOWN and now != _opened(value)
    )


def _opened(value: Any) -> Any:
    return value.value if isinstance(value, Secret) else value


def _running(record: Record, namespace: Any) -> Iterator[Recorded]:
    for it in record.resources:
        if it.type in WORKLOADS and not ended(it):
            metadata = it.outputs.get("metadata") or {}
            if metadata.get("namespace") == namespace:
                yield it


def _restart_of(plan: Plan, it: Recorded, namespace: str) -> str:
    return restart_of(it.type, namespace, _own_name(it), plan.kubectl, it.registered_urn)


def _own_name(it: Recorded) -> str:
    return str(it.outputs["metadata"].get("name"))


def _field(plan: Plan, it: Recorded) -> str:
    job = planned_jobs(plan).get((it.type, it.name))
    if job is not None:
        return f"jobs.{job.name}"
    if it.type == RAY_CLUSTER:
        return f"ray.{it.name.removesuffix('-cluster')}"
    if it.type == DEPLOYMENT and it.name.removesuffix("-deployment") in plan.servers:
        return f"servers.{it.name.removesuffix('-deployment')}"
    return it.name
