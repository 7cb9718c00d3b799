"""The objects of a model server as plain data, whichever engine serves. Pure.

Values may be Pulumi inputs that are only known later; nothing here looks into them.

Source, read 2026-11-21: scaling from GKE documentation, "Expose custom metrics for autoscaling".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..base.pod_access import CLIENT_LABEL, pod_access_spec
from ..base.pod_manifest import (
    DEFAULT_SECCOMP,
    EVICT_UNHEALTHY,
    NO_TOKEN,
    STAYS,
    bucket_volume,
    claims_of_container,
    claims_of_pod,
    gpu_amount,
    gpu_tolerations,
    no_more_privileges,
    secret_variable,
    shared_memory,
)
from ..base.taints import NodeTaintArgs
from ..nccl.gib import nccl_container, nccl_volumes
from ..queues.labels import queued_pod_labels
from ..ray.manifest import BucketMount, Quantity
from .engine import PORT, Engine, InferenceEngine, ServedModel
from .tgi import TGI
from .vllm import VLLM

SERVER_LABEL = "app"

_CONTAINER = "inference-server"
_PORT_NAME = "http"
_BUCKET = "bucket"
_CACHE = "cache"
_MODULE = "module"
_MODULE_DIR = "/etc/inference-server"
# The pod has the module's text itself, so that another text is a rollout.
_MODULE_ANNOTATION = "gke-ai-stacks/module"
_PROBE_S = 10
_ENGINES = {InferenceEngine.TGI: TGI, InferenceEngine.VLLM: VLLM}


@dataclass(frozen=True, kw_only=True)
class ModelFolder:
    """A folder of a bucket that is mounted under `mount_path`; `model_path` is in the bucket."""

    bucket: BucketMount
    mount_path: str
    model_path: str
    annotations: Mapping[str, str]
    service_account: Any

    @property
    def in_pod(self) -> str:
        return f"{self.mount_path}/{self.model_path}"


def _rolling(*, surge: int, unavailable: int) -> dict[str, Any]:
    """A rolling update's strategy."""
    steps = {"maxSurge": surge, "maxUnavailable": unavailable}
    return {"type": "RollingUpdate", "rollingUpdate": steps}


class Rollout(StrEnum):
    """How pods of a changed server come.

    `SURGE`: the new one beside the old one, which goes once it is ready. `ONE_BY_ONE`: an old pod
    is deleted, and the new one made at once. `RECREATE`: the new ones are made once the old ones
    are gone, all of them.
    """

    SURGE = "surge"
    ONE_BY_ONE = "one-by-one"
    RECREATE = "recreate"


_STRATEGIES = {
    Rollout.SURGE: _rolling(surge=1, unavailable=0),
    Rollout.ONE_BY_ONE: _rolling(surge=0, unavailable=1),
    Rollout.RECREATE: {"type": "Recreate"},
}


def rollout_steps(rollout: Rollout, servers: int) -> int:
    """How many servers of a changed Deployment come one after the other: the strategies surge by
    one, or let one be away."""
    return 1 if rollout is Rollout.RECREATE else servers


@dataclass(frozen=True, kw_only=True)
class ServerPod:
    """A model on the GPUs of one pod, which `folder` has where it is not from Hugging Face.

    `stays` keeps the pod on its node while another node would hold it, too: for the only one.
    `minutes` is how long it may take to be ready, waiting for a node, the image and the weights
    included. Without `secret_name` there is no token, and without `key_secret` no API key: clients
    bring the value of its `key_secret_key`. With `claims` the GPUs are among them, and
    with `rdma` interfaces that speak it; `nccl` are NCCL's settings over those of its plugin's own
    script, `environment` what every process has.
    """

    server_name: str
    engine: InferenceEngine
    image: str
    model: ServedModel
    folder: ModelFolder | None = None
    gpus: int
    size: Quantity
    shm_gib: int
    secret_name: Any
    secret_key: str
    key_secret: Any = None
    key_secret_key: str = ""
    node_selector: Any
    taints: Sequence[NodeTaintArgs] = ()
    claims: Mapping[str, Any] = field(default_factory=dict[str, Any])
    rdma: bool = False
    nccl: Mapping[str, str] = field(default_factory=dict[str, str])
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    priority_class: Any
    queue: Any
    workload_priority: Any
    minutes: int
    stays: bool = False

    @property
    def runs(self) -> Engine:
        return _ENGINES[self.engine]


