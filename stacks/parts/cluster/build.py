"""The GKE cluster, the identity of its nodes, and what every workload needs in it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pulumi

from components.gke_cluster import (
    AuthorizedNetwork,
    GkeCluster,
    GkeClusterArgs,
    MaintenanceExclusion,
    MaintenanceWindow,
)
from components.node_service_account import NodeServiceAccount, NodeServiceAccountArgs
from stacks.helm_charts import helm_chart
from stacks.parts.cluster.config import Maintenance, Operator
from stacks.parts.cluster.plan import runs_kuberay
from stacks.site import Cluster, Ground, Nodes, Project, Site, beside
from stacks.tokens import VARIABLES

if TYPE_CHECKING:
    from components.token_secret import TokenSecret


def identity(project: Project, kind: str) -> NodeServiceAccount:
    """Whom nodes of a kind are."""
    return NodeServiceAccount(
        f"{kind}-nodes",
        NodeServiceAccountArgs(
            iam_project=project.apis.project_with("iam"),
            resource_manager_project=project.apis.project_with("cloudresourcemanager"),
            base_name=project.plan.stack.name,
            pool=kind,
            image_streaming=any(
                it.kind == kind and it.name in project.plan.images.streamed
                for it in project.plan.pools.values()
            ),
        ),
        opts=project.opts,
    )


def build(
    project: Project,
    ground: Ground,
    nodes: NodeServiceAccount | None,
    held: Sequence[pulumi.Resource] = (),
) -> Cluster:
    """`held` is what nodes hold on to that no input of the cluster names: it outlives it.

    Beside a peering, the component itself waits for the subnetwork, too, which costs nothing, for
    the cluster has to. In the levels by which `destroy` goes (`stacks.site.beside`) the cluster is
    then beside what has the peering, Lustre, and not after it.
    """
    if project.adopted.cluster is not None:
        from components.existing_cluster import existing_cluster

        return existing_cluster("gke", project.adopted.cluster)
    # Those of a cluster that is made are made before it.
    assert nodes is not None
    plan = project.plan
    stack, wanted = plan.stack, plan.stack.cluster
    allowed = wanted.authorized_networks
    beneath: list[pulumi.Resource] = []
    if ground.peering is not None and ground.subnetwork is not None:
        beneath = [ground.subnetwork]
    return GkeCluster(
        "gke",
        GkeClusterArgs(
            project=project.apis.project_with("container"),
            location=plan.location,
            zone=stack.zone,
            cluster_name=plan.cluster_name,
            network_id=ground.network_id,
            subnetwork_id=ground.subnetwork_id,
            pods_range=ground.pods_range,
            services_range=ground.services_range,
            control_plane_range=stack.network.control_plane,
            node_service_account=nodes.email,
            release_channel=wanted.release_channel.value,
            version=None if plan.gke_version is None else str(plan.gke_version),
            authorized_networks=None
            if allowed is None
            else [AuthorizedNetwork(name=it.name, cidr=it.cidr) for it in allowed],
            maintenance_window=maintenance_window(wanted.maintenance),
            autopilot=plan.autopilot,
            ray_operator="ray_operator" in plan.features,
            custom_metrics="custom_metrics" in plan.features,
            multi_networking=plan.multi_networking,
            lustre=stack.lustre is not None,
            lustre_legacy_port=plan.lustre_legacy_port,
            security_group=wanted.security_group,
            deletion_protection=stack.deletion_protection,
            labels=project.labels,
        ),
        opts=pulumi.ResourceOptions.merge(
            project.opts, pulumi.ResourceOptions(depends_on=[*beneath, *held])
        ),
    )


def namespace(project: Project, gke: Cluster) -> pulumi.Input[str]:
    """The namespace's name; made here unless every cluster has it."""
    name = project.plan.stack.namespace
    if name == "default":
        return name
    from components.namespace import KubeNamespace, KubeNamespaceArgs

    made = KubeNamespace(
        "kube",
        KubeNamespaceArgs(namespace=name, labels=project.labels),
        # Waits for the provider as pools do: `destroy` then takes both at once.
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes], depends_on=[gke.kubernetes]),
    )
    return made.namespace


def tokens(
    project: Project,
    gke: Cluster,
    secrets: Mapping[str, pulumi.Output[str]],
    namespace: pulumi.Input[str],
) -> "TokenSecret | None":
    values: dict[str, pulumi.Input[str]] = {
        VARIABLES[name]: value for name, value in secrets.items()
    }
    if not values:
        return None
    # What most stacks have no use for is not loaded.
    from components.token_secret import TokenSecret, TokenSecretArgs

    return TokenSecret(
        "tokens",
        TokenSecretArgs(
            secret_name=project.plan.tokens_name,
            namespace=namespace,
            labels=project.labels,
            tokens=values,
        ),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes]),
    )


def operators(project: Project, gke: Cluster, nodes: Nodes) -> list[pulumi.Resource]:
    """KubeRay's operator on the CPU nodes, where it is needed and no add-on of GKE's."""
    plan = project.plan
    installed = Operator.KUBERAY in project.adopted.operators
    if not runs_kuberay(plan.stack) or "ray_operator" in plan.features or installed:
        return []
    from components.kuberay_operator import KubeRayOperator, KubeRayOperatorArgs

    made = KubeRayOperator(
        "kuberay",
        KubeRayOperatorArgs(
            chart=helm_chart(plan, "kuberay"), node_selector=nodes.cpu, labels=project.labels
        ),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes], depends_on=list(nodes.needed)),
    )
    return [made]


def webhook_access(site: Site, key: str, port: int) -> list[pulumi.Resource]:
    """None in a cluster whose control plane has no range of its own: it calls by agents."""
    stack, existing = site.plan.stack, site.project.adopted.cluster
    block = stack.network.control_plane if existing is None else existing.control_plane_range
    if block is None:
        return []
    # What most stacks have no use for is not loaded.
    from components.webhook_access import WebhookAccess, WebhookAccessArgs

    access = WebhookAccess(
        f"{key}-webhook",
        WebhookAccessArgs(
            project=site.project.network_project,
            network_id=site.gke.network_id,
            base_name=stack.name,
            key=key,
            control_plane_range=block,
            ports=[port],
        ),
        opts=beside(site.project, site.gke),
    )
    return [access]


def maintenance_window(window: Maintenance | None) -> MaintenanceWindow | None:
    if window is None:
        return None
    return MaintenanceWindow(
        start=_zulu(window.start),
        end=_zulu(window.end),
        recurrence=window.recurrence,
        exclusions=[
            MaintenanceExclusion(
                name=one.name,
                start=_zulu(one.start),
                end=None if one.end is None else _zulu(one.end),
                scope=one.scope.value,
            )
            for one in window.exclusions
        ],
    )


def _zulu(time: datetime) -> str:
    """The form in which GKE gives it back: any other is a difference for ever (provider's text)."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
