"""The GKE cluster."""

from enum import StrEnum
from typing import Annotated, Any, Literal, cast

from pydantic import Discriminator, Field, Tag

from catalog import GkeVersionField, ReleaseChannel
from stacks.blocks.block import Block
from stacks.types import AnyRange, ClusterName, Moment, Recurrence


class ClusterLocation(StrEnum):
    """A regional control plane stays up while it is upgraded; a zonal one is away for minutes."""

    REGIONAL = "regional"
    ZONAL = "zonal"


class ExclusionScope(StrEnum):
    """What stays away: every upgrade (90 days at most), minor versions, or those and new nodes."""

    NO_UPGRADES = "NO_UPGRADES"
    NO_MINOR_UPGRADES = "NO_MINOR_UPGRADES"
    NO_MINOR_OR_NODE_UPGRADES = "NO_MINOR_OR_NODE_UPGRADES"


class AuthorizedRange(Block, frozen=True):
    """Who may reach the control plane's public address."""

    name: Annotated[str, Field(min_length=1)]
    """A name for the range."""
    cidr: AnyRange
    """An IPv4 range."""


class MaintenanceExclusion(Block, frozen=True):
    """A time without automatic upgrades of one kind."""

    name: Annotated[str, Field(min_length=1)]
    """A name for the exclusion."""
    start: Moment
    """When it begins, an RFC 3339 time."""
    end: Moment | None = None
    """When it ends, an RFC 3339 time; by default when Google no longer supports the minor
    version."""
    scope: ExclusionScope = ExclusionScope.NO_MINOR_OR_NODE_UPGRADES
    """Which upgrades stay away."""


class Maintenance(Block, frozen=True):
    """A recurring window for automatic upgrades, and times without any."""

    start: Moment
    """When the first window begins, an RFC 3339 time."""
    end: Moment
    """When the first window ends, an RFC 3339 time."""
    recurrence: Recurrence = "FREQ=WEEKLY;BYDAY=SA,SU"
    """How it recurs: an RFC 5545 rule, daily or rarer, that leaves 48 hours in any 92 days."""
    exclusions: tuple[MaintenanceExclusion, ...] = ()
    """Times without automatic upgrades, 20 at most."""


class AnyCluster(Block, frozen=True):
    """A GKE cluster of either mode."""

    name: ClusterName | None = None
    """Name of the cluster; by default the stack's."""
    location: ClusterLocation = ClusterLocation.REGIONAL
    """Whether the control plane is in the whole region or in one zone."""
    release_channel: ReleaseChannel = ReleaseChannel.REGULAR
    """The channel that GKE's versions come from."""
    version: GkeVersionField | None = None
    """GKE version, whole or like `1.35`; by default the lock's, or the channel's default where
    nothing that the stack uses has a minimum."""
    authorized_networks: tuple[AuthorizedRange, ...] | None = None
    """Who may reach the control plane; by default it answers everywhere, to IAM identities
    alone."""
    maintenance: Maintenance | None = None
    """When GKE may upgrade by itself; by default at any time."""


class StandardCluster(AnyCluster, frozen=True):
    """Nodes are in pools that the stack makes."""

    mode: Literal["standard"] = "standard"


class AutopilotCluster(AnyCluster, frozen=True):
    """Nodes are made by GKE, from what pods ask for."""

    mode: Literal["autopilot"]


def _mode(value: Any) -> str:
    if isinstance(value, dict):
        return str(cast("dict[str, Any]", value).get("mode", "standard"))
    return str(getattr(value, "mode", "standard"))


Cluster = Annotated[
    Annotated[StandardCluster, Tag("standard")] | Annotated[AutopilotCluster, Tag("autopilot")],
    Discriminator(_mode),
]
