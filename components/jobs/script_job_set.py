"""What a user brings, run on several nodes at once: a JobSet of its own with its files, and who may
reach its pods.

Leaves out JobSet's controller, the queue, the priority class, buckets with their grants and the
Secret with tokens.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..base.arguments import at_least, checked, within
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name, once_there
from ..base.naming import NameKind, cloud_name, name_is
from ..base.node_terms import selector_terms
from ..base.pod_holds import MountArgs, OnNodesArgs
from ..base.pod_manifest import PodSecretArgs, bucket_volume
from ..base.taints import NodeTaintArgs
from ..base.tokens import formerly
from ..network.node_network import interface_annotations
from ..queues.labels import PRIORITY_LABEL, QUEUE_LABEL, queue_labels
from ..ray.manifest import Quantity
from .job_set_manifest import (
    API_VERSION,
    JobSetPods,
    job_set_access_spec,
    job_set_spec,
)


@dataclass(frozen=True, kw_only=True)
class ScriptMountArgs(MountArgs):
    """A volume or a bucket, under `path`."""

    path: str
    read_only: bool = False

    def as_volume(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The volume and its mount, as Kubernetes has them."""
        mount: dict[str, Any] = {"name": self.name, "mountPath": self.path}
        if self.read_only:
            mount["readOnly"] = True
        if self.bucket is None:
            claim = {"claimName": self.claimed}
            return {"name": self.name, "persistentVolumeClaim": claim}, mount
        bucket = self.bucket.as_mount()
        volume = bucket_volume(
            self.name,
            bucket.bucket_name,
            bucket.options,
            skip_access_check=bucket.skip_access_check,
            prefetch_metadata=bucket.prefetch_metadata,
        )
        return volume, mount


# Kueue's to change: it writes what it has found into the pods' template, and JobSet's webhook
# refuses any other of a JobSet that runs (kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go,
# ValidateUpdate, v0.12.0). As a whole, for the provider sends what is ignored below a list all the
# same (pulumi/pulumi-kubernetes provider/pkg/await/await.go, handleSSAIgnoreFields, 94977969).
_KUEUES = ("spec.suspend", "spec.replicatedJobs")


@dataclass(frozen=True, kw_only=True)
class ScriptJobSetArgs(OnNodesArgs):
    """`nodes` pods, each on a node of its own with all of `gpus` and what else it gets; `shm_gib`
    is part of `memory_gib`.

    `command` runs in the directory of `image`, with `files` beside each other under /etc/script,
    executable; together they hold at most 1 MiB. Each pod has MASTER_ADDR, MASTER_PORT,
    JAX_COORDINATOR_ADDRESS, NNODES, NODE_RANK and GPUS_PER_NODE; `$(NAME)` in the command is one of
    its variables. `networks` are the further interfaces of the nodes, all of which a pod gets, or
    else `claims` are what it claims of them, by names, which may speak `rdma`, and have the GPUs
    where they are `gpus_claimed`; `nccl` are NCCL's settings over those of its plugin's own script,
    and `taints` are the nodes'. With `any_of` a node is one that one of these selectors picks, too.
    GKE adds what mounts buckets to pods that say so in their `annotations`.

    `queue` is a LocalQueue, by which the pods wait until all can start; `workload_priority` is
    Kueue's own class, in place of `priority_class` where the queue decides. A run may take
    `minutes`, waiting for nodes and the image included. One that fails starts again `max_restarts`
    times, and as often as a machine goes away. `pools` are where the nodes come from: the JobSet
    waits for them, and is replaced with them and all else that its pods hold on to.
    `client_of` is a model server in the namespace that lets the pods in.
    """

    namespace: pulumi.Input[str]
    job_name: str
    image: str
    command: Sequence[str]
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    environment: dict[str, str] = field(default_factory=dict[str, str])
    nodes: int = 1
    gpus: int = 0
    cpu_millicores: int
    memory_gib: int
    ephemeral_storage_gib: int
    shm_gib: int = 0
    node_selector: pulumi.Input[dict[str, str]]
    any_of: Sequence[pulumi.Input[dict[str, str]]] = ()
    taints: Sequence[NodeTaintArgs] = ()
    gpus_claimed: bool = False
    rdma: bool = False
    nccl: dict[str, str] = field(default_factory=dict[str, str])
    mounts: Sequence[ScriptMountArgs] = ()
    annotations: dict[str, str] = field(default_factory=dict[str, str])
    secret_name: pulumi.Input[str] | None = None
    secret_keys: Sequence[str] = ()
    secrets: Sequence[PodSecretArgs] = ()
    service_account: pulumi.Input[str] | None = None
    client_of: str | None = None
    priority_class: pulumi.Input[str] | None = None
    queue: pulumi.Input[str] | None = None
    workload_priority: pulumi.Input[str] | None = None
    max_restarts: int = 0
    minutes: int | None = None
    grace_seconds: int
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("job_name", NameKind.JOB_SET, self.job_name)
        at_least("nodes", self.nodes, 1, "is no number of nodes")
        at_least("gpus", self.gpus, 0, "is no number of GPUs")
        interfaces = [(it.interface, it.name) for it in self.networks]
        checked("networks", interface_annotations, interfaces)
        within("shm_gib", self.shm_gib, self.memory_gib, "memory_gib")

    @property
    def held(self) -> list[pulumi.Resource]:
        """What cannot go before the pods have."""
        return list(
            dict.fromkeys([*(one for it in self.mounts for one in it.held), *self.of_nodes])
        )

    @property
    def size(self) -> Quantity:
        """What a pod gets beside its GPUs."""
        cpu, storage = self.cpu_millicores, self.ephemeral_storage_gib
        return Quantity(millicores=cpu, memory_gib=self.memory_gib, ephemeral_storage_gib=storage)


