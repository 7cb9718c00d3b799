"""The rules for pools whose machines are of one NVLink domain: who places them, and how many."""

from __future__ import annotations

from collections.abc import Iterator

from catalog import MachineType
from catalog.pool_nodes import bounds
from sandbox.cloud.kinds.resource_policy import shape_of_policy
from sandbox.cloud.resource import Inputs
from sandbox.cloud.view import View
from sandbox.errors import CloudError


def check_domain(inputs: Inputs, machine: MachineType, region: str, cloud: View) -> None:
    """Refuse a pool that no workload policy of the domain's topology places, or one too large
    (AI Hypercomputer documentation, "Create a custom AI-optimized GKE cluster which uses A4X", read
    2026-11-24)."""
    for message in _problems(inputs, machine, region, cloud):
        raise CloudError("INVALID_ARGUMENT", message)


def _problems(inputs: Inputs, machine: MachineType, region: str, cloud: View) -> Iterator[str]:
    domain = cloud.catalog.nvlink_domain(machine.name)
    if domain is None:
        return
    name = (inputs.get("placementPolicy") or {}).get("policyName")
    found = None if name is None else shape_of_policy(cloud, region, name)
    if found != domain.topology:
        yield (
            f"{machine.name} needs a workload policy to create a partition; nearest: a policyName "
            f"with acceleratorTopology {domain.topology}"
        )
    if (most := bounds(inputs)[1]) > domain.machines:
        yield (f"{most} machines are more than one NVLink domain has; nearest: {domain.machines}")
