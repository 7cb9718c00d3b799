"""The specs of Ray's Kubernetes kinds as plain data. Pure.

Values may be Pulumi inputs that are only known later; nothing here looks into them.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CLUSTER_LABEL = "ray.io/cluster"
DASHBOARD_PORT = 8265
LAUNCHER_DIR = "/etc/launcher"
WORKER_GROUP = "gpu-worker-group"

_SHM_DIR = "/dev/shm"
_GPU = "nvidia.com/gpu"
# GKE taints GPU nodes with it.
_TOLERATIONS = [{"key": _GPU, "operator": "Exists", "effect": "NoSchedule"}]
_HEAD_PORTS = {"gcs-server": 6379, "dashboard": DASHBOARD_PORT, "client": 10001}
# The kubelet brings a changed ConfigMap to a running pod within its sync period and cache lifetime,
# about two minutes at worst.
_LAUNCHER_WAIT_S = 600


@dataclass(frozen=True, kw_only=True)
class Quantity:
    millicores: int
    memory_gib: int

    def as_kubernetes(self) -> dict[str, str]:
        whole, rest = divmod(self.millicores, 1000)
        return {
            "cpu": f"{self.millicores}m" if rest else str(whole),
            "memory": f"{self.memory_gib}Gi",
        }


@dataclass(frozen=True, kw_only=True)
class RayPod:
    """One container of a Ray pod; GPUs are asked for as much as they are limited to."""

    requests: Quantity
    limits: Quantity
    shm_gib: int
    gpus: int = 0


@dataclass(frozen=True, kw_only=True)
class RayPodContext:
    """What the head and the workers share."""

    image: str
    node_selector: Any
    claim_name: Any = None
    mount_path: str = ""
    secret_name: Any = None
    secret_keys: Sequence[str] = ()


def ray_cluster_spec(
    *,
    version: str,
    head: RayPod,
    worker: RayPod,
    workers: int,
    context: RayPodContext,
    launcher_config_map: str,
) -> dict[str, Any]:
    """A RayCluster of one head and a fixed number of workers."""
    head_template = _pod_template("ray-head", head, context)
    _add_launcher(head_template["spec"], launcher_config_map)
    return {
        "rayVersion": version,
        "headGroupSpec": {
            "rayStartParams": {"dashboard-host": "0.0.0.0"},
            "template": head_template,
        },
        "workerGroupSpecs": [
            {
                "groupName": WORKER_GROUP,
                "replicas": workers,
                "minReplicas": workers,
                "maxReplicas": workers,
                "rayStartParams": {},
                "template": _pod_template("ray-worker", worker, context),
            }
        ],
    }


def ray_job_spec(
    *, cluster_name: Any, entrypoint: str, environment: Mapping[str, str]
) -> dict[str, Any]:
    """A RayJob on a cluster that is there already.

    KubeRay neither shuts such a cluster down afterwards nor lets the job be suspended, so the
    fields for that are left out. In HTTPMode the operator submits the job itself; the default mode
    starts one more pod with the training image, tens of GB pulled to run one command.
    """
    return {
        "submissionMode": "HTTPMode",
        "clusterSelector": {CLUSTER_LABEL: cluster_name},
        "entrypoint": entrypoint,
        "runtimeEnvYAML": runtime_environment(environment),
    }


def runtime_environment(variables: Mapping[str, str]) -> str:
    """A Ray runtime environment that sets these variables, as YAML."""
    lines = [f"  {key}: {json.dumps(value)}" for key, value in sorted(variables.items())]
    return "\n".join(["env_vars:", *lines, ""])


def launcher_entrypoint(file_name: str, parameters: Mapping[str, str]) -> str:
    """One command that runs a launcher with `key=value` parameters once the head's pod has it."""
    path = f"{LAUNCHER_DIR}/{file_name}"
    wait = f"timeout {_LAUNCHER_WAIT_S} bash -c 'until [ -f {path} ]; do sleep 2; done'"
    script = f'{wait} && exec bash {path} "$@"'
    arguments = [f"{key}={value}" for key, value in parameters.items()]
    return shlex.join(["bash", "-c", script, file_name, *arguments])


def _pod_template(container: str, pod: RayPod, context: RayPodContext) -> dict[str, Any]:
    gpus = {_GPU: str(pod.gpus)} if pod.gpus else {}
    mounts = [{"name": "dshm", "mountPath": _SHM_DIR}]
    volumes: list[dict[str, Any]] = [
        {"name": "dshm", "emptyDir": {"medium": "Memory", "sizeLimit": f"{pod.shm_gib}Gi"}}
    ]
    if context.claim_name is not None:
        mounts.append({"name": "lustre-storage", "mountPath": context.mount_path})
        volumes.append(
            {
                "name": "lustre-storage",
                "persistentVolumeClaim": {"claimName": context.claim_name},
            }
        )
    main: dict[str, Any] = {
        "name": container,
        "image": context.image,
        "resources": {
            "requests": {**pod.requests.as_kubernetes(), **gpus},
            "limits": {**pod.limits.as_kubernetes(), **gpus},
        },
        "volumeMounts": mounts,
    }
    if container == "ray-head":
        main["ports"] = [
            {"name": name, "containerPort": port} for name, port in _HEAD_PORTS.items()
        ]
    if context.secret_keys:
        main["env"] = [
            {
                "name": key,
                "valueFrom": {"secretKeyRef": {"name": context.secret_name, "key": key}},
            }
            for key in context.secret_keys
        ]
    return {
        "spec": {
            "nodeSelector": context.node_selector,
            "tolerations": _TOLERATIONS,
            "containers": [main],
            "volumes": volumes,
        }
    }


def _add_launcher(spec: dict[str, Any], config_map: str) -> None:
    spec["volumes"].append(
        # Optional: a job, and with it the launcher, can come and go without a new cluster.
        {"name": "launcher", "configMap": {"name": config_map, "optional": True}}
    )
    spec["containers"][0]["volumeMounts"].append(
        {"name": "launcher", "mountPath": LAUNCHER_DIR, "readOnly": True}
    )
