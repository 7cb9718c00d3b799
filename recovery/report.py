"""What a recovery found, for people: before it writes, and after. Words of the state are quoted in
the commands, and none of them is an option."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from recovery.pending import CLUSTER, NODE_POOL, RELEASE, Adoption
from recovery.state import Deployment, resources

_HOLD_DATA = frozenset(
    {
        "gcp:lustre/instance:Instance",
        "gcp:redis/instance:Instance",
        "gcp:storage/bucket:Bucket",
        "gcp:artifactregistry/repository:Repository",
    }
)


def found(deployment: Deployment, adoption: Adoption) -> Iterator[str]:
    """The operations that a killed command left, and what is to be done with each."""
    pending = deployment.get("pending_operations") or []
    if not pending and not adoption.adopted:
        yield "no operation is pending: what is left can only be a lock"
    adopted = {one["urn"]: one["id"] for one in resources(adoption.deployment) if "id" in one}
    for operation in pending:
        urn = operation["resource"]["urn"]
        if urn in adoption.adopted:
            yield f"{operation['type']} {_name(urn)}: to be looked up as {adopted[urn]}"
        else:
            yield f"{operation['type']} {_name(urn)}: the next command does it again"


def left(stack: str, adoption: Adoption, deployment: Deployment) -> Iterator[str]:
    """What the look-up said, and what is still to be done by a person."""
    there = {one["urn"]: one for one in resources(deployment)}
    asked = {one["urn"]: one for one in resources(adoption.deployment)}
    yield from gone(adoption, deployment)
    for urn in adoption.adopted:
        if urn not in there:
            continue
        yield f"{_name(urn)} is there"
        yield from (f"  {line}" for line in _of_others(stack, asked[urn], there[urn]))
        yield from (f"  {line}" for line in _unfinished(stack, there[urn]))
        if urn in adoption.deleting:
            yield (
                "  its delete did not begin, or still goes on; look again before anything else: "
                f"{_refresh(stack, urn)}"
            )
        else:
            yield from (f"  {line}" for line in _status(there[urn]))
    yield from off_record(adoption, deployment)
    yield f"now run: {_next(stack, adoption)}"


def _of_others(stack: str, asked: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    """A create that was killed before the cloud refused its name finds, by that name, what another
    stack has made."""
    wanted, owner = _owner(asked.get("inputs")), _owner(found.get("outputs"))
    if wanted and owner and owner != wanted:
        forget = _command("pulumi state delete --stack", stack, found["urn"])
        yield (
            f"it belongs to the stack {owner}, by its labels: take it off this record before "
            f"anything else, `{forget}`, and give yours another name"
        )


def _owner(properties: Mapping[str, Any] | None) -> str | None:
    """The stack that labels name, as components write them."""
    given = properties or {}
    metadata = given.get("metadata")
    of_kubernetes = metadata.get("labels") if isinstance(metadata, Mapping) else None
    for labels in (given.get("labels"), given.get("resourceLabels"), of_kubernetes):
        if isinstance(labels, Mapping) and isinstance(labels.get("stack"), str):
            return labels["stack"]
    return None


def gone(adoption: Adoption, deployment: Deployment) -> Iterator[str]:
    """What the look-up took out of the state, a line each."""
    there = {one["urn"] for one in resources(deployment)}
    before = {one["urn"]: one for one in resources(adoption.deployment)}
    for urn in adoption.adopted:
        if urn in there:
            continue
        name = _name(urn)
        if urn not in adoption.deleting:
            yield f"{name} was not made: the next `up` makes it"
        elif before[urn]["type"] in _HOLD_DATA:
            yield (
                f"{name}: its delete went through; {name} and its data are gone; an `up` makes an "
                "empty one"
            )
        else:
            yield f"{name}: its delete went through; an `up` makes another"


def off_record(adoption: Adoption, deployment: Deployment) -> Iterator[str]:
    """A destroy takes what is deleted with a cluster off the record before it comes to the
    cluster, and nothing says whether there was any."""
    if adoption.deleting and any(it["type"] == CLUSTER for it in resources(deployment)):
        yield (
            "a killed destroy of a stack with queues leaves Kueue in the cluster and off the "
            "record: `destroy` again ends that; an `up` before says that its namespace exists "
            "already (docs/clean-up.md)"
        )


def unsaid(adoption: Adoption, deployment: Deployment) -> Iterator[str]:
    """Whether the machines of a pool came, or a cluster is sound: the provider reads no status into
    the state, and the error that a create or a change ends in was lost with the engine
    (hashicorp/terraform-provider-google-beta resource_container_node_pool.go, flattenNodePool, and
    :960, 93c65b2d60)."""
    for it in resources(deployment):
        if it["urn"] in adoption.adopted and it["urn"] not in adoption.deleting:
            yield from (f"{_name(it['urn'])}: {line}" for line in _status(it))


def _status(resource: dict[str, Any]) -> Iterator[str]:
    names = str(resource.get("id")).split("/")
    named = dict(zip(names[::2], names[1::2], strict=False))
    cluster = named.get("clusters")
    place = {"location": named.get("locations"), "project": named.get("projects")}
    if resource["type"] == CLUSTER:
        look = _command("gcloud container clusters describe", cluster, **place)
        yield f"whether it is sound the record does not say; `{look}` does"
    elif resource["type"] == NODE_POOL:
        pool, place = named.get("nodePools"), {"cluster": cluster, **place}
        look = _command("gcloud container node-pools describe", pool, **place)
        yield (
            f"whether all of its machines came the record does not say; `{look}` does, and those "
            "that came are paid for"
        )


def _next(stack: str, adoption: Adoption) -> str:
    """An `up`; after a killed delete it may have been a destroy."""
    up = _command("pulumi up --stack", stack)
    if not adoption.deleting:
        return up
    return f"{_command('pulumi destroy --stack', stack)}, where a destroy was killed; or {up}"


def _unfinished(stack: str, resource: dict[str, Any]) -> Iterator[str]:
    outputs: dict[str, Any] = resource.get("outputs") or {}
    again = _refresh(stack, resource["urn"])
    if outputs.get("state") == "CREATING":
        yield f"it is still being made: when it is ready, before anything else: {again}"
    if resource["type"] == CLUSTER and outputs.get("removeDefaultNodePool") is False:
        yield "the next `up` takes away the pool that GKE began it with"
    if resource["type"] == RELEASE:
        status = str((outputs.get("status") or {}).get("status"))
        name, place = outputs.get("name"), {"namespace": outputs.get("namespace")}
        if status == "pending-install":
            yield f"it is half installed: {_command('helm uninstall', name, **place)}; {again}"
        elif status.startswith("pending"):
            yield f"its update was cut off: {_command('helm rollback', name, **place)}; {again}"


def _refresh(stack: str, urn: str) -> str:
    return _command("pulumi refresh --stack", stack, target=urn)


def _command(program: str, *names: str | None, **options: str | None) -> str:
    """A name that a program would read as an option is left to the reader."""
    words = ["NAME" if str(name).startswith("-") else str(name) for name in names]
    words += [f"--{option}={value}" for option, value in options.items()]
    return f"{program} {shlex.join(words)}"


def _name(urn: str) -> str:
    return urn.rsplit("::", 1)[-1]
