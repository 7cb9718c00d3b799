"""Parts of the specs of pods and Jobs that many workloads have, as plain data. Pure.

Values may be Pulumi inputs that are only known later; nothing here looks into them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .gcsfuse import volume_attributes
from .taints import NodeTaintArgs, toleration

# GKE documentation, "Run GPUs in Standard node pools" and "About TPUs in GKE": pods request
# accelerators by these, and GKE taints the nodes by the same keys.
GPU = "nvidia.com/gpu"
TPU = "google.com/tpu"
SHM_DIR = "/dev/shm"
# Autopilot gives it to every pod, Standard to none (GKE documentation, "About seccomp in GKE").
DEFAULT_SECCOMP = {"seccompProfile": {"type": "RuntimeDefault"}}

# No token for the API server, which none of these pods speaks to. Cloud Storage FUSE does without:
# its driver asks for a token of its own (GoogleCloudPlatform/gcs-fuse-csi-driver 5fcdc04a
# deploy/base/setup/csi_driver.yaml, tokenRequests), and Workload Identity knows pods by their
# addresses (GKE documentation, "About Workload Identity Federation for GKE").
NO_TOKEN = {"automountServiceAccountToken": False}
# Where a pod's token is mounted, and the seconds that the API server's own volume asks for it
# (Kubernetes documentation, "Managing Service Accounts", bound service account token volume). Such
# a token it takes for longer, from clients that read it once (kubernetes/enhancements
# keps/sig-auth/1205-bound-service-account-tokens).
TOKEN_DIR = "/var/run/secrets/kubernetes.io/serviceaccount"
_TOKEN_SECONDS = 3607

# To the cluster's autoscaler, which else empties nodes that are little used (kubernetes/autoscaler
# cluster-autoscaler/FAQ.md, "What types of pods can prevent CA from removing a node?").
STAYS = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}


GCSFUSE = "gcsfuse.csi.storage.gke.io"
# Of PodDisruptionBudgets. By default a pod that runs and is not ready counts as away and is not
# evicted either, so a server that crashes or loads its weights holds up each drain
# (kubernetes/enhancements keps/sig-apps/3017-pod-healthy-policy-for-pdb, stable since 1.31).
EVICT_UNHEALTHY = "AlwaysAllow"


@dataclass(frozen=True, kw_only=True)
class PodSecretArgs:
    """A Secret of the pods' namespace: `key` becomes the `variable`, or all of its keys do."""

    name: str
    key: str | None = None
    variable: str | None = None


def no_more_privileges(*, rdma: bool = False) -> dict[str, Any]:
    """Security context of a container: of the Pod Security Standards' restricted level, what takes
    nothing from an image. Users stay those of the images, some of them root. Ray needs no more (Ray
    documentation, "Pod Security").

    Without RDMA no program here sends raw packets, and on Autopilot no pod may add the capability
    (GKE documentation, "Run privileged open source workloads on GKE Autopilot", read 2026-11-27).
    With RDMA it stays as the runtime gives it: verbs have queue pairs of raw packets, which take
    CAP_NET_RAW (Linux drivers/infiniband/core/uverbs_cmd.c, create_qp, IB_QPT_RAW_PACKET), and
    whether gIB creates one nobody says."""
    dropped = {} if rdma else {"capabilities": {"drop": ["NET_RAW"]}}
    return {"allowPrivilegeEscalation": False, **dropped}


def accelerator_taint(resource: str) -> dict[str, str]:
    """Taint of nodes whose accelerators pods request as `resource`."""
    return {"key": resource, "value": "present", "effect": "NoSchedule"}


def accelerator_toleration(resource: str) -> dict[str, str]:
    """Toleration of that taint."""
    return {"key": resource, "operator": "Exists", "effect": "NoSchedule"}


def gpu_tolerations(taints: Sequence[NodeTaintArgs] = ()) -> list[dict[str, Any]]:
    """GKE taints GPU nodes; `taints` are what the config adds."""
    return [accelerator_toleration(GPU), *(toleration(it) for it in taints)]


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


def token_volume(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A volume with the pod's token for the API server, for single containers, and its mount."""
    fields = [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]
    certificates = {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}
    sources = [
        {"serviceAccountToken": {"path": "token", "expirationSeconds": _TOKEN_SECONDS}},
        {"configMap": certificates},
        {"downwardAPI": {"items": fields}},
    ]
    return (
        {"name": name, "projected": {"sources": sources}},
        {"name": name, "mountPath": TOKEN_DIR, "readOnly": True},
    )


def secret_variable(name: str, secret: Any, key: str) -> dict[str, Any]:
    """A variable with what a Secret has under `key`; the value is in no manifest."""
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}


def secret_variables(
    own: Any, own_keys: Sequence[str], secrets: Sequence[PodSecretArgs]
) -> list[dict[str, Any]]:
    """Those of the stack's own Secret, but for what `secrets` name."""
    named = {it.variable: (it.name, it.key) for it in secrets if it.key and it.variable}
    return [
        *(secret_variable(key, own, key) for key in own_keys if key not in named),
        *(secret_variable(variable, name, key) for variable, (name, key) in named.items()),
    ]


def whole_secrets(secrets: Sequence[PodSecretArgs]) -> dict[str, Any]:
    """The part of a container. Its other variables go before those of whole Secrets."""
    whole = [{"secretRef": {"name": it.name}} for it in secrets if it.key is None]
    return {"envFrom": whole} if whole else {}


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


# A rule of a Job's podFailurePolicy: a pod that was evicted, preempted or lost with its node counts
# for no failure (kubernetes/kubernetes v1.35.4 pkg/apis/batch/types.go and pkg/apis/core/types.go,
# DisruptionTarget).
MACHINE_GONE = {
    "action": "Ignore",
    "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
}


def job_spec(*, minutes: int, retries: int, pod: Mapping[str, Any], annotations: Any) -> Any:
    """A Job of one pod, which runs once; one that loses its machine runs again, and counts for no
    failure.

    Failed pods stay, and their logs with them. So does the Job: it is the record that the work is
    done, and Pulumi would make a new one in place of one that is gone.
    """
    return {
        "backoffLimit": retries,
        "activeDeadlineSeconds": minutes * 60,
        "template": {
            "metadata": {"annotations": annotations},
            "spec": {"restartPolicy": "Never", **pod},
        },
        "podFailurePolicy": {"rules": [MACHINE_GONE]},
    }
