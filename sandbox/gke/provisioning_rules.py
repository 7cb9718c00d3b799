"""Rules for ProvisioningRequest of autoscaling.x-k8s.io/v1, for GKE's queued provisioning.

Fields are those of the published CRD (kubernetes/autoscaler, cluster-autoscaler/apis). What GKE's
autoscaler accepts and then fails (GoogleCloudPlatform/cluster-autoscaler: feature_guard_reconciler,
queuedwrapper) is refused at once here. Left out: the other provisioning classes, the version
v1beta1, and the parameters ValidUntilSeconds and capacitySearchStrategy.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.kube.field_rules import Fields, ListOf, object_findings
from sandbox.kube.names import name_findings
from sandbox.kube.objects import JsonObject, name_of
from sandbox.kube.pod_rules import count_findings

Finding = tuple[str, str]
API = "autoscaling.x-k8s.io/v1"
KIND = "ProvisioningRequest"
QUEUED_CLASS = "queued-provisioning.gke.io"
_RUN_SECONDS = "maxRunDurationSeconds"
# GKE documentation: up to seven days; the autoscaler's own minimum for flex-start is 10 minutes.
_SHORTEST, _LONGEST = 600, 604800
_SPEC = Fields(
    {
        "parameters": "strings",
        "podSets": ListOf(
            Fields(
                {
                    "count": "integer",
                    "podTemplateRef": Fields({"name": "string"}, frozenset({"name"})),
                },
                frozenset({"count", "podTemplateRef"}),
            )
        ),
        "provisioningClassName": "string",
    },
    frozenset({"podSets", "provisioningClassName"}),
)


def provisioning_findings(manifest: Mapping[str, Any]) -> list[Finding]:
    found = [*name_findings(KIND, name_of(manifest)), *object_findings(manifest, _SPEC)]
    return found or list(_spec(manifest["spec"]))


def _spec(spec: JsonObject) -> Iterator[Finding]:
    if spec["provisioningClassName"] != QUEUED_CLASS:
        yield (
            "spec.provisioningClassName",
            f'"{spec["provisioningClassName"]}" must be {QUEUED_CLASS}',
        )
    if len(spec["podSets"]) != 1:
        yield "spec.podSets", f"must have 1 item, not {len(spec['podSets'])}"
    for index, pods in enumerate(spec["podSets"]):
        at = f"spec.podSets[{index}]"
        yield from _reference(f"{at}.podTemplateRef.name", pods["podTemplateRef"]["name"])
        if pods["count"] < 1:
            yield f"{at}.count", f"{pods['count']} must be at least 1"
        else:
            yield from count_findings(pods["count"], f"{at}.count")
    yield from _parameters(spec.get("parameters") or {})


def _reference(path: str, name: str) -> Iterator[Finding]:
    for _, text in name_findings("PodTemplate", name):
        yield path, text


def _parameters(parameters: JsonObject) -> Iterator[Finding]:
    for name, value in parameters.items():
        at = f"spec.parameters.{name}"
        if name != _RUN_SECONDS:
            yield at, f"unknown parameter, the nearest known one is {_RUN_SECONDS}"
        elif not value.isdecimal() or not _SHORTEST <= int(value) <= _LONGEST:
            yield at, f'"{value}" must be whole seconds from {_SHORTEST} to {_LONGEST}'
