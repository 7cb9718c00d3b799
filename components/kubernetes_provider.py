"""The provider for resources in a GKE cluster, made from what the cluster says of itself."""

import pulumi
import pulumi_kubernetes as k8s

from components.kubeconfig import kubeconfig


def kubernetes_provider(
    name: str,
    cluster_name: pulumi.Input[str],
    endpoint: pulumi.Input[str],
    ca_certificate: pulumi.Input[str | None],
    opts: pulumi.ResourceOptions | None = None,
) -> k8s.Provider:
    """`ca_certificate` is base64."""
    parts = pulumi.Output.all(cluster_name, endpoint, ca_certificate)
    return k8s.Provider(
        f"{name}-kubernetes",
        kubeconfig=parts.apply(lambda it: kubeconfig(it[0], it[1], it[2] or "")),
        # Launchers and rotated tokens change in place; replaced, they would take the Ray
        # cluster that mounts them along.
        enable_config_map_mutable=True,
        enable_secret_mutable=True,
        opts=opts,
    )
