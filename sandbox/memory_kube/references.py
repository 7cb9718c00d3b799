"""What a well-formed object needs in its cluster, and what the webhooks there say to it."""

from __future__ import annotations

from collections.abc import Iterator

from kube.errors import KubeError
from kube.names import chart_name
from kube.objects import JsonObject, Ref, dig, name_of, namespace_of
from sandbox.gke import tpu_webhook
from sandbox.kube.helm import chart_release, job_set_controller_runs
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.webhooks import denial


def refuse_missing(obj: JsonObject, store: Store) -> None:
    """Raises KubeError for an object that this cluster does not take."""
    namespace = namespace_of(obj)
    makes_it = obj["kind"] == "Release" and obj["spec"].get("createNamespace")
    # kubernetes/apiserver pkg/admission/plugin/{namespace/lifecycle,webhook}, v0.35.4.
    if namespace and not makes_it and not store.namespace_exists(namespace):
        raise KubeError(f'namespaces "{namespace}" not found', reason="NotFound")
    if why := next(_conflicts(obj, store), ""):
        raise KubeError(why, reason="Conflict")
    # Part of GKE's add-on; KubeRay's own chart brings no webhook for TPUs.
    on_tpus = obj["kind"] == "RayCluster" and store.ray_addon
    if on_tpus and (why := tpu_webhook.denial(obj)):
        raise KubeError(why, reason="Forbidden")
    if obj["kind"] == "JobSet" and _is_uncalled(store):
        name = "mutate-jobset-x-k8s-io-v1alpha2-jobset.x-k8s.io"
        why = "JobSet's controller does not run: connection refused"
        raise KubeError(f'failed calling webhook "{name}": {why}', reason="Forbidden")
    if why := denial(store, obj, store.find(Ref.of(obj))):
        raise KubeError(why, reason="Forbidden")


def _is_uncalled(store: Store) -> bool:
    """Whether JobSet's webhooks are there and nobody answers for them."""
    return chart_release(store, "jobset") is not None and not job_set_controller_runs(store)


def _conflicts(obj: JsonObject, store: Store) -> Iterator[str]:
    match obj["kind"]:
        case "Release":
            yield from _release_conflicts(obj, store)
        case "HorizontalPodAutoscaler":
            # Kubernetes takes it and never scales; here it is refused at once.
            target = obj["spec"]["scaleTargetRef"]
            if scaled(store, obj) is None:
                named = f"{target['kind']} {namespace_of(obj)}/{target['name']}"
                yield f"HorizontalPodAutoscaler {name_of(obj)}: scaleTargetRef {named} not found"
        case _:
            return


def _release_conflicts(obj: JsonObject, store: Store) -> Iterator[str]:
    chart = chart_name(obj["spec"]["chart"])
    if chart == "kuberay-operator" and store.ray_addon:
        # Two operators would write the same Ray clusters.
        has = "the cluster has the Ray operator add-on"
        yield f"chart kuberay-operator: {has}; nearest: one of them, never both"
    other = chart_release(store, chart)
    # helm/helm pkg/action/validate.go, checkOwnership, 002ac784.
    if other is not None and Ref.of(other) != Ref.of(obj):
        yield f"chart {chart}: its objects belong to release {namespace_of(other)}/{name_of(other)}"


def scaled(store: Store, scaler: JsonObject) -> JsonObject | None:
    """What an autoscaler scales; None when it is not there."""
    target = dig(scaler, "spec", "scaleTargetRef")
    return store.get(target["apiVersion"], target["kind"], namespace_of(scaler), target["name"])
