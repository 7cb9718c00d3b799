"""GKE's queued provisioning as plain data: the request, and what pods that consume it carry. Pure.

Source: GKE documentation, "Run a large-scale workload with flex-start with queued provisioning".
"""

from typing import Any

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
