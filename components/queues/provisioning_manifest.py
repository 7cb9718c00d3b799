"""GKE's queued provisioning as plain data: the request, what pods that consume it carry, and the
check by which Kueue makes it before a workload starts. Pure.

Sources: GKE documentation, "Run a large-scale workload with flex-start with queued provisioning";
kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2/provisioningrequestconfig_types.go; the node
selector is that of AI-Hypercomputer/xpk src/xpk/templates/kueue_config.yaml.j2, 367c8382.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..base.pod_manifest import GPU

API_VERSION = "autoscaling.x-k8s.io/v1"
# Lets GKE change the template as it changes pods, without which it miscounts what they need.
TEMPLATE_LABELS = {"cloud.google.com/apply-warden-policies": "true"}
# GKE taints the nodes of queued pools with it.
QUEUED_TAINT = {"key": "cloud.google.com/gke-queued", "value": "true", "effect": "NoSchedule"}
QUEUED_TOLERATION = {"operator": "Equal", **QUEUED_TAINT}
PROVISIONING_CLASS = "queued-provisioning.gke.io"


def provisioning_request_spec(
    *, pods: int, template_name: Any, max_run_seconds: int | None = None
) -> dict[str, Any]:
    """Machines for all pods at once; GKE takes one template a request."""
    spec: dict[str, Any] = {
        "provisioningClassName": PROVISIONING_CLASS,
        "podSets": [{"count": pods, "podTemplateRef": {"name": template_name}}],
    }
    if max_run_seconds is not None:
        spec["parameters"] = {"maxRunDurationSeconds": str(max_run_seconds)}
    return spec


def consuming_annotations(request_name: Any) -> dict[str, Any]:
    """Of pods that run on the machines of a request, and on no others."""
    return {
        "autoscaling.x-k8s.io/consume-provisioning-request": request_name,
        "autoscaling.x-k8s.io/provisioning-class-name": PROVISIONING_CLASS,
    }


_GROUP = "kueue.x-k8s.io"


def provisioning_config_spec(*, max_run_seconds: int, retries: int) -> dict[str, Any]:
    """A ProvisioningRequestConfig: pods go to the machines of their own request alone."""
    return {
        "provisioningClassName": PROVISIONING_CLASS,
        "parameters": {"maxRunDurationSeconds": str(max_run_seconds)},
        "managedResources": [GPU],
        "podSetUpdates": {
            "nodeSelector": [
                {
                    "key": "autoscaling.gke.io/provisioning-request",
                    "valueFromProvisioningClassDetail": "ResizeRequestName",
                }
            ]
        },
        "retryStrategy": {"backoffLimitCount": retries},
    }


def admission_check_spec(config_name: Any) -> dict[str, Any]:
    """An AdmissionCheck that Kueue itself answers, by what becomes of its request."""
    parameters = {"apiGroup": _GROUP, "kind": "ProvisioningRequestConfig", "name": config_name}
    return {
        "controllerName": f"{_GROUP}/provisioning-request",
        "parameters": parameters,
    }


def checks_strategy(
    checks: Mapping[str, Sequence[str]], names: Mapping[str, Any]
) -> dict[str, Any]:
    """Of a ClusterQueue: each check with its flavors; `names` are the checks'."""
    found = [
        {"name": names.get(check, check), "onFlavors": list(flavors)}
        for check, flavors in checks.items()
    ]
    return {"admissionChecks": found}
