"""What `acknowledge` agrees to, held against the config, the program and the previous state.

An agreement binds to one change: by the value that a property gets, by the resource that is
removed, by the instance that is replaced, or by the config that is being brought up. So it cannot
agree a second time. No Pulumi import.
"""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice
from typing import Any

from stacks.acknowledge import REMOVED, Acknowledge, entry, in_yaml, written
from stacks.data_loss import objects_deleted
from stacks.property_paths import UNKNOWN, Secret, Unknown, dotted, same_value, value_at
from stacks.stack import Stack

_LONGEST_VALUE = 100
_DIGITS = 8
_INSTANCE = re.compile(rf"replaced [0-9a-f]{{{_DIGITS}}}")
_CONFIG = re.compile(rf"config [0-9a-f]{{{_DIGITS}}}")
# What no other instance of a resource of this type has: outputs of pulumi-gcp 10.2.0
# (sdk/python/pulumi_gcp, "createTime: The time the instance was created", "timeCreated",
# "networkId: The unique identifier for the resource. This identifier is defined by the server",
# "creationTimestamp"); of a cluster the name that has its UID, which stays where its address and
# its certificate authority change (Kubernetes Engine API, DNSEndpointConfig.endpoint); of a node
# pool the instance groups, whose names end in a hash of GKE's own.
_IDENTITY: Mapping[str, Sequence[str]] = {
    "gcp:container/cluster:Cluster": ("controlPlaneEndpointsConfig.dnsEndpointConfig.endpoint",),
    "gcp:container/nodePool:NodePool": ("instanceGroupUrls",),
    "gcp:lustre/instance:Instance": ("createTime",),
    "gcp:redis/instance:Instance": ("createTime",),
    "gcp:storage/bucket:Bucket": ("timeCreated",),
    "gcp:compute/network:Network": ("networkId",),
    "gcp:compute/subnetwork:Subnetwork": ("creationTimestamp",),
}
_UID = "metadata.uid"
RULES = "lifecycleRules"
# Why an entry agrees to nothing more. By the second, what it names went or was never there: a run
# with targets keeps nothing that says which.
DONE = "what this agrees to is done"
VOID = "the state has nothing that this could agree to lose"
# In the place of an instance, where an entry has agreed already: no instance is called so.
SPENT = "spent"

# Properties of resources, by type and logical name.
Properties = Mapping[tuple[str, str], Mapping[str, Any]]


def fingerprint(stack: Stack) -> str:
    """Of a config, whatever project it is for and whatever it agrees to."""
    left_out = {"acknowledge", "deletion_protection", "project", "secrets_set"}
    return digest(stack.model_dump(mode="json", exclude=left_out))


def instance_of(token: str, outputs: Mapping[str, Any]) -> str:
    """A digest of what this instance alone has; empty where no output says."""
    paths = _IDENTITY.get(token, (_UID,))
    found = (value_at(outputs, path) for path in paths)
    known = [one for one in found if one not in (None, "", [])]
    return digest(known) if known else ""


