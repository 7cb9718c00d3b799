"""When GKE may upgrade a cluster, from a stack's config."""

from components.gke_cluster import MaintenanceExclusion, MaintenanceWindow
from stacks.blocks.cluster import Maintenance


def maintenance_window(window: Maintenance | None) -> MaintenanceWindow | None:
    if window is None:
        return None
    return MaintenanceWindow(
        start=window.start.isoformat(),
        end=window.end.isoformat(),
        recurrence=window.recurrence,
        exclusions=[
            MaintenanceExclusion(
                name=one.name,
                start=one.start.isoformat(),
                end=one.end.isoformat(),
                scope=one.scope.value,
            )
            for one in window.exclusions
        ],
    )
