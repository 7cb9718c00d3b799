"""The labels by which pods find the nodes of a pool. No Pulumi import."""

from components.base.naming import NameKind, cloud_name
from components.pools.labels import GKE_ACCELERATOR, POOL_LABEL, slice_labels
from stacks.parts.pools.config import SpecificReservation, Spot
from stacks.parts.pools.plan import PlannedPool
from stacks.plan import Plan

STACK_LABEL = "gke-ai-stacks/stack"
_POOL_LABEL = "gke-ai-stacks/pool"
# What pods ask an Autopilot cluster for: GKE documentation ("Choose compute classes for Autopilot
# Pods", "Consume reserved zonal resources"), Google's manifests for verl on Autopilot, and for the
# driver those of vLLM (GoogleCloudPlatform/kubernetes-engine-samples
# ai-ml/llm-serving-gemma/vllm/vllm-2-9b-it.yaml, 2b503651).
_GKE = "cloud.google.com"
COMPUTE_CLASS = f"{_GKE}/compute-class"
MACHINE_FAMILY = f"{_GKE}/machine-family"
PERFORMANCE = {COMPUTE_CLASS: "Performance"}


def only(plan: Plan, pool: PlannedPool) -> dict[str, str]:
    """Those that no other nodes have."""
    if pool.kind == "tpu":
        own = {COMPUTE_CLASS: class_name(plan, pool)} if plan.autopilot else own_labels(plan, pool)
        return {**own, **of_slices(pool)}
    if plan.autopilot and pool.managed:
        return {COMPUTE_CLASS: class_name(plan, pool)}
    return _of_machines(pool) if plan.autopilot else {POOL_LABEL: pool.pool_name}


def class_name(plan: Plan, pool: PlannedPool) -> str:
    """Of the ComputeClass by which Autopilot makes the pool's slices or machines."""
    return cloud_name(NameKind.COMPUTE_CLASS, plan.stack.name, pool.name)


def own_label(plan: Plan) -> dict[str, str]:
    """Tells slices of the stack from those that others have in the same cluster."""
    return {} if plan.stack.cluster.is_made else {STACK_LABEL: plan.stack.name}


def own_labels(plan: Plan, pool: PlannedPool) -> dict[str, str]:
    """Tells slices of the pool from those of another one that are of the same shape, too."""
    shape = of_slices(pool)
    twins = [it for it in plan.tpu_pools.values() if of_slices(it) == shape]
    return {**own_label(plan), **({_POOL_LABEL: pool.name} if len(twins) > 1 else {})}


def of_slices(pool: PlannedPool) -> dict[str, str]:
    assert pool.machine.accelerator is not None
    assert pool.topology is not None
    return slice_labels(pool.machine.accelerator.type, pool.topology.name)


def _of_machines(pool: PlannedPool) -> dict[str, str]:
    """A whole machine with these accelerators; the zone is that of their network's profile."""
    accelerator, capacity = pool.machine.accelerator, pool.config.capacity
    # The rules refuse pools without accelerators on Autopilot.
    assert accelerator is not None
    found = {
        **PERFORMANCE,
        GKE_ACCELERATOR: accelerator.type,
        f"{_GKE}/gke-accelerator-count": str(accelerator.count),
        # A pod that asks for none gets GKE's default, which is years older.
        f"{_GKE}/gke-gpu-driver-version": pool.config.driver_version.value,
        "topology.kubernetes.io/zone": pool.zone,
    }
    if isinstance(capacity, Spot):
        found[f"{_GKE}/gke-spot"] = "true"
    if isinstance(capacity, SpecificReservation):
        found |= _reserved(capacity)
    return found


def _reserved(capacity: SpecificReservation) -> dict[str, str]:
    parts = {
        "affinity": "specific",
        "name": capacity.name,
        "project": capacity.project,
        "blocks": capacity.block,
        "subblocks": capacity.sub_block,
    }
    return {f"{_GKE}/reservation-{key}": value for key, value in parts.items() if value}
