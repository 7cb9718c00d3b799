"""Rights in the project of a Shared VPC, which the stack gives nobody. No Pulumi import."""

from collections.abc import Iterator

from stacks.plan import Plan


def advice(plan: Plan) -> Iterator[str]:
    """GKE documentation, "Set up clusters with Shared VPC", enabling and granting roles, as
    GoogleCloudPlatform/cloud-foundation-fabric modules/project/sharedvpc-agent-iam.yaml (012a9b25)
    grants them for container.googleapis.com."""
    stack = plan.stack
    named = stack.network.existing
    if named is None or not stack.cluster.is_made or named.project in (None, stack.project):
        return
    number = f"$(gcloud projects describe {stack.project} --format='value(projectNumber)')"
    gke = f"service-{number}@container-engine-robot.iam.gserviceaccount.com"
    on_subnet = (
        f"`gcloud compute networks subnets add-iam-policy-binding {named.subnetwork} "
        f"--region={stack.region} --project={named.project} --role=roles/compute.networkUser"
    )
    yield (
        f"stack.network.existing: GKE is to use the network of project {named.project}, and the "
        "stack grants nothing in other projects; if it may not, no cluster is made until the "
        "network's owner lets it: "
        f"`gcloud projects add-iam-policy-binding {named.project} "
        f'--role=roles/container.hostServiceAgentUser --member="serviceAccount:{gke}"`; '
        f'{on_subnet} --member="serviceAccount:{gke}"`; '
        f'{on_subnet} --member="serviceAccount:{number}@cloudservices.gserviceaccount.com"`'
    )
