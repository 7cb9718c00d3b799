"""Puts the operations in order that a killed command left pending.

The engine notes each operation before it starts. A create that it never saw the end of has no id,
and a plain `up` would make the resource again and meet ALREADY_EXISTS. Here each pending create
becomes a resource with the id that it must have. A delete or an update that the engine never saw
the end of may have gone through: the state still has the resource as it was before, and an `up`
would call it unchanged. A refresh of just these resources then asks the provider, which fills in
the outputs of those that exist and takes out those that do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recovery.ids import resource_id
from recovery.state import Deployment, resources

CLUSTER = "gcp:container/cluster:Cluster"
NODE_POOL = "gcp:container/nodePool:NodePool"
RELEASE = "kubernetes:helm.sh/v3:Release"


# Stands at an adopted resource until a refresh has looked it up, which takes it away: a recovery
# that is killed before is done again.
NOT_LOOKED_UP = "adopted after a kill, and not looked up yet"
# The same of a resource whose delete was under way.
DELETE_NOT_LOOKED_UP = "its delete was killed, and it is not looked up yet"
_MARKS = frozenset({NOT_LOOKED_UP, DELETE_NOT_LOOKED_UP})
# What the engine calls an operation on a resource that stands, and how that one is marked.
_CHANGES = {"updating": NOT_LOOKED_UP, "deleting": DELETE_NOT_LOOKED_UP}


@dataclass(frozen=True)
class Orphan:
    """A create whose id the cloud chose; `inputs` say what to look for."""

    urn: str
    type: str
    inputs: Mapping[str, Any]


@dataclass(frozen=True)
class Adoption:
    """A deployment without pending operations, and the URNs that are to be looked up; of these
    `deleting` are those whose delete was under way."""

    deployment: Deployment
    adopted: tuple[str, ...]
    orphans: tuple[Orphan, ...]
    deleting: frozenset[str] = frozenset()


def adopt_pending(deployment: Deployment, ids: Mapping[str, str] | None = None) -> Adoption:
    """Turn pending creates into resources with their ids, mark the resources whose update or delete
    was pending, and drop every pending operation.

    `deployment` is the `deployment` object of `pulumi stack export`; `ids` are those that were
    looked up, by URN. The pending delete of a predecessor that is replaced needs nothing: it is
    marked in the state, and every command that follows does it again.
    """
    there = list(resources(deployment))
    defaults = _provider_defaults(there)
    known = {one["urn"]: one for one in there if not (one.get("delete") or _is_replaced(one))}
    adopted = [one["urn"] for one in there if _MARKS & {*(one.get("initErrors") or ())}]
    deleting = {
        one["urn"] for one in there if DELETE_NOT_LOOKED_UP in (one.get("initErrors") or ())
    }
    orphans: list[Orphan] = []
    for operation in deployment.get("pending_operations") or []:
        resource = operation["resource"]
        urn = resource["urn"]
        if _is_of_engine(resource) or not _is_custom(resource):
            continue
        before = known.get(urn)
        if operation["type"] in _CHANGES:
            # One that is replaced: its replacement may stand under the same URN.
            if before is None or resource.get("id", before.get("id")) != before.get("id"):
                continue
            mark = _CHANGES[operation["type"]]
            marked = {**before, "initErrors": [mark]}
            there = [marked if one is before else one for one in there]
            known[urn] = marked
            adopted.append(urn)
            if mark == DELETE_NOT_LOOKED_UP:
                deleting.add(urn)
        if operation["type"] != "creating":
            continue
        inputs = {**defaults, **(resource.get("inputs") or {})}
        found = (ids or {}).get(urn) or resource_id(resource["type"], inputs)
        if before is not None and found in (None, before.get("id")):
            continue
        if found is None:
            orphans.append(Orphan(urn, resource["type"], inputs))
            continue
        # A replacement that is made before its predecessor goes: that waits for its delete.
        there = [{**one, "delete": True} if one is before else one for one in there]
        seen = {"outputs": _outputs(resource), "initErrors": [NOT_LOOKED_UP]}
        made = {**resource, "id": found, **seen}
        there = _in_place(there, made)
        known[urn] = made
        adopted.append(urn)
    rest = {key: value for key, value in deployment.items() if key != "pending_operations"}
    look_up = tuple(dict.fromkeys(adopted))
    return Adoption({**rest, "resources": there}, look_up, tuple(orphans), frozenset(deleting))


def _outputs(resource: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs, until the refresh reads the rest.

    A cluster's create may have died before the provider deleted GKE's first pool. Said to be not
    yet done, it is an update to the provider, which does it then, and accepts that there is none
    (hashicorp/terraform-provider-google-beta, resource_container_cluster.go,
    resourceContainerClusterUpdate, 93c65b2d60, 2026-08-21).
    """
    outputs = dict(resource.get("inputs") or {})
    if resource["type"] == CLUSTER and outputs.get("removeDefaultNodePool"):
        outputs["removeDefaultNodePool"] = False
    return outputs


def _is_custom(resource: Mapping[str, Any]) -> bool:
    """Whether a cloud has it. A component is made by its registration alone, which the engine
    records as an operation too (pulumi/pulumi pkg/backend/snapshot.go, doCreate), and the next
    command registers it again."""
    return bool(resource.get("custom", True))


def _is_of_engine(resource: Mapping[str, Any]) -> bool:
    """Whether it is a provider, or the like, of which no cloud knows."""
    return str(resource["type"]).startswith("pulumi:")


def _is_replaced(resource: Mapping[str, Any]) -> bool:
    """Whether it is a predecessor that is deleted already, kept until its replacement is made
    (pulumi/pulumi pkg/resource/deploy/step_generator.go, v3.256.0, 2026-11-22)."""
    return bool(resource.get("pendingReplacement"))


def _in_place(there: list[dict[str, Any]], made: dict[str, Any]) -> list[dict[str, Any]]:
    """The replacement stands where its predecessor did, before what depends on it."""
    for place, one in enumerate(there):
        if one["urn"] == made["urn"] and _is_replaced(one):
            return [*there[:place], made, *there[place + 1 :]]
    return [*there, made]


def _provider_defaults(there: list[dict[str, Any]]) -> dict[str, Any]:
    """Project and region of the stack's own gcp provider, for resources that leave them to it."""
    for resource in there:
        if resource["type"] == "pulumi:providers:gcp":
            inputs = resource.get("inputs") or {}
            return {key: inputs[key] for key in ("project", "region") if key in inputs}
    return {}
