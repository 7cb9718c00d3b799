"""What a stack tells its user of commands, and of what stays."""

import shlex
from collections.abc import Sequence

import pulumi

from components.ray_manifest import DASHBOARD_PORT
from stacks.parts.cluster.config import AuthorizedRange

DASHBOARD_URL = f"http://localhost:{DASHBOARD_PORT}"


def control_plane_access(allowed: Sequence[AuthorizedRange] | None) -> str:
    """Who may reach the control plane's public address; only IAM identities get further."""
    if allowed is None:
        return "from everywhere; cluster.authorized_networks narrows it"
    return f"from {', '.join(one.cidr for one in allowed) or 'nowhere'}"


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
