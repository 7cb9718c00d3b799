"""A resource with data that somebody has deleted: the next `up` makes an empty one, and says so.

A refresh takes what is gone off the record, and leaves its component there, whose outputs an
earlier instance filled in: one that was never made has none.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pulumi

from stacks.data_loss import data_lost
from stacks.on_record import Record, Recorded

# What the components of these call themselves: their outputs that an object mounts them by.
_NAMED_BY = ("instance_name", "bucket_name", "address")
# Properties of objects that name what is mounted.
_MOUNTS = ("volumeHandle", "bucketName")
_MOST = 4


def install(record: Record) -> None:
    """Has `preview` and `up` say it."""
    pulumi.runtime.register_stack_transformation(partial(_warn, record))


def _warn(record: Record, args: pulumi.ResourceTransformationArgs) -> None:
    if args.opts.parent is None or data_lost(args.type_, {}) is None:
        return
    parent = args.opts.parent
    for line in made_anew(
        record, (args.type_, args.name), (parent.pulumi_resource_type, parent.pulumi_resource_name)
    ):
        pulumi.log.warn(line)


def made_anew(
    record: Record, resource: tuple[str, str], component: tuple[str, str]
) -> Iterator[str]:
    """A line where the component is on record with an earlier instance of the resource, and the
    resource is not."""
    there = record.get(*component)
    if record.get(*resource) is not None or there is None:
        return
    names = {value for key in _NAMED_BY if isinstance(value := there.outputs.get(key), str)}
    if not names:
        return
    users = [it.name for it in _users(record, names)]
    more = f" and {len(users) - _MOST} more" if len(users) > _MOST else ""
    mounted = f"; on record with it: {', '.join(users[:_MOST])}{more}" if users else ""
    yield (
        f"{resource[1]} is made anew and empty, for the one that {component[1]} had is no longer "
        f"on record{mounted}"
    )


def _users(record: Record, names: set[str]) -> Iterator[Recorded]:
    """The objects that mount it or have its address, and those that mount it by a claim."""
    objects = [it for it in record.resources if it.type.startswith("kubernetes:")]
    direct = [it for it in objects if _has(it.outputs, names, _MOUNTS)]
    claims = {
        claim["name"]
        for it in direct
        if isinstance(claim := (it.outputs.get("spec") or {}).get("claimRef"), Mapping)
    }
    for it in objects:
        if it in direct or _has(it.outputs, claims, ("claimName",)):
            yield it


def _has(value: Any, names: set[str], keys: tuple[str, ...]) -> bool:
    """Whether one of the keys has one of the names, by itself or at the end of a path, or any text
    has one that is an address with a scheme."""
    if isinstance(value, Mapping):
        return any(
            (key in keys and str(it).rpartition("/")[2] in names) or _has(it, names, keys)
            for key, it in value.items()
        )
    if isinstance(value, list):
        return any(_has(it, names, keys) for it in value)
    return isinstance(value, str) and any("://" in name and name in value for name in names)
