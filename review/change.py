"""What the engine would do to one resource, and which properties make it do so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from cli.urns import name_of, token_of
from review.step import EngineStep
from review.values import UNKNOWN, told_apart, value_at
from stacks.acknowledge import REMOVED
from stacks.property_paths import changed_paths, is_below

Verb = Literal["create", "update", "replace", "delete"]
VERBS: tuple[Verb, ...] = ("delete", "replace", "update", "create")


_REPLACING = frozenset({"replace", "create-replacement", "delete-replaced", "import-replacement"})
_DELETING = frozenset({"delete", "discard", "discard-replaced", "remove-pending-replace"})
_ID = "id"
_TOP = re.compile(r"[^.\[]+")


@dataclass(frozen=True)
class Cause:
    """A property with its value before and after as a report shows them, and the `value` that it
    gets; `because` names replaced resources behind it."""

    property: str
    before: str = ""
    after: str = ""
    because: tuple[str, ...] = ()
    value: Any = field(default=None, compare=False)

    def to_json(self) -> dict[str, Any]:
        shown = {"property": self.property, "before": self.before, "after": self.after}
        return {**shown, "because": list(self.because)}

    def __str__(self) -> str:
        if self.because:
            return f"{self.property} (of {', '.join(self.because)})"
        if not (self.before or self.after):
            return self.property
        if self.before != self.after:
            return f"{self.property}: {self.before} -> {self.after}"
        # The engine's own, of a resource that `pulumi state taint` or `--replace` names.
        if self.property == _ID:
            return "it is marked for replacement"
        return f"{self.property}: what it names is made anew under the same name"


@dataclass(frozen=True)
class Change:
    """`old` and `new` are the resource's inputs before and after."""

    urn: str
    verb: Verb
    causes: tuple[Cause, ...] = ()
    old: Mapping[str, Any] | None = None
    new: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        return name_of(self.urn)

    @property
    def type(self) -> str:
        return token_of(self.urn)

    @property
    def destructive(self) -> bool:
        return self.verb in ("replace", "delete")

    @property
    def removed(self) -> bool:
        """Whether the program no longer has it."""
        return [it.property for it in self.causes] == [REMOVED]


def changes_of(
    steps: Iterable[EngineStep], state: Iterable[Mapping[str, Any]] = ()
) -> list[Change]:
    """One change for each resource that does not stay the same, worst first.

    `state` is the engine's record from before: it says which resource a property came from.
    """
    by_urn: defaultdict[str, list[EngineStep]] = defaultdict(list)
    for step in steps:
        by_urn[step.urn].append(step)
    verbs: dict[str, Verb] = {}
    for urn, own in by_urn.items():
        if verb := _verb(own):
            verbs[urn] = verb
    before = {resource["urn"]: resource for resource in state}
    made = [
        Change(
            urn=urn,
            verb=verb,
            causes=_causes(verb, by_urn[urn], before.get(urn, {}), verbs),
            old=next((step.old for step in by_urn[urn] if step.old is not None), None),
            new=next((step.new for step in by_urn[urn] if step.new is not None), None),
        )
        for urn, verb in verbs.items()
    ]
    return sorted(made, key=lambda it: (VERBS.index(it.verb), it.type, it.name))


def all_removed(state: Iterable[Mapping[str, Any]], cause: str) -> list[Change]:
    """Every resource of a state as deleted, for a stack that is no more."""
    return [
        Change(resource["urn"], "delete", (Cause(cause),), resource.get("inputs") or {})
        for resource in state
        if resource["type"] != "pulumi:pulumi:Stack"
    ]


def _verb(steps: Sequence[EngineStep]) -> Verb | None:
    operations = {step.operation for step in steps}
    if operations == {"delete-replaced"}:
        # It goes before what it stands on is replaced, and the program has no other.
        return "delete"
    if operations & _REPLACING or {"create", "delete"} <= operations:
        return "replace"
    if operations & _DELETING:
        return "delete"
    if operations & {"create", "import"}:
        return "create"
    return "update" if "update" in operations else None


def _causes(
    verb: Verb,
    steps: Sequence[EngineStep],
    before: Mapping[str, Any],
    verbs: Mapping[str, Verb],
) -> tuple[Cause, ...]:
    if verb == "create":
        return ()
    if verb == "delete":
        return (Cause(REMOVED),)
    paths = {path: kind for step in steps for path, kind in step.paths.items()}
    if verb == "replace":
        keys = {key for step in steps for key in step.keys}
        # A list whose items all count is told by its items.
        chosen = {path for path, kind in paths.items() if kind.endswith("-replace")}
        chosen |= {key for key in keys if not any(_top(path) == key for path in chosen)}
    else:
        chosen = set(paths)
    old = next((step.old for step in steps if step.old is not None), None)
    new = next((step.new for step in steps if step.new is not None), None)
    found = [_cause(path, old, new, before, verbs) for path in sorted(chosen)]
    if verb == "replace" and not found:
        found = _of_others(before, verbs) or [
            _cause(path, old, new, before, verbs) for path in _ignored(before, old or {}, new or {})
        ]
        found = found or [Cause("unknown")]
    return tuple(found)


def _cause(
    path: str,
    old: Mapping[str, Any] | None,
    new: Mapping[str, Any] | None,
    before: Mapping[str, Any],
    verbs: Mapping[str, Verb],
) -> Cause:
    first, second = value_at(old, path), value_at(new, path)
    sources = (before.get("propertyDependencies") or {}).get(_top(path)) or []
    replaced = _destroyed(sources, verbs) if first == second or second == UNKNOWN else ()
    return Cause(path, *told_apart(first, second), replaced, second)


def _of_others(before: Mapping[str, Any], verbs: Mapping[str, Verb]) -> list[Cause]:
    """Why a resource goes whose own properties stay: with others, or with its provider."""
    provider = str(before.get("provider") or "").rpartition("::")[0]
    for option, urns in (
        ("replaceWith", before.get("replaceWith") or []),
        ("provider", [provider]),
        ("dependencies", before.get("dependencies") or []),
    ):
        if names := _destroyed(urns, verbs):
            return [Cause(option, because=names)]
    return []


def _ignored(
    before: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]
) -> list[str]:
    """What changes of the properties that are ignored: a trigger replaces the resource for it, and
    the engine names none."""
    if before.get("replacementTrigger") is None:
        return []
    paths = before.get("ignoreChanges") or []
    return [path for path in changed_paths(old, new) if is_below(path, paths)]


def _destroyed(urns: Iterable[str], verbs: Mapping[str, Verb]) -> tuple[str, ...]:
    return tuple(sorted({name_of(urn) for urn in urns if verbs.get(urn) in ("replace", "delete")}))


def _top(path: str) -> str:
    found = _TOP.match(path.lstrip('["'))
    return found[0].rstrip('"') if found else path
