"""What a kubeconfig says: which API server, and whose credentials go to it.

Google's plugin asks gcloud for its account unless it is told to take application default
credentials, which are what the gcp provider takes (kubernetes/cloud-provider-gcp 4e245312,
cmd/gke-gcloud-auth-plugin/cred.go).
"""

from typing import Any

import yaml
from pulumi.runtime.rpc import UNKNOWN as WIRE_UNKNOWN

from sandbox.errors import CloudError

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


def server_of(kubeconfig: Any) -> str | None:
    """The API server's URL; None while the cluster that the kubeconfig is made of is to be made."""
    if not isinstance(kubeconfig, str) or kubeconfig == WIRE_UNKNOWN:
        return None
    try:
        return yaml.safe_load(kubeconfig)["clusters"][0]["cluster"]["server"]
    except (yaml.YAMLError, KeyError, IndexError, TypeError):
        raise CloudError("INVALID_ARGUMENT", "the kubeconfig names no cluster server") from None
