"""What keeps members of a team from having work run past the team's queue, as plain data. Pure.

Kueue gives work that names no queue to the LocalQueue `default` of its namespace, but for what has
an owner that it manages itself, and takes its gate off a pod once a queue has admitted it
(kubernetes-sigs/kueue v0.19.2 pkg/controller/jobframework/defaults.go, defaultLocalQueueApplies,
and pkg/controller/jobs/pod/pod_webhook.go). Kueue charges a queue for what has an owner by the
owner alone, for as long as the owner exists, and for a group of pods by one pod of each role, which
an annotation names (pkg/controller/jobs/pod/pod_controller.go, getRoleHash). So a member who could
write an owner, part pods from theirs, change what an owner admitted makes, or name a role, would
run more than the queue is charged for. Controllers do all of this, and they may create, change and
delete these objects in every namespace, which a member may in the team's alone.

A controller parts from pods whose labels its selector no longer finds (kubernetes/kubernetes
v1.35.4 pkg/controller/controller_ref_manager.go, ReleasePod). A deletion parts dependents from
their owner by its options, by a finalizer, or by what is usual for the kind
(staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go, shouldOrphanDependents;
pkg/registry/batch/job/strategy.go and pkg/registry/core/replicationcontroller/strategy.go,
DefaultGarbageCollectionPolicy).

That jobs are held to a queue by an admission policy is Kueue's own advice (site/content/en/docs/
tasks/manage/enforce_job_management/setup_job_admission_policy.md); the policy's form is that of
kubernetes/kubernetes v1.35.4 pkg/apis/admissionregistration/types.go.
"""

from collections.abc import Sequence
from typing import Any

# What has pods, by API group.
GUARDED = {
    "": ("pods", "replicationcontrollers"),
    "apps": ("daemonsets", "deployments", "replicasets", "statefulsets"),
    "batch": ("cronjobs", "jobs"),
    "jobset.x-k8s.io": ("jobsets",),
    "ray.io": ("rayclusters", "rayjobs", "rayservices"),
}
# Kinds whose deletion without a word leaves their pods.
_ORPHANING = ("jobs", "replicationcontrollers")
# A deleted job's queue is free while its pods still end. Nodes that are scaled down leave a pod as
# long (kubernetes/autoscaler 55c37cd5e cluster-autoscaler/FAQ.md, max-graceful-termination-sec).
GRACE_S = 600

_KUEUE = "kueue.x-k8s.io/"
# Labels of pods by which controllers find them: those of Jobs, JobSets, KubeRay and of `apps`.
_LABEL_GROUPS = (
    "apps.kubernetes.io/",
    "batch.kubernetes.io/",
    "jobset.sigs.k8s.io/",
    "ray.io/",
    "statefulset.kubernetes.io/",
)
_LABELS = ("controller-revision-hash", "controller-uid", "job-name", "pod-template-hash")
_FINALIZER_GROUPS = ("batch.kubernetes.io/", _KUEUE)
_POD_GROUP = (f"{_KUEUE}pod-group-name", f"{_KUEUE}pod-group-total-count")


def _listed(values: Sequence[str]) -> str:
    return f"[{', '.join(map(repr, values))}]"


def _is_of(key: str, groups: Sequence[str]) -> str:
    return f"{_listed(groups)}.exists(group, {key}.startsWith(group))"


_OF_CONTROLLERS = f"({_is_of('key', _LABEL_GROUPS)} || key in {_listed(_LABELS)})"
_AUTHORIZED = "authorizer.group(request.resource.group).resource(request.resource.resource)"
_VARIABLES = {
    "isController": " || ".join(
        f"request.operation == '{operation}' && {_AUTHORIZED}.check('{verb}').allowed()"
        for operation, verb in (
            ("CREATE", "create"),
            ("UPDATE", "update"),
            ("UPDATE", "patch"),
            ("DELETE", "delete"),
        )
    ),
    "isPod": "request.resource.resource == 'pods' && request.?subResource.orValue('') == ''",
    "hasOwner": "request.operation == 'UPDATE' && "
    "oldObject.metadata.?ownerReferences.orValue([])"
    ".exists(owner, owner.?controller.orValue(false))",
}

