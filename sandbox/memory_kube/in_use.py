"""Objects that cannot be deleted while others use them, as their finalizers see to.

Source: kubernetes-sigs/kueue pkg/controller/core, v0.19.0; kubernetes/kubernetes
pkg/controller/volume/{pvprotection,pvcprotection}, v1.35.4; kubernetes/cloud-provider-gcp,
4e245312.
"""

from kube.errors import KubeError
from kube.objects import JsonObject, Ref, dig
from sandbox.gke.networks import PARAMS_KIND, pods_on, users_of
from sandbox.kube.helm import chart_release, refuse_hanging_uninstall
from sandbox.kube.kueue import flavors_of, running
from sandbox.kube.store import BUILT_IN_NAMESPACES, Store
from sandbox.kube.volumes import claim_of, pods_using
from sandbox.memory_kube.kueue.queues import WORK, checks_of, queued_work, running_work
from sandbox.memory_kube.ray_state import FINALIZER, why_it_stays

_KUEUE_KINDS = ("AdmissionCheck", "ClusterQueue", "ResourceFlavor", "Topology")
_FINALIZERS = {
    "AdmissionCheck": "finalizer kueue.x-k8s.io/resource-in-use",
    "Topology": "finalizer kueue.x-k8s.io/resource-in-use",
    "ClusterQueue": "finalizer kueue.x-k8s.io/resource-in-use",
    "ResourceFlavor": "finalizer kueue.x-k8s.io/resource-in-use",
    "PersistentVolume": "finalizer kubernetes.io/pv-protection",
    "PersistentVolumeClaim": "finalizer kubernetes.io/pvc-protection",
    "Network": "annotation networking.gke.io/in-use",
    PARAMS_KIND: "finalizer networking.gke.io/gnp-controller",
}


def refuse_in_use(store: Store, ref: Ref, found: JsonObject) -> None:
    """Raises KubeError for a deletion that would wait for ever."""
    # kubernetes/apiserver pkg/admission/plugin/namespace/lifecycle/admission.go:80, v0.35.4.
    if ref.kind == "Namespace" and ref.name in BUILT_IN_NAMESPACES:
        text = f'namespaces "{ref.name}" is forbidden: this namespace may not be deleted'
        raise KubeError(text, reason="Forbidden")
    if found["kind"] == "Release":
        refuse_hanging_uninstall(found)
    if hung := _hung(store, found):
        names = ", ".join(str(Ref.of(each)) for each in hung)
        why = f"nobody would take the finalizer of {names} away, as Kueue's manager does"
        raise KubeError(f"{ref} cannot go: {why}", reason="Conflict")
    if found["kind"] == "RayCluster" and (why := why_it_stays(store, found)):
        raise KubeError(f"{ref} cannot go (finalizer {FINALIZER}): {why}", reason="Conflict")
    if users := _users(store, ref, found):
        names = ", ".join(str(Ref.of(user)) for user in users)
        raise KubeError(
            f"{ref} cannot go ({_FINALIZERS[ref.kind]}): used by {names}", reason="Conflict"
        )


def _hung(store: Store, found: JsonObject) -> list[JsonObject]:
    """What would stay for ever with a finalizer of Kueue's."""
    if found["kind"] == "Release" and chart_release(store, "kueue") == found:
        return store.all(*_KUEUE_KINDS) + _queued_pods(store, store.all("Pod"))
    if found["kind"] in ("Deployment", "Pod") and running(store) is None:
        return _queued_pods(store, [found, *store.owned_by(found, "Pod")])
    return []


def _queued_pods(store: Store, objects: list[JsonObject]) -> list[JsonObject]:
    """Pods that have Kueue's finalizer: those that wait in a queue by themselves."""
    return [it for it in objects if it["kind"] == "Pod" and queued_work(store, it) == it]


def _users(store: Store, ref: Ref, found: JsonObject) -> list[JsonObject]:
    match ref.kind:
        case "PersistentVolume":
            return [claim for claim in [claim_of(store, found)] if claim]
        case "PersistentVolumeClaim":
            # A pod without a node holds nothing; a finished one still holds its claim.
            return [pod for pod in pods_using(store, found) if dig(pod, "spec", "nodeName")]
        case "ClusterQueue":
            admitted = dig(found, "status", WORK) or ()
            return [it for uid, it in running_work(store).items() if uid in admitted]
        case "ResourceFlavor":
            queues = store.all("ClusterQueue")
            return [q for q in queues if ref.name in {it["name"] for it in flavors_of(q)}]
        case "AdmissionCheck":
            return [q for q in store.all("ClusterQueue") if ref.name in checks_of(q)]
        case "Topology":
            flavors = store.all("ResourceFlavor")
            return [it for it in flavors if it["spec"].get("topologyName") == ref.name]
        case "Network":
            return pods_on(store, found)
        case kind if kind == PARAMS_KIND:
            return users_of(store, found)
        case _:
            return []
