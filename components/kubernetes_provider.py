"""The provider for resources in a GKE cluster, made from what the cluster says of itself.

Its kubeconfig holds no credentials: whoever runs Pulumi gets a token from Google's plugin at each
call, of the same application default credentials that the gcp provider takes. Without that flag the
plugin asks gcloud for its account (kubernetes/cloud-provider-gcp,
cmd/gke-gcloud-auth-plugin/cred.go), which in CI is another one or none.
"""

import json

import pulumi
import pulumi_kubernetes as k8s

_PLUGIN = "gke-gcloud-auth-plugin"
_INSTALL_HINT = f"Install it with: gcloud components install {_PLUGIN}"


def kubeconfig(context: str, endpoint: str, ca_certificate: str) -> str:
    """A kubeconfig (JSON, which is YAML) with one context; `ca_certificate` is base64."""
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": context,
            "clusters": [
                {
                    "name": context,
                    "cluster": {
                        "server": f"https://{endpoint}",
                        "certificate-authority-data": ca_certificate,
                    },
                }
            ],
            "contexts": [{"name": context, "context": {"cluster": context, "user": context}}],
            "users": [
                {
                    "name": context,
                    "user": {
                        "exec": {
                            "apiVersion": "client.authentication.k8s.io/v1beta1",
                            "command": _PLUGIN,
                            "args": ["--use_application_default_credentials"],
                            "installHint": _INSTALL_HINT,
                            "interactiveMode": "IfAvailable",
                            "provideClusterInfo": True,
                        }
                    },
                }
            ],
        }
    )


def kubeconfig_of(
    cluster_name: pulumi.Input[str],
    endpoint: pulumi.Input[str],
    ca_certificate: pulumi.Input[str | None],
) -> pulumi.Output[str]:
    """`ca_certificate` is base64."""
    parts = pulumi.Output.all(cluster_name, endpoint, ca_certificate)
    return parts.apply(lambda it: kubeconfig(it[0], it[1], it[2] or ""))


def kubernetes_provider(
    name: str, config: pulumi.Input[str], opts: pulumi.ResourceOptions | None = None
) -> k8s.Provider:
    return k8s.Provider(
        f"{name}-kubernetes",
        kubeconfig=config,
        # Launchers and rotated tokens change in place; replaced, they would take the Ray
        # cluster that mounts them along.
        enable_config_map_mutable=True,
        enable_secret_mutable=True,
        opts=opts,
    )
