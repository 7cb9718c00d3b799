"""What pods claim, what nodes publish, and who has what of it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from aistack.why.device_selector import attribute, selects
from kube.objects import JsonObject, dig, maps, name_of, namespace_of
from kube.reading import whole

# Driver, pool and name.
_Id = tuple[str, str, str]


@dataclass(frozen=True)
class Wanted:
    """A kind of device: those of its class that all expressions select."""

    device_class: str
    expressions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Device:
    """`node` is empty for one that every node reaches."""

    driver: str
    pool: str
    node: str
    body: JsonObject

    @property
    def id(self) -> _Id:
        return self.driver, self.pool, self.body["name"]


@dataclass(frozen=True)
class Request:
    """Of a claim; `count` devices, where all are asked for one at least."""

    claim: str
    name: str
    wanted: Wanted
    count: int


@dataclass(frozen=True)
class Together:
    """What has to have one value of the attribute, of one claim."""

    claim: str
    attribute: str
    requests: tuple[Request, ...]

    @property
    def counts(self) -> Counter[Wanted]:
        found: Counter[Wanted] = Counter()
        for one in self.requests:
            found[one.wanted] += one.count
        return found


@dataclass(frozen=True, kw_only=True)
class Devices:
    """`claims` are those that the user may see; of the rest None is what may not be seen."""

    claims: Sequence[JsonObject] = ()
    classes: Sequence[JsonObject] | None = None
    slices: Sequence[JsonObject] | None = None

    @cached_property
    def published(self) -> Sequence[Device]:
        return [
            Device(it["spec"]["driver"], it["spec"]["pool"]["name"], _node(it), device)
            for it in self.slices or ()
            for device in maps(dig(it, "spec", "devices"))
        ]

    @cached_property
    def holders(self) -> Mapping[_Id, str]:
        """The namespace and name of the pod that has it, of each device that is given."""
        return {
            (given["driver"], given["pool"], given["device"]): _holder(it)
            for it in self.claims
            for given in maps(dig(it, "status", "allocation", "devices", "results"))
        }

    def of(self, wanted: Wanted, among: Sequence[Device]) -> list[Device]:
        expressions = (*self._of_class(wanted.device_class), *wanted.expressions)
        return [it for it in among if selects(expressions, it.driver, it.body)]

    def _of_class(self, name: str) -> tuple[str, ...]:
        found = next((it for it in self.classes or () if name_of(it) == name), None)
        return _expressions(dig(found, "spec"))

    def asked(self, pod: JsonObject) -> tuple[list[Request], list[Together]]:
        """Of the pod's claims that have nothing yet. Alternatives are left out."""
        requests: list[Request] = []
        together: list[Together] = []
        for name, claim in self._open(pod):
            own = list(_requests(name, claim))
            requests += own
            for it in maps(dig(claim, "spec", "devices", "constraints")):
                named = it.get("requests") or [one.name for one in own]
                if it.get("matchAttribute"):
                    bound = tuple(one for one in own if one.name in named)
                    together.append(Together(name, it["matchAttribute"], bound))
        return requests, together

    def _open(self, pod: JsonObject) -> Iterator[tuple[str, JsonObject]]:
        made = {
            it["name"]: it.get("resourceClaimName")
            for it in maps(dig(pod, "status", "resourceClaimStatuses"))
        }
        for it in maps(dig(pod, "spec", "resourceClaims")):
            named = it.get("resourceClaimName") or made.get(it["name"])
            for claim in self.claims:
                own = name_of(claim) == named and namespace_of(claim) == namespace_of(pod)
                if own and not dig(claim, "status", "allocation"):
                    yield it["name"], claim


def most_together(groups: Sequence[Together], devices: Devices, among: Sequence[Device]) -> int:
    """How many of the groups find their devices at one value of their attribute, taken in turn:
    exact where the groups are alike, as pairs of GPUs and interfaces are."""
    placed, taken = 0, set[_Id]()
    for group in groups:
        free = [it for it in among if it.id not in taken]
        values = {attribute(it.body, it.driver, group.attribute): None for it in free}
        for value in values:
            at = [it for it in free if attribute(it.body, it.driver, group.attribute) == value]
            got = _taken(group, devices, at) if value is not None else None
            if got is not None:
                taken |= got
                placed += 1
                break
    return placed


def _taken(group: Together, devices: Devices, at: Sequence[Device]) -> set[_Id] | None:
    taken = set[_Id]()
    for wanted, count in group.counts.items():
        fitting = [it.id for it in devices.of(wanted, at) if it.id not in taken][:count]
        if len(fitting) < count:
            return None
        taken |= {*fitting}
    return taken


def _requests(claim: str, body: JsonObject) -> Iterator[Request]:
    for it in maps(dig(body, "spec", "devices", "requests")):
        if exactly := it.get("exactly"):
            wanted = Wanted(exactly["deviceClassName"], _expressions(exactly))
            yield Request(claim, it["name"], wanted, whole(exactly.get("count")) or 1)


def _expressions(spec: JsonObject | None) -> tuple[str, ...]:
    found = [dig(it, "cel", "expression") for it in maps(dig(spec, "selectors"))]
    return tuple(it for it in found if it)


def _node(each: JsonObject) -> str:
    return str(dig(each, "spec", "nodeName") or "")


def _holder(claim: JsonObject) -> str:
    pods = [it["name"] for it in maps(dig(claim, "status", "reservedFor"))]
    return f"{namespace_of(claim)}/{pods[0] if pods else name_of(claim)}"
