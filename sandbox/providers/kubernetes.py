"""The kubernetes stand-in: objects go to the API server of the cluster in the kubeconfig, in memory
or real."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from pulumi.provider.experimental import provider as rpc
from pulumi.provider.experimental.property_value import PropertyValue

from cli.urns import token_of
from kube.errors import KubeError
from kube.objects import Ref
from recovery.ids import object_id
from sandbox.cloud.kinds.cluster import Cluster, hosts_of
from sandbox.cloud.resource import Resource
from sandbox.clusters import Clusters, Kube
from sandbox.errors import CloudError, GivenUpError, NotReadyError
from sandbox.kube.immutability import replaced_by
from sandbox.kube.registry import REGISTRY
from sandbox.memory_kube.admission import check
from sandbox.providers import plugin
from sandbox.providers.diff import compare, is_within, same_fields
from sandbox.providers.engine_log import EngineLog
from sandbox.providers.kubeconfig import (
    authority_of,
    certificate_problem,
    credentials_problem,
    server_of,
)
from sandbox.providers.manifests import (
    RELEASE,
    inputs_of,
    kind_of,
    manifest_of,
    state_of,
    without_server_fields,
)
from sandbox.providers.operations import Operations
from sandbox.providers.values import (
    UNKNOWN,
    has_unknown,
    plain_map,
    without_nulls,
    wrap_map,
)
from stacks.two_runs import DELETE_UNREACHABLE

# As many as the engine runs at once: each may wait for its object in a real cluster.
_THREADS = 64
# What a preview cannot know of a real cluster: the same run may bring it.
_NOT_THERE_YET = ("NotFound",)
# A delete in memory looks again whether what holds on to the object has gone meanwhile: the plugin
# waits for ten minutes (pulumi-kubernetes provider/pkg/await/await.go, Deletion, 94977969).
_BETWEEN_LOOKS_SECONDS, _LOOKS = 30, 20
_CLUSTER_ID = "clusterIdentifier"
_DELETE_UNREACHABLE = "PULUMI_K8S_DELETE_UNREACHABLE"
_Answer = TypeVar("_Answer")


class KubernetesStandIn(rpc.Provider):
    """Answers the engine in place of the pulumi-kubernetes plugin."""

    def __init__(
        self, clusters: Clusters, operations: Operations, *, fills_in: bool = False
    ) -> None:
        """`fills_in`: names that a program leaves out, as the plugin does, and without a kubeconfig
        the cluster at hand."""
        self.log = EngineLog()
        self._fills_in = fills_in
        self._at_hand = False
        self._namespace = "default"
        self._clusters = clusters
        self._operations = operations
        self._server: str | None = None
        self._authority: str | None = None
        self._mutable: dict[str, bool] = {}
        self._threads = ThreadPoolExecutor(_THREADS)

    # -- the provider resource

    async def check_config(self, request: rpc.CheckRequest) -> rpc.CheckResponse:
        inputs = plain_map(request.new_inputs)
        config = inputs.get("kubeconfig")
        credentials, reason = credentials_problem(config), certificate_problem(config)
        if self._fills_in and credentials:
            await self.log.warn(request.urn, credentials)
        else:
            reason = credentials or reason
        if "kubeconfig" not in inputs and not self._takes_cluster_at_hand():
            nearest = "; nearest: --cluster, for a simulated one" if self._fills_in else ""
            reason = f"no kubeconfig is given; the sandbox never uses the ambient one{nearest}"
        if inputs.get("renderYamlToDirectory"):
            reason = "renderYamlToDirectory: the sandbox applies to clusters, and writes no files"
        if reason:
            return rpc.CheckResponse(
                request.new_inputs, failures=[rpc.CheckFailure("kubeconfig", reason)]
            )
        return rpc.CheckResponse(inputs=request.new_inputs)

    async def diff_config(self, request: rpc.DiffRequest) -> rpc.DiffResponse:
        olds, news = plain_map(request.old_state), plain_map(request.new_inputs)
        before, after = (it.get(_CLUSTER_ID) for it in (olds, news))
        known = before is not None and after is not None
        # Adding or taking away what a cluster is known by replaces nothing, and what it is known by
        # says alone whether it is another (pulumi-kubernetes provider/pkg/provider/provider.go,
        # DiffConfig, 94977969).
        replaces = [_CLUSTER_ID] if known and before != after else []
        keys = ("kubeconfig", "context", _CLUSTER_ID)
        diffs = [key for key in keys if olds.get(key) != news.get(key)]
        config = news.get("kubeconfig")
        if has_unknown(config):
            another = True
        else:
            # Of what the whole block of the cluster has: server and certificate authority.
            read = (server_of, authority_of)
            was = olds.get("kubeconfig"), olds.get("context")
            another = any(of(*was) != of(config, news.get("context")) for of in read)
        if another and not (known and before == after):
            replaces.append("kubeconfig")
        return rpc.DiffResponse(changes=bool(diffs), replaces=replaces, diffs=diffs)

    async def configure(self, request: rpc.ConfigureRequest) -> rpc.ConfigureResponse:
        args = plain_map(request.args)
        where = args.get("kubeconfig"), args.get("context")
        self._server, self._authority = server_of(*where), authority_of(*where)
        self._at_hand = "kubeconfig" not in args and self._takes_cluster_at_hand()
        self._namespace = str(args.get("namespace") or "default")
        self._mutable = {
            "mutable_secrets": _is_true(args.get("enableSecretMutable")),
            "mutable_config_maps": _is_true(args.get("enableConfigMapMutable")),
        }
        return rpc.ConfigureResponse(supports_preview=True)

    # -- objects

    async def check(self, request: rpc.CheckRequest) -> rpc.CheckResponse:
        is_release = token_of(request.urn) == RELEASE
        inputs = without_nulls(request.new_inputs)
        manifest = manifest_of(token_of(request.urn), plain_map(inputs))
        if not _is_named(manifest):
            if failure := self._unnamed(manifest, is_release=is_release):
                return rpc.CheckResponse(failures=[failure])
            inputs = plugin.with_name(request.urn, request.old_inputs, inputs, request.random_seed)
            manifest = manifest_of(token_of(request.urn), plain_map(inputs))
        if not has_unknown(manifest) and (is_release or not self._real_server_judges()):
            try:
                check(manifest)
            except KubeError as error:
                return rpc.CheckResponse(failures=[rpc.CheckFailure("", str(error))])
        placed = _in_namespace(manifest, inputs, self._namespace)
        kind = {} if is_release else wrap_map(kind_of(manifest))
        return rpc.CheckResponse(inputs={**inputs, **placed, **kind})

    def _unnamed(self, manifest: Mapping[str, Any], *, is_release: bool) -> rpc.CheckFailure | None:
        field = "name" if is_release else "metadata.name"
        if not self._fills_in:
            return rpc.CheckFailure(field, f"{field} is missing; names are never random here")
        metadata = manifest.get("metadata") or {}
        if has_unknown(metadata.get("generateName")) or metadata.get("generateName"):
            field = "metadata.generateName"
            reason = f"{field}: the sandbox's API servers make no names; nearest: none, or a name"
            return rpc.CheckFailure(field, reason)
        return None

    async def invoke(self, request: rpc.InvokeRequest) -> rpc.InvokeResponse:
        raise CloudError(
            "UNIMPLEMENTED",
            f"the sandbox does not know the function {request.tok}; nearest: resources of their "
            "own types",
        )

    async def diff(self, request: rpc.DiffRequest) -> rpc.DiffResponse:
        token = token_of(request.urn)
        olds = manifest_of(token, without_server_fields(plain_map(request.old_state)))
        news = manifest_of(token, plain_map(request.new_inputs))
        found = compare(inputs_of(token, olds), inputs_of(token, news))
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
            # A name that the plugin gave is another after a replacement.
            delete_before_replace=not (self._fills_in and plugin.is_autonamed(news)),
        )

    async def create(self, request: rpc.CreateRequest) -> rpc.CreateResponse:
        inputs = plain_map(request.properties)
        manifest = manifest_of(token_of(request.urn), inputs)
        if request.preview:
            await self._dry_run(manifest, new=True)
            return rpc.CreateResponse("", request.properties)
        async with self._operations.step(
            request.urn, token_of(request.urn), "create", inputs, seconds=request.timeout
        ) as spend:
            if await self._ask(lambda kube: kube.get(Ref.of(manifest))) is not None:
                # pulumi/pulumi-kubernetes provider/pkg/await/await.go, Creation, 94977969.
                raise CloudError("ALREADY_EXISTS", f"{Ref.of(manifest)} already exists")
            await self._apply(manifest)
            await self._waited(spend, manifest, inputs)
            live = await self._await_ready(manifest, inputs)
        return rpc.CreateResponse(object_id(manifest), wrap_map(state_of(inputs, live)))

    async def update(self, request: rpc.UpdateRequest) -> rpc.UpdateResponse:
        inputs = plain_map(request.news)
        manifest = manifest_of(token_of(request.urn), inputs)
        if request.preview:
            await self._dry_run(manifest, request.ignore_changes)
            return rpc.UpdateResponse(request.news)
        async with self._operations.step(
            request.urn, token_of(request.urn), "update", inputs, seconds=request.timeout
        ) as spend:
            await self._apply(manifest, request.ignore_changes)
            await self._waited(spend, manifest, inputs)
            live = await self._await_ready(manifest, inputs)
        return rpc.UpdateResponse(wrap_map(state_of(inputs, live)))

    async def delete(self, request: rpc.DeleteRequest) -> None:
        manifest = manifest_of(token_of(request.urn), plain_map(request.properties))
        ref = Ref.of(manifest)
        if self._cluster() is None:
            # The plugin asks the cluster for a release whatever the variable says.
            self._forget(unless=token_of(request.urn) == RELEASE)
            return
        if await self._ask(lambda kube: kube.get(ref)) is None:
            return
        live = self._real_server_judges()
        async with self._operations.step(
            request.urn, token_of(request.urn), "delete", asked=live, seconds=request.timeout
        ) as spend:
            try:
                await self._change(lambda kube: kube.begin_delete(ref))
                await spend()
                await self._end(ref, 0 if live else _LOOKS)
            except KubeError as error:
                raise CloudError("CONFLICT", str(error)) from None

    async def _waited(
        self, spend: Callable[[], Awaitable[None]], manifest: dict[str, Any], inputs: dict[str, Any]
    ) -> None:
        """The time in which the object gets ready, as far as the plugin waits for it."""
        try:
            await spend()
        except GivenUpError:
            live = await self._ask(lambda kube: kube.get(Ref.of(manifest))) or {}
            why = f"the Kubernetes API server reported that {Ref.of(manifest)} is not ready in time"
            raise NotReadyError(object_id(manifest), state_of(inputs, live), inputs, why) from None

    async def _end(self, ref: Ref, looks_left: int) -> None:
        while True:
            try:
                await self._change(lambda kube: kube.delete(ref))
                return
            except KubeError as error:
                if error.reason != "Conflict" or not looks_left:
                    raise
            await self._operations.wait(_BETWEEN_LOOKS_SECONDS)
            looks_left -= 1

    async def read(self, request: rpc.ReadRequest) -> rpc.ReadResponse:
        inputs = plain_map(request.inputs) or plain_map(request.properties)
        manifest = manifest_of(token_of(request.urn), inputs)
        if self._cluster() is None:
            self._forget()
            return rpc.ReadResponse("")
        ref = Ref.of(manifest)
        self._clusters.cloud.caller.check(token_of(request.urn), "read", str(ref))
        live = await self._ask(lambda kube: kube.get(ref))
        if live is None:
            return rpc.ReadResponse("")
        if ref.kind == "Secret" and await self._ask(lambda kube: kube.matches_secret(manifest)):
            live = {**live, **manifest}
        found = inputs_of(token_of(request.urn), same_fields(manifest, live))
        readiness = await self._ask(lambda kube: kube.readiness_on_read(ref))
        if not readiness.ready:
            state, why = state_of(found, live), f"{ref} is not ready: {readiness.reason}"
            raise NotReadyError(request.resource_id, state, found, why)
        return rpc.ReadResponse(
            request.resource_id, wrap_map(state_of(found, live)), wrap_map(found)
        )

    # -- the cluster behind the kubeconfig

    def _takes_cluster_at_hand(self) -> bool:
        return self._fills_in and self._clusters.cloud.cluster_at_hand is not None

    def _cluster(self) -> Resource | None:
        if self._at_hand:
            return self._clusters.cloud.cluster_at_hand
        for cluster in self._clusters.cloud.find(Cluster.token):
            if self._server in [f"https://{host}" for host in hosts_of(cluster)]:
                authority = cluster.outputs["masterAuth"]["clusterCaCertificate"]
                if self._authority in (None, authority):
                    return cluster
        return None

    def _forget(self, *, unless: bool = False) -> None:
        """What was in a cluster that is gone the plugin takes from the state where a variable asks
        for it, and fails else (pulumi-kubernetes provider/pkg/provider/provider.go, Read and
        Delete, 94977969)."""
        if unless or not _is_true(os.environ.get(_DELETE_UNREACHABLE)):
            raise CloudError(
                "UNAVAILABLE",
                f"configured Kubernetes cluster is unreachable: {self._server}. If the cluster was "
                f"deleted, run `{DELETE_UNREACHABLE}=true pulumi refresh`, which takes what was in "
                "it from the state",
            )

    def _real_server_judges(self) -> bool:
        """Where one stands, it alone says what it takes: by a dry run in a preview. Of charts it
        knows nothing."""
        cluster = self._cluster()
        return cluster is not None and self._clusters.is_live(cluster)

    async def _ask(self, question: Callable[[Kube], _Answer]) -> _Answer:
        """An answer of the cluster; a real one takes its time, while other operations go on."""
        cluster = self._cluster()
        if cluster is None:
            raise CloudError("UNAVAILABLE", f"no cluster answers at {self._server}")
        if self._authority is None:
            self._clusters.cloud.caller.check_connect(str(self._server))
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
        """What a real API server would refuse, a preview shows; of what needs something that the
        same run brings, our tables say what they can. A new object in place of one that is there
        passes (await.go, Creation; provider.go, Create)."""
        ref = Ref.of(manifest)
        if has_unknown(manifest) or not self._real_server_judges():
            return
        try:
            if not new or await self._ask(lambda kube: kube.get(ref)) is None:
                await self._ask(lambda kube: kube.validate(manifest, ignored))
        except KubeError as error:
            if error.reason not in _NOT_THERE_YET:
                raise CloudError("INVALID", str(error)) from None
            self._judge(manifest)

    def _judge(self, manifest: dict[str, Any]) -> None:
        try:
            check(manifest)
        except KubeError as error:
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
                state_of(inputs, live),
                inputs,
                f"{ref} was made but timed out waiting to be Ready: {readiness.reason}",
            )
        return live


def _is_named(manifest: Mapping[str, Any]) -> bool:
    metadata = manifest.get("metadata") or {}
    return metadata is UNKNOWN or bool(metadata.get("name"))


def _in_namespace(
    manifest: Mapping[str, Any], inputs: Mapping[str, PropertyValue], namespace: str
) -> dict[str, PropertyValue]:
    """The input that has the namespace of what names none (pulumi-kubernetes
    provider/pkg/provider/provider.go:1311 and helm_release.go:431, 94977969)."""
    kind = REGISTRY.get((manifest["apiVersion"], manifest["kind"]))
    metadata = manifest.get("metadata")
    if kind is None or not kind.namespaced or not isinstance(metadata, Mapping):
        return {}
    if metadata.get("namespace"):
        return {}
    default = PropertyValue(namespace)
    if manifest["kind"] == "Release":
        return {"namespace": default}
    own = inputs["metadata"]
    assert isinstance(own.value, Mapping)
    return {"metadata": own.with_value({**own.value, "namespace": default})}


def _is_true(value: Any) -> bool:
    # The engine hands a provider's inputs over as text.
    return value is True or value == "true"
