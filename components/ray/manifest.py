"""Ray's pods and jobs as plain data; the cluster that they are of is elsewhere. Pure.

Values may be Pulumi inputs that are only known later; nothing here looks into them.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.naming import NameKind, cloud_name
from ..base.node_terms import on_any
from ..base.pod_manifest import (
    DEFAULT_SECCOMP,
    NO_TOKEN,
    TPU,
    PodSecretArgs,
    bucket_volume,
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
from ..base.taints import NodeTaintArgs
from ..nccl.gib import nccl_container, nccl_volumes
from ..queues.provisioning_manifest import QUEUED_TOLERATION, consuming_annotations

CLUSTER_LABEL = "ray.io/cluster"
DASHBOARD_PORT = 8265
LAUNCHER_DIR = "/etc/launcher"
# ray-project/kuberay v1.6.2 ray-operator/controllers/ray/utils/constant.go.
TOKEN_KEY = "auth_token"
_LONGEST_SECRET = 50
# An image of tens of GB on every node, after the node itself is up.
READY_MINUTES = 90

# Where libtpu tells its metrics, which GKE's dashboards for TPUs show (cluster-toolkit
# examples/gke-tpu-v6e/tpu-multislice.yaml, 5a728a531 of 2026-06-16). For Ray's own KubeRay declares
# 8080 (ray-project/kuberay ray-operator/controllers/ray/common/pod.go:689-696, feeaf72fa).
_TPU_PORTS = {"tpu-metrics": 8431}
_HEAD_PORTS = {"gcs-server": 6379, "dashboard": DASHBOARD_PORT, "client": 10001}


def launcher_config_map(ray_cluster: str) -> str:
    """The ConfigMap that the head of this cluster mounts, whether or not it exists."""
    return cloud_name(NameKind.KUBERNETES, ray_cluster, "launcher")


def token_secret_name(ray_cluster: str) -> str:
    """The Secret that KubeRay makes for a cluster that asks for a token: the end of a long name,
    and a letter in place of a digit or a sign at the start (ray-project/kuberay v1.6.2
    ray-operator/controllers/ray/utils/util.go, CheckName)."""
    name = ray_cluster[-_LONGEST_SECRET:]
    return name if name[0].isalpha() else f"r{name[1:]}"


def token_command(secret: str, namespace: str, kubectl: str = "kubectl") -> str:
    """Prints the token that a Secret has; of a cluster of others its name is any text."""
    words = ["get", "secret", secret, f"--namespace={namespace}"]
    path = f"--output=jsonpath='{{.data.{TOKEN_KEY}}}'"
    return f"{kubectl} {shlex.join(words)} {path} | base64 --decode"


@dataclass(frozen=True, kw_only=True)
class Quantity:
    millicores: int | None
    memory_gib: int
    ephemeral_storage_gib: int | None = None

    def as_kubernetes(self) -> dict[str, str]:
        cpu, storage = self.millicores, self.ephemeral_storage_gib
        return {
            **({} if cpu is None else {"cpu": f"{cpu}m" if cpu % 1000 else str(cpu // 1000)}),
            "memory": f"{self.memory_gib}Gi",
            **({} if storage is None else {"ephemeral-storage": f"{storage}Gi"}),
        }


@dataclass(frozen=True, kw_only=True)
class Setup:
    """A script that runs in the pod's image before Ray does, and the directory that it fills."""

    script: str
    arguments: Sequence[str]
    directory: str


@dataclass(frozen=True, kw_only=True)
class RayPod:
    """One container of a Ray pod; GPUs are asked for as much as they are limited to.

    `claims` are names of claims with the templates that they are made from; the GPUs are among them
    where they are `gpus_claimed`.
    `provisioning_request` is the request for machines whose pods this is one of.
    `taints` are those of the nodes, in spite of which the pod comes onto them. Of nodes that
    `node_selector` picks, `node_terms` may pick some. `scratch` is a directory on the node's own
    disk. `rdma` mounts the plugin that NCCL needs once it is there, which on a new node takes a
    while; `nccl` are NCCL's settings over those of the plugin's own script.
    """

    requests: Quantity
    limits: Quantity
    shm_gib: int
    node_selector: Any
    node_terms: Any = None
    taints: Sequence[NodeTaintArgs] = ()
    gpus: int = 0
    gpus_claimed: bool = False
    tpus: int = 0
    claims: Mapping[str, Any] = field(default_factory=dict[str, Any])
    start_params: Mapping[str, str] = field(default_factory=dict[str, str])
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    scratch: str | None = None
    rdma: bool = False
    nccl: Mapping[str, str] = field(default_factory=dict[str, str])
    setup: Setup | None = None
    provisioning_request: Any = None


@dataclass(frozen=True, kw_only=True)
class BucketMount:
    """A bucket as a volume that lives with the pod; `options` are Cloud Storage FUSE's."""

    bucket_name: Any
    options: Sequence[str]
    skip_access_check: bool
    prefetch_metadata: bool


@dataclass(frozen=True, kw_only=True)
class RayVolume:
    """A claim's volume or a bucket at `mount_path`."""

    name: str
    mount_path: str
    claim_name: Any = None
    bucket: BucketMount | None = None


@dataclass(frozen=True, kw_only=True)
class RayPodContext:
    """What the head and the workers share."""

    image: str
    volumes: Sequence[RayVolume] = ()
    secret_name: Any = None
    secret_keys: Sequence[str] = ()
    secrets: Sequence[PodSecretArgs] = ()
    service_account: Any = None


