"""Kueue's LocalQueues: the queues that workloads of a namespace name.

Leaves out the ClusterQueues behind them, which come before the namespaces: a namespace that is
deleted first takes its workloads out of the ClusterQueue, which cannot go while one of them has
quota there (kubernetes-sigs/kueue v0.19.2 pkg/controller/core/clusterqueue_controller.go).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from ..base.arguments import one_of
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.naming import NameKind, name_is
from ..base.tokens import formerly
from .kueue import Kueue
from .manifest import API_VERSION

# The component that had the LocalQueues as children before they had one of their own.
_BEFORE = "gke-ai-stacks:kueue_queues:KueueQueues"


@dataclass(frozen=True, kw_only=True)
class LocalQueueArgs:
    name: str
    namespace: str
    cluster_queue: str


@dataclass(frozen=True, kw_only=True)
class LocalQueuesArgs:
    """`kueue` is that of `KueueQueuesArgs`. `cluster_queues` are the stack's own, by
    name, each known once it exists, and `namespaces` those of the stack. `queues` is the logical
    name of the stack's `KueueQueues`."""

    kueue: Kueue | None = None
    queues: str
    local_queues: Sequence[LocalQueueArgs]
    cluster_queues: dict[str, pulumi.Input[str]] = field(
        default_factory=dict[str, pulumi.Input[str]]
    )
    namespaces: dict[str, pulumi.Input[str]] = field(default_factory=dict[str, pulumi.Input[str]])
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        for place, one in enumerate(self.local_queues):
            name_is(f"local_queues[{place}].name", NameKind.KUBERNETES, one.name)
            # Without any the queues are somebody else's.
            if self.cluster_queues:
                where = f"local_queues[{place}].cluster_queue"
                one_of(where, one.cluster_queue, self.cluster_queues, "is none of cluster_queues")


class LocalQueues(Component, in_cluster=True):
    """`local_queues` are names by `namespace/name`, known once workloads can use them."""

    local_queues: pulumi.Output[dict[str, str]]

    def __init__(
        self, name: str, args: LocalQueuesArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:LocalQueues",
            name,
            args,
            formerly("local_queues:LocalQueues", opts),
        )
        self._args = args
        self.local_queues = pulumi.Output.all(
            **{f"{it.namespace}/{it.name}": self._queue(it) for it in args.local_queues}
        )
        self.register_outputs({"local_queues": self.local_queues})

    def _queue(self, queue: LocalQueueArgs) -> pulumi.Output[str]:
        args = self._args
        made = k8s.apiextensions.CustomResource(
            f"{self.pulumi_resource_name}-{queue.namespace}-{queue.name}",
            api_version=API_VERSION,
            kind="LocalQueue",
            metadata={
                "name": queue.name,
                "namespace": args.namespaces.get(queue.namespace, queue.namespace),
                "labels": args.labels,
            },
            spec={
                "clusterQueue": args.cluster_queues.get(queue.cluster_queue, queue.cluster_queue)
            },
            opts=self._options(),
        )
        return object_name(made)

    def _options(self) -> pulumi.ResourceOptions:
        kueue = self._args.kueue
        options = fixed_name(
            self,
            # Kueue lets a queue's ClusterQueue not change.
            replace_on_changes=["spec.clusterQueue"],
            replace_with=[] if kueue is None else [kueue.release],
            depends_on=[] if kueue is None else [kueue.release, kueue.ready],
        )
        options.aliases = [pulumi.Alias(parent=pulumi.create_urn(self._args.queues, _BEFORE))]
        return options
