"""A RayCluster: a head, and workers on the nodes with accelerators, with shared memory, tokens and,
where there are any, a file system and further interfaces. Leaves out the operator, which may be an
add-on of the GKE cluster, and jobs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..base.arguments import refuse
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name, once_there
from ..base.naming import NameKind, cloud_name, name_is
from ..base.pod_manifest import PodSecretArgs
from ..base.tokens import formerly
from ..queues.labels import ELASTIC, QUEUE_LABEL, queue_labels
from .cluster_manifest import RayAutoscaling, ray_access_spec, ray_cluster_spec
from .fault_tolerance import IN_A_QUEUE, RayFaultToleranceArgs, fault_tolerance_fields
from .manifest import (
    DASHBOARD_PORT,
    READY_MINUTES,
    RayPodContext,
    launcher_config_map,
    ray_pod_template,
)
from .pod_args import RayPodArgs, RaySetupArgs, RayVolumeArgs, RayWorkersArgs

__all__ = [
    "RayCluster",
    "RayClusterArgs",
    "RayPodArgs",
    "RaySetupArgs",
    "RayVolumeArgs",
    "RayWorkersArgs",
]

_REPLACING = [
    # KubeRay makes no new pods for these; only the number of workers changes in place.
    "spec.rayVersion",
    "spec.enableInTreeAutoscaling",
    # KubeRay 1.6.2 gives pods that run neither the variables of a new token nor takes them away
    # (raycluster_controller.go:1150, shouldRecreatePodsForUpgrade, without an upgradeStrategy).
    "spec.authOptions",
    # Taken away in place, it would leave a finalizer that KubeRay then never takes away.
    "spec.gcsFaultToleranceOptions",
    "spec.headGroupSpec",
    "spec.workerGroupSpecs[*].template",
    # Kueue refuses another queue for what it has admitted (pkg/controller/jobframework).
    f'metadata.labels["{QUEUE_LABEL}"]',
]
# Kueue writes into the pods of what it admits (kubernetes-sigs/kueue v0.19.2
# pkg/controller/jobs/raycluster/raycluster_controller.go, RunWithPodSetsInfo), and an API server
# has all groups as one field (no +listType: ray-project/kuberay
# ray-operator/apis/ray/v1/raycluster_types.go, feeaf72fa). Of the head's fields Kueue has its own
# ones alone. Written over by force they would be lost, and Kueue finds a worker that it is to let
# start by them (pkg/controller/elasticjobs/elastic_job_ungater.go, podsToUngate). Tried on
# kube-apiserver v1.35.4 with Kueue 0.19.2 and KubeRay 1.4.2, 2026-11-22.
_KUEUES = ("spec.workerGroupSpecs",)
_WAIT = {"pulumi.com/waitFor": "jsonpath={.status.state}=ready"}
# ray-project/kuberay ray-operator/apis/ray/v1/raycluster_types.go, HeadPodReady, feeaf72fa.
_WAIT_FOR_HEAD = {"pulumi.com/waitFor": "condition=HeadPodReady"}
# Where no queue does, the autoscaler owns the whole list of groups once it has written a number of
# replicas, and every later update would be refused as a conflict (ray 2.56.0
# autoscaler/v2/instance_manager/cloud_providers/kuberay/cloud_provider.py, _submit_scale_request,
# and autoscaler/_private/kuberay/node_provider.py, worker_replica_patch). KubeRay removes no worker
# of a cluster that scales because of its number of replicas, so writing over it takes none away.
# KubeRay owns the list, too, when it has added the finalizer of a fault-tolerant cluster (seen with
# 1.4.2 on a real API server, 2026-11-22).
_FORCE = {"pulumi.com/patchForce": "true"}


@dataclass(frozen=True, kw_only=True)
class RayClusterArgs:
    """`workers` are groups by their names, in this order, and `volumes` are in every pod. A group
    more or less is another cluster. `secret_name` and the like are known once what they name is
    there; variables of `secrets`, of others in the namespace, go before those of `secret_keys`.

    What running pods hold on to, none of it can go before they have: volumes, networks and claims
    with what is under them, and pools. So a replacement of any of it replaces the cluster.

    With `autoscaling`, workers of each group come and go between its own numbers. `queue` is the
    LocalQueue that admits the cluster: as a whole, or where it scales each worker as it comes. With
    `head_is_enough` the cluster is there once its head is, for a job that waits for workers itself
    and begins with fewer than all. With `fault_tolerance` it has no queue. With `asks_for_token`
    Ray answers who brings the token that KubeRay makes, alone: in a Secret of the cluster's own
    name, which no other Secret of the namespace may have. With `operator_is_pod` KubeRay runs in a
    namespace of its own, so nothing but pods reaches Ray.
    """

    namespace: pulumi.Input[str]
    cluster_name: str
    ray_version: str
    image: str
    head: RayPodArgs
    workers: dict[str, RayWorkersArgs]
    volumes: Sequence[RayVolumeArgs] = ()
    secret_name: pulumi.Input[str] | None = None
    secret_keys: Sequence[str] = ()
    secrets: Sequence[PodSecretArgs] = ()
    service_account: pulumi.Input[str] | None = None
    autoscaling: RayAutoscaling | None = None
    queue: pulumi.Input[str] | None = None
    head_is_enough: bool = False
    fault_tolerance: RayFaultToleranceArgs | None = None
    asks_for_token: bool = False
    operator_is_pod: bool = False
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("cluster_name", NameKind.RAY_CLUSTER, self.cluster_name)
        for group in self.workers:
            name_is("workers", NameKind.WORKER_GROUP, group)
        if self.fault_tolerance is not None and self.queue is not None:
            refuse("fault_tolerance", "Redis", IN_A_QUEUE, "a cluster without a queue")
        for name in ("name", "mount_path"):
            values = [getattr(it, name) for it in self.volumes]
            for place, value in enumerate(values):
                if value in values[:place]:
                    reason = "is of two volumes of one pod, and Kubernetes tells them apart by it"
                    refuse(f"volumes[{place}].{name}", value, reason, f"{value}-2")

    @property
    def pods(self) -> list[RayPodArgs]:
        return [self.head, *(it.pod for it in self.workers.values())]

    @property
    def held(self) -> list[pulumi.Resource]:
        """What cannot go before the pods have."""
        tolerance = self.fault_tolerance
        every = [
            *(one for it in self.volumes for one in it.held),
            *(one for it in self.pods for one in it.held),
            *([] if tolerance is None else tolerance.backing),
        ]
        return list(dict.fromkeys(every))

    @property
    def elastic(self) -> bool:
        """Whether a queue admits workers as they come."""
        return self.queue is not None and self.autoscaling is not None

    def context(self) -> RayPodContext:
        return RayPodContext(
            image=self.image,
            volumes=[it.as_volume() for it in self.volumes],
            service_account=self.service_account,
            secret_name=self.secret_name,
            secret_keys=self.secret_keys,
            secrets=self.secrets,
        )

    def worker_template(self, group: str) -> Any:
        """The pod template of a group's workers, as Kubernetes has it.

        Raises ValueError for a group that is not there.
        """
        if group not in self.workers:
            near = get_close_matches(group, self.workers, n=1, cutoff=0) or ["another of workers"]
            raise ValueError(f'group "{group}" is none of workers; nearest: {near[0]}')
        return ray_pod_template("ray-worker", self.workers[group].pod.as_pod(), self.context())


class RayCluster(Component, in_cluster=True):
    """`cluster_name` is known once head and workers are up; `cluster` is the object itself.

    `held` is what its pods hold on to: a job on the cluster goes with that, too.
    """

    cluster_name: pulumi.Output[str]
    head_service: pulumi.Output[str]
    dashboard_port: pulumi.Output[int]

    def __init__(
        self, name: str, args: RayClusterArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:RayCluster",
            name,
            args,
            once_there(formerly("ray_cluster:RayCluster", opts), *(it.needed for it in args.pods)),
        )
        access = k8s.networking.v1.NetworkPolicy(
            f"{name}-access",
            metadata={
                "name": cloud_name(NameKind.KUBERNETES, args.cluster_name, "ray"),
                "namespace": args.namespace,
                "labels": args.labels,
            },
            spec=_access(args),
            opts=fixed_name(self),
        )
        spec = _spec(args)
        # Nobody reaches Ray before it says who may.
        options = self._options(args, spec, [access])
        cluster = k8s.apiextensions.CustomResource(
            f"{name}-cluster",
            api_version="ray.io/v1",
            kind="RayCluster",
            metadata={
                "name": args.cluster_name,
                "namespace": args.namespace,
                "labels": _labels(args),
                "annotations": _annotations(args),
            },
            spec=spec,
            opts=options,
        )
        self.cluster = cluster
        self.held = args.held
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

    def _options(
        self, args: RayClusterArgs, spec: dict[str, Any], needed: Sequence[pulumi.Resource]
    ) -> pulumi.ResourceOptions:
        options = fixed_name(
            self,
            minutes=READY_MINUTES,
            ignore_changes=_KUEUES if args.queue is not None else (),
            replace_on_changes=_REPLACING,
            replace_with=args.held,
            depends_on=needed,
        )
        if args.queue is not None:
            # What is ignored above, as far as it is ours.
            options.replacement_trigger = pulumi.Output.from_input(spec["workerGroupSpecs"])
        else:
            # KubeRay looks after the groups that it finds alone: pods of one that went run on, and
            # Ray's autoscaler fails over them (ray-project/kuberay ray-operator v1.4.2,
            # controllers/ray/raycluster_controller.go:704; issue 1739, open on 2026-08-13). To the
            # patterns above a group that went is as one that came.
            hosts = {name: group.hosts for name, group in args.workers.items()}
            options.replacement_trigger = pulumi.Output.from_input(hosts)
        return options


def _spec(args: RayClusterArgs) -> dict[str, Any]:
    return fault_tolerance_fields(args.fault_tolerance) | ray_cluster_spec(
        version=args.ray_version,
        head=args.head.as_pod(),
        workers={name: it.as_workers() for name, it in args.workers.items()},
        autoscaling=args.autoscaling,
        context=args.context(),
        launcher_config_map=launcher_config_map(args.cluster_name),
        elastic=args.elastic,
        asks_for_token=args.asks_for_token,
    )


def _annotations(args: RayClusterArgs) -> dict[str, str]:
    wait = _WAIT_FOR_HEAD if args.head_is_enough else _WAIT
    written = args.autoscaling is not None or args.fault_tolerance is not None
    force = _FORCE if written and args.queue is None else {}
    return {**wait, **force, **(ELASTIC if args.elastic else {})}


def _labels(args: RayClusterArgs) -> pulumi.Input[dict[str, str]]:
    if args.queue is None:
        return args.labels
    both = pulumi.Output.all(args.labels, args.queue)
    return both.apply(lambda it: {**it[0], **queue_labels(it[1])})


def _access(args: RayClusterArgs) -> Any:
    where = pulumi.Output.from_input(args.namespace)
    return where.apply(
        lambda it: ray_access_spec(args.cluster_name, it, operator_is_pod=args.operator_is_pod)
    )
