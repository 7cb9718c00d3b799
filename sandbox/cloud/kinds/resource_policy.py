"""Workload policies: the shape that machines which node pools bring are placed in."""

from __future__ import annotations

from typing import Any

from sandbox.cloud.kind import Kind, check_name, refuse_if_used
from sandbox.cloud.kinds.network import COMPUTE_URL
from sandbox.cloud.kinds.pools import POOL, pool_region
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError

_THROUGHPUT = "HIGH_THROUGHPUT"


class ResourcePolicy(Kind):
    token = "gcp:compute/resourcePolicy:ResourcePolicy"
    api = "compute.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        del cloud
        check_name("resource policy", inputs["name"])
        policy = inputs.get("workloadPolicy") or {}
        if policy.get("acceleratorTopology") and policy.get("type") != _THROUGHPUT:
            raise CloudError(
                "INVALID_ARGUMENT",
                f"a workload policy of type {policy.get('type')} has no acceleratorTopology; "
                f"nearest: {_THROUGHPUT}",
            )

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        del inputs, cloud
        return {"selfLink": f"{COMPUTE_URL}/{resource_id}"}

    def release(self, resource: Resource, cloud: View) -> None:
        users = (
            pool
            for pool in cloud.find(POOL)
            if (pool["placementPolicy"] or {}).get("policyName") == resource["name"]
            and pool_region(pool.id) == resource["region"]
        )
        refuse_if_used(resource.id, users)


def shape_of_policy(cloud: View, region: str, name: str) -> str | None:
    """The topology that a workload policy has; raises CloudError where there is no such policy."""
    for policy in cloud.find(ResourcePolicy.token):
        if (policy["name"], policy["region"]) == (name, region):
            return (policy["workloadPolicy"] or {}).get("acceleratorTopology")
    raise CloudError("NOT_FOUND", f'resource policy "{name}" was not found in region {region}')
