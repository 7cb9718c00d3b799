"""Objects that cannot be deleted while others use them, as their finalizers see to."""

from sandbox.kube.errors import KubeError
from sandbox.kube.network_rules import PARAMS_KIND
from sandbox.kube.networks import pods_on, users_of
from sandbox.kube.objects import JsonObject, Ref, dig
from sandbox.kube.store import BUILT_IN_NAMESPACES, Store
from sandbox.kube.volumes import claim_of, pods_using

_FINALIZERS = {
    "PersistentVolume": "finalizer kubernetes.io/pv-protection",
    "PersistentVolumeClaim": "finalizer kubernetes.io/pvc-protection",
    "Network": "annotation networking.gke.io/in-use",
    PARAMS_KIND: "finalizer networking.gke.io/gnp-controller",
}


def refuse_in_use(store: Store, ref: Ref, found: JsonObject) -> None:
    """Raises KubeError for a deletion that would wait for ever."""
    if ref.kind == "Namespace" and ref.name in BUILT_IN_NAMESPACES:
        text = f'namespaces "{ref.name}" is forbidden: this namespace may not be deleted'
        raise KubeError(text, reason="Forbidden")
    if users := _users(store, ref, found):
        names = ", ".join(str(Ref.of(user)) for user in users)
        raise KubeError(
            f"{ref} cannot go ({_FINALIZERS[ref.kind]}): used by {names}", reason="Conflict"
        )


def _users(store: Store, ref: Ref, found: JsonObject) -> list[JsonObject]:
    match ref.kind:
        case "PersistentVolume":
            return [claim for claim in [claim_of(store, found)] if claim]
        case "PersistentVolumeClaim":
            # A pod without a node holds nothing; a finished one still holds its claim.
            return [pod for pod in pods_using(store, found) if dig(pod, "spec", "nodeName")]
        case "Network":
            return pods_on(store, found)
        case kind if kind == PARAMS_KIND:
            return users_of(store, found)
        case _:
            return []
