"""Kueue's check that asks GKE for queued machines before a workload starts, as plain data. Pure.

Sources: kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2/provisioningrequestconfig_types.go; the
node selector is that of AI-Hypercomputer/xpk src/xpk/templates/kueue_config.yaml.j2, 367c8382.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from components.pod_manifest import GPU
from components.provisioning_manifest import PROVISIONING_CLASS

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
