"""What a pod refers to and waits for: before it gets a node, and before its containers start.

Source: kubernetes/kubernetes plugin/pkg/admission/{priority,serviceaccount},
pkg/scheduler/framework/plugins/{schedulinggates,volumebinding}, pkg/kubelet/kubelet_pods.go:892-919
and pkg/volume/util/operationexecutor/operation_generator.go:482-605, v1.35.4; of buckets
GoogleCloudPlatform/gcs-fuse-csi-driver pkg/csi_driver/node.go and docs/troubleshooting.md,
5fcdc04a.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kube.objects import JsonObject, dig, maps, name_of, namespace_of
from sandbox.gke.gcsfuse_mounts import refusal
from sandbox.gke.gpu_drivers import crashes
from sandbox.gke.networks import waits_for_networks
from sandbox.gke.pod_webhooks import (
    GCSFUSE,
    GCSFUSE_DRIVER,
    denial,
    gcsfuse_volumes,
    has_sidecar,
    mount_options,
)
from sandbox.gke.queued_machines import waits_for_request
from sandbox.kube.claims import waits_for_claims
from sandbox.kube.secrets import DIGESTS
from sandbox.kube.store import BUILT_IN_PRIORITIES, Store
from sandbox.kube.volumes import claim_names, unmountable, waits_because
from sandbox.memory_kube.kueue.admission import on_flavors
from sandbox.memory_kube.kueue.queues import cluster_queue_of, queued_work

Missing = tuple[str, str]


GATED = "SchedulingGated"


def _gates(store: Store, pod: JsonObject) -> Iterator[str]:
    if pod["spec"].get("schedulingGates"):
        yield f"{GATED}: Scheduling is blocked due to non-empty scheduling gates"
    work = queued_work(store, pod)
    queue = cluster_queue_of(store, work) if work else None
    if isinstance(queue, str):
        yield f"{GATED}: {queue}"
    elif queue and not any(on_flavors(store, pod, pod["spec"])):
        yield f"{GATED}: couldn't assign flavors: none of {name_of(queue)} match node affinity"


def blocks_scheduling(store: Store, pod: JsonObject) -> Iterator[str]:
    """Why a pod is not given to the scheduler yet, or is never created."""
    spec, namespace = pod["spec"], namespace_of(pod)
    account = spec.get("serviceAccountName") or "default"
    if account != "default" and not store.get("v1", "ServiceAccount", namespace, account):
        yield (
            f"error looking up service account {namespace}/{account}: "
            f'serviceaccount "{account}" not found'
        )
    class_name = spec.get("priorityClassName")
    if store.priority(class_name) is None:
        yield f"no PriorityClass with name {class_name} was found"
    elif class_name in BUILT_IN_PRIORITIES and namespace != "kube-system":
        # GKE keeps them for its own namespace with a quota that only kube-system has.
        classes = " ".join(sorted(BUILT_IN_PRIORITIES, reverse=True))
        yield f"insufficient quota to match these scopes: [{{PriorityClass In [{classes}]}}]"
    if refused := denial(pod):
        yield refused
    yield from _gates(store, pod)
    yield from waits_for_networks(store, pod)
    yield from waits_for_request(store, pod)
    yield from waits_for_claims(store, pod)
    for name in claim_names(spec):
        claim = store.get("v1", "PersistentVolumeClaim", namespace, name)
        if claim is None:
            yield f'persistentvolumeclaim "{name}" not found'
        elif why := waits_because(store, claim):
            yield f'pod has unbound immediate PersistentVolumeClaims: "{name}": {why}'


def blocks_start(store: Store, pod: JsonObject, driver: int) -> Iterator[Missing]:
    """Why the containers of a placed pod (as the webhooks leave it) do not start, or do not stay:
    `driver` is NVIDIA's on its node."""
    namespace, spec = namespace_of(pod), pod["spec"]
    for volume in maps(spec.get("volumes")):
        for kind, name, keys, optional in _volume_references(volume):
            if why := _missing(store, kind, namespace, name, keys, optional=optional):
                yield _not_mounted(volume["name"], why)
    for name, _ in [] if has_sidecar(pod) else gcsfuse_volumes(store, pod):
        why = (
            "rpc error: code = FailedPrecondition desc = "
            "failed to find the sidecar container in Pod spec"
        )
        yield _not_mounted(name, f'{why} (the annotation {GCSFUSE}: "true" adds it)')
    for name, options in mount_options(store, pod):
        if why := refusal(options):
            yield _not_mounted(name, f"rpc error: code = InvalidArgument desc = gcsfuse: {why}")
    yield from _without_bucket(spec)
    yield from (("ContainerCreating", why) for why in unmountable(store, pod))
    for container in maps(spec.get("initContainers")) + maps(spec.get("containers")):
        for kind, name, keys, optional in _env_references(container):
            if why := _missing(store, kind, namespace, name, keys, optional=optional):
                yield "CreateContainerConfigError", f'container "{container["name"]}": {why}'
    yield from (("CrashLoopBackOff", why) for why in crashes(spec, driver))


