"""The gcp stand-in: checks and diffs by the provider's schema facts, acts on the simulated
cloud."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from pulumi.provider.experimental import provider as rpc
from pulumi.provider.experimental.property_value import PropertyValue

from catalog.timeouts import provider_wait
from cli.urns import token_of
from sandbox.cloud.given_back import GivenBack, TypeTable
from sandbox.cloud.kinds import KINDS
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.kinds.node_pool import NodePool
from sandbox.cloud.near import near
from sandbox.cloud.resource import Resource
from sandbox.clusters import Clusters
from sandbox.errors import CloudError, HalfMadeError, NotReadyError
from sandbox.providers import bridge, functions
from sandbox.providers.diff import is_within
from sandbox.providers.engine_log import EngineLog
from sandbox.providers.operations import Operations
from sandbox.providers.schema import Difference, GcpSchema
from sandbox.providers.values import (
    UNKNOWN,
    plain_map,
    whole_unknowns_marked,
    without_nulls,
    wrap_map,
)

PROVIDER_INPUTS = ("project", "region", "zone")
# hashicorp/terraform-provider-google-beta, resource_container_node_pool.go,
# nodePoolAcceleratorNetworkProfileCustomizeDiff (93c65b2d60, 2026-08-21); seen, pulumi-gcp 10.2.0.
_NETWORK_CONFIG_PANIC = (
    "the real provider panics here (can't use ElementIterator on unknown value): networkConfig of "
    "a node pool must not depend on another resource's outputs; nearest: plain names and depends_on"
)
_UNLISTED = (
    "{}: what Google answers to it nobody has looked up; nearest: a row of "
    "sandbox/data/given-back.yaml, by the provider's read function"
)


class GcpStandIn(rpc.Provider):
    """Answers the engine in place of the pulumi-gcp plugin."""

    def __init__(
        self, clusters: Clusters, operations: Operations, *, fills_in: bool = False
    ) -> None:
        """`fills_in`: names and places that a program leaves out, as the plugin does."""
        self.log = EngineLog()
        self._fills_in = fills_in
        self._clusters = clusters
        self._cloud = clusters.cloud
        self._operations = operations
        self._schema = GcpSchema.load()
        self._given_back = GivenBack.load()
        self._defaults: dict[str, Any] = {}

    async def configure(self, request: rpc.ConfigureRequest) -> rpc.ConfigureResponse:
        known = plain_map(request.args)
        self._defaults = {key: known[key] for key in PROVIDER_INPUTS if key in known}
        if self._fills_in:
            self._defaults = {**bridge.of_environment(), **self._defaults}
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
        inputs, failures = await self._filled(request, token)
        values = plain_map(inputs)
        failures += [rpc.CheckFailure(f.path, f.reason) for f in self._schema.check(token, values)]
        if not failures:
            unlisted = self._given_back.of(token).unlisted(values)
            failures = [rpc.CheckFailure(path, _UNLISTED.format(path)) for path in unlisted]
        return rpc.CheckResponse(inputs=inputs, failures=failures)

    async def _filled(
        self, request: rpc.CheckRequest, token: str
    ) -> tuple[dict[str, PropertyValue], list[rpc.CheckFailure]]:
        inputs = dict(request.new_inputs)
        if not self._fills_in:
            for key in ("project", "region"):
                if key not in inputs and key in self._defaults and self._schema.takes(token, key):
                    inputs[key] = PropertyValue(self._defaults[key])
            return inputs, []
        olds = plain_map(request.old_inputs)
        inputs, warnings = bridge.with_numbers(token, without_nulls(inputs), self._schema)
        for warning in warnings:
            await self.log.warn(request.urn, warning)
        named = (request.urn, olds, inputs, request.random_seed, self._schema)
        inputs, unnamed = bridge.with_name(token, *named)
        inputs, nowhere = bridge.with_place(token, inputs, self._defaults, self._schema)
        return inputs, [rpc.CheckFailure(it.path, it.reason) for it in (*unnamed, *nowhere)]

    def _has_own_name(self, request: rpc.DiffRequest, news: Mapping[str, Any]) -> bool:
        """One that the plugin gave is another after a replacement."""
        token = token_of(request.urn)
        return not (self._fills_in and bridge.is_autonamed(token, request.urn, news, self._schema))

    async def diff(self, request: rpc.DiffRequest) -> rpc.DiffResponse:
        olds = plain_map(request.old_state)
        news = whole_unknowns_marked(plain_map(request.new_inputs))
        token = token_of(request.urn)
        if token == NodePool.token and news.get("networkConfig") is UNKNOWN:
            raise CloudError("INTERNAL", _NETWORK_CONFIG_PANIC)
        KINDS[token].planned(news)
        forced = KINDS[token].replaced_by(olds, news)
        table = self._given_back.of(token)
        found = [
            replace(each, replaces=each.replaces or each.path in forced)
            for each in differences(token, table, olds, news, request.ignore_changes)
        ]
        replaces = [difference.path for difference in found if difference.replaces]
        return rpc.DiffResponse(
            changes=bool(found),
            replaces=[_top(path) for path in replaces],
            diffs=sorted({_top(difference.path) for difference in found}),
            detailed_diff={d.path: rpc.PropertyDiff(_kind(d), input_diff=True) for d in found},
            # Cloud names are fixed, so the old one must go before the new one can be made.
            delete_before_replace=bool(replaces)
            and olds.get("name") == news.get("name")
            and self._has_own_name(request, news),
        )

    async def create(self, request: rpc.CreateRequest) -> rpc.CreateResponse:
        inputs, token = plain_map(request.properties), token_of(request.urn)
        KINDS[token].planned(inputs)
        if request.preview:
            return rpc.CreateResponse("", wrap_map(self._expected(token, inputs)))
        try:
            resource = await self._operations.create(request.urn, token, inputs, request.timeout)
        except HalfMadeError as error:
            self._follow(token)
            raise self._kept(token, error, inputs) from None
        self._follow(resource.token)
        return rpc.CreateResponse(resource.id, wrap_map(self._state_of(resource)))

    async def update(self, request: rpc.UpdateRequest) -> rpc.UpdateResponse:
        inputs, token = plain_map(request.news), token_of(request.urn)
        if request.preview:
            olds = plain_map(request.olds)
            seen = self._given_back.of(token).seen(olds, inputs)
            return rpc.UpdateResponse(wrap_map({**olds, **seen}))
        state, kind = plain_map(request.olds), KINDS[token]
        there = self._cloud.get(request.resource_id)
        sent = inputs if there is None else dict(kind.sent(state, inputs, there.inputs))
        try:
            resource = await self._operations.update(
                request.urn, token, request.resource_id, sent, request.timeout
            )
        except HalfMadeError as error:
            # The state stays as it was, or has what was asked for, as `after_update` says
            # (pulumi/pulumi-terraform-bridge pkg/tfbridge/provider.go:1793, 59de6c661).
            self._follow(token)
            if (wait := provider_wait(token)) is not None and wait.after_update == "new":
                state = {**state, **self._given_back.of(token).answered(sent)}
            raise NotReadyError(error.resource_id, state, inputs, error.message) from None
        kind.after_update(resource, state, self._cloud)
        self._follow(resource.token)
        return rpc.UpdateResponse(wrap_map(self._state_of(resource)))

    async def delete(self, request: rpc.DeleteRequest) -> None:
        token = token_of(request.urn)
        try:
            await self._operations.delete(request.urn, token, request.resource_id, request.timeout)
        finally:
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
        table = self._given_back.of(token)
        known = plain_map(request.properties) or table.known_by_id(resource.inputs, resource.id)
        state = table.with_state_only(self._state_of(resource), known)
        inputs = table.with_state_only(table.answered(resource.inputs), known)
        return rpc.ReadResponse(resource.id, wrap_map(state), wrap_map(inputs))

    def _state_of(self, resource: Resource) -> dict[str, Any]:
        """What the provider has in its state once the cloud has answered."""
        table = self._given_back.of(resource.token)
        unasked = KINDS[resource.token].unasked(resource.inputs, self._cloud)
        answered = table.with_own_entries(table.answered(resource.inputs))
        return {**_merged(answered, unasked), **resource.outputs}

    def _kept(self, token: str, error: HalfMadeError, inputs: dict[str, Any]) -> NotReadyError:
        """The engine keeps what the provider has in its state, with the error beside it (pulumi/
        pulumi-terraform-bridge pkg/tfbridge/provider.go:1413, 59de6c661 of 2026-08-05)."""
        resource = self._cloud.get(error.resource_id)
        assert resource is not None, "what is half made is there"
        sent = self._given_back.of(token).answered(resource.inputs)
        state = self._state_of(resource) if error.read else sent
        return NotReadyError(error.resource_id, state, inputs, error.message)

    async def invoke(self, request: rpc.InvokeRequest) -> rpc.InvokeResponse:
        answer = functions.call(self._cloud, request.tok, plain_map(request.args), self._defaults)
        return rpc.InvokeResponse(wrap_map(answer))

    def _expected(self, token: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """A previewed create's outputs: the inputs, and every computed property as unknown."""
        expected = {**dict.fromkeys(self._schema.outputs(token), UNKNOWN), **inputs}
        for path in KINDS[token].made_up:
            expected = _merged(expected, _block(path, UNKNOWN))
        return expected


