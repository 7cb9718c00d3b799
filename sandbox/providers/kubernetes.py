"""The kubernetes stand-in: objects go to the API server of the cluster in the kubeconfig, in memory
or real."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import yaml
from pulumi.provider.experimental import provider as rpc
from pulumi.runtime.rpc import UNKNOWN as WIRE_UNKNOWN

from recovery.ids import object_id
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.resource import Resource
from sandbox.clusters import Clusters, Kube
from sandbox.errors import CloudError, NotReadyError
from sandbox.kube.errors import KubeError
from sandbox.kube.helm import release_inputs, release_manifest
from sandbox.kube.immutability import replaced_by
from sandbox.kube.objects import Ref
from sandbox.memory_kube.admission import check
from sandbox.providers.diff import compare, is_within, same_fields
from sandbox.providers.kubeconfig import credentials_problem
from sandbox.providers.operations import Operations
from sandbox.providers.values import (
    UNKNOWN,
    has_unknown,
    plain_map,
    whole_unknowns_marked,
    wrap_map,
)
from sandbox.urns import token_of

# Properties of the SDK's resource classes that are no part of the manifest that a user sends.
NOT_MANIFEST = frozenset({"__initialApiVersion", "__fieldManager", "__defaults", "status"})
RELEASE = "kubernetes:helm.sh/v3:Release"
NOT_RELEASE = NOT_MANIFEST | {"compat", "resourceNames"}
# As many as the engine runs at once: each may wait for its object in a real cluster.
_THREADS = 64
# What a preview cannot know of a real cluster: the same run may bring it.
_NOT_THERE_YET = ("NotFound",)
_Answer = TypeVar("_Answer")


class KubernetesStandIn(rpc.Provider):
    """Answers the engine in place of the pulumi-kubernetes plugin."""

    def __init__(self, clusters: Clusters, operations: Operations) -> None:
        self._clusters = clusters
        self._operations = operations
        self._server: str | None = None
        self._mutable: dict[str, bool] = {}
        self._threads = ThreadPoolExecutor(_THREADS)

    # -- the provider resource

    async def check_config(self, request: rpc.CheckRequest) -> rpc.CheckResponse:
        inputs = plain_map(request.new_inputs)
        reason = credentials_problem(inputs.get("kubeconfig"))
        if "kubeconfig" not in inputs:
            reason = "no kubeconfig is given; the sandbox never uses the ambient one"
        if reason:
            return rpc.CheckResponse(
                request.new_inputs, failures=[rpc.CheckFailure("kubeconfig", reason)]
            )
        return rpc.CheckResponse(inputs=request.new_inputs)

    async def diff_config(self, request: rpc.DiffRequest) -> rpc.DiffResponse:
        olds, news = plain_map(request.old_state), plain_map(request.new_inputs)
        if has_unknown(news.get("kubeconfig")):
            return rpc.DiffResponse(changes=True, replaces=["kubeconfig"], diffs=["kubeconfig"])
        changed = olds.get("kubeconfig") != news.get("kubeconfig")
        moved = changed and _server(olds.get("kubeconfig")) != _server(news.get("kubeconfig"))
        return rpc.DiffResponse(
            changes=changed,
            replaces=["kubeconfig"] if moved else [],
            diffs=["kubeconfig"] if changed else [],
        )

    async def configure(self, request: rpc.ConfigureRequest) -> rpc.ConfigureResponse:
        args = plain_map(request.args)
        self._server = _server(args.get("kubeconfig"))
        self._mutable = {
            "mutable_secrets": _is_true(args.get("enableSecretMutable")),
            "mutable_config_maps": _is_true(args.get("enableConfigMapMutable")),
        }
        return rpc.ConfigureResponse(supports_preview=True)

    # -- objects

    async def check(self, request: rpc.CheckRequest) -> rpc.CheckResponse:
        manifest = _manifest(token_of(request.urn), plain_map(request.new_inputs))
        name = (manifest.get("metadata") or {}).get("name")
        is_release = token_of(request.urn) == RELEASE
        if not name:
            field = "name" if is_release else "metadata.name"
            reason = f"{field} is missing; names are never random here"
            return rpc.CheckResponse(failures=[rpc.CheckFailure(field, reason)])
        if not has_unknown(manifest):
            try:
                check(manifest)
            except KubeError as error:
                return rpc.CheckResponse(failures=[rpc.CheckFailure("", str(error))])
        kind = {} if is_release else wrap_map(_kind_of(manifest))
        return rpc.CheckResponse(inputs={**request.new_inputs, **kind})

    async def diff(self, request: rpc.DiffRequest) -> rpc.DiffResponse:
        token = token_of(request.urn)
        olds = _manifest(token, plain_map(request.old_state))
        news = _manifest(token, plain_map(request.new_inputs))
        found = compare(_inputs(token, olds), _inputs(token, news))
        unknown = [key for key, value in news.items() if value is UNKNOWN]
        replaces = set(replaced_by(str(news["kind"]), olds, news, unknown=unknown, **self._mutable))
        if token == RELEASE:
            replaces = {path.removeprefix("metadata.") for path in replaces}
        details = {}
        for difference in found:
            forced = any(is_within(difference.path, path) for path in replaces)
            kind = difference.kind.upper() + ("_REPLACE" if forced else "")
            details[difference.path] = rpc.PropertyDiff(rpc.PropertyDiffKind[kind], True)
        return rpc.DiffResponse(
            changes=bool(found),
            replaces=sorted(replaces),
            diffs=sorted({difference.path.split(".")[0] for difference in found}),
            detailed_diff=details,
            delete_before_replace=True,
        )

    async def create(self, request: rpc.CreateRequest) -> rpc.CreateResponse:
        inputs = plain_map(request.properties)
        manifest = _manifest(token_of(request.urn), inputs)
        if request.preview:
            await self._dry_run(manifest, new=True)
            return rpc.CreateResponse("", request.properties)
        async with self._operations.step(
            request.urn, token_of(request.urn), "create", inputs
        ) as spend:
            if await self._ask(lambda kube: kube.get(Ref.of(manifest))) is not None:
                raise CloudError("ALREADY_EXISTS", f"{Ref.of(manifest)} already exists")
            await self._apply(manifest)
            await spend()
            live = await self._await_ready(manifest, inputs)
        return rpc.CreateResponse(object_id(manifest), wrap_map(_state(inputs, live)))

    async def update(self, request: rpc.UpdateRequest) -> rpc.UpdateResponse:
        inputs = plain_map(request.news)
        manifest = _manifest(token_of(request.urn), inputs)
        if request.preview:
            await self._dry_run(manifest, request.ignore_changes)
            return rpc.UpdateResponse(request.news)
        async with self._operations.step(
            request.urn, token_of(request.urn), "update", inputs
        ) as spend:
            await self._apply(manifest, request.ignore_changes)
            await spend()
            live = await self._await_ready(manifest, inputs)
        return rpc.UpdateResponse(wrap_map(_state(inputs, live)))

    async def delete(self, request: rpc.DeleteRequest) -> None:
        manifest = _manifest(token_of(request.urn), plain_map(request.properties))
        ref = Ref.of(manifest)
        if self._cluster() is None or await self._ask(lambda kube: kube.get(ref)) is None:
            return
        async with self._operations.step(request.urn, token_of(request.urn), "delete") as spend:
            await spend()
            try:
                await self._change(lambda kube: kube.delete(ref))
            except KubeError as error:
                raise CloudError("CONFLICT", str(error)) from None

    async def read(self, request: rpc.ReadRequest) -> rpc.ReadResponse:
        inputs = plain_map(request.inputs) or plain_map(request.properties)
        manifest = _manifest(token_of(request.urn), inputs)
        if self._cluster() is None:
            return rpc.ReadResponse("")
        ref = Ref.of(manifest)
        self._clusters.cloud.caller.check(token_of(request.urn), "read", str(ref))
        live = await self._ask(lambda kube: kube.get(ref))
        if live is None:
            return rpc.ReadResponse("")
        if ref.kind == "Secret" and await self._ask(lambda kube: kube.matches_secret(manifest)):
            live = {**live, **manifest}
        found = _inputs(token_of(request.urn), same_fields(manifest, live))
        readiness = await self._ask(lambda kube: kube.readiness_on_read(ref))
        if not readiness.ready:
            state, why = _state(found, live), f"{ref} is not ready: {readiness.reason}"
            raise NotReadyError(request.resource_id, state, found, why)
        return rpc.ReadResponse(request.resource_id, wrap_map(_state(found, live)), wrap_map(found))

    # -- the cluster behind the kubeconfig

    def _cluster(self) -> Resource | None:
        for cluster in self._clusters.cloud.find(Cluster.token):
            if self._server == f"https://{cluster.outputs['endpoint']}":
                return cluster
        return None

    async def _ask(self, question: Callable[[Kube], _Answer]) -> _Answer:
        """An answer of the cluster; a real one takes its time, while other operations go on."""
        cluster = self._cluster()
        if cluster is None:
            raise CloudError("UNAVAILABLE", f"no cluster answers at {self._server}")
        kube = self._clusters.kube(cluster)
        if self._clusters.is_live(cluster):
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, question, kube)
        return question(kube)

    async def _change(self, change: Callable[[Kube], _Answer]) -> _Answer:
        """As `_ask`, for what leaves the simulated cloud different."""
        answer = await self._ask(change)
        self._clusters.cloud.save()
        return answer

    async def _apply(self, manifest: dict[str, Any], ignored: Sequence[str] = ()) -> None:
        try:
            await self._change(lambda kube: kube.apply(manifest, ignored))
        except KubeError as error:
            raise CloudError("INVALID", str(error)) from None

    async def _dry_run(
        self, manifest: dict[str, Any], ignored: Sequence[str] = (), *, new: bool = False
    ) -> None:
        """What a real API server would refuse, a preview shows; `check` has said the rest. A new
        object in place of one that is there passes (await.go, Creation; provider.go, Create)."""
        cluster, ref = self._cluster(), Ref.of(manifest)
        if cluster is None or not self._clusters.is_live(cluster) or has_unknown(manifest):
            return
        try:
            if not new or await self._ask(lambda kube: kube.get(ref)) is None:
                await self._ask(lambda kube: kube.validate(manifest, ignored))
        except KubeError as error:
            if error.reason not in _NOT_THERE_YET:
                raise CloudError("INVALID", str(error)) from None

    async def _await_ready(
        self, manifest: dict[str, Any], inputs: dict[str, Any]
    ) -> dict[str, Any]:
        """The live object once it is ready, as the kubernetes provider waits for it."""
        ref = Ref.of(manifest)
        readiness = await self._change(lambda kube: kube.wait_for(ref))
        live = await self._ask(lambda kube: kube.get(ref)) or {}
        if not readiness.ready:
            raise NotReadyError(
                object_id(manifest),
                _state(inputs, live),
                inputs,
                f"{ref} was made but is not ready: {readiness.reason}",
            )
        return live


def _server(kubeconfig: Any) -> str | None:
    """The API server's URL; None while the cluster that the kubeconfig is made of is to be made."""
    if not isinstance(kubeconfig, str) or kubeconfig == WIRE_UNKNOWN:
        return None
    try:
        return yaml.safe_load(kubeconfig)["clusters"][0]["cluster"]["server"]
    except (yaml.YAMLError, KeyError, IndexError, TypeError):
        raise CloudError("INVALID_ARGUMENT", "the kubeconfig names no cluster server") from None


def _kind_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    return {"apiVersion": manifest["apiVersion"], "kind": manifest["kind"]}


def _manifest(token: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The object as kubectl would send it; kind and version come from the resource type."""
    known = whole_unknowns_marked(inputs)
    if token == RELEASE:
        return release_manifest({k: v for k, v in known.items() if k not in NOT_RELEASE})
    _, group_version, kind = token.split(":")
    body = {key: value for key, value in known.items() if key not in NOT_MANIFEST}
    return {"apiVersion": group_version.removeprefix("core/"), "kind": kind, **body}


def _inputs(token: str, manifest: dict[str, Any]) -> dict[str, Any]:
    """The inputs behind an object; only a release's have another shape."""
    return release_inputs(manifest) if token == RELEASE else manifest


def _state(inputs: Mapping[str, Any], live: Mapping[str, Any]) -> dict[str, Any]:
    """The engine's view: the live status beside the inputs.

    No other part of the live object: a Secret's values must stand only where the engine knows that
    they are secret, which is at the inputs' own paths.
    """
    status = {"status": live["status"]} if "status" in live else {}
    return {**inputs, **status}


def _is_true(value: Any) -> bool:
    # The engine hands a provider's inputs over as text.
    return value is True or value == "true"
