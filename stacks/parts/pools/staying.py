"""Pods that the cluster's autoscaler may not move. No Pulumi import."""

from collections.abc import Iterable

from components.pod_manifest import STAYS
from stacks.parts.pools.plan import PlannedPool
from stacks.plan import Plan


def staying(plan: Plan, pools: Iterable[PlannedPool]) -> dict[str, str]:
    """Annotations of a pod that holds what nobody else has: a head the state of its jobs
    (ray-project/kuberay issue 4900 and ray-project/ray pull request 64907, of 2026), a worker or a
    script what it has computed since its last checkpoint. A volume in memory is no sure hold: what
    counts as local storage, and whether that keeps a node, is the autoscaler's to choose. To
    Autopilot it is a wish for up to 7 days, which spot machines cannot keep (GKE documentation,
    "Extend the run time of Autopilot Pods", read 2026-11-28)."""
    spot = plan.autopilot and any(it.is_spot for it in pools)
    return {} if spot else dict(STAYS)
