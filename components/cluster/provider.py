"""The provider for resources in a GKE cluster, made from what the cluster says of itself."""

import pulumi
import pulumi_kubernetes as k8s

from .kubeconfig import kubeconfig


def kubeconfig_of(
    cluster_name: pulumi.Input[str],
    endpoint: pulumi.Input[str],
    ca_certificate: pulumi.Input[str | None],
) -> pulumi.Output[str]:
    """`ca_certificate` is base64; None where the endpoint is a name of Google Cloud's."""
    parts = pulumi.Output.all(cluster_name, endpoint, ca_certificate)
    return parts.apply(lambda it: kubeconfig(*it))


def kubernetes_provider(
    name: str,
    config: pulumi.Input[str],
    cluster_id: pulumi.Input[str] | None,
    opts: pulumi.ResourceOptions | None = None,
) -> k8s.Provider:
    """`cluster_id` is what no other cluster has and this one keeps. The provider, and all in the
    cluster with it, is replaced where that changes and not where the kubeconfig does
    (pulumi/pulumi-kubernetes provider/pkg/provider/provider.go, DiffConfig, 94977969)."""
    return k8s.Provider(
        f"{name}-kubernetes",
        kubeconfig=config,
        cluster_identifier=cluster_id,
        # Launchers and rotated tokens change in place; replaced, they would take the Ray
        # cluster that mounts them along.
        enable_config_map_mutable=True,
        enable_secret_mutable=True,
        opts=opts,
    )