def _without_bucket(spec: Mapping[str, Any]) -> Iterator[Missing]:
    for volume in maps(spec.get("volumes")):
        csi = volume.get("csi") or {}
        if csi.get("driver") == GCSFUSE_DRIVER and not dig(csi, "volumeAttributes", "bucketName"):
            why = 'VolumeContext "bucketName" must be provided for ephemeral storage'
            yield _not_mounted(
                volume["name"], f"rpc error: code = InvalidArgument desc = NodePublishVolume {why}"
            )


def _not_mounted(volume: str, why: str) -> Missing:
    return "ContainerCreating", f'MountVolume.SetUp failed for volume "{volume}" : {why}'


Reference = tuple[str, str, list[str], bool]


def _volume_references(volume: Mapping[str, Any]) -> Iterator[Reference]:
    sources = [volume, *maps(dig(volume, "projected", "sources"))]
    for source in sources:
        for field, kind in (("secret", "Secret"), ("configMap", "ConfigMap")):
            if reference := source.get(field):
                # A volume's own Secret is named by secretName, everywhere else it is name.
                name = reference.get("secretName") or reference.get("name") or ""
                keys = [item["key"] for item in maps(reference.get("items"))]
                yield kind, name, keys, bool(reference.get("optional"))


def _env_references(container: Mapping[str, Any]) -> Iterator[Reference]:
    for source in maps(container.get("envFrom")):
        for field, kind in (("secretRef", "Secret"), ("configMapRef", "ConfigMap")):
            if reference := source.get(field):
                yield kind, reference.get("name") or "", [], bool(reference.get("optional"))
    for variable in maps(container.get("env")):
        for field, kind in (("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap")):
            if reference := dig(variable, "valueFrom", field):
                optional = bool(reference.get("optional"))
                yield kind, reference.get("name") or "", [reference["key"]], optional


# A controller writes it into every namespace (kubernetes/kubernetes v1.35.4
# pkg/controller/certificates/rootcacertpublisher/publisher.go).
_ROOT_CERTIFICATE = "kube-root-ca.crt"


def _missing(
    store: Store, kind: str, namespace: str, name: str, keys: list[str], *, optional: bool
) -> str:
    if optional:
        return ""
    found = store.get("v1", kind, namespace, name)
    if found is None and (kind, name) == ("ConfigMap", _ROOT_CERTIFICATE):
        found = {"data": {"ca.crt": ""}}
    if found is None:
        return f'{kind.lower()} "{name}" not found'
    held = {*(found.get(DIGESTS) or {}), *(found.get("data") or {})}
    held |= {*(found.get("binaryData") or {})}
    lacking = [key for key in keys if key not in held]
    return f"couldn't find key {lacking[0]} in {kind} {namespace}/{name}" if lacking else ""
