"""Config of a stack whose servers and trainings share GPUs by queues. No Pulumi import."""

from collections.abc import Iterator
from typing import Literal

from stacks.blocks.bucket_stack import BucketStack
from stacks.blocks.either_mode_stack import EitherModeStack
from stacks.blocks.fine_tune_job import FineTuneJob
from stacks.blocks.inference_server import InferenceServer
from stacks.blocks.kueue import Kueue
from stacks.blocks.queue_stack import QueueStack
from stacks.blocks.ray import Resources
from stacks.problems import Problem
from stacks.rules.admission import Queued, admission_problems, spread_problems
from stacks.rules.fine_tune import fine_tune_problems, requests_of, shared_name_problems
from stacks.rules.inference import channel_problems, server_problems
from stacks.rules.packing import Amounts
from stacks.rules.queue_nodes import all_checked
from stacks.rules.queues import (
    framework_problems,
    priority_problems,
    queue_problems,
    workload_priority_problems,
)
from stacks.rules.sharing import (
    on_request_problems,
    whole_machine_problems,
    without_interfaces_problems,
)

# The models of the defaults are given out to those who have accepted their licence.
REQUIRED_SECRETS = ("hugging_face_token",)


class TrainAndServe(EitherModeStack, BucketStack, QueueStack, frozen=True):
    """GPU nodes, a bucket, Kueue, a model's servers first in line and a fine-tuning behind them."""

    kind: Literal["train-and-serve"]
    kueue: Kueue = Kueue()
    server: InferenceServer | None = None
    fine_tune: FineTuneJob | None = None

    @property
    def server_image(self) -> str:
        asked = None if self.server is None else self.server.image
        return asked or self.facts.image("tgi").reference

    @property
    def fine_tune_image(self) -> str:
        asked = None if self.fine_tune is None else self.fine_tune.image
        return asked or self.facts.image("gemma_fine_tuning").reference

    @property
    def fine_tune_requests(self) -> Resources:
        assert self.fine_tune is not None
        return requests_of(self.fine_tune, self.gpu_host, self.sidecar)

    @property
    def gpu_nodes_at_most(self) -> int:
        return sum(pool.bounds.max for pool in self.gpu_pools.values()) or self.gpu_hosts.nodes

    @property
    def queued_minutes(self) -> dict[str, int]:
        server = self.server
        return {} if server is None or not server.queue else {"server.minutes": server.minutes}

    @property
    def _all_checked(self) -> bool:
        """Whether Kueue asks for the GPU nodes of whatever runs on them."""
        flavors = [name for name, it in self.flavor_nodes.items() if it.field == self.gpu_field]
        waits = self.server is None or self.server.queue is not None
        return waits and all_checked(self.kueue, flavors)

    def features(self) -> tuple[str, ...]:
        scales = self.server is not None and self.server.autoscaling is not None
        return (*super().features(), *(["custom_metrics"] if scales else []))

    def rules(self) -> Iterator[Problem]:
        broken = tuple(super().rules())
        yield from broken
        if not self.knows_machines or not self.gpu_node.accelerators:
            return
        yield from without_interfaces_problems(f"{self.gpu_field}.machine_type", self.gpu_machine)
        if not self.autopilot:
            yield from on_request_problems(
                self.gpu_field, self.gpu_hosts.capacity, checked=self._all_checked
            )
        yield from self._server_problems(counted=not broken)
        yield from self._fine_tune_problems(counted=not broken)

    def _server_problems(self, *, counted: bool) -> Iterator[Problem]:
        server = self.server
        if server is None:
            return
        found = [
            *server_problems(server, self.gpu_host, nodes=self.gpu_nodes_at_most),
            *queue_problems(self.kueue, "server.queue", server.queue, self.namespace),
            *priority_problems(self.kueue, "server.priority", server.priority),
            *workload_priority_problems(
                self.kueue, "server.workload_priority", server.workload_priority, server.queue
            ),
            *channel_problems(server, self.cluster.release_channel),
        ]
        yield from found
        if server.queue is not None:
            yield from framework_problems(self.kueue, "server", "pod")
        if self.autopilot:
            yield from whole_machine_problems("server.gpus", server.gpus, self.gpu_machine)
        if counted and not found and server.queue is not None:
            yield from admission_problems(
                self.kueue, self.quotas, self._queued_server(server, server.least)
            )

    def _queued_server(self, server: InferenceServer, pods: int) -> Queued:
        return Queued(
            field="server",
            queue=server.queue or "",
            where=self.namespace,
            pod=Amounts.of_pod(server.requests, server.gpus),
            pods=pods,
        )

    def _fine_tune_problems(self, *, counted: bool) -> Iterator[Problem]:
        job = self.fine_tune
        if job is None:
            return
        found = [
            *shared_name_problems(job, self.server, field="fine_tune"),
            *fine_tune_problems(
                job,
                self.gpu_host,
                nodes=self.gpu_nodes_at_most,
                sidecar=self.sidecar,
                server=self.server,
                field="fine_tune",
            ),
            *queue_problems(self.kueue, "fine_tune.queue", job.queue, self.namespace),
            *priority_problems(self.kueue, "fine_tune.priority", job.priority),
            *workload_priority_problems(
                self.kueue, "fine_tune.workload_priority", job.workload_priority, job.queue
            ),
        ]
        yield from found
        yield from framework_problems(self.kueue, "fine_tune", "batch/job")
        if self.autopilot:
            yield from whole_machine_problems("fine_tune.gpus", job.gpus, self.gpu_machine)
        if counted and not found:
            yield from self._sharing_problems(job)

    def _sharing_problems(self, job: FineTuneJob) -> Iterator[Problem]:
        queued = Queued(
            field="fine_tune",
            queue=job.queue,
            where=self.namespace,
            # Kueue counts a job's template, which GKE's sidecar is not in.
            pod=Amounts.of_pod(self.fine_tune_requests, job.gpus),
            pods=job.pods,
            together=True,
        )
        server = self.server
        broken = tuple(admission_problems(self.kueue, self.quotas, queued))
        yield from broken
        if server is None or broken or list(self._server_problems(counted=True)):
            return
        yield from spread_problems(
            self.kueue,
            self.quotas,
            queued,
            self._queued_server(server, server.most),
            node=Amounts.of_node(self.gpu_host),
            nodes=self.gpu_nodes_at_most,
            on_node=Amounts.of_pod(self.fine_tune_requests, job.gpus, self.sidecar),
        )