@dataclass(frozen=True)
class Agreements:
    """The entries of `acknowledge` in a run.

    `config` is the fingerprint of the config, and `reached` says whether the last `up` that ended
    well had it already. `seen` has the instance of each resource when an entry first agreed by this
    config. `runs` has of each job what tells the run on the nodes that it has, and `begun` what
    that was when an `up` began that has not ended. `removed` has the resources whose removal an
    `up` had an entry for; None where no record says so. A value with `project` in it differs from
    project to project.
    """

    entries: Sequence[Acknowledge] = ()
    config: str = ""
    reached: bool = False
    project: str = ""
    seen: Mapping[str, str] = field(default_factory=dict[str, str])
    runs: Mapping[str, str] = field(default_factory=dict[str, str])
    begun: Mapping[str, str] = field(default_factory=dict[str, str])
    removed: Collection[str] | None = None

    @classmethod
    def of(cls, stack: Stack, reached: str = "") -> "Agreements":
        """`reached` is the fingerprint that the previous state has."""
        config = fingerprint(stack)
        return cls(stack.acknowledge, config, config == reached, stack.project)

    def by_config(self) -> set[str]:
        """The resources whose entries agree by the config."""
        word = f"config {self.config}"
        return {one.resource for one in self.entries if one.property is None and one.to == word}

    def by_removal(self) -> set[str]:
        """The resources whose entries agree to their removal."""
        entries = self.entries
        return {one.resource for one in entries if one.property is None and one.to == REMOVED}

    def for_removal(self, resource: str) -> list[str]:
        """The entries that are still needed before the resource may be removed."""
        return [] if resource in self.by_removal() else [entry(resource, None, REMOVED)]

    def for_replacement(
        self, resource: str, causes: Mapping[str, Any], instance: str = ""
    ) -> list[str]:
        """The entries that are still needed before the resource may be replaced.

        `causes` has the new value of each property that causes it, None for one that is taken
        away; none where nothing of its own changes. `instance` says which one goes.
        """
        wholes = self._wholes(resource, instance)
        if not self.reached and self.seen.get(resource, instance) == instance:
            wholes.append(f"config {self.config}")
        if any(one.property is None and one.to in wholes for one in self._of(resource)):
            return []
        if not causes or not all(map(self._can_be_named, causes.values())):
            # Of a config that was reached the fingerprint agrees to nothing.
            return [entry(resource, None, wholes[0] if wholes else f"config {self.config}")]
        return [
            entry(resource, path, REMOVED if value is None else value)
            for path, value in causes.items()
            if not self._covers(resource, path, value)
        ]

    def for_rules(self, bucket: str, declared: Mapping[str, Any]) -> list[str]:
        """The entries that are still needed before rules that are new delete its objects. They
        agree to nothing else: a bucket that is replaced loses all of them."""
        word = rules_word(declared)
        if any(one.property == RULES and one.to == word for one in self._of(bucket)):
            return []
        return [entry(bucket, RULES, word)]

    def awaits(
        self,
        resource: str,
        recorded: Mapping[str, Any],
        may_replace: Callable[[str, object, object], bool],
    ) -> bool:
        """Whether an entry agrees to what a property becomes that is another one on record, and for
        which a resource may be replaced."""
        return any(
            one.property is not None
            and one.to is not None
            and not _becomes(one.to, before := value_at(recorded, one.property))
            and may_replace(one.property, before, one.to)
            for one in self._of(resource)
        )

    def judge(
        self, declared: Properties, recorded: Properties, instances: Mapping[str, str]
    ) -> tuple[list[str], dict[str, str]]:
        """Entries that match nothing, each with its reason, and by entry why it is spent: DONE or
        VOID.

        `declared` is what the program has, `recorded` what the engine has on record, and
        `instances` the instance of each resource there, by its name.
        """
        wrong: list[str] = []
        spent: dict[str, str] = {}
        for place, one in enumerate(self.entries):
            found = self._judged(one, declared, recorded, instances)
            if found in (DONE, VOID):
                spent[written(one)] = found
            elif found:
                wrong.append(f"stack.acknowledge[{place}]: {found}")
        return wrong, spent

    def unused(self, replaced: Iterable[str], recorded: Mapping[str, str]) -> Iterator[str]:
        """Entries for an instance that stands and stays; `recorded` has the instance of each
        resource on record."""
        gone = set(replaced)
        for place, one in enumerate(self.entries):
            standing = self._wholes(one.resource, recorded.get(one.resource, ""))[:1]
            meant = one.property is None and one.to in standing
            if meant and one.resource not in gone:
                yield (
                    f"stack.acknowledge[{place}]: {one.resource} stays as it is, so this "
                    f"agrees to nothing; nearest: delete {written(one)}"
                )

    def by_run(self) -> dict[str, str]:
        """The runs of jobs that entries agree to lose, by the job."""
        words = {(one.resource, one.to) for one in self.entries if one.property is None}
        both = (*self.runs.items(), *self.begun.items())
        return {name: run for name, run in both if (name, f"replaced {run}") in words}

    def over(self, replaced: Collection[str]) -> dict[str, str]:
        """Why entries are spent by which an `up` that has not ended took a job's nodes: DONE."""
        taken = {name: run for name, run in self.begun.items() if run != self.runs.get(name)}
        return {
            written(one): DONE
            for one in self.entries
            if one.property is None and one.resource not in replaced
            if one.resource in taken and one.to == f"replaced {taken[one.resource]}"
        }

    def _wholes(self, resource: str, instance: str) -> list[str]:
        """What entries say that agree to lose this instance; of a job the run that it has first."""
        known = (self.runs.get(resource, instance), self.begun.get(resource, ""))
        return [f"replaced {it}" for it in dict.fromkeys(known) if it]

    def _of(self, resource: str) -> Iterator[Acknowledge]:
        return (one for one in self.entries if one.resource == resource)

    def _covers(self, resource: str, path: str, value: Any) -> bool:
        """An engine may name an item where a whole list changes."""
        wanted = dotted(path)
        for one in self._of(resource):
            named = "" if one.property is None else dotted(one.property)
            if named == wanted and _becomes(one.to, value):
                return True
        return False

    def _can_be_named(self, value: Any) -> bool:
        """Whether a line of a config can have it, and the same for every project."""
        if value is not None and not isinstance(value, bool | int | float | str):
            return False
        text = str(value)
        return len(text) <= _LONGEST_VALUE and not (self.project and self.project in text)

    def _judged(
        self,
        one: Acknowledge,
        program: Properties,
        record: Properties,
        instances: Mapping[str, str],
    ) -> str:
        """Why the entry matches nothing, or is spent; empty where it may be needed."""
        declared = _named(program, one.resource)
        recorded = _named(record, one.resource)
        gone = [key for key in recorded if key not in program]
        token = next(iter(declared), None)
        inputs = None if token is None else program[token]
        if one.to is None:
            what = None if gone else inputs
            return f"it does not say what {one.resource} becomes; {self._completed(one, what)}"
        if one.to == REMOVED and one.property is None:
            if gone:
                return ""
            if declared:
                kept = f"the program has {one.resource}, so it is not removed"
                return f"{kept}; nearest: delete {written(one)}"
            if self.removed is None or one.resource in self.removed:
                return DONE
            going = [name for token, name in record if (token, name) not in program]
            return (
                f"neither the program nor the state has {one.resource}, and the state does not say "
                "that an `up` with this entry took it away; nearest: "
                f"{self._renamed(one, going, program, record, instances)}delete {written(one)}"
            )
        if gone and token is None:
            removed = entry(one.resource, None, REMOVED)
            return (
                f"the program no longer has {one.resource}, so all of it is removed; nearest: "
                f"{removed}, or delete {written(one)}"
            )
        if token is None or inputs is None:
            names = [name for _, name in program]
            named = self._renamed(one, names, program, record, instances)
            return f"the program has no {one.resource}; nearest: {named}delete {written(one)}"
        if one.property is None:
            return self._judged_as_a_whole(one, instances.get(one.resource, ""))
        return self._judged_property(one, inputs, record.get(token))

    def _renamed(
        self,
        one: Acknowledge,
        names: Sequence[str],
        program: Properties,
        record: Properties,
        instances: Mapping[str, str],
    ) -> str:
        """The entry with the nearest of the names for which it is needed, to be said first."""
        near = get_close_matches(one.resource, names)
        others = (one.model_copy(update={"resource": name}) for name in near)
        meant = (it for it in others if self._judged(it, program, record, instances) == "")
        return "".join(f"{written(it)}, or " for it in islice(meant, 1))

    def _judged_property(
        self, one: Acknowledge, inputs: Mapping[str, Any], recorded: Mapping[str, Any] | None
    ) -> str:
        assert one.property is not None
        if one.property == RULES and value_at(inputs, RULES):
            return _judged_rules(one, inputs, recorded)
        wanted = value_at(inputs, one.property, (UNKNOWN,))
        if isinstance(wanted, Unknown | Secret):
            whole = entry(one.resource, None, f"config {self.config}")
            return f"what {one.property} becomes is not known beforehand; nearest: {whole}"
        if not _becomes(one.to, wanted):
            return self._other_value(one, inputs, wanted, recorded or {})
        if recorded is None:
            return VOID
        if not _becomes(one.to, value_at(recorded, one.property)):
            return ""
        return VOID if wanted is None else DONE

    def _judged_as_a_whole(self, one: Acknowledge, instance: str) -> str:
        if not isinstance(one.to, str) or not (
            _INSTANCE.fullmatch(one.to) or _CONFIG.fullmatch(one.to)
        ):
            return (
                f"{in_yaml(one.to)} is the value of a property, and none is named; "
                f"nearest: {entry(one.resource, 'PROPERTY', one.to)}, {REMOVED}, or what the "
                "refusal of a preview shows"
            )
        if _INSTANCE.fullmatch(one.to):
            # One that stands and stays is found at the end of the run.
            return "" if one.to in self._wholes(one.resource, instance) else VOID
        if one.to != f"config {self.config}":
            return (
                f"it agrees to what another config does, and this one is {self.config}; "
                f"nearest: delete {written(one)}"
            )
        spent = self.reached or self.seen.get(one.resource, instance) != instance
        return DONE if spent else ""

    def _other_value(
        self,
        one: Acknowledge,
        declared: Mapping[str, Any],
        wanted: Any,
        recorded: Mapping[str, Any],
    ) -> str:
        assert one.property is not None
        if wanted is None:
            becoming = [
                path
                for path in _leaves(declared)
                if _becomes(one.to, value_at(declared, path))
                if not _becomes(one.to, value_at(recorded, path))
            ]
            near = get_close_matches(one.property, becoming, n=1)
            named = f"{entry(one.resource, near[0], one.to)}, or " if near else ""
            return (
                f"{one.resource} has no {one.property} in this config; "
                f"nearest: {named}delete {written(one)}"
            )
        text = in_yaml(wanted) if self._can_be_named(wanted) else "something else"
        return (
            f"{one.property} of {one.resource} becomes {text}, not {in_yaml(one.to)}; "
            f"nearest: delete {written(one)}"
        )

    def _completed(self, one: Acknowledge, declared: Mapping[str, Any] | None) -> str:
        """The entry of an earlier release, which named no value, with what it lacks."""
        if one.property == REMOVED or declared is None:
            return f"nearest: {entry(one.resource, None, REMOVED)}"
        value = None if one.property is None else value_at(declared, one.property, (UNKNOWN,))
        if value is not None and self._can_be_named(value):
            return f"nearest: {entry(one.resource, one.property, value)}"
        return f"nearest: {entry(one.resource, None, f'config {self.config}')}"


