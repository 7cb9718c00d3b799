"""What the rules of a resource type may ask of the cloud that they are for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from catalog import Catalog
from sandbox.cloud.reservations import Reservations
from sandbox.cloud.resource import Resource
from sandbox.faults import Faults


class View(Protocol):
    @property
    def catalog(self) -> Catalog: ...

    @property
    def faults(self) -> Faults: ...

    @property
    def reservations(self) -> Reservations: ...

    @property
    def real_control_planes(self) -> bool:
        """Whether each new cluster gets one."""
        ...

    @property
    def producers(self) -> list[str]:
        """Networks on whose peering a producer (Lustre) still holds addresses."""
        ...

    @property
    def abandoned_peerings(self) -> list[str]:
        """Networks with a peering that no stack owns any more."""
        ...

    @property
    def identity_pools(self) -> list[str]:
        """Projects with a workload identity pool: it comes with the first cluster and stays."""
        ...

    @property
    def preempted(self) -> list[str]:
        """Node pools whose machines Google has taken back."""
        ...

    def find(self, token: str) -> Iterator[Resource]: ...

    def get(self, resource_id: str) -> Resource | None: ...

    def require(self, token: str, reference: str | None, what: str) -> Resource:
        """The resource that an input refers to by id, self link, email or name."""
        ...

    def project_number(self, project: str) -> str: ...

    def turn_on_api(self, project: str, api: str) -> None: ...

    def kubernetes(self, cluster_id: str) -> dict[str, Any]:
        """The state of the cluster's in-memory API server."""
        ...

    def forget_kubernetes(self, cluster_id: str) -> None: ...

    def add_beside(self, resource: Resource, other: Resource) -> None:
        """Have what the cloud makes by itself with another resource."""
        ...

    def drop(self, resource: Resource) -> None:
        """Take a resource away with no rule asked: it went with another."""
        ...
