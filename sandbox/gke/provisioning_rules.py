"""What GKE's queued provisioning takes of a ProvisioningRequest of autoscaling.x-k8s.io/v1.

What GKE's autoscaler accepts and then fails (GoogleCloudPlatform/cluster-autoscaler
feature_guard_reconciler and queuedwrapper, 7d25050) is refused at once. Left out: the other
provisioning classes, the version v1beta1, and the parameters ValidUntilSeconds and
capacitySearchStrategy.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.kube.pod_rules import count_findings

Finding = tuple[str, str]
API = "autoscaling.x-k8s.io/v1"
KIND = "ProvisioningRequest"
QUEUED_CLASS = "queued-provisioning.gke.io"
_RUN_SECONDS = "maxRunDurationSeconds"
# GKE documentation: up to seven days; the autoscaler's own minimum for flex-start is 10 minutes.
_SHORTEST, _LONGEST = 600, 604800


def provisioning_findings(manifest: Mapping[str, Any]) -> Iterator[Finding]:
    spec = manifest["spec"]
    for index, pods in enumerate(spec["podSets"]):
        yield from count_findings(pods["count"], f"spec.podSets[{index}].count")
    for name, value in (spec.get("parameters") or {}).items():
        at = f"spec.parameters.{name}"
        if name != _RUN_SECONDS:
            yield at, f"unknown parameter, the nearest known one is {_RUN_SECONDS}"
        elif not value.isdecimal() or not _SHORTEST <= int(value) <= _LONGEST:
            yield at, f'"{value}" must be whole seconds from {_SHORTEST} to {_LONGEST}'
