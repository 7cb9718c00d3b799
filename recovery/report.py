"""What a recovery found, for people: before it writes, and after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recovery.pending import CLUSTER, RELEASE, Adoption
from recovery.state import Deployment, resources


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
    for urn in adoption.adopted:
        one = there.get(urn)
        if one is None:
            yield f"{_name(urn)} was not made: the next `up` makes it"
            continue
        yield f"{_name(urn)} is there"
        yield from (f"  {line}" for line in _unfinished(stack, one))
    yield f"now run: pulumi up --stack {stack}"


def _unfinished(stack: str, resource: dict[str, Any]) -> Iterator[str]:
    outputs: dict[str, Any] = resource.get("outputs") or {}
    again = f"pulumi refresh --stack {stack} --target '{resource['urn']}'"
    if outputs.get("state") == "CREATING":
        yield f"it is still being made: when it is ready, before anything else: {again}"
    if resource["type"] == CLUSTER and outputs.get("removeDefaultNodePool") is False:
        yield "the next `up` takes away the pool that GKE began it with"
    if resource["type"] == RELEASE:
        status = str((outputs.get("status") or {}).get("status"))
        there = f"{outputs.get('name')} --namespace {outputs.get('namespace')}"
        if status == "pending-install":
            yield f"it is half installed: helm uninstall {there}; {again}"
        elif status.startswith("pending"):
            yield f"its update was cut off: helm rollback {there}; {again}"


def _name(urn: str) -> str:
    return urn.rsplit("::", 1)[-1]
