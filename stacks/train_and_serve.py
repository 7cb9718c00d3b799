"""GPU nodes that a model's servers and a fine-tuning share by Kueue's queues, and a bucket.

APIs -> VPC -> GKE -> CPU pool -> Kueue -> queues, quotas from the nodes --+
   |            +---> GPU pool --------------------------------------------+-> servers, fine-tuning
   +--> bucket -----> account's role --------------------------------------+
"""

from collections.abc import Mapping
from dataclasses import replace

import pulumi

from components.inference_engine import PORT
from stacks import bucket_storage, platform, queueing
from stacks.nodes import cluster_nodes
from stacks.outputs import StackOutputs, cluster_outputs, forward_command
from stacks.serving_workload import Place, fine_tune_job, inference_server
from stacks.train_and_serve_config import TrainAndServe

_APIS = (*platform.APIS, "storage")


def build(config: TrainAndServe, secrets: Mapping[str, pulumi.Output[str]]) -> StackOutputs:
    on = platform.cloud(config, _APIS)

    network = platform.network(config, on)
    bucket = bucket_storage.bucket(config, on)
    nodes = cluster_nodes(config, on, network)

    where = platform.namespace(config, on, nodes.gke)
    allowed = bucket_storage.access(config, on, nodes.gke, where, bucket)
    queues = queueing.queues(config, on, nodes, where)
    tokens = platform.tokens(config, on, nodes.gke, where, secrets)
    # The config refuses to be without one.
    assert tokens is not None
    place = Place(nodes=nodes, where=where, queues=queues, tokens=tokens)
    server = inference_server(config, on, place)
    job = fine_tune_job(config, on, place, allowed)
    dashboard = platform.dashboard(config, on)

    outputs = cluster_outputs(config, nodes.gke, dashboard, lost=bucket_storage.lost(config))
    return replace(
        outputs,
        bucket_url=bucket.url,
        queue_command=queues.command(config.namespace),
        server_url=None if server is None else server.url,
        server_command=None
        if server is None
        else forward_command(config.namespace, server.service_name, f"{PORT}:{PORT}"),
        job_name=None if job is None else job.job_name,
    )
