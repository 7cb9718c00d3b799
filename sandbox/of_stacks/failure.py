"""How a run that failed ends: what was said, each thing once, with the key of the config that it is
about and what would work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from catalog.roles import allowed_by, roles_table
from cli.urns import name_of
from sandbox.events import EngineReport
from stacks.given_up import import_command
from stacks.machine_price import price_of, usd
from stacks.out_of_stock import (
    GROWN,
    HALF_MADE,
    NO_STOCK,
    accepts,
    more_time,
    waits_for,
    ways,
)
from stacks.outputs import empty_command
from stacks.parts.pools.plan import PlannedPool
from stacks.plan import Plan

_PERMISSION = re.compile(r"PERMISSION_DENIED: .*?['\"](?P<permission>[a-z]+\.[\w.]+)['\"]", re.S)
# Of catalog/data/customer_keys.yaml: what each service answers whose identity may not use a key.
_KEY = re.compile(
    r"'cloudkms\.cryptoKeyVersions\.useToEncrypt' denied|Permission denied on Cloud KMS key"
)
_PENDING = re.compile(r" is Pending: ")
# What the engine puts before what a provider says of a resource that it keeps.
_ONE_ERROR = re.compile(r"1 error occurred:\s*\* ")
_THERE = re.compile(r"ALREADY_EXISTS: (?P<id>\S.*?):? (already exists|Your previous request)")
_UNREADABLE_PART = re.compile(r'"[^"]*" in .* could not be read: ')
_NOT_EMPTY = re.compile(r"trying to delete bucket (?P<bucket>\S+) containing objects")
_SHOWN = 3


@dataclass(frozen=True)
class Context:
    """What is known of the run: the stack's `plan`, none where the config has none; `roles` prints
    the roles that the stack needs, and `grants` what lets Google's services use its key. `short`
    has by GKE's name of a pool how many machines came, of a pool whose others are out of stock."""

    plan: Plan | None
    roles: str
    grants: str
    has_project: bool = False
    short: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass
class _Told:
    message: str
    urns: list[str] = field(default_factory=list[str])


def failure_lines(report: EngineReport, context: Context) -> Iterator[str]:
    """The messages of the run, and below each what would work."""
    for one in _grouped(report.errors, report.urns):
        yield from _with_key(one, context)
        yield from (f"  {it}" for it in _left(one, context))
        yield from (f"  nearest: {it}" for it in _offers(one, context))
        yield from (f"  nearest: {it}" for it in _import(one, report))


def _grouped(messages: Sequence[str], urns: Mapping[str, Sequence[str]]) -> list[_Told]:
    """The same permission, missing for several resources, is one mistake."""
    found: dict[str, _Told] = {}
    for message in messages:
        match = _PERMISSION.search(message)
        told = found.setdefault(match["permission"] if match else message, _Told(message))
        told.urns += urns.get(message, ())
    return list(found.values())


def _with_key(one: _Told, context: Context) -> Iterator[str]:
    pool = _pool_of(one, context)
    key = f"stack.{pool.field}: " if pool is not None and "stack." not in one.message else ""
    yield f"{key}{_ONE_ERROR.sub('', one.message).strip()}"
    others = [name_of(it) for it in one.urns[1:]]
    if others:
        more = len(others) - _SHOWN
        tail = f" and {more} more" if more > 0 else ""
        yield f"  the same for {', '.join(others[:_SHOWN])}{tail}"


def _left(one: _Told, context: Context) -> Iterator[str]:
    """What a create or an update that failed has left or waits for, and what that costs."""
    half, grown = HALF_MADE.search(one.message), GROWN.search(one.message)
    waits, pool = _PENDING.search(one.message), _pool_of(one, context)
    if pool is None or context.plan is None or not (half or grown or waits):
        return
    if waits and NO_STOCK.search(one.message):
        return
    asked = pool.bounds.max if waits else pool.nodes // max(len(pool.slices), 1)
    came = int(grown["came"]) if grown else _came(pool, half, context)
    price = price_of(pool, context.plan.facts)
    cost = "" if price is None else f", for {usd(price.low * came, price.high * came)} USD an hour"
    paid = f" and paid for{cost}" if came else ""
    yield (
        f"{came} of the {asked} machines of {pool.machine.name} are there{paid}, and "
        f"{pool.zone} has no more; GKE goes on asking for them"
    )


def _came(pool: PlannedPool, half: re.Match[str] | None, context: Context) -> int:
    names = [half["pool"]] if half else _names_in_gke(pool)
    return sum(context.short.get(it, 0) for it in names)


