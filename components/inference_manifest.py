"""The objects of a Text Generation Inference server as plain data. Pure.

Values may be Pulumi inputs that are only known later; nothing here looks into them.

Sources, read 2026-11-21: environment, /health and metrics from launcher, router/src/server.rs and
backends/v3/src/queue.rs in huggingface/text-generation-inference (commit db931fcf of 2026-01-08);
scaling from GKE documentation, "Expose custom metrics for autoscaling".
"""

from dataclasses import dataclass
from typing import Any

from components.pod_manifest import GPU, gpu_tolerations, secret_variable, shared_memory
from components.queue_labels import queued_pod_labels
from components.ray_manifest import Quantity

PORT = 8000
SERVER_LABEL = "app"

_CONTAINER = "inference-server"
_PORT_NAME = "http"
# Requests that wait in a server; a gauge, which is the one kind that GKE scales by.
_METRIC = "tgi-queue-size"
_PROMETHEUS_METRIC = "tgi_queue_size"
_PROBE_S = 10


@dataclass(frozen=True, kw_only=True)
class ServerPod:
    """A model on the GPUs of one pod, a shard on each; `minutes` is how long it may take to be
    ready, waiting for a node, the image and the weights included."""

    server_name: str
    image: str
    model: str
    gpus: int
    shards: int
    size: Quantity
    shm_gib: int
    secret_name: Any
    secret_key: str
    node_selector: Any
    priority_class: Any
    queue: Any
    workload_priority: Any
    minutes: int


def deployment_spec(pod: ServerPod, *, replicas: int | None) -> Any:
    """Without `replicas`, an autoscaler decides.

    A pod goes before its successor comes, for a quota or a pool that is full has no room for both.
    """
    return {
        **({} if replicas is None else {"replicas": replicas}),
        "selector": {"matchLabels": server_selector(pod.server_name)},
        "strategy": {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1},
        },
        # Kubernetes gives a rollout up after 10 minutes, and the weights alone may take as long.
        "progressDeadlineSeconds": pod.minutes * 60,
        "template": {"metadata": {"labels": _pod_labels(pod)}, "spec": _pod_spec(pod)},
    }


def server_selector(server_name: str) -> dict[str, str]:
    return {SERVER_LABEL: server_name}


def service_spec(server_name: str) -> Any:
    return {
        "type": "ClusterIP",
        "selector": server_selector(server_name),
        "ports": [{"name": _PORT_NAME, "port": PORT, "targetPort": _PORT_NAME, "protocol": "TCP"}],
    }


def metric_spec(server_name: str) -> Any:
    """Has GKE read the length of each server's queue from the server itself."""
    gauge = {"name": _METRIC, "prometheusMetricName": _PROMETHEUS_METRIC}
    endpoint = {"port": PORT, "path": "/metrics"}
    pods = {
        "selector": {"matchLabels": server_selector(server_name)},
        "containers": [{"endpoint": endpoint, "metrics": [{"gauge": gauge}]}],
    }
    return {"metrics": [{"pod": pods}]}


def scaled_metric(metric_object: str) -> str:
    """The metric's name for an autoscaler."""
    return f"autoscaling.gke.io|{metric_object}|{_METRIC}"


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


def _pod_labels(pod: ServerPod) -> dict[str, Any]:
    return {
        **server_selector(pod.server_name),
        "ai.gke.io/model": pod.model.rpartition("/")[2],
        "ai.gke.io/inference-server": "text-generation-inference",
        **({} if pod.queue is None else queued_pod_labels(pod.queue, pod.workload_priority)),
    }


def _pod_spec(pod: ServerPod) -> dict[str, Any]:
    volume, mount = shared_memory(pod.shm_gib)
    amounts = {**pod.size.as_kubernetes(), GPU: str(pod.gpus)}
    priority = {} if pod.priority_class is None else {"priorityClassName": pod.priority_class}
    return {
        **priority,
        "nodeSelector": pod.node_selector,
        "tolerations": gpu_tolerations(),
        "containers": [
            {
                "name": _CONTAINER,
                "image": pod.image,
                "env": _environment(pod),
                "ports": [{"name": _PORT_NAME, "containerPort": PORT}],
                "resources": {"requests": amounts, "limits": amounts},
                "volumeMounts": [mount],
                "startupProbe": _probe(failures=pod.minutes * 60 // _PROBE_S),
                "readinessProbe": _probe(failures=1),
                "livenessProbe": _probe(failures=6),
            }
        ],
        "volumes": [volume],
    }


def _environment(pod: ServerPod) -> list[dict[str, Any]]:
    plain = {
        "MODEL_ID": pod.model,
        "NUM_SHARD": str(pod.shards),
        "PORT": str(PORT),
        # In place of PORT for images that are built for Vertex AI, as Google's are.
        "AIP_HTTP_PORT": str(PORT),
    }
    return [
        *({"name": name, "value": value} for name, value in plain.items()),
        secret_variable("HF_TOKEN", pod.secret_name, pod.secret_key),
    ]


def _probe(*, failures: int) -> dict[str, Any]:
    """The server's port is closed until the weights are loaded; then /health asks every shard."""
    return {
        "httpGet": {"path": "/health", "port": _PORT_NAME},
        "periodSeconds": _PROBE_S,
        "timeoutSeconds": _PROBE_S,
        "failureThreshold": failures,
    }
