"""The GKE cluster."""

from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Field

from catalog import GkeVersionField, ReleaseChannel
from stacks.blocks.block import Block
from stacks.types import AnyRange, ClusterName, Recurrence


class ClusterLocation(StrEnum):
    """A regional control plane stays up while it is upgraded; a zonal one is away for minutes."""

    REGIONAL = "regional"
    ZONAL = "zonal"


class AuthorizedRange(Block, frozen=True):
    """Who may reach the control plane's public address."""

    name: Annotated[str, Field(min_length=1)]
    cidr: AnyRange


class Maintenance(Block, frozen=True):
    """A recurring window: RFC 3339 times, RFC 5545 recurrence."""

    start: AwareDatetime
    end: AwareDatetime
    recurrence: Recurrence = "FREQ=WEEKLY;BYDAY=SA,SU"


class Cluster(Block, frozen=True):
    """`name` defaults to the stack's; without `version` GKE takes the channel's default.

    Without `authorized_networks` the control plane answers everywhere, to IAM identities alone.
    """

    name: ClusterName | None = None
    location: ClusterLocation = ClusterLocation.REGIONAL
    release_channel: ReleaseChannel = ReleaseChannel.REGULAR
    version: GkeVersionField | None = None
    authorized_networks: tuple[AuthorizedRange, ...] | None = None
    maintenance: Maintenance | None = None
