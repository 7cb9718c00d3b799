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
from itertools import islice

from catalog import ServedModelFacts, ServedModelTable
from stacks.parts.servers.weight_rules import GIB, disk_problems
from stacks.problems import Problem


@dataclass(frozen=True, kw_only=True)
class VllmServer:
    """A server with one part of `model`, which `table` knows, on each of its `gpus`, of each of
    which programs have `gpu_memory_gib`.

    `most_gpus` is how many a node has. Without `max_model_len` it is all that the model can tell
    apart, without `gpu_memory_utilization` vLLM's own default. `disk_gib` is what the pod may have
    on its node's disk, None where that has no end.
    """

    table: ServedModelTable
    model: str
    gpus: int
    most_gpus: int
    gpu_memory_gib: float
    max_model_len: int | None = None
    gpu_memory_utilization: float | None = None
    disk_gib: int | None = None

    @property
    def facts(self) -> ServedModelFacts:
        return self.table.models[self.model]

    @property
    def share(self) -> float:
        """Bytes of each GPU that vLLM takes."""
        told = self.gpu_memory_utilization
        share = self.table.vllm_memory_utilization if told is None else told
        return share * self.gpu_memory_gib * GIB

    @property
    def weights(self) -> float:
        """Bytes of them on each GPU."""
        return self.table.weights(self.model, self.gpus)

    @property
    def token(self) -> int:
        """Bytes of each GPU that one more token of a request takes."""
        return self.table.token(self.model, self.gpus)

    @property
    def longest(self) -> int:
        """Tokens, in whole blocks, of the longest request that has room beside the weights; none
        where not even those have."""
        block = self.table.vllm_block
        return max(0, int((self.share - self.weights) // self.token) // block * block)


def vllm_problems(server: VllmServer, *, field: str = "server") -> Iterator[Problem]:
    """What stops the download, and the first thing at which vLLM ends: heads, then lengths, then
    weights, then requests."""
    if server.model not in server.table.models:
        return
    yield from disk_problems(server.table, server.model, server.disk_gib, field)
    rules = (_head_problems, _length_problems, _weight_problems, _request_problems)
    yield from islice((one for rule in rules for one in rule(server, field)), 1)


def _head_problems(server: VllmServer, field: str) -> Iterator[Problem]:
    model, gpus = server.facts, server.gpus
    if not model.splits_into(gpus):
        fitting = max(it for it in range(1, min(gpus, model.heads) + 1) if model.splits_into(it))
        yield Problem(
            f"{field}.gpus",
            f"{gpus} GPUs do not share out the {model.heads} attention heads and {model.kv_heads} "
            f"key-value heads of {server.model} evenly; nearest: {fitting}",
        )


def _length_problems(server: VllmServer, field: str) -> Iterator[Problem]:
    positions = server.facts.positions
    if server.max_model_len is not None and server.max_model_len > positions:
        yield Problem(
            f"{field}.max_model_len",
            f"{server.max_model_len} tokens are more than {server.model} tells apart; "
            f"nearest: {positions}",
        )


def _weight_problems(server: VllmServer, field: str) -> Iterator[Problem]:
    """GPUs that hold the weights and one token."""
    if server.longest > 0:
        return
    why = (
        f"{server.model} on {server.gpus} GPUs has {server.weights / GIB:.1f} GiB of weights on "
        f"each, of whose {server.gpu_memory_gib:g} GiB vLLM takes {server.share / GIB:.1f}"
    )
    more = [
        gpus
        for gpus in range(server.gpus + 1, server.most_gpus + 1)
        if server.facts.splits_into(gpus) and replace(server, gpus=gpus).longest > 0
    ]
    if more:
        yield Problem(f"{field}.gpus", f"{why}; nearest: {more[0]}")
    else:
        smaller = [it for it in server.table.models if _starts(replace(server, model=it))]
        largest = max(smaller, key=lambda it: server.table.weights(it, 1), default=None)
        near = largest or "GPUs with more memory"
        yield Problem(f"{field}.model", f"{why}; nearest: {near}")


def _request_problems(server: VllmServer, field: str) -> Iterator[Problem]:
    """vLLM ends where a single request of the longest kind has no room beside the weights."""
    told = server.max_model_len
    wanted = server.facts.positions if told is None else told
    if wanted > server.longest:
        yield Problem(
            f"{field}.max_model_len",
            f"a request of {wanted} tokens takes {wanted * server.token / GIB:.1f} GiB of each "
            f"GPU, where vLLM has {(server.share - server.weights) / GIB:.1f} beside the weights "
            f"of {server.model}; nearest: {server.longest}",
        )


def _starts(server: VllmServer) -> bool:
    rules = (_head_problems, _length_problems, _request_problems)
    return not any(one for rule in rules for one in rule(server, ""))
