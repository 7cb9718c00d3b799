"""The way into a GKE cluster, without credentials. Whoever uses it gets a token from Google's
plugin at each call, of the same application default credentials that the gcp provider takes. Pure.

Without that flag the plugin asks gcloud for its account (kubernetes/cloud-provider-gcp,
cmd/gke-gcloud-auth-plugin/cred.go), which in CI is another one or none.
"""

import json

from .control_plane import check_dns_name

PLUGIN = "gke-gcloud-auth-plugin"
PLUGIN_ARGUMENTS = ("--use_application_default_credentials",)
INSTALL_HINT = f"Install it with: gcloud components install {PLUGIN}"


def context_name(project: str, location: str, name: str) -> str:
    """As `gcloud container clusters get-credentials` names it (documentation of Google Cloud,
    "Install kubectl and configure cluster access")."""
    return "_".join(("gke", project, location, name))


def kubeconfig(context: str, endpoint: str, ca_certificate: str | None) -> str:
    """A kubeconfig (JSON, which is YAML) with one context; `ca_certificate` is base64. Without one
    the endpoint is a name of Google Cloud's, whose certificate everybody trusts. Raises ValueError
    for any other."""
    cluster = {"server": f"https://{endpoint}"}
    if ca_certificate is None:
        check_dns_name(endpoint)
    else:
        cluster["certificate-authority-data"] = ca_certificate
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": context,
            "clusters": [
                {
                    "name": context,
                    "cluster": cluster,
                }
            ],
            "contexts": [{"name": context, "context": {"cluster": context, "user": context}}],
            "users": [
                {
                    "name": context,
                    "user": {
                        "exec": {
                            "apiVersion": "client.authentication.k8s.io/v1beta1",
                            "command": PLUGIN,
                            "args": list(PLUGIN_ARGUMENTS),
                            "installHint": INSTALL_HINT,
                            "interactiveMode": "IfAvailable",
                            "provideClusterInfo": True,
                        }
                    },
                }
            ],
        }
    )
