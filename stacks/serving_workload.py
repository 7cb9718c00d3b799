"""A model's servers and a fine-tuning behind them, from a stack's config."""

from dataclasses import dataclass
from pathlib import Path

import pulumi

from components.fine_tune_job import FineTuneJob, FineTuneJobArgs
from components.inference_server import InferenceServer, InferenceServerArgs
from components.token_secret import TokenSecret
from stacks import bucket_storage
from stacks.bucket_storage import Access
from stacks.nodes import ClusterNodes
from stacks.platform import VARIABLES, Cloud
from stacks.queueing import Queues
from stacks.train_and_serve_config import TrainAndServe

_LAUNCHER = Path(__file__).parent.parent / "workloads" / "fine_tune" / "launch.sh"
_TOKEN = VARIABLES["hugging_face_token"]


@dataclass(frozen=True, kw_only=True)
class Place:
    """What the workloads share; `where` is their namespace."""

    nodes: ClusterNodes
    where: pulumi.Input[str]
    queues: Queues
    tokens: TokenSecret

    def after(self) -> pulumi.ResourceOptions:
        """No value of a workload names what it waits for."""
        nodes = self.nodes
        return pulumi.ResourceOptions(
            providers=[nodes.gke.kubernetes],
            depends_on=[*nodes.needed, *nodes.gpu_pools, *self.queues.made],
        )


def inference_server(config: TrainAndServe, on: Cloud, place: Place) -> InferenceServer | None:
    server = config.server
    if server is None:
        return None
    scaling = server.autoscaling
    return InferenceServer(
        "server",
        InferenceServerArgs(
            namespace=place.where,
            server_name=server.name,
            image=config.server_image,
            model=server.model,
            replicas=server.least,
            max_replicas=None if scaling is None else scaling.max,
            target_queue_size=1 if scaling is None else scaling.target_queue_size,
            gpus=server.gpus,
            shards=server.model_shards,
            cpu_millicores=server.requests.millicores,
            memory_gib=server.requests.memory_gib,
            ephemeral_storage_gib=server.requests.ephemeral_storage_gib or 0,
            shm_gib=server.shm_gib,
            secret_name=place.tokens.secret_name,
            secret_key=_TOKEN,
            priority_class=place.queues.priority(server.priority),
            queue=place.queues.queue(server.queue),
            workload_priority=place.queues.workload_priority(server.workload_priority),
            node_selector=_gpu_selector(config, place.nodes),
            minutes=server.minutes,
            labels=on.labels,
        ),
        opts=place.after(),
    )


def fine_tune_job(
    config: TrainAndServe, on: Cloud, place: Place, allowed: Access
) -> FineTuneJob | None:
    job = config.fine_tune
    if job is None:
        return None
    requests, mount_path = config.fine_tune_requests, config.bucket.mount_path
    return FineTuneJob(
        "fine-tune",
        FineTuneJobArgs(
            namespace=place.where,
            job_name=job.name,
            image=config.fine_tune_image,
            script_name=_LAUNCHER.name,
            script=_LAUNCHER.read_text(encoding="utf-8"),
            environment=job.environment(mount_path),
            pods=job.pods,
            gpus=job.gpus,
            cpu_millicores=requests.millicores,
            memory_gib=requests.memory_gib,
            ephemeral_storage_gib=requests.ephemeral_storage_gib or 0,
            shm_gib=job.shm_gib,
            bucket=bucket_storage.mount_args(config, allowed),
            mount_path=mount_path,
            annotations=bucket_storage.annotations(config.mount_limits),
            service_account=allowed.account_name,
            secret_name=place.tokens.secret_name,
            secret_key=_TOKEN,
            priority_class=place.queues.priority(job.priority),
            queue=place.queues.queues[job.queue],
            workload_priority=place.queues.workload_priority(job.workload_priority),
            node_selector=_gpu_selector(config, place.nodes),
            backoff_limit=job.backoff_limit,
            labels=on.labels,
        ),
        opts=place.after(),
    )


def _gpu_selector(config: TrainAndServe, nodes: ClusterNodes) -> pulumi.Input[dict[str, str]]:
    """Any node with these GPUs: which of the pools it is, is for the queue's flavors to say."""
    accelerator = config.gpu_machine.accelerator
    # The rules refuse machines without GPUs.
    assert accelerator is not None
    if config.autopilot:
        return nodes.gpu
    return {"cloud.google.com/gke-accelerator": accelerator.type}
