"""Rights in the project of a Shared VPC, which the stack gives nobody. No Pulumi import."""

import shlex
from collections.abc import Iterator

from stacks.plan import Plan

_OF_GKE = "@container-engine-robot.iam.gserviceaccount.com"


def advice(plan: Plan) -> Iterator[str]:
    """GKE documentation, "Set up clusters with Shared VPC", enabling and granting roles, as
    GoogleCloudPlatform/cloud-foundation-fabric modules/project/sharedvpc-agent-iam.yaml (012a9b25)
    grants them for container.googleapis.com."""
    stack = plan.stack
    named = stack.network.existing
    if named is None or not stack.cluster.is_made or named.project in (None, stack.project):
        return
    project = shlex.quote(stack.project)
    number = f"$(gcloud projects describe {project} --format='value(projectNumber)')"
    place = [f"--region={stack.region}", f"--project={named.project}"]
    on_subnet = (
        "`gcloud compute networks subnets add-iam-policy-binding "
        f"{shlex.join([named.subnetwork, *place])} --role=roles/compute.networkUser"
    )
    yield (
        f"stack.network.existing: GKE is to use the network of project {named.project}, and the "
        "stack grants nothing in other projects; if it may not, no cluster is made until the "
        "network's owner lets it: "
        f"`gcloud projects add-iam-policy-binding {shlex.quote(named.project or '')} "
        f'--role=roles/container.hostServiceAgentUser --member="serviceAccount:service-{number}'
        f'{_OF_GKE}"`; {on_subnet} --member="serviceAccount:service-{number}{_OF_GKE}"`; '
        f'{on_subnet} --member="serviceAccount:{number}@cloudservices.gserviceaccount.com"`'
    )