_KEEPS_OWNERS = (
    "request.operation == 'DELETE' || object.metadata.?ownerReferences.orValue([]) == "
    "(request.operation == 'UPDATE' ? oldObject.metadata.?ownerReferences.orValue([]) : [])"
)
_KEEPS_GATES = (
    "!variables.isPod || request.operation != 'UPDATE' || "
    "oldObject.spec.?schedulingGates.orValue([]).all(old, "
    f"!old.name.startsWith('{_KUEUE}') || "
    "object.spec.?schedulingGates.orValue([]).exists(kept, kept.name == old.name))"
)


def _kept(part: str, guarded: str) -> str:
    """An update takes away or changes none of the labels or annotations in `part` whose `key` is
    `guarded`."""
    old, new = (f"{it}.metadata.?{part}.orValue({{}})" for it in ("oldObject", "object"))
    return f"{old}.all(key, !({guarded}) || (key in {new} && {new}[key] == {old}[key]))"


def _same(part: str, guarded: str) -> str:
    """Nor does it add one."""
    old, new = (f"{it}.metadata.?{part}.orValue({{}})" for it in ("oldObject", "object"))
    return f"({_kept(part, guarded)} && {new}.all(key, !({guarded}) || key in {old}))"


_IS_COUNTED = f"key.startsWith({_KUEUE!r})"
_KEEPS_LABELS = (
    "request.operation == 'DELETE' || (request.operation == 'CREATE' ? "
    "!variables.isPod || "
    f"object.metadata.?labels.orValue({{}}).all(key, !{_OF_CONTROLLERS}) : "
    f"(!variables.hasOwner || {_kept('labels', 'true')}) && "
    f"(!variables.isPod || {_same('labels', f'{_OF_CONTROLLERS} || {_IS_COUNTED}')}))"
)
_KEEPS_ANNOTATIONS = (
    "request.operation != 'UPDATE' || !(variables.isPod || variables.hasOwner) || "
    f"{_same('annotations', _IS_COUNTED)}"
)
_KEEPS_FINALIZERS = (
    "!variables.isPod || request.operation != 'UPDATE' || "
    "oldObject.metadata.?finalizers.orValue([]).all(name, "
    f"!({_is_of('name', _FINALIZER_GROUPS)}) || "
    "name in object.metadata.?finalizers.orValue([]))"
)
_IS_NOT_TO_ORPHAN = (
    "request.operation == 'DELETE' || !('orphan' in object.metadata.?finalizers.orValue([]))"
)
# A CronJob's Jobs go through a queue themselves, and so do workers that an autoscaler adds to a Ray
# cluster: Kueue takes such a cluster only where it charges for them
# (pkg/controller/jobs/raycluster/raycluster_webhook.go).
_KEEPS_SPEC = (
    "!variables.hasOwner || variables.isPod || object.spec == oldObject.spec || "
    "oldObject.metadata.ownerReferences.exists(owner, "
    "owner.?controller.orValue(false) && owner.kind == 'CronJob') || "
    "oldObject.spec.?enableInTreeAutoscaling.orValue(false)"
)
_DELETES_PODS = (
    "request.operation != 'DELETE' || "
    "(request.options.?orphanDependents.hasValue() || "
    "request.options.?propagationPolicy.hasValue() ? "
    "!request.options.?orphanDependents.orValue(false) && "
    "request.options.?propagationPolicy.orValue('') != 'Orphan' : "
    f"!(request.resource.resource in {_listed(_ORPHANING)}) && "
    "!('orphan' in oldObject.metadata.?finalizers.orValue([])))"
)
_ENDS_SOON = (
    "(request.operation != 'DELETE' || "
    f"request.options.?gracePeriodSeconds.orValue(0) <= {GRACE_S}) && "
    "(request.?subResource.orValue('') != 'eviction' || "
    f"object.?deleteOptions.?gracePeriodSeconds.orValue(0) <= {GRACE_S})"
)
# These hold for pods and jobs of controllers, too, which make them by a member's template.
_IN_NO_GROUP = (
    "!variables.isPod || request.operation != 'CREATE' || "
    f"{_listed(_POD_GROUP)}.all(name, "
    "!(name in object.metadata.?labels.orValue({})) && "
    "!(name in object.metadata.?annotations.orValue({})))"
)
_HAS_LITTLE_GRACE = (
    "!variables.isPod || request.operation != 'CREATE' || "
    f"object.spec.?terminationGracePeriodSeconds.orValue(0) <= {GRACE_S}"
)
_HAS_USUAL_SELECTOR = (
    "request.resource.resource != 'jobs' || request.operation != 'CREATE' || "
    "!object.spec.?manualSelector.orValue(false)"
)
_OF_MEMBERS = {
    _KEEPS_OWNERS: "metadata.ownerReferences: an owner that a member writes or takes away would "
    "have this run past the team's queue; nearest: leave the field as it is",
    _KEEPS_GATES: "spec.schedulingGates: the team's queue takes this gate off; nearest: leave it "
    "there",
    _KEEPS_LABELS: "metadata.labels: by these labels controllers find their pods, and parted from "
    "them a pod would run past the team's queue; nearest: labels of your own names, beside those",
    _KEEPS_ANNOTATIONS: "metadata.annotations: by those of kueue.x-k8s.io the team's queue counts "
    "what runs; nearest: leave them as they are",
    _KEEPS_FINALIZERS: "metadata.finalizers: the team's queue and the Job's controller count this "
    "pod until they take theirs off; nearest: leave them there, and delete the pod or its job",
    _IS_NOT_TO_ORPHAN: "metadata.finalizers: with orphan, pods would run on past the team's queue "
    "once this is deleted; nearest: leave it out",
    _KEEPS_SPEC: "spec: the team's queue is charged for what the owner of this asks, which would "
    "get more; nearest: change the owner, or make another",
    _DELETES_PODS: "propagationPolicy: pods would run on past the team's queue; nearest: "
    "propagationPolicy Background, which kubectl takes without --cascade=orphan",
    _ENDS_SOON: f"gracePeriodSeconds: more than {GRACE_S} seconds hold machines that the team's "
    f"queue counts as free; nearest: {GRACE_S}",
}
_OF_ALL = {
    _IN_NO_GROUP: "kueue.x-k8s.io/pod-group-name: of a group the team's queue is charged for one "
    "pod of each role, and pods name their role themselves; nearest: a Job or a JobSet",
    _HAS_LITTLE_GRACE: f"spec.terminationGracePeriodSeconds: more than {GRACE_S} seconds hold "
    f"machines that the team's queue counts as free; nearest: {GRACE_S}",
    _HAS_USUAL_SELECTOR: "spec.manualSelector: labels of any name would part pods from the Job, "
    "and from the team's queue; nearest: leave it out",
}


def guard_spec() -> Any:
    """Spec of a ValidatingAdmissionPolicy."""
    rules = [
        _rule(group, resources, ("CREATE", "UPDATE", "DELETE"))
        for group, resources in GUARDED.items()
    ]
    rules.append(_rule("", ("pods/eviction",), ("CREATE",)))
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {"resourceRules": rules},
        "variables": [
            {"name": name, "expression": expression} for name, expression in _VARIABLES.items()
        ],
        "validations": [
            *(
                {"expression": f"{expression} || variables.isController", "message": message}
                for expression, message in _OF_MEMBERS.items()
            ),
            *(
                {"expression": expression, "message": message}
                for expression, message in _OF_ALL.items()
            ),
        ],
    }


def _rule(group: str, resources: Sequence[str], operations: Sequence[str]) -> dict[str, Any]:
    return {
        "apiGroups": [group],
        "apiVersions": ["*"],
        "resources": list(resources),
        "operations": list(operations),
    }