def deployment_spec(pod: ServerPod, *, replicas: int | None, rollout: Rollout) -> Any:
    """Without `replicas`, an autoscaler decides."""
    return {
        **({} if replicas is None else {"replicas": replicas}),
        "selector": {"matchLabels": server_selector(pod.server_name)},
        "strategy": _STRATEGIES[rollout],
        # Kubernetes gives a rollout up after 10 minutes, and the weights alone may take as long.
        "progressDeadlineSeconds": pod.minutes * 60,
        "template": {"metadata": _pod_metadata(pod), "spec": _pod_spec(pod)},
    }


def budget_spec(server_name: str) -> Any:
    """A PodDisruptionBudget's: a drain takes one server at a time, and the next once its successor
    is ready. One that is not ready may go at any time."""
    return {
        "maxUnavailable": 1,
        "unhealthyPodEvictionPolicy": EVICT_UNHEALTHY,
        "selector": {"matchLabels": server_selector(server_name)},
    }


def server_selector(server_name: str) -> dict[str, str]:
    return {SERVER_LABEL: server_name}


def service_spec(server_name: str) -> Any:
    return {
        "type": "ClusterIP",
        "selector": server_selector(server_name),
        "ports": [{"name": _PORT_NAME, "port": PORT, "targetPort": _PORT_NAME, "protocol": "TCP"}],
    }


def access_spec(server_name: str, namespace: Any) -> Any:
    """A NetworkPolicy's spec: without a key the server answers whoever reaches it. Teams do: it is
    for them; and machines of the VPC network, which may be its clients."""
    return pod_access_spec(
        server_selector(server_name),
        namespace=namespace,
        beside={CLIENT_LABEL: server_name},
        ports=[PORT],
        for_teams=True,
        from_outside=True,
    )


def metric_spec(server_name: str, engine: InferenceEngine) -> Any:
    """Has GKE read the length of each server's queue from the server itself."""
    runs = _ENGINES[engine]
    gauge = {"name": runs.metric, "prometheusMetricName": runs.gauge}
    endpoint = {"port": PORT, "path": "/metrics"}
    pods = {
        "selector": {"matchLabels": server_selector(server_name)},
        "containers": [{"endpoint": endpoint, "metrics": [{"gauge": gauge}]}],
    }
    return {"metrics": [{"pod": pods}]}


def scaled_metric(metric_object: str, engine: InferenceEngine) -> str:
    """The metric's name for an autoscaler."""
    return f"autoscaling.gke.io|{metric_object}|{_ENGINES[engine].metric}"


def autoscaler_spec(
    *, deployment: Any, metric: Any, least: int, most: int, target_queue_size: int
) -> Any:
    """`metric` is the name that `scaled_metric` gives."""
    target = {"type": "AverageValue", "averageValue": str(target_queue_size)}
    return {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": deployment},
        "minReplicas": least,
        "maxReplicas": most,
        "metrics": [{"type": "Pods", "pods": {"metric": {"name": metric}, "target": target}}],
    }


def _pod_metadata(pod: ServerPod) -> dict[str, Any]:
    labels = {
        **server_selector(pod.server_name),
        "ai.gke.io/model": pod.model.name.rpartition("/")[2],
        "ai.gke.io/inference-server": pod.runs.label,
        **({} if pod.queue is None else queued_pod_labels(pod.queue, pod.workload_priority)),
    }
    module = pod.runs.module
    annotations = {
        **(STAYS if pod.stays else {}),
        **({} if module is None else {_MODULE_ANNOTATION: module.text}),
        **({} if pod.folder is None else pod.folder.annotations),
    }
    return {"labels": labels, **({"annotations": annotations} if annotations else {})}


