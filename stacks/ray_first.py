"""What a run cannot do while Ray clusters stand: they have to go in a run of their own first."""

from collections.abc import Iterator
from dataclasses import dataclass

from stacks.on_record import Record, Recorded
from stacks.parts.cluster.config import RayOperator
from stacks.plan import Plan
from stacks.refusal import CLUSTER
from stacks.two_runs import Difference, TwoRuns
from stacks.workloads import JOB, RAY_CLUSTER


@dataclass(frozen=True)
class _Conflict:
    difference: Difference
    clusters: tuple[Recorded, ...]
    why: str


def standing(plan: Plan, record: Record) -> Iterator[TwoRuns]:
    """At most one, for all that is in the way of Ray clusters."""
    if found := [*_of_operator(plan, record), *_of_tests(plan, record)]:
        yield _two_runs(found)


def _of_operator(plan: Plan, record: Record) -> Iterator[_Conflict]:
    """An add-on that is turned off takes its definitions along, and with them every object (the
    sandbox's reading; of GKE no source was found). The chart of one that is taken out leaves them,
    and nobody who looks after the objects until the add-on is there."""
    clusters = tuple(record.of_type(RAY_CLUSTER))
    for cluster in record.of_type(CLUSTER) if clusters else ():
        addons = cluster.outputs.get("addonsConfig") or {}
        had = any(it.get("enabled") for it in addons.get("rayOperatorConfigs") or ())
        if had != ("ray_operator" in plan.features):
            before = RayOperator.ADDON if had else RayOperator.HELM
            after = RayOperator.HELM if had else RayOperator.ADDON
            yield _Conflict(
                Difference("stack.cluster.ray_operator", before.value, after.value),
                clusters,
                "an operator that goes takes Ray clusters and jobs along or leaves them alone, and "
                "the engine would not know",
            )


def _of_tests(plan: Plan, record: Record) -> Iterator[_Conflict]:
    """A first test; with another one Ray clusters are made anew, which one run does."""
    for name, ray in plan.ray.items():
        standing = record.get(RAY_CLUSTER, f"{name}-cluster")
        wanted = ray.config.nccl_test
        if wanted is None or ray.nccl is None or standing is None:
            continue
        if record.get(JOB, f"{name}-nccl-test-job") is not None:
            continue
        speed = wanted.minimum_bus_bandwidth_gbps
        yield _Conflict(
            Difference(f"stack.ray.{name}.nccl_test", "none", f"one for {speed} GB/s"),
            (standing,),
            "the test wants whole nodes, and waits for GPUs that Ray holds",
        )


def _two_runs(found: list[_Conflict]) -> TwoRuns:
    clusters = {it.urn: it.name for one in found for it in one.clusters}
    return TwoRuns(
        what="Ray clusters have to be away for this, and no single run does that",
        differences=[one.difference for one in found],
        why="; ".join(dict.fromkeys(it.why for it in found)),
        targets=list(clusters),
        loss=f"With `destroy` go {', '.join(clusters.values())} and the jobs on them; with `up` a "
        "job starts again, from its last checkpoint where it has any.",
    )
