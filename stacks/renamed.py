"""What the program has under another name than the record, and the cloud under the same one.

Its create would meet the one that is there, each time, and the delete of that would come after. So
it is refused. `pulumi state rename` is no way out: it panics where something else is replaced with
the resource, which what mounts a bucket or a volume is (pulumi/pulumi 3.256.0, tried 2026-11-26).
No Pulumi import.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from recovery.ids import resource_id
from stacks.on_record import Record, Recorded
from stacks.property_paths import UNKNOWN
from stacks.refusal import KUBERNETES

# The inputs that give a resource of Google's its name; a member of a role has none of them.
_NAMES = ("name", "instanceId", "repositoryId", "accountId")
_Inputs = Mapping[str, Any]
# The inputs by type and logical name, with the engine's names of properties.
_Declared = Mapping[tuple[str, str], Callable[[], _Inputs]]


def renamed(declared: _Declared, record: Record) -> Iterator[str]:
    """A line for each; nothing for what has its cloud name under the key that it had."""
    for (token, name), inputs in declared.items():
        others = record.of_type(token) if record.get(token, name) is None else ()
        for old in others:
            if not _is_same(old, inputs()) or _stays(old, declared):
                continue
            had, has = _stems(old.name, name)
            yield (
                f"stack: {name} would be the {_cloud_name(old)}, which is on record as {old.name} "
                f"and keeps that name; nearest: the key {had} for it, as it had, or another cloud "
                f"name below {has}"
            )


def _stays(old: Recorded, declared: _Declared) -> bool:
    inputs = declared.get((old.type, old.name))
    return inputs is not None and _is_same(old, inputs())


def _is_same(old: Recorded, inputs: _Inputs) -> bool:
    """Whether the cloud's id is the same. What the engine has not heard of yet counts as the same,
    but for a name."""
    known = {key: value for key, value in inputs.items() if not _has_unknown(value)}
    names = ("metadata",) if old.type.startswith(KUBERNETES) else _NAMES
    if known.keys().isdisjoint(names):
        return False
    before = resource_id(old.type, old.outputs)
    return before is not None and before == resource_id(old.type, {**old.outputs, **known})


def _has_unknown(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_unknown, value.values()))
    return value is UNKNOWN


def _stems(old: str, new: str) -> tuple[str, str]:
    """Both without the words that they share at their ends."""
    had, has = old.split("-"), new.split("-")
    while len(had) > 1 and len(has) > 1 and had[-1] == has[-1]:
        had, has = had[:-1], has[:-1]
    return "-".join(had), "-".join(has)


def _cloud_name(old: Recorded) -> str:
    identity = resource_id(old.type, old.outputs) or old.name
    return f"{old.type.rpartition(':')[2]} {identity.rpartition('/')[2]}"