def _pod_spec(pod: ServerPod) -> dict[str, Any]:
    volumes, mounts = _volumes(pod)
    gpus = gpu_amount(pod.gpus, claimed=bool(pod.claims))
    amounts = {**pod.size.as_kubernetes(), **gpus}
    priority = {} if pod.priority_class is None else {"priorityClassName": pod.priority_class}
    account = {} if pod.folder is None else {"serviceAccountName": pod.folder.service_account}
    command = pod.runs.command(pod.model)
    privileges = no_more_privileges(rdma=pod.rdma)
    before = [{**nccl_container(pod.image, pod.nccl), "securityContext": privileges}]
    return {
        **priority,
        **account,
        **NO_TOKEN,
        **pod.runs.pod,
        "nodeSelector": pod.node_selector,
        "tolerations": gpu_tolerations(pod.taints),
        "securityContext": DEFAULT_SECCOMP,
        **({"initContainers": before} if pod.rdma else {}),
        "containers": [
            {
                "name": _CONTAINER,
                "image": pod.image,
                "securityContext": privileges,
                **({"command": command} if command else {}),
                **pod.runs.container,
                "env": _environment(pod),
                "ports": [{"name": _PORT_NAME, "containerPort": PORT}],
                "resources": {
                    "requests": amounts,
                    "limits": amounts,
                    **claims_of_container(pod.claims),
                },
                "volumeMounts": mounts,
                "startupProbe": _probe(failures=pod.minutes * 60 // _PROBE_S),
                "readinessProbe": _probe(failures=1),
                "livenessProbe": _probe(failures=6),
            }
        ],
        "volumes": volumes,
        **claims_of_pod(pod.claims),
    }


def _volumes(pod: ServerPod) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The pod's, and where its container has them."""
    volume, mount = shared_memory(pod.shm_gib)
    volumes, mounts = [volume], [mount]
    if (cache := pod.runs.cache_dir) is not None:
        # On the node's disk, where it counts as the pod's ephemeral storage.
        volumes.append({"name": _CACHE, "emptyDir": {}})
        mounts.append({"name": _CACHE, "mountPath": cache})
    if (module := pod.runs.module) is not None:
        text = {"fieldPath": f"metadata.annotations['{_MODULE_ANNOTATION}']"}
        items = [{"path": module.name, "fieldRef": text}]
        volumes.append({"name": _MODULE, "downwardAPI": {"items": items}})
        mounts.append({"name": _MODULE, "mountPath": _MODULE_DIR, "readOnly": True})
    for volume, mount in nccl_volumes() if pod.rdma else ():
        volumes.append(volume)
        mounts.append(mount)
    if (folder := pod.folder) is not None:
        bucket = folder.bucket
        volumes.append(
            bucket_volume(
                _BUCKET,
                bucket.bucket_name,
                bucket.options,
                skip_access_check=bucket.skip_access_check,
                prefetch_metadata=bucket.prefetch_metadata,
            )
        )
        mounts.append({"name": _BUCKET, "mountPath": folder.mount_path, "readOnly": True})
    return volumes, mounts


def _environment(pod: ServerPod) -> list[dict[str, Any]]:
    imports = {} if pod.runs.module is None else {"PYTHONPATH": _MODULE_DIR}
    plain = {**pod.runs.environment(pod.model), **imports, **pod.environment}
    given = [{"name": name, "value": value} for name, value in plain.items()]
    if pod.secret_name is not None:
        given.append(secret_variable("HF_TOKEN", pod.secret_name, pod.secret_key))
    if pod.key_secret is not None:
        given.append(secret_variable(pod.runs.key_variable, pod.key_secret, pod.key_secret_key))
    return given


def _probe(*, failures: int) -> dict[str, Any]:
    """A server's port is closed until the weights are loaded; then /health asks the engine."""
    return {
        "httpGet": {"path": "/health", "port": _PORT_NAME},
        "periodSeconds": _PROBE_S,
        "timeoutSeconds": _PROBE_S,
        "failureThreshold": failures,
    }
