"""Room for a model's weights, whichever program serves it. No Pulumi import.

Models that the catalog does not know pass.
"""

from collections.abc import Iterator
from math import ceil

from catalog import ServedModelTable
from stacks.problems import Problem

GIB = 2**30
# Tokenizer, logs and what the server compiles; an estimate.
_BESIDE_WEIGHTS_GIB = 2


def disk_problems(
    table: ServedModelTable, model: str, disk_gib: int | None, field: str
) -> Iterator[Problem]:
    """A pod that writes more than it asked for is evicted, and the next one does as it did. Without
    `disk_gib` what it may write has no end."""
    if model not in table.models or disk_gib is None:
        return
    needed = ceil(table.weights(model, 1) / GIB) + _BESIDE_WEIGHTS_GIB
    if disk_gib < needed:
        yield Problem(
            f"{field}.requests.ephemeral_storage_gib",
            f"{disk_gib} GiB do not hold the weights of {model}, which a pod downloads, and "
            f"{_BESIDE_WEIGHTS_GIB} GiB beside them; nearest: {needed}",
        )


def memory_problems(
    table: ServedModelTable, model: str, *, gpus: int, most_gpus: int, gpu_gib: float, field: str
) -> Iterator[Problem]:
    """GPUs that hold the weights, one part on each, whatever else is in their memory."""
    if model not in table.models:
        return
    each = table.weights(model, gpus)
    if each < gpu_gib * GIB:
        return
    has = f"{each / GIB:.1f} GiB of weights on each"
    why = f"{model} on {gpus} GPUs has {has}, which have {gpu_gib:g}"
    more = [
        it
        for it in range(gpus + 1, most_gpus + 1)
        if table.models[model].splits_into(it) and table.weights(model, it) < gpu_gib * GIB
    ]
    if more:
        yield Problem(f"{field}.gpus", f"{why}; nearest: {more[0]}")
    else:
        yield Problem(f"{field}.model", f"{why}; nearest: GPUs with more memory")
