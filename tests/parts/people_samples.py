"""What people put into a cluster by hand, of every kind that there is on a GKE cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from components.queues.labels import QUEUE_LABEL

Manifest = dict[str, Any]
# kwok ends no pod of a Job that has this.
_ENDLESS = {"pod-complete.stage.kwok.x-k8s.io/delay": "1h"}
_SMALL = {"cpu": "50m", "memory": "64Mi"}
_ON_CPUS = {"cloud.google.com/gke-nodepool": "cpu-pool"}
GATEWAY_GROUP = "gateway.networking.k8s.io"
SNAPSHOT_GROUP = "snapshot.storage.k8s.io"


def _named(
    api_version: str, kind: str, name: str, namespace: str, queue: str = "", **parts: Any
) -> Manifest:
    labels = {QUEUE_LABEL: queue} if queue else {}
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}


def _container(**resources: str) -> Manifest:
    amounts = {**_SMALL, **resources}
    return {
        "name": "main",
        "image": "rayproject/ray:2.56.0",
        "resources": {"requests": amounts, "limits": amounts},
    }


def _template(restart: str = "Always", *, on_cpus: bool = True, **resources: str) -> Manifest:
    spec: Manifest = {"restartPolicy": restart, "containers": [_container(**resources)]}
    if on_cpus:
        spec["nodeSelector"] = _ON_CPUS
    metadata = {"labels": {"app": "of-a-person"}, "annotations": _ENDLESS}
    return {"metadata": metadata, "spec": spec}


def job(namespace: str, queue: str = "") -> Manifest:
    """With one GPU, on whichever nodes its queue finds."""
    template = _template("Never", on_cpus=False, **{"nvidia.com/gpu": "1"})
    spec: Manifest = {"template": template, "backoffLimit": 0}
    return _named("batch/v1", "Job", "job", namespace, queue, spec=spec)


def job_set(namespace: str, queue: str = "") -> Manifest:
    one = {"spec": {"template": _template("Never"), "backoffLimit": 0}}
    spec = {"replicatedJobs": [{"name": "workers", "replicas": 2, "template": one}]}
    return _named("jobset.x-k8s.io/v1alpha2", "JobSet", "job-set", namespace, queue, spec=spec)


def cron_job(namespace: str, _: str = "") -> Manifest:
    inner = {"spec": {"template": _template("Never")}}
    spec = {"schedule": "0 3 * * *", "jobTemplate": inner}
    return _named("batch/v1", "CronJob", "cron-job", namespace, spec=spec)


def pod(namespace: str, queue: str = "") -> Manifest:
    made = _template("Never")
    found = _named("v1", "Pod", "pod", namespace, queue, spec=made["spec"])
    found["metadata"]["annotations"] = _ENDLESS
    return found


def _ray_spec(**head: Any) -> Manifest:
    group = {"rayStartParams": {}, "template": {"spec": _template()["spec"]}}
    worker = {**group, "groupName": "workers", "replicas": 1, "minReplicas": 1, "maxReplicas": 1}
    return {
        "rayVersion": "2.56.0",
        "headGroupSpec": group,
        "workerGroupSpecs": [worker],
        **head,
    }


def ray_cluster(namespace: str, queue: str = "") -> Manifest:
    return _named("ray.io/v1", "RayCluster", "ray-cluster", namespace, queue, spec=_ray_spec())


def ray_cluster_on_redis(namespace: str, _: str = "") -> Manifest:
    state = {"gcsFaultToleranceOptions": {"redisAddress": "redis:6379"}}
    return _named("ray.io/v1", "RayCluster", "on-redis", namespace, spec=_ray_spec(**state))


def ray_job(namespace: str, queue: str = "") -> Manifest:
    spec = {
        "entrypoint": "python -c pass",
        "submissionMode": "K8sJobMode",
        "shutdownAfterJobFinishes": True,
        "rayClusterSpec": _ray_spec(),
    }
    return _named("ray.io/v1", "RayJob", "ray-job", namespace, queue, spec=spec)


def _replicated(kind: str, name: str, namespace: str, queue: str = "", **parts: Any) -> Manifest:
    spec = {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "of-a-person"}},
        "template": _template(),
        **parts,
    }
    return _named("apps/v1", kind, name, namespace, queue, spec=spec)


def deployment(namespace: str, _: str = "") -> Manifest:
    return _replicated("Deployment", "deployment", namespace)


def stateful_set(namespace: str, _: str = "") -> Manifest:
    return _replicated("StatefulSet", "stateful-set", namespace, serviceName="of-a-person")


def service(namespace: str, _: str = "") -> Manifest:
    spec = {
        "type": "LoadBalancer",
        "selector": {"app": "of-a-person"},
        "ports": [{"port": 80, "targetPort": 8080}],
    }
    return _named("v1", "Service", "service", namespace, spec=spec)


def service_with_groups(namespace: str, _: str = "") -> Manifest:
    """Of no load balancer: its network endpoint groups are for one that somebody makes by hand."""
    made = service(namespace)
    made["spec"]["type"] = "ClusterIP"
    groups = {"cloud.google.com/neg": '{"exposed_ports": {"80": {}}}'}
    made["metadata"] |= {"name": "service-with-groups", "annotations": groups}
    return made


def ingress(namespace: str, _: str = "") -> Manifest:
    spec = {"defaultBackend": {"service": {"name": "service", "port": {"number": 80}}}}
    return _named("networking.k8s.io/v1", "Ingress", "ingress", namespace, spec=spec)


def gateway(namespace: str, _: str = "") -> Manifest:
    spec = {
        "gatewayClassName": "gke-l7-regional-external-managed",
        "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}],
    }
    return _named(f"{GATEWAY_GROUP}/v1", "Gateway", "gateway", namespace, spec=spec)


def claim(namespace: str, _: str = "") -> Manifest:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "10Gi"}},
    }
    return _named("v1", "PersistentVolumeClaim", "claim", namespace, spec=spec)


def snapshot(namespace: str, _: str = "") -> Manifest:
    spec = {"source": {"persistentVolumeClaimName": "claim"}}
    return _named(f"{SNAPSHOT_GROUP}/v1", "VolumeSnapshot", "snapshot", namespace, spec=spec)


def volume(namespace: str, claim_name: str, policy: str = "Retain", **metadata: Any) -> Manifest:
    """What GKE's driver of disks made for a claim."""
    name = f"pvc-of-{claim_name}"
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "10Gi"},
        "claimRef": {"namespace": namespace, "name": claim_name},
        "csi": {
            "driver": "pd.csi.storage.gke.io",
            "volumeHandle": f"projects/p/zones/z/disks/{name}",
        },
        "persistentVolumeReclaimPolicy": policy,
        "storageClassName": "",
    }
    named = {"metadata": {"name": name, **metadata}}
    return {"apiVersion": "v1", "kind": "PersistentVolume", **named, "spec": spec}


