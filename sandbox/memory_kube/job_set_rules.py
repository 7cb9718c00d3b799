"""JobSet's own rules, and the fields of jobset.x-k8s.io/v1alpha2 JobSet.

Source: kubernetes-sigs/jobset api/jobset/v1alpha2 and pkg/webhooks, v0.12.0 (read 2026-11-22).
Stricter than JobSet: a Job that the API server would refuse is refused with its JobSet, which would
be there without it. Not simulated, and refused: one Job after the other, claims of a JobSet's own,
other managers, and success of any Job alone.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.kube import schemas
from sandbox.kube.field_rules import Fields, ListOf, object_findings
from sandbox.kube.names import is_label_1035, label_findings
from sandbox.kube.objects import JsonObject, dig, maps, name_of
from sandbox.kube.pod_rules import count_findings, template_findings

Finding = tuple[str, str]
_REASONS = (
    "BackoffLimitExceeded|DeadlineExceeded|FailedIndexes|MaxFailedIndexesExceeded|PodFailurePolicy"
)
_ACTIONS = (
    "FailJobSet|RestartJobSet|RestartJobSetAndIgnoreMaxRestarts|RestartJob"
    "|RestartJobAndIgnoreMaxRestarts"
)
_RULE = Fields(
    {
        "action": _ACTIONS,
        "name": "string",
        "onJobFailureMessagePatterns": ListOf("string"),
        "onJobFailureReasons": ListOf(_REASONS),
        "targetReplicatedJobs": ListOf("string"),
    },
    frozenset({"action"}),
)
_REPLICATED_JOB = Fields(
    {
        "dependsOn": ListOf("any"),
        "groupName": "string",
        "name": "string",
        "replicas": "integer",
        "template": Fields({"metadata": "any", "spec": "any"}, frozenset({"spec"})),
    },
    frozenset({"name", "template"}),
)
SPEC = Fields(
    {
        "coordinator": Fields(
            {"jobIndex": "integer", "podIndex": "integer", "replicatedJob": "string"},
            frozenset({"replicatedJob"}),
        ),
        "failurePolicy": Fields(
            {
                "maxRestarts": "integer",
                "restartStrategy": "Recreate|BlockingRecreate|InPlaceRestart",
                "rules": ListOf(_RULE),
            }
        ),
        "managedBy": "string",
        "network": Fields(
            {
                "enableDNSHostnames": "boolean",
                "publishNotReadyAddresses": "boolean",
                "subdomain": "string",
            }
        ),
        "replicatedJobs": ListOf(_REPLICATED_JOB),
        "startupPolicy": Fields(
            {"startupPolicyOrder": "AnyOrder|InOrder"}, frozenset({"startupPolicyOrder"})
        ),
        "successPolicy": Fields(
            {"operator": "All|Any", "targetReplicatedJobs": ListOf("string")},
            frozenset({"operator"}),
        ),
        "suspend": "boolean",
        "ttlSecondsAfterFinished": "integer",
        "volumeClaimPolicies": ListOf("any"),
    }
)
_LONGEST = 63
# What Kubernetes adds to the name of a numbered pod.
_SUFFIX = "-abcde"


def job_set_findings(manifest: Mapping[str, Any]) -> list[Finding]:
    found = [*object_findings(manifest, SPEC), *label_findings(manifest)]
    if found:
        return found
    spec = manifest["spec"]
    found = list(_left_out(spec))
    for index, one in enumerate(maps(spec.get("replicatedJobs"))):
        found += _job_findings(manifest, one, f"spec.replicatedJobs[{index}]")
    return found


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
    wrong = list(_schema_findings(job, at))
    yield from wrong
    if wrong:
        return
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


def _schema_findings(job: Any, path: str) -> Iterator[Finding]:
    """What the schema of a Job says to one inside a JobSet."""
    wrapped = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {}, "spec": job}
    for at, text in schemas.findings(wrapped):
        yield path + at.removeprefix("spec"), text
