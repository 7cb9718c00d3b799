"""The Job that fine-tunes a model on several pods at once, as plain data. Pure.

Values may be Pulumi inputs that are only known later; nothing here looks into them.

Source: GoogleCloudPlatform/kubernetes-engine-samples ai-ml/mix-train-and-inference (commit 2b503651
of 2026-07-30).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from components.node_taints import NodeTaintArgs
from components.pod_manifest import (
    DEFAULT_SECCOMP,
    GPU,
    NO_MORE_PRIVILEGES,
    bucket_volume,
    gpu_tolerations,
    secret_variable,
    shared_memory,
)
from components.ray_manifest import BucketMount, Quantity
from components.script_job_manifest import (
    plain_environment,
    script_command,
    script_mount,
    script_volume,
)

# Has each pod find the others by `{job}-{number}.{service}`.
JOB_LABEL = "batch.kubernetes.io/job-name"

_MAIN_PORT = 29500
_BUCKET = "bucket"


@dataclass(frozen=True, kw_only=True)
class FineTunePods:
    """`subdomain` is the headless Service of the pods; `size` is of their container; `taints` are
    those of the nodes."""

    job_name: str
    subdomain: Any
    image: str
    pods: int
    gpus: int
    size: Quantity
    shm_gib: int
    environment: Mapping[str, Any]
    bucket: BucketMount
    mount_path: str
    annotations: Mapping[str, str]
    secret_name: Any
    secret_key: str
    service_account: Any
    priority_class: Any
    node_selector: Any
    taints: Sequence[NodeTaintArgs] = ()
    backoff_limit: int
    grace_seconds: int


def fine_tune_spec(pods: FineTunePods, *, file_name: str, config_map: Any) -> Any:
    """Pods that start together, each knowing its number, suspended until a queue admits them."""
    return {
        "suspend": True,
        "completionMode": "Indexed",
        "completions": pods.pods,
        "parallelism": pods.pods,
        "backoffLimit": pods.backoff_limit,
        "template": {
            "metadata": {"annotations": pods.annotations},
            "spec": _pod_spec(pods, file_name, config_map),
        },
    }


def headless_service_spec(job_name: str) -> Any:
    """Names for pods, also for those that are not ready: they wait for each other."""
    return {
        "clusterIP": "None",
        "selector": {JOB_LABEL: job_name},
        "publishNotReadyAddresses": True,
    }


def _pod_spec(pods: FineTunePods, file_name: str, config_map: Any) -> dict[str, Any]:
    shm_volume, shm_mount = shared_memory(pods.shm_gib)
    amounts = {**pods.size.as_kubernetes(), GPU: str(pods.gpus)}
    bucket = bucket_volume(
        _BUCKET,
        pods.bucket.bucket_name,
        pods.bucket.options,
        skip_access_check=pods.bucket.skip_access_check,
        prefetch_metadata=pods.bucket.prefetch_metadata,
    )
    priority = {} if pods.priority_class is None else {"priorityClassName": pods.priority_class}
    return {
        **priority,
        # In its place on its node, with the image there.
        "restartPolicy": "OnFailure",
        "terminationGracePeriodSeconds": pods.grace_seconds,
        "serviceAccountName": pods.service_account,
        "subdomain": pods.subdomain,
        "nodeSelector": pods.node_selector,
        "tolerations": gpu_tolerations(pods.taints),
        "securityContext": DEFAULT_SECCOMP,
        "containers": [
            {
                "name": "fine-tune",
                "image": pods.image,
                "securityContext": NO_MORE_PRIVILEGES,
                "command": script_command(file_name),
                "env": _environment(pods),
                "ports": [{"containerPort": _MAIN_PORT}],
                # All of it, for a queue counts requests, and what is left out counts as nothing.
                "resources": {"requests": amounts, "limits": amounts},
                "volumeMounts": [
                    shm_mount,
                    {"name": _BUCKET, "mountPath": pods.mount_path},
                    script_mount(),
                ],
            }
        ],
        "volumes": [shm_volume, bucket, script_volume(config_map)],
    }


def _environment(pods: FineTunePods) -> list[dict[str, Any]]:
    place = {
        "PODS": str(pods.pods),
        "GPUS_PER_POD": str(pods.gpus),
        "HOST_PREFIX": pods.job_name,
        "SUBDOMAIN": pods.subdomain,
        "MAIN_PORT": str(_MAIN_PORT),
    }
    return [
        *plain_environment({**pods.environment, **place}),
        secret_variable("HF_TOKEN", pods.secret_name, pods.secret_key),
    ]
