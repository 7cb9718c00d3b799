"""What a Text Generation Inference server demands of its nodes and of its model.

Sources, read 2026-11-21: huggingface/text-generation-inference (commit db931fcf of 2026-01-08)
server/text_generation_server/models/custom_modeling/flash_gemma2_modeling.py; heads from
google/gemma_pytorch gemma/config.py.
"""

from collections.abc import Iterator

from catalog import MachineType, ReleaseChannel
from stacks.parts.ray.config import PodSizes
from stacks.parts.servers.options import InferenceServer
from stacks.problems import Problem
from stacks.rules.packing import Amounts
from stacks.rules.ray_fit import Host, pod_problems

# A Service's name and a pod's host name are DNS labels (RFC 1035).
LONGEST_LABEL = 63
# Key-value heads, of which every shard needs as many.
_HEADS = {"gemma-2-2b": 4, "gemma-2-9b": 8, "gemma-2-27b": 16}


def server_problems(
    server: InferenceServer, host: Host, *, nodes: int, field: str = "server"
) -> Iterator[Problem]:
    """`nodes` of the host are all that the servers can have."""
    yield from name_problems(f"{field}.name", server.name, LONGEST_LABEL)
    yield from gpu_problems(f"{field}.gpus", server.gpus, host.machine)
    yield from shard_problems(field, server)
    yield from _head_problems(field, server)
    sizes = PodSizes(requests=server.requests, shm_gib=server.shm_gib)
    too_large = list(pod_problems(field, sizes, host, None))
    yield from too_large
    yield from scaling_problems(field, server)
    held = nodes * Amounts.of_node(host).holds(Amounts.of_pod(server.requests, server.gpus))
    if 0 < held < server.least and not too_large:
        where = "replicas" if server.autoscaling is None else "autoscaling.min"
        yield Problem(
            f"{field}.{where}",
            f"{server.least} servers with {server.gpus} GPUs each do not fit {nodes} nodes of "
            f"{host.name}; nearest: {held}",
        )


def channel_problems(
    server: InferenceServer, channel: ReleaseChannel, *, field: str = "server"
) -> Iterator[Problem]:
    """What the autoscaler reads is in one channel alone (GKE documentation, "Expose custom metrics
    for autoscaling", read 2026-11-21)."""
    if server.autoscaling is not None and channel is not ReleaseChannel.RAPID:
        yield Problem(
            "cluster.release_channel",
            f"{channel} lets no pods scale by a metric of their own, which {field}.autoscaling "
            f"does; nearest: {ReleaseChannel.RAPID}",
        )


def name_problems(field: str, name: str, longest: int) -> Iterator[Problem]:
    """A name that host names are made of."""
    if len(name) > longest or name[0].isdigit():
        letter_first = f"n{name}" if name[0].isdigit() else name
        yield Problem(
            field,
            f'"{name}" becomes part of a host name, which starts with a letter and has room for '
            f"{longest} characters of it; nearest: {letter_first[:longest].rstrip('-')}",
        )


def gpu_problems(field: str, gpus: int, machine: MachineType) -> Iterator[Problem]:
    has = machine.accelerator.count if machine.accelerator else 0
    if gpus > has:
        yield Problem(
            field, f"{gpus} GPUs are more than a node of {machine.name} has; nearest: {has}"
        )


def shard_problems(field: str, server: InferenceServer) -> Iterator[Problem]:
    gpus, shards = server.gpus, server.model_shards
    if shards != gpus:
        yield Problem(
            f"{field}.shards",
            f"{shards} shards are not one on each of the server's {gpus} GPUs; nearest: {gpus}",
        )


def _head_problems(field: str, server: InferenceServer) -> Iterator[Problem]:
    gpus, shards = server.gpus, server.model_shards
    if shards != gpus:
        return
    heads = _HEADS.get(server.model.removeprefix("google/").removesuffix("-it"))
    if heads is not None and heads % shards:
        fitting = max(n for n in range(1, min(heads, shards) + 1) if heads % n == 0)
        yield Problem(
            f"{field}.gpus",
            f"{gpus} shards do not share out the {heads} key-value heads of {server.model} "
            f"evenly; nearest: {fitting}",
        )


def scaling_problems(field: str, server: InferenceServer) -> Iterator[Problem]:
    scaling = server.autoscaling
    if scaling is None:
        return
    if server.replicas is not None:
        yield Problem(
            f"{field}.replicas",
            f"{server.replicas} is what autoscaling decides; nearest: none, with autoscaling.min "
            f"{server.replicas}",
        )
    if scaling.max < scaling.min:
        yield Problem(
            f"{field}.autoscaling.max",
            f"{scaling.max} servers are fewer than the least, {scaling.min}; "
            f"nearest: {scaling.min}",
        )
