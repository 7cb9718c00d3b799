"""Who has to be where for a cluster to be reached. No Pulumi import."""

from collections.abc import Iterator

from components.cluster.control_plane import ControlPlaneEndpoint
from stacks.plan import Plan


def advice(plan: Plan) -> Iterator[str]:
    """Of `preview` and `up`, which ask the control plane themselves."""
    if not plan.stack.cluster.is_made:
        return
    match plan.hardening.endpoint:
        case ControlPlaneEndpoint.PRIVATE:
            yield (
                "stack.cluster.endpoint: private: Pulumi, aistack and kubectl reach the "
                "control plane from the VPC network alone, by a machine in it, Cloud VPN or an "
                "interconnect; from elsewhere `up` fails at the first object in the cluster"
            )
        case ControlPlaneEndpoint.DNS:
            yield (
                "stack.cluster.endpoint: dns: whoever runs Pulumi, aistack or kubectl needs "
                "container.clusters.connect, which roles/container.viewer has"
            )
            if plan.teams:
                yield (
                    "stack.teams: members reach the control plane by its name, for which "
                    "roles/container.clusterViewer may not do; nearest: a role of the project's "
                    "own with container.clusters.get and container.clusters.connect"
                )
        case ControlPlaneEndpoint.PUBLIC:
            return