def ray_job_spec(
    *,
    cluster_name: Any,
    entrypoint: str,
    environment: Mapping[str, str],
    packages: Sequence[str] = (),
) -> dict[str, Any]:
    """A RayJob on a cluster that is there already.

    KubeRay neither shuts such a cluster down afterwards nor lets the job be suspended, so the
    fields for that are left out. In HTTPMode the operator submits the job itself, and again where
    the dashboard does not know it, as after a lost head (ray-project/kuberay
    ray-operator/controllers/ray/rayjob_controller.go at v1.4.2; from v1.7.0 on, 94d37f2eb, it fails
    a job whose dashboard has not answered for 300 seconds). The default mode starts one more pod
    with the training image, tens of GB pulled to run one command.
    """
    return {
        "submissionMode": "HTTPMode",
        "clusterSelector": {CLUSTER_LABEL: cluster_name},
        "entrypoint": entrypoint,
        "runtimeEnvYAML": runtime_environment(environment, packages),
    }


def runtime_environment(variables: Mapping[str, str], packages: Sequence[str] = ()) -> str:
    """A Ray runtime environment with these variables and Python packages, as YAML."""
    lines = [f"  {key}: {json.dumps(value)}" for key, value in sorted(variables.items())]
    wanted = [f"  - {json.dumps(package)}" for package in packages]
    return "\n".join(["env_vars:", *lines, *(["pip:", *wanted] if wanted else []), ""])


def ray_pod_template(container: str, pod: RayPod, context: RayPodContext) -> dict[str, Any]:
    """A pod that runs `container`, which is ray-head or ray-worker."""
    devices = gpu_amount(pod.gpus, claimed=pod.gpus_claimed)
    if pod.tpus:
        devices[TPU] = str(pod.tpus)
    volumes = _volumes(pod, context)
    main: dict[str, Any] = {
        "name": container,
        "image": context.image,
        "resources": {
            "requests": {**pod.requests.as_kubernetes(), **devices},
            "limits": {**pod.limits.as_kubernetes(), **devices},
            **claims_of_container(pod.claims),
        },
        "volumeMounts": [mount for _, mount in volumes],
    }
    ports = (_HEAD_PORTS if container == "ray-head" else {}) | (_TPU_PORTS if pod.tpus else {})
    if ports:
        main["ports"] = [{"name": name, "containerPort": port} for name, port in ports.items()]
    secrets = secret_variables(context.secret_name, context.secret_keys, context.secrets)
    if environment := [*plain_environment(pod.environment), *secrets]:
        main["env"] = environment
    main |= whole_secrets(context.secrets)
    main["securityContext"] = no_more_privileges(rdma=pod.rdma)
    spec: dict[str, Any] = {
        "nodeSelector": pod.node_selector,
        "tolerations": gpu_tolerations(pod.taints),
        **NO_TOKEN,
        "containers": [main],
        "volumes": [volume for volume, _ in volumes],
    }
    if pod.node_terms is not None:
        spec |= on_any(pod.node_terms)
    if not (pod.gpus or pod.tpus):
        # The profile has no pidfd_getfd, by which PyTorch's processes share a GPU's memory.
        spec["securityContext"] = DEFAULT_SECCOMP
    if context.service_account is not None:
        spec["serviceAccountName"] = context.service_account
    spec |= claims_of_pod(pod.claims)
    if before := _init_containers(pod, context, main["volumeMounts"]):
        spec["initContainers"] = before
    annotations: dict[str, Any] = dict(pod.annotations)
    if pod.provisioning_request is not None:
        annotations |= consuming_annotations(pod.provisioning_request)
        spec["tolerations"].append(QUEUED_TOLERATION)
    return (
        {"metadata": {"annotations": annotations}, "spec": spec} if annotations else {"spec": spec}
    )


def _volumes(pod: RayPod, context: RayPodContext) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Volumes with their mounts in the main container."""
    found = [shared_memory(pod.shm_gib)]
    found += [
        (_source(it), {"name": it.name, "mountPath": it.mount_path}) for it in context.volumes
    ]
    empty = {"scratch": pod.scratch, "setup": pod.setup and pod.setup.directory}
    for name, path in empty.items():
        if path:
            found.append(({"name": name, "emptyDir": {}}, {"name": name, "mountPath": path}))
    if pod.rdma:
        found += nccl_volumes()
    return found


def _source(volume: RayVolume) -> dict[str, Any]:
    if volume.bucket is None:
        return {
            "name": volume.name,
            "persistentVolumeClaim": {"claimName": volume.claim_name},
        }
    return bucket_volume(
        volume.name,
        volume.bucket.bucket_name,
        volume.bucket.options,
        skip_access_check=volume.bucket.skip_access_check,
        prefetch_metadata=volume.bucket.prefetch_metadata,
    )


def _init_containers(
    pod: RayPod, context: RayPodContext, mounts: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Done long before the image is warm."""
    found: list[dict[str, Any]] = []
    if pod.rdma:
        found.append(nccl_container(context.image, pod.nccl))
    if pod.setup is not None:
        command = ["bash", "-c", pod.setup.script, "setup", *pod.setup.arguments]
        # It sees what the main container sees.
        seen = {"image": context.image, "volumeMounts": mounts}
        found.append({"name": "setup", "command": command, **seen})
    return [{**one, "securityContext": no_more_privileges(rdma=pod.rdma)} for one in found]
