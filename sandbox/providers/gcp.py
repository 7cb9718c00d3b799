"""The gcp stand-in: checks and diffs by the provider's schema facts, acts on the simulated
cloud."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pulumi.provider.experimental import provider as rpc
from pulumi.provider.experimental.property_value import PropertyValue

from sandbox.cloud.kinds import KINDS
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.kinds.node_pool import NodePool
from sandbox.clusters import Clusters
from sandbox.errors import CloudError
from sandbox.providers import functions
from sandbox.providers.operations import Operations
from sandbox.providers.schema import Difference, GcpSchema
from sandbox.providers.values import UNKNOWN, plain_map, whole_unknowns_marked, wrap_map
from sandbox.urns import token_of

PROVIDER_INPUTS = ("project", "region", "zone")
# hashicorp/terraform-provider-google-beta, resource_container_node_pool.go,
# nodePoolAcceleratorNetworkProfileCustomizeDiff (93c65b2d60, 2026-08-21); seen, pulumi-gcp 10.2.0.
_NETWORK_CONFIG_PANIC = (
    "the real provider panics here (can't use ElementIterator on unknown value): networkConfig of "
    "a node pool must not depend on another resource's outputs; nearest: plain names and depends_on"
)


class GcpStandIn(rpc.Provider):
    """Answers the engine in place of the pulumi-gcp plugin."""

    def __init__(self, clusters: Clusters, operations: Operations) -> None:
        self._clusters = clusters
        self._cloud = clusters.cloud
        self._operations = operations
        self._schema = GcpSchema.load()
        self._defaults: dict[str, Any] = {}

    async def configure(self, request: rpc.ConfigureRequest) -> rpc.ConfigureResponse:
        known = plain_map(request.args)
        self._defaults = {key: known[key] for key in PROVIDER_INPUTS if key in known}
        return rpc.ConfigureResponse(supports_preview=True, accept_outputs=False)

    async def diff_config(self, request: rpc.DiffRequest) -> rpc.DiffResponse:
        olds, news = plain_map(request.old_state), plain_map(request.new_inputs)
        moved = [key for key in PROVIDER_INPUTS if olds.get(key) != news.get(key)]
        replaces = [key for key in moved if key == "project"]
        return rpc.DiffResponse(changes=bool(moved), replaces=replaces, diffs=moved)

    async def check(self, request: rpc.CheckRequest) -> rpc.CheckResponse:
        token = token_of(request.urn)
        if not self._schema.knows(token) or token not in KINDS:
            return rpc.CheckResponse(failures=[rpc.CheckFailure("", unknown_type(token))])
        inputs = dict(request.new_inputs)
        for key in ("project", "region"):
            if key not in inputs and key in self._defaults and self._schema.takes(token, key):
                inputs[key] = PropertyValue(self._defaults[key])
        failures = self._schema.check(token, plain_map(inputs))
        return rpc.CheckResponse(
            inputs=inputs, failures=[rpc.CheckFailure(f.path, f.reason) for f in failures]
        )

    async def diff(self, request: rpc.DiffRequest) -> rpc.DiffResponse:
        olds = plain_map(request.old_state)
        news = whole_unknowns_marked(plain_map(request.new_inputs))
        token = token_of(request.urn)
        if token == NodePool.token and news.get("networkConfig") is UNKNOWN:
            raise CloudError("INTERNAL", _NETWORK_CONFIG_PANIC)
        kind = KINDS[token]
        forced = kind.replaced_by(olds, news)
        found = [
            replace(each, replaces=each.replaces or each.path in forced)
            for each in self._schema.diff(token, olds, news)
            if not (each.kind == "delete" and each.path in kind.kept)
        ]
        replaces = [difference.path for difference in found if difference.replaces]
        return rpc.DiffResponse(
            changes=bool(found),
            replaces=[_top(path) for path in replaces],
            diffs=sorted({_top(difference.path) for difference in found}),
            detailed_diff={d.path: rpc.PropertyDiff(_kind(d), input_diff=True) for d in found},
            # Cloud names are fixed, so the old one must go before the new one can be made.
            delete_before_replace=bool(replaces) and olds.get("name") == news.get("name"),
        )

    async def create(self, request: rpc.CreateRequest) -> rpc.CreateResponse:
        inputs = plain_map(request.properties)
        if request.preview:
            return rpc.CreateResponse("", wrap_map(self._expected(token_of(request.urn), inputs)))
        resource = await self._operations.create(request.urn, token_of(request.urn), inputs)
        self._follow(resource.token)
        return rpc.CreateResponse(resource.id, wrap_map({**resource.inputs, **resource.outputs}))

    async def update(self, request: rpc.UpdateRequest) -> rpc.UpdateResponse:
        inputs = plain_map(request.news)
        if request.preview:
            return rpc.UpdateResponse(wrap_map({**plain_map(request.olds), **inputs}))
        resource = await self._operations.update(
            request.urn, token_of(request.urn), request.resource_id, inputs
        )
        kind = KINDS[resource.token]
        kind.after_update(resource, plain_map(request.olds), self._cloud)
        self._follow(resource.token)
        return rpc.UpdateResponse(wrap_map({**resource.inputs, **resource.outputs}))

    async def delete(self, request: rpc.DeleteRequest) -> None:
        token = token_of(request.urn)
        await self._operations.delete(request.urn, token, request.resource_id)
        self._follow(token)

    def _follow(self, token: str) -> None:
        """What is in clusters follows what was made, changed or deleted of Google's."""
        if token == Cluster.token:
            self._clusters.sweep()
        elif token == NodePool.token:
            self._clusters.settle()

    async def read(self, request: rpc.ReadRequest) -> rpc.ReadResponse:
        token = token_of(request.urn)
        self._cloud.caller.check(token, "read", request.resource_id)
        resource = self._cloud.read(token, request.resource_id)
        if resource is None:
            return rpc.ReadResponse("")
        known = plain_map(request.properties)
        own = {key: known[key] for key in KINDS[token].provider_only if key in known}
        inputs = {**resource.inputs, **own}
        return rpc.ReadResponse(
            resource.id, wrap_map({**inputs, **resource.outputs}), wrap_map(inputs)
        )

    async def invoke(self, request: rpc.InvokeRequest) -> rpc.InvokeResponse:
        answer = functions.call(self._cloud, request.tok, plain_map(request.args), self._defaults)
        return rpc.InvokeResponse(wrap_map(answer))

    def _expected(self, token: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """A previewed create's outputs: the inputs, and every computed property as unknown."""
        return {**dict.fromkeys(self._schema.outputs(token), UNKNOWN), **inputs}


def unknown_type(token: str) -> str:
    """Why a resource type is refused, with the nearest one that works."""
    near = difflib.get_close_matches(token, KINDS, n=1)
    hint = f"; nearest: {near[0]}" if near else ""
    return f"the sandbox's Google Cloud does not know the resource type {token}{hint}"


def _top(path: str) -> str:
    return path.split(".")[0].split("[")[0]


def _kind(difference: Difference) -> rpc.PropertyDiffKind:
    suffix = "_REPLACE" if difference.replaces else ""
    return rpc.PropertyDiffKind[difference.kind.upper() + suffix]
