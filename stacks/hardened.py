"""What a config closes: by a key of its own, else by `hardened`. No Pulumi import."""

from dataclasses import dataclass

from components.cluster.control_plane import ControlPlaneEndpoint
from stacks.stack import Stack


@dataclass(frozen=True, kw_only=True)
class Hardening:
    """A key that the config has wins over `hardened`: whoever sets it has a reason."""

    binary_authorization: bool
    intranode_visibility: bool
    flow_logs: bool
    endpoint: ControlPlaneEndpoint


def hardening_of(stack: Stack) -> Hardening:
    def asked(key: bool | None) -> bool:
        return stack.hardened if key is None else key

    cluster = stack.cluster
    return Hardening(
        binary_authorization=cluster.is_made and asked(cluster.binary_authorization),
        # Autopilot always has it (hashicorp/terraform-provider-google-beta
        # resource_container_cluster.go:2651 and :9139, 93c65b2d), and the provider refuses the key.
        intranode_visibility=cluster.is_made
        and not cluster.autopilot
        and asked(cluster.intranode_visibility),
        flow_logs=stack.makes_network and asked(stack.network.flow_logs),
        # Who names ranges has an address for them. CIS GKE Benchmark 2.0.0, 5.6.4, "Use DNS based
        # access or private GKE control plane endpoints": "Prefer DNS based control plane access
        # where possible" (Tenable's audit of it, read 2026-11-27).
        endpoint=cluster.endpoint
        or (
            ControlPlaneEndpoint.DNS
            if stack.hardened and cluster.authorized_networks is None
            else ControlPlaneEndpoint.PUBLIC
        ),
    )
