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
    cidr: AnyRange


class MaintenanceExclusion(Block, frozen=True):
    """A time without automatic upgrades of the kind that `scope` names, RFC 3339 times.

    Without `end` it lasts until Google no longer supports the minor version.
    """

    name: Annotated[str, Field(min_length=1)]
    start: Moment
    end: Moment | None = None
    scope: ExclusionScope = ExclusionScope.NO_MINOR_OR_NODE_UPGRADES


class Maintenance(Block, frozen=True):
    """A recurring window, RFC 3339 times and RFC 5545 recurrence, and times without any."""

    start: Moment
    end: Moment
    recurrence: Recurrence = "FREQ=WEEKLY;BYDAY=SA,SU"
    exclusions: tuple[MaintenanceExclusion, ...] = ()


class AnyCluster(Block, frozen=True):
    """`name` defaults to the stack's; without `version` it is the lock's, or the channel's
    default where nothing that the stack uses has a minimum.

    Without `authorized_networks` the control plane answers everywhere, to IAM identities alone.
    """

    name: ClusterName | None = None
    location: ClusterLocation = ClusterLocation.REGIONAL
    release_channel: ReleaseChannel = ReleaseChannel.REGULAR
    version: GkeVersionField | None = None
    authorized_networks: tuple[AuthorizedRange, ...] | None = None
    maintenance: Maintenance | None = None


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
