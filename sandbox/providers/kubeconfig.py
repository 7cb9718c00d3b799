"""Whose credentials a kubeconfig sends to a GKE cluster.

Google's plugin asks gcloud for its account unless it is told to take application default
credentials, which are what the gcp provider takes (kubernetes/cloud-provider-gcp 4e245312,
cmd/gke-gcloud-auth-plugin/cred.go).
"""

from typing import Any

import yaml

_PLUGIN = "gke-gcloud-auth-plugin"
_FLAG = "--use_application_default_credentials"


def credentials_problem(kubeconfig: Any) -> str:
    """Why Kubernetes calls would be another's than those to Google Cloud; empty when they are
    not."""
    config = yaml.safe_load(kubeconfig) if isinstance(kubeconfig, str) else None
    users = config.get("users") if isinstance(config, dict) else None
    for user in users or []:
        plugin = user["user"].get("exec") or {}
        if plugin.get("command") == _PLUGIN and _FLAG not in (plugin.get("args") or []):
            return (
                f"{_PLUGIN} without {_FLAG} takes gcloud's own account, which need not be the "
                f"identity of the gcp provider; nearest: args: [{_FLAG}]"
            )
    return ""
