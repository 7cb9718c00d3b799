"""The rules for TPU slices: which topology a node pool has, and how many nodes."""

from __future__ import annotations

from collections.abc import Iterator

from catalog import FactError, MachineType, Topology
from catalog.pool_nodes import bounds, wanted_nodes
from sandbox.cloud.kinds.pools import topology_of
from sandbox.cloud.kinds.resource_policy import shape_of_policy
from sandbox.cloud.resource import Inputs
from sandbox.cloud.view import View
from sandbox.errors import CloudError


def check_tpus(inputs: Inputs, machine: MachineType, region: str, cloud: View) -> None:
    """Refuse a topology that the machine type does not have, and a slice that is not whole."""
    try:
        for message in _problems(inputs, machine, region, cloud):
            raise CloudError("INVALID_ARGUMENT", message)
    except FactError as error:
        raise CloudError("INVALID_ARGUMENT", str(error)) from None


def _problems(inputs: Inputs, machine: MachineType, region: str, cloud: View) -> Iterator[str]:
    policy = inputs.get("placementPolicy") or {}
    topology = topology_of(inputs, machine, cloud)
    if topology is None:
        return
    if policy.get("tpuTopology"):
        yield from _slice_problems(inputs, topology)
        yield from _policy_problems(policy.get("policyName"), topology, region, cloud)
    elif policy.get("type") == "COMPACT":
        known = cloud.catalog.topologies(machine.name).values()
        several = [each.name for each in known if each.multi_host]
        yield (
            f"placementPolicy COMPACT of {machine.name} needs a tpuTopology; nearest: "
            f"{', '.join(several[:3]) or 'leave placementPolicy out'}"
        )


def _policy_problems(
    name: str | None, topology: Topology, region: str, cloud: View
) -> Iterator[str]:
    of, shape = topology.machine_type, topology.name
    if name is None:
        # GoogleCloudPlatform/cluster-autoscaler pkg/cloudprovider/gke/placement/placement.go:238,
        # 7d250507.
        if topology.needs_policy:
            yield (
                f"machine family {of.partition('-')[0]} requires workload policy with topology to "
                f"determine the slice size; nearest: a policyName with acceleratorTopology {shape}"
            )
    elif not topology.workload_policy:
        yield f"{of} is placed by its topology alone; nearest: leave policyName out"
    elif (found := shape_of_policy(cloud, region, name)) != shape:
        yield f"resource policy {name} is for {found}, and the slice is {shape}; nearest: {shape}"


def _slice_problems(inputs: Inputs, topology: Topology) -> Iterator[str]:
    # AI-Hypercomputer/xpk src/xpk/core/nodepool.py:360-370, f2dd7d71.
    hosts, shape = topology.hosts, f"a {topology.name} slice of {topology.machine_type}"
    if not topology.multi_host:
        yield f"{shape} is one node, which is not placed; nearest: leave placementPolicy out"
        return
    auto = inputs.get("autoscaling") or {}
    if auto.get("totalMaxNodeCount") and not auto.get("maxNodeCount"):
        # vllm-project/ci-infra PR 545 of 2026-09-11: the whole pool's count is none of a zone's.
        yield (
            "Maximum node count 0 is not a valid size of TPU pod slice with topology "
            f"{topology.name}; nearest: maxNodeCount {hosts}"
        )
        return
    low, high = bounds(inputs)
    first = wanted_nodes(inputs)
    if high != hosts:
        yield f"{shape} has {hosts} nodes, and the pool has up to {high}; nearest: {hosts}"
    if low not in (0, hosts) or first not in (0, hosts):
        yield f"{shape} comes whole, not with {first or low} of its nodes; nearest: 0 or {hosts}"