def differences(
    token: str,
    table: TypeTable,
    state: Mapping[str, Any],
    news: Mapping[str, Any],
    ignored: Collection[str] = (),
) -> list[Difference]:
    """What the provider shows between its state and new inputs."""
    # What only the cloud fills in is in the state as well.
    known = {key: it for key, it in state.items() if key in table.names or key in news}
    return [
        each
        for each in GcpSchema.load().diff(token, known, table.seen(known, news))
        if not any(is_within(each.path, it) for it in ignored)
    ]


def _merged(values: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """With `more`, blocks in blocks."""
    merged = dict(values)
    for key, it in more.items():
        old = merged.get(key)
        merged[key] = _merged(old, it) if isinstance(old, dict) and isinstance(it, dict) else it
    return merged


def _block(path: str, value: Any) -> dict[str, Any]:
    first, _, rest = path.partition(".")
    return {first: _block(rest, value) if rest else value}


def unknown_type(token: str) -> str:
    """Why a resource type is refused, with the nearest one that works."""
    found = near(token, KINDS)
    hint = f"; nearest: {found}" if found else ""
    return f"the sandbox's Google Cloud does not know the resource type {token}{hint}"


def _top(path: str) -> str:
    return path.split(".")[0].split("[")[0]


def _kind(difference: Difference) -> rpc.PropertyDiffKind:
    suffix = "_REPLACE" if difference.replaces else ""
    return rpc.PropertyDiffKind[difference.kind.upper() + suffix]
