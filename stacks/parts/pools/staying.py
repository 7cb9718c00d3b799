"""Pods that the cluster's autoscaler may not move."""

from collections.abc import Iterable

from components.base.pod_manifest import STAYS
from stacks.on_record import Record
from stacks.parts.pools.plan import PlannedPool
from stacks.site import Site


def staying(site: Site, kind: str, name: str, pools: Iterable[PlannedPool]) -> dict[str, str]:
    """Annotations of a pod that holds what nobody else has: a head the state of its jobs
    (ray-project/kuberay issue 4900 and ray-project/ray pull request 64907, of 2026), a worker or a
    script what it has computed since its last checkpoint. To Autopilot it is a wish for up to 7
    days, which spot machines cannot keep (GKE documentation, "Extend the run time of Autopilot
    Pods", read 2026-11-28).

    Pods that run would be made anew for it: the object of this kind and resource name that is on
    record without it stays as it is."""
    record = site.project.record or Record()
    there = (
        it
        for it in record.standing
        if it.name == name and it.type.startswith("kubernetes:") and it.type.endswith(f":{kind}")
    )
    kept = any(key not in str(it.outputs) for it in there for key in STAYS)
    spot = site.plan.autopilot and any(it.is_spot for it in pools)
    return {} if kept or spot else dict(STAYS)