NO_AGREEMENTS = Agreements()


def rules_word(declared: Mapping[str, Any]) -> str:
    """What a config calls the rules of a bucket by which objects are deleted."""
    return f"rules {digest(list(objects_deleted({}, declared)))}"


def _judged_rules(
    one: Acknowledge, declared: Mapping[str, Any], recorded: Mapping[str, Any] | None
) -> str:
    word = rules_word(declared)
    if one.to != word:
        return (
            f"{RULES} of {one.resource} becomes {word}, not {in_yaml(one.to)}; "
            f"nearest: delete {written(one)}"
        )
    if recorded is None:
        return VOID
    return "" if any(objects_deleted(recorded, declared)) else DONE


def _becomes(to: Any, value: Any) -> bool:
    if value in (None, REMOVED):
        return to == REMOVED
    # To a change a provider takes some names in any letters; an agreement is to one as it stands.
    other_text = isinstance(to, str) and isinstance(value, str) and to != value
    return same_value(to, value) and not other_text


def _named(resources: Properties, name: str) -> list[tuple[str, str]]:
    """Types and names of the resources of that name; a program may have several."""
    return [key for key in resources if key[1] == name]


def _leaves(inputs: Any, path: str = "") -> Iterator[str]:
    if isinstance(inputs, Mapping):
        for key, value in inputs.items():
            yield from _leaves(value, f"{path}.{key}" if path else str(key))
    else:
        yield path


def digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
