"""Work that does not run, by what the engine has on record: told, and run again where it failed.

A refresh writes down the status of custom objects and asks of none whether it is ready
(pulumi-kubernetes provider/pkg/await/await.go, Read, 94977969), so that an `up` after machines were
lost would have nothing to say.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import pulumi

from components.jobs.attempt import ATTEMPT, attempt_of
from stacks.on_record import Record, Recorded
from stacks.plan import Plan
from stacks.planned_jobs import planned_jobs
from stacks.workloads import JOBS, RAY_CLUSTER

_Status = Mapping[str, Any]
_BACK = "They come back by themselves, as soon as there are machines"
_AGAIN = "It is made anew, and goes on from its last checkpoint where it has any"


def install(record: Record) -> None:
    """Has `up` make anew what has failed."""
    pulumi.runtime.register_stack_transformation(partial(run_again, record))


def told(plan: Plan, record: Record) -> Iterator[str]:
    """What stands still, as the last refresh has it on record."""
    return (f"{line}. So it was at the last refresh" for line in _lines(plan, record))


def _lines(plan: Plan, record: Record) -> Iterator[str]:
    for name in plan.ray:
        if why := _why(record, RAY_CLUSTER, f"{name}-cluster", workers_lost):
            jobs = {it: job for it, job in plan.ray_jobs.items() if plan.cluster_of(job) == name}
            then = [f"jobs.{it} {job.after_loss}" for it, job in jobs.items()]
            yield "; ".join([f"ray.{name}: {why}. {_BACK}", *then])
    for (token, logical), job in planned_jobs(plan).items():
        if why := _why(record, token, logical, failure):
            yield f"jobs.{job.name}: it failed: {why}. {_AGAIN}"
        elif why := _why(record, token, logical, pods_lost):
            yield f"jobs.{job.name}: {why}. {_BACK}"


def run_again(
    record: Record, args: pulumi.ResourceTransformationArgs
) -> pulumi.ResourceTransformationResult | None:
    """Another attempt is another object. The number stays on it, or the next run would make one
    more."""
    if args.type_ not in JOBS:
        return None
    recorded = record.get(args.type_, args.name)
    attempt = 0 if recorded is None else _attempts(recorded)
    own, props, options = args.opts.replacement_trigger, args.props, args.opts
    # The engine takes a first trigger for no change, so there is always one.
    options.replacement_trigger = (
        own if own is not None and not attempt else pulumi.Output.all(own, attempt)
    )
    if attempt:
        metadata: Any = args.props["metadata"]
        annotations = {**(metadata.get("annotations") or {}), ATTEMPT: str(attempt)}
        props = {**props, "metadata": {**metadata, "annotations": annotations}}
    return pulumi.ResourceTransformationResult(props, options)


def workers_lost(status: _Status) -> str | None:
    """Of a RayCluster that was whole once (ray-project/kuberay v1.4.2, raycluster_types.go)."""
    if condition(status, "RayClusterProvisioned") is None:
        return None
    if status.get("state") == "suspended":
        return "it is suspended"
    # KubeRay leaves out a 0.
    ready, wanted = (status.get(f"{it}WorkerReplicas", 0) for it in ("ready", "desired"))
    head = "" if condition(status, "HeadPodReady") else "its head does not run, and "
    return f"{head}{ready} of {wanted} workers run" if head or ready < wanted else None


def failure(status: _Status) -> str | None:
    """Of a RayJob; or of a Job or a JobSet, which call the condition the same."""
    failed = condition(status, "Failed")
    if status.get("jobDeploymentStatus") == "Failed":
        failed = status
    return None if failed is None else failed.get("message") or failed.get("reason") or "no reason"


def pods_lost(status: _Status) -> str | None:
    """Of a JobSet (kubernetes-sigs/jobset v0.12.0, jobset_types.go): a job is ready as a whole."""
    replicated: list[Mapping[str, int]] = status.get("replicatedJobsStatus") or []
    waits = any(it["active"] > it["ready"] for it in replicated)
    return "not all of its pods run" if waits else None


def _attempts(recorded: Recorded) -> int:
    failed = failure(status_of(recorded)) is not None
    return attempt_of(recorded.outputs) + failed


def _why(
    record: Record, token: str, name: str, look: Callable[[_Status], str | None]
) -> str | None:
    recorded = record.get(token, name)
    return None if recorded is None else look(status_of(recorded))


def status_of(recorded: Recorded) -> _Status:
    return recorded.outputs.get("status") or {}


def condition(status: _Status, name: str) -> Mapping[str, Any] | None:
    """The condition, where it is true."""
    conditions: list[Mapping[str, Any]] = status.get("conditions") or []
    found = (it for it in conditions if it["type"] == name and it["status"] == "True")
    return next(found, None)
