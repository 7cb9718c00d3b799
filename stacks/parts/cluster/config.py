"""The GKE cluster. No Pulumi import."""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

from components.members import check_security_group
from stacks.blocks.block import Block
from stacks.blocks.cluster import AnyCluster
from stacks.blocks.ray import RayOperator, one_operator
from stacks.types import ClusterName, ClusterPlace, StackReference


class ClusterMode(StrEnum):
    """Who makes nodes: the stack, in pools, or GKE, from what pods ask for."""

    STANDARD = "standard"
    AUTOPILOT = "autopilot"


class Operator(StrEnum):
    """What is installed in a cluster once, by its Helm chart."""

    KUBERAY = "kuberay"
    KUEUE = "kueue"
    JOBSET = "jobset"


class NamedCluster(Block, frozen=True):
    """A GKE cluster that exists already."""

    name: ClusterName
    """Name of the cluster."""
    location: ClusterPlace
    """Where its control plane is: a region or a zone."""
    operators: tuple[Operator, ...] = ()
    """What its owner has installed by Helm charts, and the stack does not install; GKE's own
    add-ons are seen."""


class StackCluster(AnyCluster, frozen=True):
    """The stack's GKE cluster. Of one that is not made here `mode`, `release_channel` and
    `ray_operator` are what it has to have."""

    existing: NamedCluster | None = None
    """One that exists already, in place of one made here; it is read and never changed."""
    stack: StackReference | None = None
    """The cluster of a platform stack, ORG/PROJECT/STACK, in place of one made here."""
    mode: ClusterMode = ClusterMode.STANDARD
    """Who makes the nodes."""
    ray_operator: Annotated[RayOperator, BeforeValidator(one_operator)] = RayOperator.ADDON
    """Who runs KubeRay: where there are RayClusters, and where a config has this key, for those of
    other stacks."""
    security_group: Annotated[str, AfterValidator(check_security_group)] | None = None
    """The Google group whose groups teams may name."""

    @property
    def is_made(self) -> bool:
        return self.existing is None and self.stack is None

    @property
    def autopilot(self) -> bool:
        return self.mode is ClusterMode.AUTOPILOT
