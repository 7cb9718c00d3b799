"""What a kubeconfig says: which API server, and whose credentials go to it.

Google's plugin asks gcloud for its account unless it is told to take application default
credentials, which are what the gcp provider takes (kubernetes/cloud-provider-gcp 4e245312,
cmd/gke-gcloud-auth-plugin/cred.go).
"""

from typing import Any

from pulumi.runtime.rpc import UNKNOWN as WIRE_UNKNOWN

from catalog.strict_yaml import YamlError, load_yaml
from sandbox.errors import CloudError

_PLUGIN = "gke-gcloud-auth-plugin"
_FLAG = "--use_application_default_credentials"


def credentials_problem(kubeconfig: Any) -> str:
    """Why Kubernetes calls would be another's than those to Google Cloud; empty when they are
    not."""
    config = load_yaml(kubeconfig) if isinstance(kubeconfig, str) else None
    users = config.get("users") if isinstance(config, dict) else None
    for user in users or []:
        plugin = user["user"].get("exec") or {}
        if plugin.get("command") == _PLUGIN and _FLAG not in (plugin.get("args") or []):
            return (
                f"{_PLUGIN} without {_FLAG} takes gcloud's own account, which need not be the "
                f"identity of the gcp provider; nearest: args: [{_FLAG}]"
            )
    return ""


def certificate_problem(kubeconfig: Any) -> str:
    """Why no certificate would be trusted; empty when one is. A name of the DNS-based endpoint has
    one that the public trusts, an address one of the cluster's own authority (Google Cloud SDK,
    googlecloudsdk/api_lib/container/kubeconfig.py, Cluster, read 2026-11-27)."""
    config = load_yaml(kubeconfig) if isinstance(kubeconfig, str) else None
    clusters = config.get("clusters") if isinstance(config, dict) else None
    for one in clusters or []:
        cluster = one["cluster"]
        by_name = str(cluster.get("server")).endswith(".gke.goog")
        if by_name and "certificate-authority-data" in cluster:
            return (
                f"{cluster['server']} has no certificate of the cluster's own authority; nearest: "
                "leave certificate-authority-data out"
            )
    return ""


def authority_of(kubeconfig: Any, context: Any = None) -> str | None:
    """The certificate authority that the API server has to be of; None where the public's do."""
    if server_of(kubeconfig, context) is None:
        return None
    return _cluster(kubeconfig, context).get("certificate-authority-data")


def server_of(kubeconfig: Any, context: Any = None) -> str | None:
    """The API server's URL; None while the cluster that the kubeconfig is made of is to be made."""
    if not isinstance(kubeconfig, str) or kubeconfig == WIRE_UNKNOWN:
        return None
    try:
        return _cluster(kubeconfig, context)["server"]
    except (YamlError, KeyError, IndexError, TypeError):
        raise CloudError("INVALID_ARGUMENT", "the kubeconfig names no cluster server") from None


def _cluster(kubeconfig: str, context: Any) -> dict[str, Any]:
    """That of the context, or of the current one; of a kubeconfig without contexts the first."""
    config = load_yaml(kubeconfig)
    wanted = context or config.get("current-context")
    contexts = {it["name"]: it["context"]["cluster"] for it in config.get("contexts") or []}
    clusters = {it.get("name"): it["cluster"] for it in config["clusters"]}
    return clusters[contexts[wanted]] if wanted in contexts else config["clusters"][0]["cluster"]
