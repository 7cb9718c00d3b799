"""A fine-tuning of a model on several pods at once: its script, the names of its pods, and the Job
that waits in a queue.

Leaves out the queue, the priority class, the bucket with its grant and the Secret with the token.
Source of the Job: GoogleCloudPlatform/kubernetes-engine-samples ai-ml/mix-train-and-inference
(commit 2b503651 of 2026-07-30).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..base.arguments import at_least, within
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.naming import NameKind, name_is
from ..base.pod_manifest import (
    DEFAULT_SECCOMP,
    GPU,
    MACHINE_GONE,
    NO_TOKEN,
    bucket_volume,
    gpu_tolerations,
    no_more_privileges,
    plain_environment,
    script_command,
    script_mount,
    script_volume,
    secret_variable,
    shared_memory,
)
from ..base.script_file import ScriptFile, script_config_map
from ..base.taints import NodeTaintArgs
from ..base.tokens import formerly
from ..buckets.mount import BucketMountArgs
from ..queues.labels import PRIORITY_LABEL, QUEUE_LABEL, queue_labels
from ..ray.manifest import BucketMount, Quantity

# Has each pod find the others by `{job}-{number}.{service}`.
JOB_LABEL = "batch.kubernetes.io/job-name"

_MAIN_PORT = 29500
_CONTAINER = "fine-tune"
# By which launch.sh says that a pod failed with another one: EX_TEMPFAIL of sysexits.h.
_LOST_PEER_CODE = 75
# Beyond the seconds that a pod has to end: names are cached for 30 (GKE documentation, "Setting up
# NodeLocal DNSCache").
_LOST_PEER_SECONDS = 60
_BUCKET = "bucket"


@dataclass(frozen=True, kw_only=True)
class FineTunePods:
    """`subdomain` is the headless Service of the pods; `size` is of their container; `taints` are
    those of the nodes."""

    job_name: str
    subdomain: Any
    image: str
    pods: int
    gpus: int
    size: Quantity
    shm_gib: int
    environment: Mapping[str, Any]
    bucket: BucketMount
    mount_path: str
    annotations: Mapping[str, str]
    secret_name: Any
    secret_key: str
    service_account: Any
    priority_class: Any
    node_selector: Any
    taints: Sequence[NodeTaintArgs] = ()
    backoff_limit: int
    grace_seconds: int


def fine_tune_spec(pods: FineTunePods, *, file_name: str, config_map: Any) -> Any:
    """Pods that start together, each knowing its number, suspended until a queue admits them.

    Of a lost machine nothing counts as a failure: neither the pod that was on it nor the pods that
    fail with that one."""
    return {
        "suspend": True,
        "completionMode": "Indexed",
        "completions": pods.pods,
        "parallelism": pods.pods,
        "backoffLimit": pods.backoff_limit,
        "podFailurePolicy": {"rules": [MACHINE_GONE, _PEER_GONE]},
        "template": {
            "metadata": {"annotations": pods.annotations},
            "spec": _pod_spec(pods, file_name, config_map),
        },
    }


_PEER_GONE = {
    "action": "Ignore",
    "onExitCodes": {"containerName": _CONTAINER, "operator": "In", "values": [_LOST_PEER_CODE]},
}


def headless_service_spec(job_name: str) -> Any:
    """Names for pods, also for those that are not ready: they wait for each other."""
    return {
        "clusterIP": "None",
        "selector": {JOB_LABEL: job_name},
        "publishNotReadyAddresses": True,
    }


def _pod_spec(pods: FineTunePods, file_name: str, config_map: Any) -> dict[str, Any]:
    shm_volume, shm_mount = shared_memory(pods.shm_gib)
    amounts = {**pods.size.as_kubernetes(), GPU: str(pods.gpus)}
    bucket = bucket_volume(
        _BUCKET,
        pods.bucket.bucket_name,
        pods.bucket.options,
        skip_access_check=pods.bucket.skip_access_check,
        prefetch_metadata=pods.bucket.prefetch_metadata,
    )
    priority = {} if pods.priority_class is None else {"priorityClassName": pods.priority_class}
    return {
        **priority,
        # A Job with a policy for failures takes no other.
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": pods.grace_seconds,
        "serviceAccountName": pods.service_account,
        **NO_TOKEN,
        "subdomain": pods.subdomain,
        "nodeSelector": pods.node_selector,
        "tolerations": gpu_tolerations(pods.taints),
        "securityContext": DEFAULT_SECCOMP,
        "containers": [
            {
                "name": _CONTAINER,
                "image": pods.image,
                "securityContext": no_more_privileges(),
                "command": script_command(file_name),
                "env": _environment(pods),
                "ports": [{"containerPort": _MAIN_PORT}],
                # All of it, for a queue counts requests, and what is left out counts as nothing.
                "resources": {"requests": amounts, "limits": amounts},
                "volumeMounts": [
                    shm_mount,
                    {"name": _BUCKET, "mountPath": pods.mount_path},
                    script_mount(),
                ],
            }
        ],
        "volumes": [shm_volume, bucket, script_volume(config_map)],
    }


def _environment(pods: FineTunePods) -> list[dict[str, Any]]:
    place = {
        "PODS": str(pods.pods),
        "GPUS_PER_POD": str(pods.gpus),
        "HOST_PREFIX": pods.job_name,
        "SUBDOMAIN": pods.subdomain,
        "MAIN_PORT": str(_MAIN_PORT),
        "LOST_PEER_CODE": str(_LOST_PEER_CODE),
        "LOST_PEER_SECONDS": str(pods.grace_seconds + _LOST_PEER_SECONDS),
    }
    return [
        *plain_environment({**pods.environment, **place}),
        secret_variable("HF_TOKEN", pods.secret_name, pods.secret_key),
    ]


_ANNOTATIONS = {
    # The provider would wait until the Job has ended, and a queue may hold it for days. With
    # skipAwait it would not wait for the Job's deletion either, and the next one has its name
    # (pulumi-kubernetes provider/pkg/metadata/overrides.go). A refresh heeds skipAwait alone
    # (provider/pkg/await/await.go:405, 94977969): it finds a Job that runs not ready, and the next
    # `up` sends it once more as it is.
    "pulumi.com/waitFor": "jsonpath={.metadata.uid}"
}
# Kueue's to change. Written again, the first would stop a job that runs; the others, into which it
# merges a flavor's (kubernetes-sigs/kueue pkg/podset/podset.go, Merge, v0.19.2), are one field each
# for an API server, which then refuses the whole template, forced or not. Tried on kube-apiserver
# v1.35.4, 2026-11-22.
_KUEUES = (
    "spec.suspend",
    "spec.template.spec.nodeSelector",
    "spec.template.spec.tolerations",
)


@dataclass(frozen=True, kw_only=True)
class FineTuneJobArgs:
    """`pods` start together, each with `gpus` and all else that its container gets.

    `shm_gib` is part of `memory_gib`. `bucket` is mounted under `mount_path` by what GKE adds to
    pods that say so in their `annotations`; `service_account` may use it.
    `script` runs in the directory of `image`. `queue` is a LocalQueue; `workload_priority` is
    Kueue's own class, in place of `priority_class` where the queue decides. A pod that is preempted
    has `grace_seconds` to end. `taints` are those of the nodes.
    """

    namespace: pulumi.Input[str]
    job_name: str
    image: str
    script_name: str
    script: str
    environment: dict[str, str]
    pods: int
    gpus: int
    cpu_millicores: int
    memory_gib: int
    ephemeral_storage_gib: int
    shm_gib: int
    bucket: BucketMountArgs
    mount_path: str
    annotations: dict[str, str]
    service_account: pulumi.Input[str]
    secret_name: pulumi.Input[str]
    secret_key: str
    priority_class: pulumi.Input[str] | None = None
    queue: pulumi.Input[str]
    workload_priority: pulumi.Input[str] | None = None
    node_selector: pulumi.Input[dict[str, str]]
    taints: Sequence[NodeTaintArgs] = ()
    backoff_limit: int
    grace_seconds: int = 60
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("job_name", NameKind.KUBERNETES, self.job_name)
        at_least("pods", self.pods, 1, "is no number of pods")
        at_least("gpus", self.gpus, 0, "is no number of GPUs")
        within("shm_gib", self.shm_gib, self.memory_gib, "memory_gib")


class FineTuneJob(Component, in_cluster=True):
    """`job_name` is known once the Job exists, which says nothing of how far it is."""

    job_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: FineTuneJobArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:FineTuneJob",
            name,
            args,
            formerly("fine_tune_job:FineTuneJob", opts),
        )
        job_name = args.job_name
        service = k8s.core.v1.Service(
            f"{name}-service",
            metadata={"name": job_name, "namespace": args.namespace, "labels": args.labels},
            spec=headless_service_spec(job_name),
            opts=fixed_name(self),
        )
        script = ScriptFile(
            namespace=args.namespace,
            base_name=job_name,
            name=args.script_name,
            content=args.script,
            labels=args.labels,
        )
        config_map = script_config_map(self, name, script)
        labels = pulumi.Output.all(args.labels, args.queue, args.workload_priority)
        job = k8s.batch.v1.Job(
            f"{name}-job",
            metadata={
                "name": job_name,
                "namespace": args.namespace,
                "labels": labels.apply(lambda it: {**it[0], **queue_labels(it[1], it[2])}),
                "annotations": _ANNOTATIONS,
            },
            spec=fine_tune_spec(
                _pods(args, object_name(service)),
                file_name=script.file_name,
                config_map=object_name(config_map),
            ),
            opts=self._options(args),
        )
        self.job_name = object_name(job)
        self.register_outputs({"job_name": self.job_name})

    def _options(self, args: FineTuneJobArgs) -> pulumi.ResourceOptions:
        options = fixed_name(
            self,
            ignore_changes=_KUEUES,
            # Pods that run cannot change, nor the queue that has admitted them, and Kueue neither
            # gives a priority to a job that runs nor takes one away.
            replace_on_changes=[
                "spec",
                *(f'metadata.labels["{it}"]' for it in (QUEUE_LABEL, PRIORITY_LABEL)),
            ],
        )
        # What is ignored above, as far as it is ours.
        options.replacement_trigger = pulumi.Output.from_input(args.node_selector)
        return options


def _pods(args: FineTuneJobArgs, subdomain: pulumi.Output[str]) -> FineTunePods:
    return FineTunePods(
        job_name=args.job_name,
        subdomain=subdomain,
        image=args.image,
        pods=args.pods,
        gpus=args.gpus,
        size=Quantity(
            millicores=args.cpu_millicores,
            memory_gib=args.memory_gib,
            ephemeral_storage_gib=args.ephemeral_storage_gib,
        ),
        shm_gib=args.shm_gib,
        environment=args.environment,
        bucket=args.bucket.as_mount(),
        mount_path=args.mount_path,
        annotations=args.annotations,
        secret_name=args.secret_name,
        secret_key=args.secret_key,
        service_account=args.service_account,
        priority_class=args.priority_class,
        node_selector=args.node_selector,
        taints=args.taints,
        backoff_limit=args.backoff_limit,
        grace_seconds=args.grace_seconds,
    )
