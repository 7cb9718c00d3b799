"""What a stack tells its user when it is up."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import pulumi

from components.gke_cluster import GkeCluster
from components.monitoring_dashboard import MonitoringDashboard
from components.ray_cluster import RayCluster
from components.ray_manifest import DASHBOARD_PORT
from stacks.blocks.cluster import AuthorizedRange
from stacks.blocks.cluster_stack import ClusterStack


@dataclass(frozen=True, kw_only=True)
class StackOutputs:
    cluster_name: pulumi.Output[str]
    kubeconfig_command: pulumi.Output[str]
    cleanup_note: str
    control_plane_access: str
    ray_dashboard_command: pulumi.Output[str] | None = None
    ray_dashboard_url: str | None = None
    job_submit_command: pulumi.Output[str] | None = None
    job_name: pulumi.Output[str] | None = None
    lustre_mount_point: pulumi.Output[str] | None = None
    bucket_url: pulumi.Output[str] | None = None
    server_url: pulumi.Output[str] | None = None
    server_command: pulumi.Output[str] | None = None
    queue_command: str | None = None
    dashboard_id: pulumi.Output[str] | None = None

    def exports(self) -> dict[str, Any]:
        """Outputs by name, without those that the stack does not have."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


DASHBOARD_URL = f"http://localhost:{DASHBOARD_PORT}"


def cluster_outputs(
    config: ClusterStack,
    gke: GkeCluster,
    dashboard: MonitoringDashboard | None,
    *,
    lost: Sequence[str] = (),
    abandons_peering: bool = False,
) -> StackOutputs:
    """What every stack says; `lost` is where data is that goes with the stack."""
    return StackOutputs(
        cluster_name=gke.cluster_name,
        kubeconfig_command=pulumi.Output.concat(
            "gcloud container clusters get-credentials ",
            gke.cluster_name,
            " --location=",
            gke.location,
            f" --project={config.project}",
        ),
        dashboard_id=None if dashboard is None else dashboard.dashboard_id,
        cleanup_note=cleanup_note(
            protected=config.deletion_protection, lost=lost, abandons_peering=abandons_peering
        ),
        control_plane_access=control_plane_access(config.cluster.authorized_networks),
    )


def control_plane_access(allowed: Sequence[AuthorizedRange] | None) -> str:
    """Who may reach the control plane's public address; only IAM identities get further."""
    if allowed is None:
        return "from everywhere; cluster.authorized_networks narrows it"
    return f"from {', '.join(one.cidr for one in allowed) or 'nowhere'}"


def with_ray(
    found: StackOutputs, config: ClusterStack, ray: RayCluster, submit: pulumi.Output[str]
) -> StackOutputs:
    port = f"{DASHBOARD_PORT}:{DASHBOARD_PORT}"
    return replace(
        found,
        ray_dashboard_command=forward_command(config.namespace, ray.head_service, port),
        ray_dashboard_url=DASHBOARD_URL,
        job_submit_command=submit,
    )


def forward_command(namespace: str, service: pulumi.Output[str], port: str) -> pulumi.Output[str]:
    """Brings a service's port to the user's own machine; `port` is LOCAL:REMOTE."""
    return pulumi.Output.concat(
        f"kubectl --namespace={namespace} port-forward service/", service, f" {port}"
    )


def submit_command(
    command: pulumi.Input[str], runtime_env_json: str, gpus: int = 0
) -> pulumi.Output[str]:
    """For use while the dashboard's port is forwarded; `gpus` are the command's own, without
    which it runs on the head."""
    own = f" --entrypoint-num-gpus={gpus}" if gpus else ""
    return pulumi.Output.concat(
        f"ray job submit --address={DASHBOARD_URL} "
        f"--runtime-env-json={shlex.quote(runtime_env_json)}{own} -- ",
        command,
    )


def cleanup_note(
    *, protected: bool, lost: Sequence[str] = (), abandons_peering: bool = False
) -> str:
    """How to take the stack down, and what stays; `lost` says where data is that goes with it."""
    first = (
        "First `pulumi config set --path stack.deletion_protection false` and `pulumi up`, then "
        if protected
        else ""
    )
    loss = "".join(f" Everything {place} is lost." for place in lost)
    peering = (
        " The VPC peering is abandoned: with it the VPC cannot go." if abandons_peering else ""
    )
    return f"{first}`pulumi destroy` removes all but the enabled APIs.{loss}{peering}"
