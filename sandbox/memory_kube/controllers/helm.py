"""Helm releases: the objects of their charts, kept as the chart makes them of the values.

A release owns them here, so that they go with it; what a chart keeps has no owner.
"""

from collections.abc import Sequence

from kube.names import chart_name
from kube.objects import JsonObject, Node, Ref, dig, name_of, namespace_of
from sandbox.kube.custom_resources import drop_undefined
from sandbox.kube.helm.release import chart_of
from sandbox.kube.pods import is_running
from sandbox.kube.registry import JOB_SET_GROUP, KUEUE_GROUP, RAY_GROUP
from sandbox.kube.store import Store
from sandbox.memory_kube.defaults import with_defaults


def run_releases(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    for release in store.all("Release"):
        _keep_objects(store, release)
        store.patch(release, status=_status(store, release))
    brought = {KUEUE_GROUP, JOB_SET_GROUP}
    drop_undefined(store, brought if store.ray_addon else brought | {RAY_GROUP})


def _keep_objects(store: Store, release: JsonObject) -> None:
    # As Helm: objects are written when a release changes, not when they do.
    if dig(release, "status", "revision") == release["metadata"]["generation"]:
        return
    chart, namespace = chart_of(release), namespace_of(release)
    if not store.namespace_exists(namespace):
        store.add({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    definitions = chart.definitions(release["spec"]["version"])
    wanted = [with_defaults(each, namespaced=True) for each in chart.objects(release)]
    if chart.keeps_definitions:
        for each in definitions:
            if store.find(Ref.of(each)) is None:
                store.add(each)
    else:
        wanted += definitions
    keys = {Ref.of(each).key for each in wanted}
    for live in store.owned_by(release):
        if Ref.of(live).key not in keys:
            store.remove(live)
    for each in wanted:
        live = store.find(Ref.of(each))
        if live is None:
            store.add(each, owner=release)
        else:
            store.replace(live, each)


def _status(store: Store, release: JsonObject) -> JsonObject:
    spec = release["spec"]
    deployments = store.owned_by(release, "Deployment")
    pods = [pod for each in deployments for pod in store.owned_by(each, "Pod")]
    up = pods and all(is_running(pod) for pod in pods)
    return {
        "name": name_of(release),
        "namespace": namespace_of(release),
        "chart": chart_name(spec["chart"]),
        "version": spec["version"],
        "appVersion": f"v{spec['version']}",
        "revision": release["metadata"]["generation"],
        "status": "deployed" if up else "pending-install",
    }
