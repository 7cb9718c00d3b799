"""What a run cannot do while Ray clusters stand: they have to go in a run of their own first."""

from collections.abc import Iterator
from dataclasses import dataclass

from components.nccl_test import BANDWIDTH
from stacks.on_record import Record, Recorded
from stacks.one_run import Difference, TwoRunsError
from stacks.parts.cluster.config import RayOperator
from stacks.plan import Plan
from stacks.refusal import CLUSTER

_RAY_CLUSTER = "kubernetes:ray.io/v1:RayCluster"
_TEST = "kubernetes:batch/v1:Job"


@dataclass(frozen=True)
class _Conflict:
    difference: Difference
    clusters: tuple[Recorded, ...]
    why: str


def check(plan: Plan, record: Record, stack: str) -> None:
    """Raises TwoRunsError. `stack` is what Pulumi calls it."""
    if found := [*_of_operator(plan, record), *_of_tests(plan, record)]:
        raise TwoRunsError(_message(found, stack))


def _of_operator(plan: Plan, record: Record) -> Iterator[_Conflict]:
    """An add-on that is turned off takes its definitions along, and with them every object (the
    sandbox's reading; of GKE no source was found). The chart of one that is taken out leaves them,
    and nobody who looks after the objects until the add-on is there."""
    standing = tuple(record.of_type(_RAY_CLUSTER))
    for cluster in record.of_type(CLUSTER) if standing else ():
        addons = cluster.outputs.get("addonsConfig") or {}
        had = any(it.get("enabled") for it in addons.get("rayOperatorConfigs") or ())
        if had != ("ray_operator" in plan.features):
            before = RayOperator.ADDON if had else RayOperator.HELM
            after = RayOperator.HELM if had else RayOperator.ADDON
            yield _Conflict(
                Difference("stack.cluster.ray_operator", before.value, after.value),
                standing,
                "an operator that goes takes Ray clusters and jobs along or leaves them alone, and "
                "the engine would not know",
            )


def _of_tests(plan: Plan, record: Record) -> Iterator[_Conflict]:
    for name, ray in plan.ray.items():
        standing = record.get(_RAY_CLUSTER, f"{name}-cluster")
        wanted = ray.config.nccl_test
        if wanted is None or ray.nccl is None or standing is None:
            continue
        speed = str(wanted.minimum_bus_bandwidth_gbps)
        tested = _speed_of(record.get(_TEST, f"{name}-nccl-test-job"))
        if tested == speed:
            continue
        yield _Conflict(
            Difference(f"stack.ray.{name}.nccl_test", tested or "none", f"one for {speed} GB/s"),
            (standing,),
            "the test wants whole nodes, and waits for GPUs that Ray holds",
        )


def _speed_of(test: Recorded | None) -> str | None:
    """The bandwidth that a test on record asks for."""
    if test is None:
        return None
    containers = test.outputs["spec"]["template"]["spec"]["containers"]
    found = (it.get("value") for one in containers for it in one["env"] if it["name"] == BANDWIDTH)
    return next(found, None)


def _message(found: list[_Conflict], stack: str) -> str:
    clusters = {it.urn: it for one in found for it in one.clusters}
    targets = " ".join(f"--target '{urn}'" for urn in clusters)
    names = ", ".join(it.name for it in clusters.values())
    return "\n".join(
        [
            "Ray clusters have to be away for this, and no single run does that; nothing was "
            "changed.",
            *(f"  {it.difference}" for it in found),
            f"Why: {'; '.join(dict.fromkeys(it.why for it in found))}. What does it:",
            f"  pulumi destroy --stack {stack} {targets} --target-dependents",
            f"  pulumi up --stack {stack}",
            f"With `destroy` go {names} and the jobs on them; with `up` a job starts again, from "
            "its last checkpoint where it has any.",
        ]
    )
