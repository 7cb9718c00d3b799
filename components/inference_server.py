"""A Text Generation Inference server: its pods, the Service in front of them and, where it scales,
the autoscaler with the metric that it reads.

Leaves out the queue that admits the pods, the priority class and the Secret with the token.
"""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.custom_object import object_name
from components.inference_manifest import (
    PORT,
    ServerPod,
    autoscaler_spec,
    deployment_spec,
    metric_spec,
    scaled_metric,
    service_spec,
)
from components.lifecycle import fixed_name
from components.naming import NameKind, check_name
from components.ray_manifest import Quantity


@dataclass(frozen=True, kw_only=True)
class InferenceServerArgs:
    """`replicas` is the least there are where `max_replicas` says what the most is; the autoscaler
    then aims at `target_queue_size` waiting requests a server.

    `shm_gib` is part of `memory_gib`. `queue` is a LocalQueue, which admits every pod on its own;
    without one they are not Kueue's. `workload_priority` is Kueue's own class, in place of
    `priority_class` where the queue decides. `minutes` is how long a pod may take to be ready.
    """

    namespace: pulumi.Input[str]
    server_name: str
    image: str
    model: str
    replicas: int = 1
    max_replicas: int | None = None
    target_queue_size: int = 5
    gpus: int
    shards: int
    cpu_millicores: int
    memory_gib: int
    ephemeral_storage_gib: int
    shm_gib: int
    secret_name: pulumi.Input[str]
    secret_key: str
    priority_class: pulumi.Input[str] | None = None
    queue: pulumi.Input[str] | None = None
    workload_priority: pulumi.Input[str] | None = None
    node_selector: pulumi.Input[dict[str, str]]
    minutes: int = 30
    labels: pulumi.Input[dict[str, str]]


class InferenceServer(pulumi.ComponentResource):
    """`url` is where pods of the cluster reach it, known once it answers."""

    deployment_name: pulumi.Output[str]
    service_name: pulumi.Output[str]
    url: pulumi.Output[str]

    def __init__(
        self, name: str, args: InferenceServerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:inference_server:InferenceServer", name, None, opts)
        scaled = args.max_replicas is not None
        deployment = k8s.apps.v1.Deployment(
            f"{name}-deployment",
            metadata=_metadata(args),
            spec=deployment_spec(_pod(args), replicas=None if scaled else args.replicas),
            opts=fixed_name(
                self,
                minutes=args.minutes,
                # Once it was written here, leaving it out would take it back to one.
                ignore_changes=["spec.replicas"] if scaled else [],
            ),
        )
        service = k8s.core.v1.Service(
            f"{name}-service",
            metadata=_metadata(args),
            spec=service_spec(args.server_name),
            # The provider waits until the Service has pods that are ready.
            opts=fixed_name(self, minutes=args.minutes),
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
            spec=metric_spec(args.server_name),
            opts=fixed_name(self),
        )
        k8s.autoscaling.v2.HorizontalPodAutoscaler(
            f"{name}-autoscaler",
            metadata=_metadata(args),
            spec=autoscaler_spec(
                deployment=object_name(deployment),
                metric=object_name(metric).apply(scaled_metric),
                least=args.replicas,
                most=most,
                target_queue_size=args.target_queue_size,
            ),
            opts=fixed_name(self),
        )


def _metadata(args: InferenceServerArgs) -> k8s.meta.v1.ObjectMetaArgsDict:
    return {
        "name": check_name(NameKind.KUBERNETES, args.server_name),
        "namespace": args.namespace,
        "labels": args.labels,
    }


def _pod(args: InferenceServerArgs) -> ServerPod:
    return ServerPod(
        server_name=args.server_name,
        image=args.image,
        model=args.model,
        gpus=args.gpus,
        shards=args.shards,
        size=Quantity(
            millicores=args.cpu_millicores,
            memory_gib=args.memory_gib,
            ephemeral_storage_gib=args.ephemeral_storage_gib,
        ),
        shm_gib=args.shm_gib,
        secret_name=args.secret_name,
        secret_key=args.secret_key,
        node_selector=args.node_selector,
        priority_class=args.priority_class,
        queue=args.queue,
        workload_priority=args.workload_priority,
        minutes=args.minutes,
    )
