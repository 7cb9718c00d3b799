"""What KubeRay makes of a RayCluster whose head keeps its state in Redis, and why one stays.

ray-project/kuberay ray-operator v1.4.2, controllers/ray/common/pod.go:73 and
raycluster_controller.go:204. The Job that clears Redis is not made here: it takes a few seconds
where it can run, and where it cannot the cluster goes without it after five minutes. Where nobody
makes it, or nobody lets it run, the cluster stays for ever.
"""

from collections.abc import Mapping
from typing import Any

from sandbox.kube.helm import ray_operator_runs
from sandbox.kube.objects import JsonObject, annotations_of, dig, maps
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.manager import queue_of, running

ENABLED = "ray.io/ft-enabled"
STORAGE = "ray.io/external-storage-namespace"
FINALIZER = "ray.io/gcs-ft-redis-cleanup-finalizer"
# How long a worker waits for a lost head, which is less without.
_PATIENCE = {"name": "RAY_gcs_rpc_server_reconnect_timeout_s", "value": "600"}


def keeps_state(spec: Mapping[str, Any], annotations: Mapping[str, str]) -> bool:
    options = spec.get("gcsFaultToleranceOptions") is not None
    return options or annotations.get(ENABLED, "").lower() == "true"


def tolerant_head(cluster: Mapping[str, Any], template: JsonObject) -> JsonObject:
    """The head's template with where its state is."""
    spec, annotations = cluster["spec"], annotations_of(cluster)
    if not keeps_state(spec, annotations):
        return template
    options = spec.get("gcsFaultToleranceOptions") or {}
    uid = cluster["metadata"]["uid"]
    storage = options.get("externalStorageNamespace") or annotations.get(STORAGE) or uid
    variables: list[Any] = [{"name": "RAY_external_storage_namespace", "value": storage}]
    if options:
        variables.append({"name": "RAY_REDIS_ADDRESS", "value": options["redisAddress"]})
    given = {"REDIS_USERNAME": "redisUsername", "REDIS_PASSWORD": "redisPassword"}
    variables += [{"name": it, **options[key]} for it, key in given.items() if options.get(key)]
    changed = _with_variables(template, variables)
    told = {**(dig(template, "metadata", "annotations") or {}), ENABLED: "true", STORAGE: storage}
    return {**changed, "metadata": {**(template.get("metadata") or {}), "annotations": told}}


def tolerant_worker(cluster: Mapping[str, Any], template: JsonObject) -> JsonObject:
    tolerant = keeps_state(cluster["spec"], annotations_of(cluster))
    return _with_variables(template, [_PATIENCE]) if tolerant else template


def why_it_stays(store: Store, cluster: JsonObject) -> str | None:
    """Why a cluster would never go; None where it does."""
    if not keeps_state(cluster["spec"], annotations_of(cluster)):
        return None
    if not ray_operator_runs(store):
        return "no KubeRay is there to clear Redis"
    if queue_of(cluster) and running(store) is not None:
        return (
            "Kueue keeps the Job that clears Redis suspended once the cluster's workload is gone; "
            "nearest: a cluster without a queue"
        )
    return None


def _with_variables(template: JsonObject, variables: list[Any]) -> JsonObject:
    """What a user set himself stays."""
    pod = template["spec"]
    main, *others = maps(pod["containers"])
    own = maps(main.get("env"))
    there = {it["name"] for it in own}
    env = [*own, *(it for it in variables if it["name"] not in there)]
    return {**template, "spec": {**pod, "containers": [{**main, "env": env}, *others]}}
