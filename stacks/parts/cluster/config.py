"""The GKE cluster. No Pulumi import."""

import json
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from catalog import GkeVersionField, ReleaseChannel
from components.base.members import check_security_group
from components.cluster.control_plane import ControlPlaneEndpoint
from stacks.config_errors import nearest
from stacks.types import (
    AnyRange,
    Block,
    ClusterName,
    ClusterPlace,
    Moment,
    Recurrence,
    StackReference,
)


class ClusterMode(StrEnum):
    """Who makes nodes: the stack, in pools, or GKE, from what pods ask for."""

    STANDARD = "standard"
    AUTOPILOT = "autopilot"


class Operator(StrEnum):
    """What is installed in a cluster once, by its Helm chart."""

    KUBERAY = "kuberay"
    KUEUE = "kueue"
    JOBSET = "jobset"


class RayOperator(StrEnum):
    """Who runs KubeRay: GKE, by its add-on, or the stack, by KubeRay's own Helm chart."""

    ADDON = "addon"
    HELM = "helm"


def one_operator(value: Any) -> Any:
    """Says of a list of both that it is one of them."""
    known = list(RayOperator)
    if value in known:
        return value
    raise ValueError(
        f"{json.dumps(value)} is not who runs KubeRay: one of them, never both; "
        f"nearest: {nearest(str(value), known)}"
    )


class NamedCluster(Block, frozen=True):
    """A GKE cluster that exists already."""

    name: ClusterName
    """Name of the cluster."""
    location: ClusterPlace
    """Where its control plane is: a region or a zone."""
    operators: tuple[Operator, ...] = ()
    """What its owner has installed by Helm charts; GKE's own add-ons are seen."""


class ClusterLocation(StrEnum):
    """A regional control plane stays up while it is upgraded; a zonal one is away for minutes."""

    REGIONAL = "regional"
    ZONAL = "zonal"


class ExclusionScope(StrEnum):
    """What stays away: every upgrade (90 days at most), minor versions, or those and new nodes."""

    NO_UPGRADES = "NO_UPGRADES"
    NO_MINOR_UPGRADES = "NO_MINOR_UPGRADES"
    NO_MINOR_OR_NODE_UPGRADES = "NO_MINOR_OR_NODE_UPGRADES"


# Under these GKE leaves nodes at their version.
KEEP_NODES = frozenset({ExclusionScope.NO_UPGRADES, ExclusionScope.NO_MINOR_OR_NODE_UPGRADES})


class AuthorizedRange(Block, frozen=True):
    """Who may reach the control plane's address."""

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
    """When it ends; by default with Google's support of the minor version."""
    scope: ExclusionScope = ExclusionScope.NO_MINOR_OR_NODE_UPGRADES
    """Which upgrades stay away."""


class Maintenance(Block, frozen=True):
    """A recurring window for automatic upgrades, and times without any."""

    start: Moment
    """When the first window begins, an RFC 3339 time."""
    end: Moment
    """When the first window ends, an RFC 3339 time."""
    recurrence: Recurrence = "FREQ=WEEKLY;BYDAY=SA,SU"
    """How it recurs: an RFC 5545 rule that leaves 48 hours in any 92 days."""
    exclusions: tuple[MaintenanceExclusion, ...] = ()
    """Times without automatic upgrades, 20 at most."""


class StackCluster(Block, frozen=True):
    """The GKE cluster. With `existing` or `stack`, `mode`, `release_channel` and `ray_operator` say
    what it has."""

    name: ClusterName | None = None
    """Name of the cluster; by default the stack's."""
    location: ClusterLocation = ClusterLocation.REGIONAL
    """The control plane's place."""
    # Of Autopilot clusters any, too (GKE documentation, "Use release channels", 2026-11-26).
    release_channel: ReleaseChannel = ReleaseChannel.REGULAR
    """The channel that GKE's versions come from."""
    version: GkeVersionField | None = None
    """GKE version, whole or like `1.35`; by default the lock's or the channel's."""
    endpoint: ControlPlaneEndpoint | None = None
    """Where the control plane answers; by default `public`, with `hardened` `dns` unless
    `authorized_networks` narrows a public address."""
    authorized_networks: tuple[AuthorizedRange, ...] | None = None
    """Who may reach the control plane's address; by default everybody with an IAM identity, of a
    private one the cluster alone."""
    binary_authorization: bool | None = None
    """Run only images that the Binary Authorization policy allows; by default as `hardened`
    says."""
    intranode_visibility: bool | None = None
    """Show the VPC traffic between pods of one node; by default as `hardened` says."""
    maintenance: Maintenance | None = None
    """When GKE may upgrade by itself; by default at any time."""
    existing: NamedCluster | None = None
    """One that exists already, which is read and never changed."""
    stack: StackReference | None = None
    """A platform stack whose cluster it is, ORG/PROJECT/STACK."""
    mode: ClusterMode = ClusterMode.STANDARD
    """Who makes the nodes."""
    ray_operator: Annotated[RayOperator, BeforeValidator(one_operator)] = RayOperator.ADDON
    """Who runs KubeRay; with this key also without RayClusters."""
    security_group: Annotated[str, AfterValidator(check_security_group)] | None = None
    """The Google group whose groups teams may name."""

    @property
    def is_made(self) -> bool:
        return self.existing is None and self.stack is None

    @property
    def autopilot(self) -> bool:
        return self.mode is ClusterMode.AUTOPILOT
