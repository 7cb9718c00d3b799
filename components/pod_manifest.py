"""Parts of the specs of pods and Jobs that many workloads have, as plain data. Pure.

Values may be Pulumi inputs that are only known later; nothing here looks into them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from components.gcsfuse_options import volume_attributes
from components.node_taints import NodeTaintArgs, toleration

GPU = "nvidia.com/gpu"
SHM_DIR = "/dev/shm"
# Of the Pod Security Standards' restricted level, what takes nothing from an image: users stay
# those of the images, some of them root. Ray needs no more (Ray documentation, "Pod Security").
NO_MORE_PRIVILEGES = {"allowPrivilegeEscalation": False}
# Autopilot gives it to every pod, Standard to none (GKE documentation, "About seccomp in GKE").
DEFAULT_SECCOMP = {"seccompProfile": {"type": "RuntimeDefault"}}

GCSFUSE = "gcsfuse.csi.storage.gke.io"


def gpu_tolerations(taints: Sequence[NodeTaintArgs] = ()) -> list[dict[str, Any]]:
    """GKE taints GPU nodes; `taints` are what the config adds."""
    gpu = {"key": GPU, "operator": "Exists", "effect": "NoSchedule"}
    return [gpu, *(toleration(it) for it in taints)]


def shared_memory(gib: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A volume and its mount. What is in it counts as the pod's memory."""
    memory = {"medium": "Memory", "sizeLimit": f"{gib}Gi"}
    return {"name": "dshm", "emptyDir": memory}, {"name": "dshm", "mountPath": SHM_DIR}


def bucket_volume(
    name: str,
    bucket_name: Any,
    options: Sequence[str],
    *,
    skip_access_check: bool = True,
    prefetch_metadata: bool = False,
) -> dict[str, Any]:
    """A bucket as a volume that lives with the pod; `options` are Cloud Storage FUSE's."""
    attributes = {
        "bucketName": bucket_name,
        "mountOptions": ",".join(options),
        **volume_attributes(
            skip_access_check=skip_access_check, prefetch_metadata=prefetch_metadata
        ),
    }
    return {"name": name, "csi": {"driver": GCSFUSE, "volumeAttributes": attributes}}


def secret_variable(name: str, secret: Any, key: str) -> dict[str, Any]:
    """A variable with what a Secret has under `key`; the value is in no manifest."""
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}


def gpu_amount(gpus: int, *, claimed: bool) -> dict[str, str]:
    """What a container asks GKE's device plug-in for; GPUs that it claims it does not ask for."""
    return {GPU: str(gpus)} if gpus and not claimed else {}


def claims_of_container(claims: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a container's resources; `claims` are templates by the claims' names."""
    return {"claims": [{"name": name} for name in claims]} if claims else {}


def claims_of_pod(claims: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a pod's spec."""
    made = [{"name": name, "resourceClaimTemplateName": it} for name, it in claims.items()]
    return {"resourceClaims": made} if made else {}


SCRIPT_DIR = "/etc/script"

_SCRIPT = "script"


def script_command(file_name: str, arguments: Sequence[str] = ()) -> list[str]:
    interpreter = "python3" if file_name.endswith(".py") else "bash"
    return [interpreter, f"{SCRIPT_DIR}/{file_name}", *arguments]


def script_volume(config_map: Any) -> dict[str, Any]:
    return {"name": _SCRIPT, "configMap": {"name": config_map}}


def script_mount() -> dict[str, Any]:
    return {"name": _SCRIPT, "mountPath": SCRIPT_DIR, "readOnly": True}


def plain_environment(variables: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in variables.items()]


def job_spec(
    *, minutes: int, retries: int, pod: Mapping[str, Any], annotations: Any, pods: int = 1
) -> Any:
    """A Job of pods that each run once; with more than one, each knows its number.

    Failed pods stay, and their logs with them. So does the Job: it is the record that the work is
    done, and Pulumi would make a new one in place of one that is gone.
    """
    spec: dict[str, Any] = {
        "backoffLimit": retries,
        "activeDeadlineSeconds": minutes * 60,
        "template": {
            "metadata": {"annotations": annotations},
            "spec": {"restartPolicy": "Never", **pod},
        },
    }
    if pods > 1:
        spec |= {"completionMode": "Indexed", "completions": pods, "parallelism": pods}
    return spec
