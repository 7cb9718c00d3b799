"""What a stack tells its user when it is up."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import pulumi

from components.ray_manifest import DASHBOARD_PORT


@dataclass(frozen=True, kw_only=True)
class StackOutputs:
    cluster_name: pulumi.Output[str]
    kubeconfig_command: pulumi.Output[str]
    ray_dashboard_command: pulumi.Output[str]
    ray_dashboard_url: str
    job_submit_command: pulumi.Output[str]
    cleanup_note: str
    job_name: pulumi.Output[str] | None = None
    lustre_mount_point: pulumi.Output[str] | None = None
    bucket_url: pulumi.Output[str] | None = None
    dashboard_id: pulumi.Output[str] | None = None

    def exports(self) -> dict[str, Any]:
        """Outputs by name, without those that the stack does not have."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


DASHBOARD_URL = f"http://localhost:{DASHBOARD_PORT}"


def kubeconfig_command(
    cluster: pulumi.Output[str], location: pulumi.Output[str], project: str
) -> pulumi.Output[str]:
    return pulumi.Output.concat(
        "gcloud container clusters get-credentials ",
        cluster,
        " --location=",
        location,
        f" --project={project}",
    )


def dashboard_command(namespace: str, service: pulumi.Output[str]) -> pulumi.Output[str]:
    port = f"{DASHBOARD_PORT}:{DASHBOARD_PORT}"
    return pulumi.Output.concat(
        f"kubectl --namespace={namespace} port-forward service/", service, f" {port}"
    )


def submit_command(entrypoint: pulumi.Input[str], runtime_env_json: str) -> pulumi.Output[str]:
    """For use while the dashboard's port is forwarded."""
    return pulumi.Output.concat(
        f"ray job submit --address={DASHBOARD_URL} --runtime-env-json='{runtime_env_json}' -- ",
        entrypoint,
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
