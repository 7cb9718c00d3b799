"""The Job that runs an NCCL all-gather over GPU nodes, as plain data. Pure.

How the image is used: GoogleCloudPlatform/container-engine-accelerators, gpudirect-rdma,
nccl-test-a4.yaml. As there, pods have no security context: the image runs sshd, and NCCL pins
memory for RDMA; with which limits both still do was tried nowhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from components.gib import LIBRARY_PATH, gib_mounts, gib_volumes, wait_for_gib
from components.node_taints import NodeTaintArgs
from components.pod_manifest import gpu_tolerations
from components.script_job_manifest import (
    job_spec,
    plain_environment,
    script_command,
    script_mount,
    script_volume,
)

_GPU = "nvidia.com/gpu"
_SHM = "shared-memory"


@dataclass(frozen=True, kw_only=True)
class NcclTestPods:
    """`subdomain` is the Service that gives the pods `{job_name}-{number}.{subdomain}`."""

    job_name: str
    subdomain: Any
    image: str
    nodes: int
    gpus_per_node: int
    shm_gib: int
    min_bus_bandwidth_gbps: float
    node_selector: Any
    taints: Sequence[NodeTaintArgs] = ()
    annotations: Mapping[str, Any]


def nccl_test_spec(pods: NcclTestPods, *, file_name: str, config_map: Any, minutes: int) -> Any:
    """One pod a node; one that fails takes the others with it."""
    environment = {
        "LD_LIBRARY_PATH": LIBRARY_PATH,
        "NODES": str(pods.nodes),
        "GPUS_PER_NODE": str(pods.gpus_per_node),
        "HOST_PREFIX": pods.job_name,
        "SUBDOMAIN": pods.subdomain,
        "MIN_BUS_BANDWIDTH_GBPS": str(pods.min_bus_bandwidth_gbps),
    }
    gpus = {_GPU: str(pods.gpus_per_node)}
    memory = {"medium": "Memory", "sizeLimit": f"{pods.shm_gib}Gi"}
    return job_spec(
        minutes=minutes,
        retries=0,
        pods=pods.nodes,
        annotations=pods.annotations,
        pod={
            "subdomain": pods.subdomain,
            "nodeSelector": pods.node_selector,
            "tolerations": gpu_tolerations(pods.taints),
            # Autopilot makes a node for the pod, and only then the installer comes to it.
            "initContainers": [
                {
                    "name": "wait-for-nccl-plugin",
                    "image": pods.image,
                    "command": wait_for_gib(),
                    "volumeMounts": gib_mounts(),
                }
            ],
            "containers": [
                {
                    "name": "all-gather",
                    "image": pods.image,
                    "command": script_command(file_name),
                    "env": plain_environment(environment),
                    "resources": {"requests": gpus, "limits": gpus},
                    "volumeMounts": [
                        *gib_mounts(),
                        {"name": _SHM, "mountPath": "/dev/shm"},
                        script_mount(),
                    ],
                }
            ],
            "volumes": [
                *gib_volumes(),
                {"name": _SHM, "emptyDir": memory},
                script_volume(config_map),
            ],
        },
    )
