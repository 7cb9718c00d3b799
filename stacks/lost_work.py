"""What does not run, by what the engine's state has of it.

A refresh writes down the status of custom objects and asks of none whether it is ready
(pulumi-kubernetes provider/pkg/await/await.go, Read, 94977969), so that an `up` after machines were
lost would have nothing to say.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pulumi

from components.observed_object import ObservedObject, Status
from components.ray_cluster import RayCluster
from stacks.plan import Plan

if TYPE_CHECKING:
    import pulumi_kubernetes as k8s

    from components.fine_tune_job import FineTuneJob
    from components.script_job_set import ScriptJobSet
    from stacks.parts.jobs.build import Launched

_LOOK_AGAIN = "That is what the state says; `pulumi refresh` looks again"


def warn(
    plan: Plan,
    clusters: Mapping[str, RayCluster],
    on_ray: "Mapping[str, Launched]",
    own: "Mapping[str, FineTuneJob | ScriptJobSet]",
) -> None:
    """Has `preview` and `up` say which work stands still, and what brings it back."""
    for name, cluster in clusters.items():
        jobs = [it for it, job in plan.ray_jobs.items() if plan.cluster_of(job) == name]
        then = [f"jobs.{it} {plan.ray_jobs[it].after_loss}" for it in jobs]
        back = "They come back by themselves, as soon as there are machines"
        _say(f"ray.{name}", cluster.cluster, workers_lost, "; ".join([back, *then]))
    for name, launched in on_ray.items():
        _say(f"jobs.{name}", launched.job, ray_job_failed, _again(launched.job))
    for name, made in own.items():
        _say(f"jobs.{name}", made.job, job_failed, _again(made.job))
        back = "They start again by themselves, as soon as there are machines"
        _say(f"jobs.{name}", made.job, pods_lost, back)


def workers_lost(status: Status) -> str | None:
    """Of a RayCluster that was whole once (ray-project/kuberay v1.4.2, raycluster_types.go)."""
    found = status or {}
    if _condition(found, "RayClusterProvisioned") is None:
        return None
    if found.get("state") == "suspended":
        return "it is suspended"
    # KubeRay leaves out a 0, and the engine has numbers as floats.
    ready, wanted = (int(found.get(f"{it}WorkerReplicas", 0)) for it in ("ready", "desired"))
    head = "" if _condition(found, "HeadPodReady") else "its head does not run, and "
    return f"{head}{ready} of {wanted} workers run" if head or ready < wanted else None


def ray_job_failed(status: Status) -> str | None:
    found = status or {}
    if found.get("jobDeploymentStatus") != "Failed":
        return None
    return f"it failed: {found.get('message') or found.get('reason') or 'no reason is given'}"


def job_failed(status: Status) -> str | None:
    """Of a Job or a JobSet, which call the condition the same."""
    failed = _condition(status or {}, "Failed")
    return None if failed is None else f"it failed: {failed.get('message') or failed['reason']}"


def pods_lost(status: Status) -> str | None:
    """Of a JobSet (kubernetes-sigs/jobset v0.12.0, jobset_types.go): a job is ready as a whole."""
    for one in (status or {}).get("replicatedJobsStatus") or ():
        if one.get("active", 0) > one.get("ready", 0):
            return "not all of its pods run"
    return None


def _condition(status: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """The condition, where it is true."""
    conditions: list[Mapping[str, Any]] = status.get("conditions") or []
    found = (it for it in conditions if it["type"] == name and it["status"] == "True")
    return next(found, None)


def _say(
    field: str,
    of: "ObservedObject | k8s.batch.v1.Job",
    lost: Callable[[Status], str | None],
    back: pulumi.Input[str],
) -> None:
    def say(known: list[Any]) -> None:
        if why := lost(known[0]):
            pulumi.log.warn(f"{field}: {why}. {known[1]}. {_LOOK_AGAIN}", of)

    pulumi.Output.all(of.status, back).apply(say)


def _again(job: pulumi.CustomResource) -> pulumi.Output[str]:
    return pulumi.Output.format(
        "It stays so; what runs it again, from its last checkpoint where it has any: "
        "pulumi up --stack {0} --replace '{1}'",
        pulumi.get_stack(),
        job.urn,
    )
