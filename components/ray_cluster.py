"""A RayCluster on a GPU pool: a head and one worker a node, with shared memory, tokens and, where
there is one, the Lustre file system.

Leaves out the operator, which is an add-on of the GKE cluster, and jobs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.custom_object import object_name
from components.lifecycle import fixed_name
from components.lustre_volume import LustreMount
from components.naming import NameKind, check_name, cloud_name
from components.ray_manifest import (
    DASHBOARD_PORT,
    Quantity,
    RayPod,
    RayPodContext,
    ray_cluster_spec,
)

# An image of tens of GB on every node, after the node itself is up.
_MINUTES = 90
# KubeRay makes no new pods for a changed template; only the number of workers changes in place.
_REPLACING = ["spec.rayVersion", "spec.headGroupSpec", "spec.workerGroupSpecs[*].template"]


@dataclass(frozen=True, kw_only=True)
class RayPodArgs:
    cpu_request_millicores: int
    cpu_limit_millicores: int
    memory_request_gib: int
    memory_limit_gib: int
    shm_gib: int
    gpus: int = 0

    def as_pod(self) -> RayPod:
        return RayPod(
            requests=Quantity(
                millicores=self.cpu_request_millicores, memory_gib=self.memory_request_gib
            ),
            limits=Quantity(millicores=self.cpu_limit_millicores, memory_gib=self.memory_limit_gib),
            shm_gib=self.shm_gib,
            gpus=self.gpus,
        )


@dataclass(frozen=True, kw_only=True)
class RayClusterArgs:
    """`node_selector` and `secret_name` are known once what they name is there."""

    namespace: pulumi.Input[str]
    cluster_name: str
    ray_version: str
    image: str
    head: RayPodArgs
    worker: RayPodArgs
    workers: int
    node_selector: pulumi.Input[dict[str, str]]
    secret_name: pulumi.Input[str] | None = None
    secret_keys: Sequence[str] = ()
    lustre: LustreMount | None = None
    mount_path: str = ""
    labels: pulumi.Input[dict[str, str]]


class RayCluster(pulumi.ComponentResource):
    """`cluster_name` is known once head and workers are up; `cluster` is the object itself."""

    cluster_name: pulumi.Output[str]
    head_service: pulumi.Output[str]
    dashboard_port: pulumi.Output[int]

    def __init__(
        self, name: str, args: RayClusterArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:ray_cluster:RayCluster", name, None, opts)
        context = RayPodContext(
            image=args.image,
            node_selector=args.node_selector,
            claim_name=None if args.lustre is None else object_name(args.lustre.claim),
            mount_path=args.mount_path,
            secret_name=args.secret_name,
            secret_keys=args.secret_keys,
        )
        cluster = k8s.apiextensions.CustomResource(
            f"{name}-cluster",
            api_version="ray.io/v1",
            kind="RayCluster",
            metadata={
                "name": check_name(NameKind.RAY_CLUSTER, args.cluster_name),
                "namespace": args.namespace,
                "labels": args.labels,
                "annotations": {"pulumi.com/waitFor": "jsonpath={.status.state}=ready"},
            },
            spec=ray_cluster_spec(
                version=args.ray_version,
                head=args.head.as_pod(),
                worker=args.worker.as_pod(),
                workers=args.workers,
                context=context,
                launcher_config_map=launcher_config_map(args.cluster_name),
            ),
            opts=fixed_name(
                self,
                minutes=_MINUTES,
                replace_on_changes=_REPLACING,
                replace_with=[] if args.lustre is None else args.lustre.resources(),
            ),
        )
        self.cluster = cluster
        self.cluster_name = object_name(cluster)
        self.head_service = self.cluster_name.apply(lambda it: f"{it}-head-svc")
        self.dashboard_port = pulumi.Output.from_input(DASHBOARD_PORT)
        self.register_outputs(
            {
                "cluster": self.cluster,
                "cluster_name": self.cluster_name,
                "head_service": self.head_service,
                "dashboard_port": self.dashboard_port,
            }
        )


def launcher_config_map(ray_cluster: str) -> str:
    """The ConfigMap that the head of this cluster mounts, whether or not it exists."""
    return cloud_name(NameKind.KUBERNETES, ray_cluster, "launcher")
