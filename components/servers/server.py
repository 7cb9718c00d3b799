"""A model server: its pods, the Service in front of them, who may reach them, where there may be
several the budget of how many may go at once and, where it scales, the autoscaler with the metric
that it reads.

Leaves out the queue that admits the pods, the priority class, the Secret with the token and the
bucket with its grant.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..base.arguments import at_least, within
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.naming import NameKind, name_is
from ..base.taints import NodeTaintArgs
from ..base.tokens import formerly
from ..buckets.mount import BucketMountArgs
from ..network.resource_claim_template import PodClaimArgs
from ..ray.manifest import Quantity
from .engine import PORT, InferenceEngine, ServedModel
from .manifest import (
    ModelFolder,
    Rollout,
    ServerPod,
    access_spec,
    autoscaler_spec,
    budget_spec,
    deployment_spec,
    metric_spec,
    rollout_steps,
    scaled_metric,
    service_spec,
)


@dataclass(frozen=True, kw_only=True)
class ModelFolderArgs:
    """`model_path` is the folder in `bucket`, which is mounted under `mount_path` by what GKE adds
    to pods that say so in their `annotations`; `service_account` may read it."""

    bucket: BucketMountArgs
    mount_path: str
    model_path: str
    annotations: dict[str, str]
    service_account: pulumi.Input[str]

    def as_folder(self) -> ModelFolder:
        return ModelFolder(
            bucket=self.bucket.as_mount(),
            mount_path=self.mount_path,
            model_path=self.model_path,
            annotations=self.annotations,
            service_account=self.service_account,
        )


# `kubectl scale` and an autoscaler own the replicas that they set, and without this the next change
# of them here is a conflict (pulumi/pulumi-kubernetes provider/pkg/await/await.go, patchForce,
# 94977969; issues 2491 and 3312; fluxcd/pkg ssa/patch.go:72).
_SCALED = {"pulumi.com/patchForce": "true"}


@dataclass(frozen=True, kw_only=True)
class InferenceServerArgs:
    """`replicas` is the least there are where `max_replicas` says what the most is; the autoscaler
    then aims at `target_queue_size` waiting requests a server.

    `model` is Hugging Face's name for it; where the weights are in a `folder`, any name by which
    clients ask for it. `revision`, `shards`, `max_model_len` and `gpu_memory_utilization` are as a
    ServedModel's. Only models that anybody may have need no token, which is `secret_name`'s. With
    `key_secret`, clients bring the value of its `key_secret_key`.
    `shm_gib` is part of `memory_gib`. `queue` is a LocalQueue, which admits every pod on its own;
    without one they are not Kueue's. `workload_priority` is Kueue's own class, in place of
    `priority_class` where the queue decides. `minutes` is how long a pod may take to be ready; an
    update has this time for each pod that comes after another.
    `rollout` is how pods of a changed server come, and with `stays` the only one keeps its node.
    `taints` are those of the nodes.
    With `claims`, by names, pods have the GPUs by these, and with `rdma`
    interfaces that speak it; `nccl` are NCCL's settings over those of its plugin's own script,
    `environment` what every process has.
    """

    namespace: pulumi.Input[str]
    server_name: str
    engine: InferenceEngine
    image: str
    model: str
    revision: str | None = None
    folder: ModelFolderArgs | None = None
    replicas: int
    max_replicas: int | None = None
    target_queue_size: int
    gpus: int
    shards: int
    max_model_len: int | None = None
    gpu_memory_utilization: float | None = None
    cpu_millicores: int
    memory_gib: int
    ephemeral_storage_gib: int
    shm_gib: int
    secret_name: pulumi.Input[str] | None = None
    secret_key: str
    key_secret: pulumi.Input[str] | None = None
    key_secret_key: str = ""
    priority_class: pulumi.Input[str] | None = None
    queue: pulumi.Input[str] | None = None
    workload_priority: pulumi.Input[str] | None = None
    node_selector: pulumi.Input[dict[str, str]]
    taints: Sequence[NodeTaintArgs] = ()
    claims: dict[str, PodClaimArgs] = field(default_factory=dict[str, PodClaimArgs])
    rdma: bool = False
    nccl: dict[str, str] = field(default_factory=dict[str, str])
    environment: dict[str, str] = field(default_factory=dict[str, str])
    minutes: int
    rollout: Rollout
    stays: bool = False
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("server_name", NameKind.KUBERNETES, self.server_name)
        at_least("replicas", self.replicas, 0, "is no number of replicas")
        within("replicas", self.replicas, self.max_replicas, "max_replicas")
        at_least("gpus", self.gpus, 0, "is no number of GPUs")
        within("shm_gib", self.shm_gib, self.memory_gib, "memory_gib")


class InferenceServer(Component, in_cluster=True):
    """`url` is where pods that may reach it do, known once it answers."""

    deployment_name: pulumi.Output[str]
    service_name: pulumi.Output[str]
    url: pulumi.Output[str]

    def __init__(
        self, name: str, args: InferenceServerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:InferenceServer",
            name,
            args,
            formerly("inference_server:InferenceServer", opts),
        )
        scaled, most = args.max_replicas is not None, max(args.replicas, args.max_replicas or 0)
        access = k8s.networking.v1.NetworkPolicy(
            f"{name}-access",
            metadata=_metadata(args),
            spec=_access(args),
            opts=fixed_name(self),
        )
        deployment = k8s.apps.v1.Deployment(
            f"{name}-deployment",
            metadata={**_metadata(args), "annotations": _SCALED},
            spec=deployment_spec(
                _pod(args), replicas=None if scaled else args.replicas, rollout=args.rollout
            ),
            opts=fixed_name(
                self,
                minutes=args.minutes,
                update_minutes=args.minutes * rollout_steps(args.rollout, most),
                # Once it was written here, leaving it out would take it back to one.
                ignore_changes=["spec.replicas"] if scaled else [],
                # Nobody reaches a server before it says who may.
                depends_on=[access],
            ),
        )
        service = k8s.core.v1.Service(
            f"{name}-service",
            metadata=_metadata(args),
            spec=service_spec(args.server_name),
            # The provider waits until the Service has pods that are ready.
            opts=fixed_name(self, minutes=args.minutes),
        )
        if most > 1:
            k8s.policy.v1.PodDisruptionBudget(
                f"{name}-budget",
                metadata=_metadata(args),
                spec=budget_spec(args.server_name),
                opts=fixed_name(self),
            )
        if args.max_replicas is not None:
            self._scale(name, args, deployment, args.max_replicas)
        self.deployment_name = object_name(deployment)
        self.service_name = object_name(service)
        self.url = pulumi.Output.format(
            "http://{0}.{1}.svc:{2}", self.service_name, args.namespace, PORT
        )
        self.register_outputs(
            {
                "deployment_name": self.deployment_name,
                "service_name": self.service_name,
                "url": self.url,
            }
        )

    def _scale(
        self, name: str, args: InferenceServerArgs, deployment: pulumi.CustomResource, most: int
    ) -> None:
        metric = k8s.apiextensions.CustomResource(
            f"{name}-metric",
            api_version="autoscaling.gke.io/v1beta1",
            kind="AutoscalingMetric",
            metadata=_metadata(args),
            spec=metric_spec(args.server_name, args.engine),
            opts=fixed_name(self),
        )
        k8s.autoscaling.v2.HorizontalPodAutoscaler(
            f"{name}-autoscaler",
            metadata=_metadata(args),
            spec=autoscaler_spec(
                deployment=object_name(deployment),
                metric=object_name(metric).apply(lambda it: scaled_metric(it, args.engine)),
                least=args.replicas,
                most=most,
                target_queue_size=args.target_queue_size,
            ),
            opts=fixed_name(self),
        )


def _metadata(args: InferenceServerArgs) -> k8s.meta.v1.ObjectMetaArgsDict:
    return {
        "name": args.server_name,
        "namespace": args.namespace,
        "labels": args.labels,
    }


def _access(args: InferenceServerArgs) -> Any:
    where = pulumi.Output.from_input(args.namespace)
    return where.apply(lambda it: access_spec(args.server_name, it))


def _pod(args: InferenceServerArgs) -> ServerPod:
    folder = None if args.folder is None else args.folder.as_folder()
    return ServerPod(
        server_name=args.server_name,
        engine=args.engine,
        image=args.image,
        gpus=args.gpus,
        model=ServedModel(
            name=args.model,
            source=args.model if folder is None else folder.in_pod,
            revision=args.revision if folder is None else None,
            shards=args.shards,
            max_model_len=args.max_model_len,
            gpu_memory_utilization=args.gpu_memory_utilization,
        ),
        folder=folder,
        size=Quantity(
            millicores=args.cpu_millicores,
            memory_gib=args.memory_gib,
            ephemeral_storage_gib=args.ephemeral_storage_gib,
        ),
        shm_gib=args.shm_gib,
        secret_name=args.secret_name,
        secret_key=args.secret_key,
        key_secret=args.key_secret,
        key_secret_key=args.key_secret_key,
        node_selector=args.node_selector,
        taints=args.taints,
        claims={name: it.template_name for name, it in args.claims.items()},
        rdma=args.rdma,
        nccl=args.nccl,
        environment=args.environment,
        priority_class=args.priority_class,
        queue=args.queue,
        workload_priority=args.workload_priority,
        minutes=args.minutes,
        stays=args.stays,
    )
