"""An NCCL all-gather over GPU nodes, run once before anything is trained on them.

How the image is used: GoogleCloudPlatform/container-engine-accelerators, gpudirect-rdma,
nccl-test-a4.yaml. As there, pods have no security context: the image runs sshd, and NCCL pins
memory for RDMA; with which limits both still do was tried nowhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.gib import LIBRARY_PATH, gib_mounts, gib_volumes, wait_for_gib
from components.lifecycle import fixed_name, object_name
from components.naming import NameKind, check_name
from components.node_taints import NodeTaintArgs
from components.pod_manifest import (
    claims_of_container,
    claims_of_pod,
    gpu_amount,
    gpu_tolerations,
    job_spec,
    plain_environment,
    script_command,
    script_mount,
    script_volume,
)
from components.script_file import ScriptFile, script_config_map
from components.script_job import job_metadata

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
    claims: Mapping[str, Any] = field(default_factory=dict[str, Any])
    gpus_claimed: bool = False


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
    gpus = gpu_amount(pods.gpus_per_node, claimed=pods.gpus_claimed)
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
                    "resources": {
                        "requests": gpus,
                        "limits": gpus,
                        **claims_of_container(pods.claims),
                    },
                    "volumeMounts": [
                        *gib_mounts(),
                        {"name": _SHM, "mountPath": "/dev/shm"},
                        script_mount(),
                    ],
                }
            ],
            **claims_of_pod(pods.claims),
            "volumes": [
                *gib_volumes(),
                {"name": _SHM, "emptyDir": memory},
                script_volume(config_map),
            ],
        },
    )


_JOB_LABEL = "batch.kubernetes.io/job-name"


@dataclass(frozen=True, kw_only=True)
class NcclTestArgs:
    """`node_selector` is known once gIB is on the nodes.

    `min_bus_bandwidth_gbps` is in GB/s, as nccl-tests count it; with 0 any speed will do.
    `annotations` attach the pods to the accelerator networks, or else they have `claims` on the
    interfaces, by names with their templates, and on the GPUs where they are `gpus_claimed`.
    `taints` are those of the nodes.
    `minutes` is how long it may take, the image included.
    """

    namespace: pulumi.Input[str]
    test_name: str
    image: str
    script: str
    nodes: int = 2
    gpus_per_node: int
    shm_gib: int = 250
    min_bus_bandwidth_gbps: float
    node_selector: pulumi.Input[dict[str, str]]
    taints: Sequence[NodeTaintArgs] = ()
    annotations: dict[str, pulumi.Input[str]] = field(default_factory=dict[str, pulumi.Input[str]])
    claims: dict[str, pulumi.Input[str]] = field(default_factory=dict[str, pulumi.Input[str]])
    gpus_claimed: bool = False
    minutes: int = 30
    labels: pulumi.Input[dict[str, str]]


class NcclTest(pulumi.ComponentResource):
    """`job_name` and `node_selector`, the nodes tested, are known once the test has passed. What
    holds the nodes is made anew with the `job`: a test of nodes in use waits for ever."""

    job: k8s.batch.v1.Job
    job_name: pulumi.Output[str]
    node_selector: pulumi.Output[dict[str, str]]

    def __init__(
        self, name: str, args: NcclTestArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:nccl_test:NcclTest", name, None, opts)
        test_name = check_name(NameKind.KUBERNETES, args.test_name)
        service = k8s.core.v1.Service(
            f"{name}-service",
            metadata={"name": test_name, "namespace": args.namespace, "labels": args.labels},
            spec={
                "cluster_ip": "None",
                "selector": {_JOB_LABEL: test_name},
                "publish_not_ready_addresses": True,
            },
            opts=fixed_name(self),
        )
        script = ScriptFile(
            namespace=args.namespace,
            base_name=test_name,
            name="all-gather.sh",
            content=args.script,
            labels=args.labels,
        )
        config_map = script_config_map(self, name, script)
        job = k8s.batch.v1.Job(
            f"{name}-job",
            metadata=job_metadata(test_name, args.namespace, args.labels),
            spec=nccl_test_spec(
                NcclTestPods(
                    job_name=test_name,
                    subdomain=object_name(service),
                    image=args.image,
                    nodes=args.nodes,
                    gpus_per_node=args.gpus_per_node,
                    shm_gib=args.shm_gib,
                    min_bus_bandwidth_gbps=args.min_bus_bandwidth_gbps,
                    node_selector=args.node_selector,
                    taints=args.taints,
                    annotations=args.annotations,
                    claims=args.claims,
                    gpus_claimed=args.gpus_claimed,
                ),
                file_name=script.file_name,
                config_map=object_name(config_map),
                minutes=args.minutes,
            ),
            opts=fixed_name(self, minutes=args.minutes + 1, replace_on_changes=["spec"]),
        )
        self.job = job
        self.job_name = object_name(job)
        self.node_selector = pulumi.Output.all(args.node_selector, job.metadata).apply(
            lambda it: it[0]
        )
        self.register_outputs(
            {"job": self.job, "job_name": self.job_name, "node_selector": self.node_selector}
        )
