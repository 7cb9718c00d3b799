"""Objects that an object of somebody's names, and which of them cannot go before it does. Pure.

Kueue keeps a ResourceFlavor and an AdmissionCheck for as long as a ClusterQueue names them, and a
Topology for as long as a ResourceFlavor does (kubernetes-sigs/kueue v0.19.2
pkg/controller/core/resourceflavor_controller.go, admissioncheck_controller.go and
pkg/controller/tas/topology_controller.go); a Cohort, the parameters of a check and a class of
priority it lets go. Kubernetes keeps a claim while a pod mounts it, and a volume while a claim is
bound to it (kubernetes/kubernetes v1.35.4 pkg/controller/volume/pvcprotection and pvprotection).
GKE keeps a Network while a pod is in it, and its parameters while a Network names them
(kubernetes/cloud-provider-gcp pkg/controller/gkenetworkparamset, 4e245312).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from components.queues.labels import PRIORITY_LABEL
from kube.kinds import (
    ADMISSION_CHECK,
    CLAIM,
    CLUSTER_QUEUE,
    COHORT,
    COMPUTE_CLASS,
    NETWORK,
    NETWORK_PARAMETERS,
    PERSISTENT_VOLUME,
    POD,
    PROVISIONING_REQUEST_CONFIG,
    RESOURCE_CLAIM_TEMPLATE,
    RESOURCE_FLAVOR,
    TOPOLOGY,
    WORKLOAD_PRIORITY_CLASS,
    Kind,
)
from kube.objects import JsonObject, annotations_of, dig, labels_of, maps, namespace_of
from kube.pod_networks import networks_of

# Kinds without a namespace that people make objects of, and that stacks have, too.
CLUSTER_WIDE = (
    CLUSTER_QUEUE,
    RESOURCE_FLAVOR,
    ADMISSION_CHECK,
    TOPOLOGY,
    COHORT,
    PROVISIONING_REQUEST_CONFIG,
    WORKLOAD_PRIORITY_CLASS,
    NETWORK,
    NETWORK_PARAMETERS,
    PERSISTENT_VOLUME,
)
# Those that stay with Kueue's finalizer where Kueue is gone.
NEED_KUEUE = (CLUSTER_QUEUE, RESOURCE_FLAVOR, ADMISSION_CHECK, TOPOLOGY)
_COMPUTE_CLASS = "cloud.google.com/compute-class"


@dataclass(frozen=True, order=True)
class Used:
    """One object; `namespace` is empty for a kind without namespaces. With `held` it cannot go
    before the object that names it."""

    kind: str
    name: str
    namespace: str = ""
    held: bool = True

    @property
    def key(self) -> tuple[str, str, str]:
        return self.kind, self.namespace, self.name

    def __str__(self) -> str:
        place = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {place}{self.name}"


def uses(kind: Kind, obj: JsonObject) -> Iterator[Used]:
    """In the words of either version of Kueue's API."""
    spec = obj.get("spec") or {}
    if name := labels_of(obj).get(PRIORITY_LABEL):
        yield _free(WORKLOAD_PRIORITY_CLASS, name)
    if kind == CLUSTER_QUEUE:
        yield from _of_cluster_queue(spec)
    elif kind == RESOURCE_FLAVOR and spec.get("topologyName"):
        yield Used(TOPOLOGY.name, str(spec["topologyName"]))
    elif kind == COHORT and (parent := spec.get("parentName") or spec.get("parent")):
        yield _free(COHORT, str(parent))
    elif kind == ADMISSION_CHECK and (parameters := spec.get("parameters")):
        yield Used(str(parameters.get("kind")), str(parameters.get("name")), held=False)
    elif kind == NETWORK and (reference := spec.get("parametersRef")):
        yield Used(str(reference.get("kind")), str(reference.get("name")))
    elif kind == CLAIM and spec.get("volumeName"):
        yield Used(PERSISTENT_VOLUME.name, str(spec["volumeName"]))
    elif kind == POD:
        yield from _of_pod(obj)


def _of_cluster_queue(spec: JsonObject) -> Iterator[Used]:
    for group in maps(spec.get("resourceGroups")):
        for flavor in maps(group.get("flavors")):
            yield Used(RESOURCE_FLAVOR.name, str(flavor.get("name")))
    for check in maps(dig(spec, "admissionChecksStrategy", "admissionChecks")):
        yield Used(ADMISSION_CHECK.name, str(check.get("name")))
    for name in spec.get("admissionChecks") or []:
        yield Used(ADMISSION_CHECK.name, str(name))
    if cohort := spec.get("cohortName") or spec.get("cohort"):
        yield _free(COHORT, str(cohort))


def _of_pod(pod: JsonObject) -> Iterator[Used]:
    spec, namespace = pod["spec"], namespace_of(pod)
    for volume in maps(spec.get("volumes")):
        if claim := dig(volume, "persistentVolumeClaim", "claimName"):
            yield Used(CLAIM.name, str(claim), namespace)
    for network in networks_of(annotations_of(pod)):
        yield Used(NETWORK.name, network)
    for each in maps(spec.get("resourceClaims")):
        if template := each.get("resourceClaimTemplateName"):
            yield Used(RESOURCE_CLAIM_TEMPLATE.name, str(template), namespace, held=False)
    if name := (spec.get("nodeSelector") or {}).get(_COMPUTE_CLASS):
        yield _free(COMPUTE_CLASS, str(name))


def _free(kind: Kind, name: str) -> Used:
    return Used(kind.name, name, held=False)
