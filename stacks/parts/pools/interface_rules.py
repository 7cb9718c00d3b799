"""Whether further interfaces can be in the networks that a pool's config says. No Pulumi import.

GKE's own driver and interfaces by Network objects of type Device are not for one cluster: both
manage the same interfaces (GKE documentation, "Allocate network resources by using GKE managed
DRANET", limitations, read 2026-11-23).
"""

from collections.abc import Iterator

from stacks.beside import beside_problems
from stacks.parts.pools.interface_modes import can_be_managed
from stacks.parts.pools.plan import PlannedPool
from stacks.plan import Plan
from stacks.problems import Problem


def interface_mode_problems(plan: Plan) -> Iterator[Problem]:
    for pool in plan.pools.values():
        if pool.config.interfaces in ("managed", "own"):
            yield from _way_problems(plan, pool)
    yield from _mixed_problems(plan)
    yield from _range_problems(plan)


def _way_problems(plan: Plan, pool: PlannedPool) -> Iterator[Problem]:
    field, machine = f"{pool.field}.interfaces", pool.machine
    if not machine.additional_interfaces:
        yield Problem(field, f"{machine.name} has no further interfaces; nearest: none")
    elif pool.managed and not can_be_managed(plan.stack, machine, plan.facts):
        yield Problem(field, f"{_why_not_managed(plan, pool)}; nearest: own")
    elif pool.managed:
        return
    elif pool.kind == "tpu" and plan.autopilot:
        yield Problem(
            field, "Autopilot connects slices by networks of its own; nearest: managed, or none"
        )


def _why_not_managed(plan: Plan, pool: PlannedPool) -> str:
    machine = pool.machine.name
    feature = plan.facts.feature("dranet_autopilot" if plan.autopilot else "dranet")
    if machine not in feature.machines:
        return f"GKE makes networks for {', '.join(feature.machines)}, and not for {machine}"
    return f"GKE makes networks from {feature.minimum_gke} on"


def _mixed_problems(plan: Plan) -> Iterator[Problem]:
    by_objects = [it for it in plan.pools.values() if it.interfaces]
    claimed = [it for it in plan.pools.values() if plan.claims(it)]
    if by_objects and claimed:
        own, other = by_objects[0], claimed[0]
        alone = "none" if other.kind == "tpu" else "own"
        yield Problem(
            f"{other.field}.interfaces",
            f"pods claim the interfaces of {other.name}, and those of {own.name} are in the "
            "stack's own networks: GKE's driver and Network objects would manage the same "
            f"interfaces of a cluster; nearest: {alone}, or a stack for each",
        )


def _range_problems(plan: Plan) -> Iterator[Problem]:
    """What is said of networks that GKE makes has no effect."""
    slices = plan.tpu_pools.values()
    if slices and not plan.autopilot and all(it.managed for it in slices):
        why = "GKE makes the networks between the slices"
        yield from beside_problems("network", plan.stack.network, ("dcn",), why)
    if plan.stack.makes_network and any(it.managed for it in plan.gpu_pools.values()):
        why = "GKE makes the networks of the further interfaces"
        if not plan.interface_sets:
            yield from beside_problems("network", plan.stack.network, ("accelerators",), why)
