"""A fine-tuning of a model on several pods at once: its script, the names of its pods, and the Job
that waits in a queue.

Leaves out the queue, the priority class, the bucket with its grant and the Secret with the token.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.bucket_mount import BucketMountArgs
from components.custom_object import object_name
from components.fine_tune_manifest import FineTunePods, fine_tune_spec, headless_service_spec
from components.lifecycle import fixed_name
from components.naming import NameKind, check_name
from components.node_taints import NodeTaintArgs
from components.queue_labels import PRIORITY_LABEL, QUEUE_LABEL, queue_labels
from components.ray_manifest import Quantity
from components.script_file import ScriptFile, script_config_map

_ANNOTATIONS = {
    # The provider would wait until the Job has ended, and a queue may hold it for days. With
    # skipAwait it would not wait for the Job's deletion either, and the next one has its name
    # (pulumi-kubernetes provider/pkg/metadata/overrides.go). A refresh heeds skipAwait alone
    # (provider/pkg/await/await.go:405): it finds a Job that runs not ready, and the next `up` sends
    # it once more as it is.
    "pulumi.com/waitFor": "jsonpath={.metadata.uid}"
}
# Kueue's to change. Written again, the first would stop a job that runs; the others, into which it
# merges a flavor's, are one field each for an API server, which then refuses the whole template.
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
    backoff_limit: int = 4
    grace_seconds: int = 60
    labels: pulumi.Input[dict[str, str]]


class FineTuneJob(pulumi.ComponentResource):
    """`job_name` is known once the Job exists, which says nothing of how far it is."""

    job_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: FineTuneJobArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:fine_tune_job:FineTuneJob", name, None, opts)
        job_name = check_name(NameKind.KUBERNETES, args.job_name)
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
