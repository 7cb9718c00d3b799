"""The GKE cluster. No Pulumi import."""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

from components.members import check_security_group
from stacks.blocks.cluster import AnyCluster
from stacks.blocks.ray import RayOperator, one_operator


class ClusterMode(StrEnum):
    """Who makes nodes: the stack, in pools, or GKE, from what pods ask for."""

    STANDARD = "standard"
    AUTOPILOT = "autopilot"


class StackCluster(AnyCluster, frozen=True):
    """The stack's GKE cluster."""

    mode: ClusterMode = ClusterMode.STANDARD
    """Who makes the nodes."""
    ray_operator: Annotated[RayOperator, BeforeValidator(one_operator)] = RayOperator.ADDON
    """Who runs KubeRay, where there are RayClusters."""
    security_group: Annotated[str, AfterValidator(check_security_group)] | None = None
    """The Google group whose groups teams may name."""

    @property
    def autopilot(self) -> bool:
        return self.mode is ClusterMode.AUTOPILOT