class ScriptJobSet(Component, in_cluster=True):
    """`job_name` is known once the JobSet exists, which says nothing of how far it is."""

    job_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: ScriptJobSetArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:ScriptJobSet",
            name,
            args,
            once_there(formerly("script_job_set:ScriptJobSet", opts), args.needed),
        )
        job_name = args.job_name
        where = pulumi.Output.from_input(args.namespace)
        access = k8s.networking.v1.NetworkPolicy(
            f"{name}-access",
            metadata={
                "name": cloud_name(NameKind.KUBERNETES, job_name, "pods"),
                "namespace": args.namespace,
                "labels": args.labels,
            },
            spec=where.apply(lambda it: job_set_access_spec(job_name, it)),
            opts=fixed_name(self),
        )
        spec = job_set_spec(_pods(args, self._files(args)))
        options = self._options(args, spec["replicatedJobs"])
        # Nobody reaches pods before it says who may.
        options.depends_on = [access]
        job_set = k8s.apiextensions.CustomResource(
            f"{name}-job-set",
            api_version=API_VERSION,
            kind="JobSet",
            metadata={"name": job_name, "namespace": args.namespace, "labels": _labels(args)},
            spec=spec,
            opts=options,
        )
        self.job_name = object_name(job_set)
        self.register_outputs({"job_name": self.job_name})

    def _files(self, args: ScriptJobSetArgs) -> pulumi.Output[str] | None:
        """The name of the ConfigMap, which changes with the files: pods of a run have the same."""
        if not args.files:
            return None
        digest = hashlib.sha256(json.dumps(args.files, sort_keys=True).encode()).hexdigest()[:8]
        config_map = k8s.core.v1.ConfigMap(
            f"{self.pulumi_resource_name}-files",
            metadata={
                "name": cloud_name(NameKind.KUBERNETES, args.job_name, "files", digest),
                "namespace": args.namespace,
                "labels": args.labels,
            },
            data=dict(args.files),
            opts=fixed_name(self),
        )
        return object_name(config_map)

    def _options(self, args: ScriptJobSetArgs, jobs: Any) -> pulumi.ResourceOptions:
        queued = args.queue is not None
        options = fixed_name(
            self,
            ignore_changes=_KUEUES if queued else [],
            # Pods that run cannot change, nor the queue that has admitted them.
            replace_on_changes=[
                "spec",
                *(f'metadata.labels["{it}"]' for it in (QUEUE_LABEL, PRIORITY_LABEL) if queued),
            ],
            replace_with=args.held,
        )
        if queued:
            # What is ignored above, as far as it is ours.
            options.replacement_trigger = pulumi.Output.from_input(jobs)
        return options


def _labels(args: ScriptJobSetArgs) -> pulumi.Input[dict[str, str]]:
    if args.queue is None:
        return args.labels
    both = pulumi.Output.all(args.labels, args.queue, args.workload_priority)
    return both.apply(lambda it: {**it[0], **queue_labels(it[1], it[2])})


def _pods(args: ScriptJobSetArgs, files: pulumi.Output[str] | None) -> JobSetPods:
    annotations = dict(args.annotations)
    if args.networks:
        annotations |= interface_annotations((it.interface, it.name) for it in args.networks)
    return JobSetPods(
        job_name=args.job_name,
        image=args.image,
        command=args.command,
        nodes=args.nodes,
        gpus=args.gpus,
        size=args.size,
        shm_gib=args.shm_gib,
        environment=args.environment,
        secret_name=args.secret_name,
        secret_keys=args.secret_keys,
        secrets=args.secrets,
        service_account=args.service_account,
        files=files,
        volumes=[it.as_volume() for it in args.mounts],
        annotations=annotations,
        node_selector=args.node_selector,
        node_terms=pulumi.Output.all(*args.any_of).apply(selector_terms) if args.any_of else None,
        taints=args.taints,
        priority_class=args.priority_class,
        claims=args.templates,
        gpus_claimed=args.gpus_claimed,
        rdma=args.rdma or any(it.rdma for it in args.networks),
        nccl=args.nccl,
        queued=args.queue is not None,
        client_of=args.client_of,
        max_restarts=args.max_restarts,
        minutes=args.minutes,
        grace_seconds=args.grace_seconds,
    )