def local_queue(namespace: str, cluster_queue_name: str) -> Manifest:
    version = "kueue.x-k8s.io/v1beta2"
    spec = {"clusterQueue": cluster_queue_name}
    return _named(version, "LocalQueue", "door", namespace, spec=spec)


def cluster_queue(flavor: str, name: str = "theirs") -> Manifest:
    """An administrator's, on a flavor that a stack has."""
    quota = [{"name": "cpu", "nominalQuota": "1"}]
    group = {"coveredResources": ["cpu"], "flavors": [{"name": flavor, "resources": quota}]}
    spec = {"namespaceSelector": {}, "resourceGroups": [group]}
    return _clusterwide("ClusterQueue", name, spec)


def resource_flavor(topology: str, name: str = "theirs") -> Manifest:
    labels = {"cloud.google.com/gke-nodepool": "theirs"}
    return _clusterwide("ResourceFlavor", name, {"nodeLabels": labels, "topologyName": topology})


def _clusterwide(kind: str, name: str, spec: Manifest) -> Manifest:
    version = "kueue.x-k8s.io/v1beta2"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def held_config_map(namespace: str, finalizer: str = "example.com/own") -> Manifest:
    """No work, and its namespace waits for it."""
    made = _named("v1", "ConfigMap", "held", namespace)
    made["metadata"]["finalizers"] = [finalizer]
    return made


# By the name of the object that each makes in a namespace; queued where that is said.
SAMPLES: Mapping[str, Callable[[str, str], Manifest]] = {
    "job": job,
    "job-set": job_set,
    "cron-job": cron_job,
    "pod": pod,
    "ray-cluster": ray_cluster,
    "ray-job": ray_job,
    "deployment": deployment,
    "stateful-set": stateful_set,
    "service": service,
    "service-with-groups": service_with_groups,
    "ingress": ingress,
    "gateway": gateway,
    "claim": claim,
    "snapshot": snapshot,
}


def definitions() -> list[Manifest]:
    """As much of GKE's definitions of Gateways and snapshots as makes the kinds."""
    return [
        _definition(GATEWAY_GROUP, "Gateway", "gateway"),
        _definition(SNAPSHOT_GROUP, "VolumeSnapshot", "volumesnapshot"),
    ]


def _definition(group: str, kind: str, singular: str) -> Manifest:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{singular}s.{group}",
            "annotations": {"api-approved.kubernetes.io": "unapproved, of a test"},
        },
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": f"{singular}s", "singular": singular},
            "versions": [version],
        },
    }
