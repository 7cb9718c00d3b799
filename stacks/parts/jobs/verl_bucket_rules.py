"""What a verl training has on its bucket, and what the job that fills the bucket needs of a node.

Sources: workloads/verl/prepare_data.py; GKE documentation, "Plan GKE Standard node sizes".
"""

from collections.abc import Iterator
from itertools import combinations
from pathlib import PurePosixPath

from catalog import Sidecar
from stacks.parts.jobs.verl_job import Preparation, VerlJob
from stacks.problems import Problem
from stacks.rules.packing import Amounts
from stacks.rules.ray_fit import Host

_MIB = 1024
_OTHER_MODEL = "nearest: Qwen/Qwen2.5-32B-Instruct"


def folder_problems(job: VerlJob) -> Iterator[Problem]:
    """Each has a folder of its own: what one is made anew from another must not take along."""
    model = job.model.rpartition("/")[2]
    folders = [
        ("verl's code", "verl"),
        ("the data set", job.dataset),
        ("what is prepared", ".prepared"),
        ("job.model", model),
        ("job.checkpoints.directory", job.checkpoints.directory),
    ]
    if model.startswith("."):
        yield Problem("job.model", f'"{model}" is no folder for a model; {_OTHER_MODEL}')
        return
    told: set[str] = set()
    for (what, folder), (field, other) in combinations(folders, 2):
        if field.startswith("job.") and field not in told and _overlap(folder, other):
            told.add(field)
            free = next(it for it in ("checkpoints", "runs") if it != model)
            near = _OTHER_MODEL if field == "job.model" else f"nearest: {free}"
            yield Problem(
                field,
                f'its folder on the bucket, "{other}", is not apart from "{folder}" of {what}; '
                f"{near}",
            )


def _overlap(one: str, other: str) -> bool:
    first, second = PurePosixPath(one), PurePosixPath(other)
    return first == second or first in second.parents or second in first.parents


def preparation_problems(
    job: Preparation, sidecar: Sidecar, host: Host, head: Amounts, *, nodes: int | None
) -> Iterator[Problem]:
    """It fits a node, and one beside Ray's `head` where there is one alone; `nodes` is the most
    there can be, None where there is no end."""
    left = Amounts.of_node(host) - Amounts.of_sidecar(sidecar)
    where = f"on a {host.name}"
    if nodes == 1:
        left, where = left - head, f"beside Ray's head on the one {host.name}"
    for key, asked, has, unit in (
        ("cpu", job.millicores, left.cpu_millicores, 1000),
        ("memory_gib", job.memory_gib * _MIB, left.memory_mib, _MIB),
        ("scratch_gib", job.scratch_gib * _MIB, left.ephemeral_storage_mib, _MIB),
    ):
        if asked > has:
            near = has // unit
            yield Problem(
                f"job.preparation.{key}",
                f"{asked / unit:g} is more than is left to it {where}; "
                f"nearest: {near if near > 0 else 'a larger cpu_pool.machine_type'}",
            )
