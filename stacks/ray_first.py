"""What a run cannot do while Ray clusters stand: they have to go in a run of their own first."""

from collections.abc import Iterator
from dataclasses import dataclass

from stacks.on_record import Record, Recorded
from stacks.parts.cluster.config import RayOperator
from stacks.parts.cluster.plan import runs_kuberay
from stacks.plan import Plan
from stacks.refusal import CLUSTER
from stacks.two_runs import Difference, TwoRuns
from stacks.workloads import RAY_CLUSTER


@dataclass(frozen=True)
class _Conflict:
    differences: tuple[Difference, ...]
    clusters: tuple[Recorded, ...]
    why: str
    instead: str = ""


def standing(plan: Plan, record: Record) -> Iterator[TwoRuns]:
    """At most one, for all that is in the way of Ray clusters."""
    if found := list(_of_operator(plan, record)):
        yield _two_runs(found)


def _of_operator(plan: Plan, record: Record) -> Iterator[_Conflict]:
    """An add-on that is turned off takes its definitions along, and with them every object (the
    sandbox's reading; of GKE no source was found). The chart of one that is taken out leaves them,
    and nobody who looks after the objects until the add-on is there."""
    clusters = tuple(record.of_type(RAY_CLUSTER))
    for cluster in record.of_type(CLUSTER) if clusters else ():
        addons = cluster.outputs.get("addonsConfig") or {}
        had = any(it.get("enabled") for it in addons.get("rayOperatorConfigs") or ())
        if had and not runs_kuberay(plan.stack):
            yield _Conflict(
                tuple(_of_cluster(it) for it in clusters),
                clusters,
                "GKE's add-on for Ray goes with the last Ray cluster, and takes it along before "
                "the engine has deleted it",
                "stack.cluster.ray_operator: addon, which keeps the add-on without Ray clusters",
            )
        elif had != ("ray_operator" in plan.features):
            before = RayOperator.ADDON if had else RayOperator.HELM
            after = RayOperator.HELM if had else RayOperator.ADDON
            yield _Conflict(
                (Difference("stack.cluster.ray_operator", before.value, after.value),),
                clusters,
                "an operator that goes takes Ray clusters and jobs along or leaves them alone, and "
                "the engine would not know",
            )


def _of_cluster(ray: Recorded) -> Difference:
    key = ray.name.removesuffix("-cluster")
    return Difference(f"the Ray cluster (stack.ray.{key})", "there", "none")


def _two_runs(found: list[_Conflict]) -> TwoRuns:
    clusters = {it.urn: it.name for one in found for it in one.clusters}
    return TwoRuns(
        what="Ray clusters have to be away for this, and no single run does that",
        differences=[it for one in found for it in one.differences],
        why="; ".join(dict.fromkeys(it.why for it in found)),
        targets=list(clusters),
        loss=f"With `destroy` go {', '.join(clusters.values())} and the jobs on them; with `up` a "
        "job starts again, from its last checkpoint where it has any.",
        instead=", ".join(filter(None, (one.instead for one in found))),
    )
