"""JobSet's own rules for jobset.x-k8s.io/v1alpha2 JobSet.

Source: kubernetes-sigs/jobset api/jobset/v1alpha2 and pkg/webhooks, v0.12.0 (read 2026-11-22).
Stricter than JobSet: a Job that the API server would refuse is refused with its JobSet, which would
be there without it. Not simulated, and refused: one Job after the other, claims of a JobSet's own,
other managers, and success of any Job alone.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube.names import is_label_1035
from kube.objects import JsonObject, dig, maps, name_of
from sandbox.kube.pod_rules import count_findings, template_findings

Finding = tuple[str, str]
_REASONS = frozenset(
    {
        "BackoffLimitExceeded",
        "DeadlineExceeded",
        "FailedIndexes",
        "MaxFailedIndexesExceeded",
        "PodFailurePolicy",
    }
)
_LONGEST = 63
# What Kubernetes adds to the name of a numbered pod.
_SUFFIX = "-abcde"


def job_set_findings(manifest: Mapping[str, Any]) -> Iterator[Finding]:
    spec = manifest["spec"]
    yield from _left_out(spec)
    for at, rule in enumerate(maps(dig(spec, "failurePolicy", "rules"))):
        if not _REASONS.issuperset(rule.get("onJobFailureReasons") or ()):
            choices = ", ".join(sorted(_REASONS))
            yield (
                f"spec.failurePolicy.rules[{at}].onJobFailureReasons",
                f"must be some of {choices}",
            )
    for index, one in enumerate(maps(spec.get("replicatedJobs"))):
        yield from _job_findings(manifest, one, f"spec.replicatedJobs[{index}]")


def _left_out(spec: JsonObject) -> Iterator[Finding]:
    if spec.get("volumeClaimPolicies"):
        yield "spec.volumeClaimPolicies", "is not simulated; nearest: a claim beside the JobSet"
    if spec.get("managedBy"):
        yield "spec.managedBy", "is not simulated; nearest: JobSet's own controller"
    if dig(spec, "startupPolicy", "startupPolicyOrder") == "InOrder":
        yield "spec.startupPolicy.startupPolicyOrder", "is not simulated; nearest: AnyOrder"
    if dig(spec, "successPolicy", "operator") == "Any":
        yield "spec.successPolicy.operator", "is not simulated; nearest: All"


def _job_findings(manifest: Mapping[str, Any], one: JsonObject, path: str) -> Iterator[Finding]:
    job = one["template"]["spec"]
    at = f"{path}.template.spec"
    if one.get("dependsOn"):
        yield f"{path}.dependsOn", "is not simulated; nearest: one replicated job"
    pods = job.get("completions") or job.get("parallelism") or 1
    yield from count_findings(one["replicas"] * pods, f"{path}.replicas")
    longest = f"{name_of(manifest)}-{one['name']}-{one['replicas'] - 1}-{pods - 1}{_SUFFIX}"
    if len(longest) > _LONGEST:
        text = f"{longest}, the name of a pod, has {len(longest)} characters of {_LONGEST}"
        yield "metadata.name", f"{text}; nearest: {len(longest) - _LONGEST} fewer"
    elif not is_label_1035(longest):
        yield "metadata.name", f'"{longest}" must be a-z, 0-9 or - and start with a letter'
    yield from template_findings("Job", job["template"], f"{at}.template")
    if job["completionMode"] == "Indexed" and job.get("completions") is None:
        yield f"{at}.completions", "required value when completion mode is Indexed"
    if job.get("podFailurePolicy") and job["template"]["spec"]["restartPolicy"] != "Never":
        yield f"{at}.template.spec.restartPolicy", "must be Never with podFailurePolicy"