def _names_in_gke(pool: PlannedPool) -> list[str]:
    if pool.kind == "tpu":
        return [pool.slice_name(it) for it in pool.slices]
    return [pool.pool_name]


def _pool_of(one: _Told, context: Context) -> PlannedPool | None:
    """The pool that the message is about: of its resource, else the only one with its machine, else
    the first without all of its machines on which a workload waits."""
    plan = context.plan
    if plan is None:
        return None
    names = [name_of(it) for it in one.urns if it.split("::")[2].endswith(":NodePool")]
    owners = [it for it in plan.pools.values() if any(map(it.has, names))]
    if owners:
        return owners[0]
    if short := NO_STOCK.search(one.message):
        alike = [it for it in plan.pools.values() if it.machine.name == short["machine"]]
        return alike[0] if len(alike) == 1 else None
    if not _PENDING.search(one.message):
        return None
    lacking = (
        it
        for urn in one.urns
        for it in waits_for(plan, name_of(urn))
        if any(name in context.short for name in _names_in_gke(it))
    )
    return next(lacking, None)


def _offers(one: _Told, context: Context) -> Iterator[str]:
    if denied := _PERMISSION.search(one.message) or _KEY.search(one.message):
        yield from _grants(denied, context)
    elif lacking := _lacking(one.message):
        yield from _of_stock(one, lacking, context)
    elif full := _NOT_EMPTY.search(one.message):
        yield f"`{empty_command('gs://' + full['bucket'])}` if they may go, then the same again"
    elif _UNREADABLE_PART.search(one.message):
        given = "the part, in the file of --project" if context.has_project else "--project FILE"
        yield f"{given}: a sandbox's project has no parts of others but those (docs/sandbox.md)"


def _lacking(message: str) -> re.Match[str] | None:
    found = (it.search(message) for it in (HALF_MADE, GROWN, NO_STOCK, _PENDING))
    return next((it for it in found if it), None)


def _of_stock(one: _Told, lacking: re.Match[str], context: Context) -> Iterator[str]:
    """As many machines as came, then what the program says on a real stack, too."""
    pool = _pool_of(one, context)
    if pool is None or context.plan is None:
        if lacking.re in (NO_STOCK, HALF_MADE):
            yield "another zone, or another machine type"
        return
    came, after = 0, ""
    if lacking.re is HALF_MADE:
        came = context.short.get(lacking["pool"], 0)
    elif lacking.re is GROWN:
        came, after = int(lacking["came"]), ", after a refresh"
    if came and accepts(context.plan, f"{pool.field}.nodes", came):
        yield f"stack.{pool.field}.nodes: {came}{after}"
    yield from ways(context.plan, pool)
    for urn in one.urns:
        yield from more_time(context.plan, name_of(urn))
    yield "the same command again, later"


def _grants(denied: re.Match[str], context: Context) -> Iterator[str]:
    """What lets a service use the key, or else the caller do what it may not."""
    if _KEY.search(denied.string):
        given = "the file of --project" if context.has_project else "a file of --project"
        yield f"{context.grants}: its commands, by whoever administers the key"
        yield f"in the sandbox: the key with its services under `keys` in {given}"
        return
    role = _smallest_role(denied["permission"])
    yield f"{role + ', the smallest role that has it' if role else 'a role that has it'}"
    yield f"all roles for the stack: {context.roles}"


def _import(one: _Told, report: EngineReport) -> Iterator[str]:
    """What takes one that is there onto the record, or leaves it to others: no later `up` does."""
    there = _THERE.search(one.message)
    if there is None or not one.urns:
        return
    urn = one.urns[0]
    stack = urn.split(":")[2]
    head, _, name = urn.rpartition("::")
    parents, _, token = head.rpartition("$")
    known = [it.urn for it in report.resources]
    above = [it for it in known if parents and it.startswith(f"{parents}::")]
    parent = max((it for it in above if name.startswith(f"{name_of(it)}-")), key=len, default=None)
    provider = next((it for it in known if "::pulumi:providers:gcp::google" in it), None)
    if token.startswith("gcp:") and parent is not None and provider is not None:
        command = import_command(urn, there["id"], parent, provider)
        yield f"{command}, where it is this stack's"
    if token.startswith("kubernetes:"):
        yield (
            f"`pulumi destroy --stack {stack}` again, where one was cut off before the cluster "
            "(docs/clean-up.md)"
        )
        yield "another name, where it is another stack's"
    else:
        yield "another name, or `existing` where its part of the config takes one"


def _smallest_role(permission: str) -> str | None:
    return next((it for it in roles_table().roles if permission in allowed_by(it)), None)
