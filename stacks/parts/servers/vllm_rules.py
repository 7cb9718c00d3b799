"""Whether vLLM can serve a model on the GPUs of one pod, by plain arithmetic over values.

What is left out of the memory (activations, CUDA graphs, what other programs hold) only adds to it,
so that what is refused cannot start; what passes still may not. Models that the catalog does not
know pass.

Sources, read 2026-11-22 in vllm-project/vllm at v0.31.0 (db9527a46): heads from
vllm/config/model.py (verify_with_parallel_config) and vllm/model_executor/models/llama.py, lengths
from vllm/config/model.py (_get_and_verify_max_len), the longest request from
vllm/v1/core/kv_cache_utils.py, what is downloaded from vllm/config/load.py.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil

from catalog import ServedModelTable
from stacks.problems import Problem

_GIB = 2**30
# Tokenizer, logs and what vLLM compiles; an estimate.
_BESIDE_WEIGHTS_GIB = 2


@dataclass(frozen=True, kw_only=True)
class VllmServer:
    """A server with one part of `model` on each of its `gpus`, each with `gpu_memory_gib`.

    `most_gpus` is how many a node has. Without `max_model_len` it is all that the model can tell
    apart, without `gpu_memory_utilization` vLLM's own default. `disk_gib` is what the pod may have
    on its node's disk; None where the model is in a bucket.
    """

    model: str
    gpus: int
    most_gpus: int
    gpu_memory_gib: int
    max_model_len: int | None = None
    gpu_memory_utilization: float | None = None
    disk_gib: int | None = None


def vllm_problems(
    table: ServedModelTable, server: VllmServer, *, field: str = "server"
) -> Iterator[Problem]:
    """What stops the download, and the first thing at which vLLM ends: heads, then lengths, then
    weights, then requests."""
    if server.model not in table.models:
        return
    yield from _disk_problems(table, server, field)
    for rule in (_head_problem, _length_problem, _weight_problem, _request_problem):
        found = rule(table, server, field)
        if found is not None:
            yield found
            return


def _disk_problems(table: ServedModelTable, server: VllmServer, field: str) -> Iterator[Problem]:
    """A pod that writes more than it asked for is evicted, and the next one does as it did."""
    needed = ceil(table.weights(server.model, 1) / _GIB) + _BESIDE_WEIGHTS_GIB
    if server.disk_gib is not None and server.disk_gib < needed:
        yield Problem(
            f"{field}.requests.ephemeral_storage_gib",
            f"{server.disk_gib} GiB do not hold the weights of {server.model}, which a pod "
            f"downloads, and {_BESIDE_WEIGHTS_GIB} GiB beside them; nearest: {needed}",
        )


def _head_problem(table: ServedModelTable, server: VllmServer, field: str) -> Problem | None:
    model, gpus = table.models[server.model], server.gpus
    if model.splits_into(gpus):
        return None
    fitting = max(it for it in range(1, min(gpus, model.heads) + 1) if model.splits_into(it))
    return Problem(
        f"{field}.gpus",
        f"{gpus} GPUs do not share out the {model.heads} attention heads and {model.kv_heads} "
        f"key-value heads of {server.model} evenly; nearest: {fitting}",
    )


def _length_problem(table: ServedModelTable, server: VllmServer, field: str) -> Problem | None:
    positions = table.models[server.model].positions
    if server.max_model_len is None or server.max_model_len <= positions:
        return None
    return Problem(
        f"{field}.max_model_len",
        f"{server.max_model_len} tokens are more than {server.model} tells apart; "
        f"nearest: {positions}",
    )


def _weight_problem(table: ServedModelTable, server: VllmServer, field: str) -> Problem | None:
    """GPUs that hold the weights and one token."""
    if _longest(table, server) > 0:
        return None
    why = (
        f"{server.model} on {server.gpus} GPUs has {_weights(table, server) / _GIB:.1f} GiB of "
        f"weights on each, of whose {server.gpu_memory_gib} GiB vLLM takes "
        f"{_share(table, server) / _GIB:.1f}"
    )
    more = (replace(server, gpus=it) for it in range(server.gpus + 1, server.most_gpus + 1))
    for wider in more:
        if table.models[server.model].splits_into(wider.gpus) and _longest(table, wider) > 0:
            return Problem(f"{field}.gpus", f"{why}; nearest: {wider.gpus}")
    smaller = [it for it in table.models if _holds(table, replace(server, model=it))]
    if not smaller:
        return Problem(f"{field}.model", f"{why}; nearest: GPUs with more memory")
    largest = max(smaller, key=lambda it: table.weights(it, 1))
    return Problem(f"{field}.model", f"{why}; nearest: {largest}")


def _request_problem(table: ServedModelTable, server: VllmServer, field: str) -> Problem | None:
    """vLLM ends where a single request of the longest kind has no room beside the weights."""
    positions = table.models[server.model].positions
    wanted = positions if server.max_model_len is None else server.max_model_len
    longest = _longest(table, server)
    if wanted <= longest:
        return None
    taken = wanted * table.token(server.model, server.gpus) / _GIB
    return Problem(
        f"{field}.max_model_len",
        f"a request of {wanted} tokens takes {taken:.1f} GiB of each GPU, where vLLM has "
        f"{_left(table, server) / _GIB:.1f} beside the weights of {server.model}; "
        f"nearest: {longest}",
    )


def _holds(table: ServedModelTable, server: VllmServer) -> bool:
    """Whether vLLM would start with a model in its whole length."""
    return table.models[server.model].splits_into(server.gpus) and not any(
        rule(table, server, "") for rule in (_length_problem, _request_problem)
    )


def _longest(table: ServedModelTable, server: VllmServer) -> int:
    """Tokens, in whole blocks, of the longest request that has room beside the weights; none where
    not even those have."""
    tokens = int(_left(table, server) // table.token(server.model, server.gpus))
    return max(0, tokens // table.vllm_block * table.vllm_block)


def _left(table: ServedModelTable, server: VllmServer) -> float:
    """Bytes of each GPU that vLLM takes and that have no weights."""
    return _share(table, server) - _weights(table, server)


def _weights(table: ServedModelTable, server: VllmServer) -> float:
    return table.weights(server.model, server.gpus)


def _share(table: ServedModelTable, server: VllmServer) -> float:
    """Bytes of each GPU that vLLM takes."""
    told = server.gpu_memory_utilization
    share = table.vllm_memory_utilization if told is None else told
    return share * server.gpu_memory_gib * _GIB
