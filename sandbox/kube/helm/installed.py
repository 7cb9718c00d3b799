"""Which charts are installed in a cluster, and whether their controllers run."""

from __future__ import annotations

from kube.names import chart_name
from kube.objects import JsonObject
from sandbox.kube.pods import is_running
from sandbox.kube.store import Store


def chart_release(store: Store, chart: str) -> JsonObject | None:
    """The oldest release of a chart, by the chart's short name."""
    releases = store.all("Release")
    named = (each for each in releases if chart_name(each["spec"]["chart"]) == chart)
    return next(named, None)


def operator_pods_run(store: Store, release: JsonObject) -> bool:
    """Whether a pod of a release's Deployments runs."""
    deployments = store.owned_by(release, "Deployment")
    return any(is_running(pod) for each in deployments for pod in store.owned_by(each, "Pod"))


def job_set_controller_runs(store: Store) -> bool:
    """Whether somebody acts on JobSets."""
    release = chart_release(store, "jobset")
    return release is not None and operator_pods_run(store, release)


def ray_operator_runs(store: Store) -> bool:
    """Whether somebody acts on Ray clusters: GKE's add-on or a release of the operator."""
    release = chart_release(store, "kuberay-operator")
    return store.ray_addon or (release is not None and operator_pods_run(store, release))
