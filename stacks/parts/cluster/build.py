"""The GKE cluster, the identity of its nodes, and what every workload needs in it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pulumi

from components.base.helm import helm_chart
from components.base.namespace import KubeNamespace, KubeNamespaceArgs
from components.cluster.cluster import (
    AuthorizedNetwork,
    GkeCluster,
    GkeClusterArgs,
    MaintenanceExclusion,
    MaintenanceWindow,
)
from components.cluster.existing import existing_cluster
from components.cluster.token_secret import TokenSecret, TokenSecretArgs
from components.cluster.webhook_access import WebhookAccess, WebhookAccessArgs
from components.pools.node_service_account import NodeServiceAccount, NodeServiceAccountArgs
from components.ray.operator import KubeRayOperator, KubeRayOperatorArgs
from stacks.parts.cluster.config import Maintenance, Operator
from stacks.parts.cluster.plan import runs_kuberay
from stacks.site import Cluster, Ground, Nodes, Project, Site, beside
from stacks.tokens import SECRET_KEYS, SERVER_KEY


def identity(project: Project, kind: str) -> NodeServiceAccount:
    """Whom nodes of a kind are."""
    return NodeServiceAccount(
        f"{kind}-nodes",
        NodeServiceAccountArgs(
            project=project.plan.stack.project,
            apis=project.apis,
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
        return existing_cluster("gke", project.adopted.cluster)
    # Those of a cluster that is made are made before it.
    assert nodes is not None
    plan = project.plan
    stack, wanted = plan.stack, plan.stack.cluster
    allowed = wanted.authorized_networks
    beneath: list[pulumi.Resource] = []
    if ground.services is not None and ground.subnetwork is not None:
        beneath = [ground.subnetwork]
    return GkeCluster(
        "gke",
        GkeClusterArgs(
            project=stack.project,
            apis=project.apis,
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
            endpoint=plan.hardening.endpoint,
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
            binary_authorization=plan.hardening.binary_authorization,
            intranode_visibility=plan.hardening.intranode_visibility,
            kms_key=stack.cmek,
            deletion_protection=stack.deletion_protection,
            labels=project.labels,
        ),
        opts=pulumi.ResourceOptions.merge(
            project.opts, pulumi.ResourceOptions(depends_on=[nodes, *beneath, *held])
        ),
    )


def namespace(
    project: Project, gke: Cluster, served: Sequence[pulumi.Resource] = ()
) -> pulumi.Input[str]:
    """The namespace's name; made here unless every cluster has it. It goes, with all work in it,
    before what is `served`: queues and operators, which take the finalizers of that work off."""
    name = project.plan.stack.namespace
    if name == "default":
        return name

    made = KubeNamespace(
        "kube",
        KubeNamespaceArgs(
            namespace=name, pod_security=project.plan.pod_security, labels=project.labels
        ),
        # Waits for the provider as pools do: `destroy` then takes both at once.
        opts=pulumi.ResourceOptions(
            providers=[gke.kubernetes], depends_on=[gke.kubernetes, *served]
        ),
    )
    return made.namespace


def tokens(
    project: Project,
    gke: Cluster,
    secrets: Mapping[str, pulumi.Output[str]],
    namespace: pulumi.Input[str],
) -> "TokenSecret | None":
    # A key that no server asks for any more is nobody's to read.
    asked = any(it.config.api_key for it in project.plan.servers.values())
    values: dict[str, pulumi.Input[str]] = {
        SECRET_KEYS[name]: value for name, value in secrets.items() if asked or name != SERVER_KEY
    }
    if not values:
        return None

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

    made = KubeRayOperator(
        "kuberay",
        KubeRayOperatorArgs(
            chart=helm_chart(plan.facts, "kuberay"), node_selector=nodes.cpu, labels=project.labels
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
    """The form in which GKE gives it back: any other is a difference for ever (pulumi-gcp 10.2,
    container.Cluster, maintenancePolicy.recurringWindow, 2026-11-22)."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
