"""When GKE may upgrade a cluster, from a stack's config."""

from datetime import UTC, datetime

from components.gke_cluster import MaintenanceExclusion, MaintenanceWindow
from stacks.parts.cluster.config import Maintenance


def maintenance_window(window: Maintenance | None) -> MaintenanceWindow | None:
    if window is None:
        return None
    return MaintenanceWindow(
        start=_zulu(window.start),
        end=_zulu(window.end),
        recurrence=window.recurrence,
        exclusions=[
            MaintenanceExclusion(
                name=one.name,
                start=_zulu(one.start),
                end=None if one.end is None else _zulu(one.end),
                scope=one.scope.value,
            )
            for one in window.exclusions
        ],
    )


def _zulu(time: datetime) -> str:
    """The form in which GKE gives it back: any other is a difference for ever (provider's text)."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
