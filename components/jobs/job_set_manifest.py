"""The JobSet that runs a command on several nodes at once, as plain data. Pure.

Values may be Pulumi inputs that are only known later; nothing here looks into them.

Source: kubernetes-sigs/jobset v0.12.0, api/jobset/v1alpha2 and pkg/controllers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.node_terms import on_any
from ..base.pod_access import CLIENT_LABEL, pod_access_spec
from ..base.pod_manifest import (
    DEFAULT_SECCOMP,
    NO_TOKEN,
    SCRIPT_DIR,
    PodSecretArgs,
    claims_of_container,
    claims_of_pod,
    gpu_amount,
    gpu_tolerations,
    no_more_privileges,
    plain_environment,
    secret_variables,
    shared_memory,
    whole_secrets,
)
from ..base.taints import NodeTaintArgs, toleration
from ..nccl.gib import nccl_container, nccl_volumes
from ..ray.manifest import Quantity

API_VERSION = "jobset.x-k8s.io/v1alpha2"
# On every pod of a JobSet.
NAME_LABEL = "jobset.sigs.k8s.io/jobset-name"
# What all files together may hold: the values of a ConfigMap, without their names
# (kubernetes/kubernetes pkg/apis/core/validation, ValidateConfigMap, v1.35.4).
MAX_FILE_BYTES = 1024 * 1024
FILE_DIR = SCRIPT_DIR
# The names of variables that each pod has by itself, whatever its environment says.
OWN_VARIABLES = frozenset(
    {
        "GPUS_PER_NODE",
        "JAX_COORDINATOR_ADDRESS",
        "MASTER_ADDR",
        "MASTER_PORT",
        "NNODES",
        "NODE_RANK",
    }
)
# What the controller names jobs, pods and hosts by: {JobSet}-node-0-{number}.
REPLICATED_JOB = "node"

_PORT = 29500
_INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
_FILES = "files"
_EXECUTABLE = 0o555


@dataclass(frozen=True, kw_only=True)
class JobSetPods:
    """`volumes` are volumes with their mounts; `files` is the ConfigMap under `FILE_DIR`, if any.

    `client_of` is a model server in their namespace that lets the pods in. Of nodes that
    `node_selector` picks, `node_terms` may pick some.

    `secrets` are further Secrets of their namespace; their variables go before those that
    `secret_keys` would give.

    `claims` are names of claims with the templates that they are made from; the GPUs are among them
    where they are `gpus_claimed`. `rdma` mounts the plugin that NCCL needs once it is there; `nccl`
    are NCCL's settings over those of the plugin's own script.
    `minutes` is how long a run may take, None for as long as it takes. `queued` pods wait for their
    queue.
    """

    job_name: str
    image: str
    command: Sequence[str]
    nodes: int
    gpus: int
    size: Quantity
    shm_gib: int
    environment: Mapping[str, Any]
    secret_name: Any
    secret_keys: Sequence[str]
    secrets: Sequence[PodSecretArgs] = ()
    service_account: Any
    files: Any
    volumes: Sequence[tuple[dict[str, Any], dict[str, Any]]]
    annotations: Mapping[str, Any]
    node_selector: Any
    node_terms: Any = None
    taints: Sequence[NodeTaintArgs] = ()
    priority_class: Any
    claims: Mapping[str, Any] = field(default_factory=dict[str, Any])
    gpus_claimed: bool = False
    rdma: bool
    nccl: Mapping[str, str] = field(default_factory=dict[str, str])
    queued: bool
    client_of: str | None = None
    max_restarts: int
    minutes: int | None
    grace_seconds: int


def host_of_first(job_name: str) -> str:
    """The name by which pods of a JobSet find the first of them, also before that is ready."""
    return f"{job_name}-{REPLICATED_JOB}-0-0.{job_name}"


def job_set_spec(pods: JobSetPods) -> Any:
    """One Job of a pod for each node. When one fails all are made anew, `max_restarts` times; a
    machine that goes away counts for nothing (pkg/controllers/failure_policy.go; the condition and
    the reasons: kubernetes/kubernetes pkg/apis/batch/types.go, v1.35.4)."""
    job: dict[str, Any] = {
        "completionMode": "Indexed",
        "completions": pods.nodes,
        "parallelism": pods.nodes,
        "backoffLimit": 0,
        "podFailurePolicy": {
            "rules": [
                {
                    "action": "FailJob",
                    "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
                }
            ]
        },
        "template": {
            "metadata": _pod_metadata(pods),
            "spec": _pod_spec(pods),
        },
    }
    if pods.minutes is not None:
        job["activeDeadlineSeconds"] = pods.minutes * 60
    return {
        **({"suspend": True} if pods.queued else {}),
        "network": {
            "enableDNSHostnames": True,
            "subdomain": pods.job_name,
            "publishNotReadyAddresses": True,
        },
        "failurePolicy": {
            "maxRestarts": pods.max_restarts,
            "rules": [
                {
                    "name": "machineGone",
                    "action": "RestartJobSetAndIgnoreMaxRestarts",
                    "onJobFailureReasons": ["PodFailurePolicy"],
                },
                {
                    "name": "tooLate",
                    "action": "FailJobSet",
                    "onJobFailureReasons": ["DeadlineExceeded"],
                },
            ],
        },
        "replicatedJobs": [{"name": REPLICATED_JOB, "replicas": 1, "template": {"spec": job}}],
    }


def job_set_access_spec(job_name: str, namespace: Any) -> Any:
    """A NetworkPolicy's spec: pods beside the JobSet's in its namespace, in `default` and of
    teams do not reach them, nor does what is no pod. What they listen with to each other asks
    nobody who he is."""
    pods = {NAME_LABEL: job_name}
    return pod_access_spec(pods, namespace=namespace, beside=pods, from_outside=False)


def _pod_metadata(pods: JobSetPods) -> dict[str, Any]:
    labels = {} if pods.client_of is None else {"labels": {CLIENT_LABEL: pods.client_of}}
    return {**labels, "annotations": dict(pods.annotations)}


def _pod_spec(pods: JobSetPods) -> dict[str, Any]:
    volumes = _volumes(pods)
    gpus = gpu_amount(pods.gpus, claimed=pods.gpus_claimed)
    amounts = {**pods.size.as_kubernetes(), **gpus}
    main: dict[str, Any] = {
        "name": "script",
        "image": pods.image,
        "securityContext": no_more_privileges(rdma=pods.rdma),
        "command": list(pods.command),
        "env": _environment(pods),
        **whole_secrets(pods.secrets),
        "ports": [{"containerPort": _PORT}],
        # All of it, for a queue counts requests, and what is left out counts as nothing.
        "resources": {
            "requests": amounts,
            "limits": amounts,
            **claims_of_container(pods.claims),
        },
        "volumeMounts": [mount for _, mount in volumes],
    }
    spec: dict[str, Any] = {
        # A pod that fails ends its Job, and with it all others: they wait for each other.
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": pods.grace_seconds,
        "nodeSelector": pods.node_selector,
        **NO_TOKEN,
        "containers": [main],
        "volumes": [volume for volume, _ in volumes],
        **claims_of_pod(pods.claims),
    }
    if pods.node_terms is not None:
        spec |= on_any(pods.node_terms)
    if pods.nodes > 1:
        spec["affinity"] = {**spec.get("affinity", {}), **_apart(pods.job_name)}
    tolerations = [toleration(it) for it in pods.taints]
    if pods.gpus:
        tolerations = gpu_tolerations(pods.taints)
    if tolerations:
        spec["tolerations"] = tolerations
    if not pods.gpus:
        # Not beside GPUs, whose memory PyTorch's processes share by what it forbids (pidfd_getfd).
        spec["securityContext"] = DEFAULT_SECCOMP
    if pods.service_account is not None:
        spec["serviceAccountName"] = pods.service_account
    if pods.priority_class is not None:
        spec["priorityClassName"] = pods.priority_class
    if pods.rdma:
        before = nccl_container(pods.image, pods.nccl)
        spec["initContainers"] = [{**before, "securityContext": no_more_privileges(rdma=True)}]
    return spec


def _apart(job_name: str) -> dict[str, Any]:
    """Each pod on a node of its own, also where two would fit on one."""
    term = {
        "labelSelector": {"matchLabels": {NAME_LABEL: job_name}},
        "topologyKey": "kubernetes.io/hostname",
    }
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def _volumes(pods: JobSetPods) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Volumes with their mounts."""
    found = list(pods.volumes)
    if pods.shm_gib:
        found.insert(0, shared_memory(pods.shm_gib))
    if pods.files is not None:
        config_map = {"name": pods.files, "defaultMode": _EXECUTABLE}
        mount = {"name": _FILES, "mountPath": FILE_DIR, "readOnly": True}
        found.append(({"name": _FILES, "configMap": config_map}, mount))
    if pods.rdma:
        found += nccl_volumes()
    return found


def _environment(pods: JobSetPods) -> list[dict[str, Any]]:
    """Ours, the user's and the tokens. The kubelet puts into `$(NAME)` in a variable what stands
    before it, so the user's may name ours."""
    first = host_of_first(pods.job_name)
    place = {
        "MASTER_ADDR": first,
        "MASTER_PORT": str(_PORT),
        "JAX_COORDINATOR_ADDRESS": f"{first}:{_PORT}",
        "NNODES": str(pods.nodes),
        "GPUS_PER_NODE": str(pods.gpus),
    }
    given = {name: it for name, it in pods.environment.items() if name not in OWN_VARIABLES}
    return [
        *plain_environment(place),
        {"name": "NODE_RANK", "valueFrom": {"fieldRef": {"fieldPath": _INDEX}}},
        *plain_environment(given),
        *secret_variables(pods.secret_name, pods.secret_keys, pods.secrets),
    ]
