"""What the rules of a resource type may ask of the cloud that they are for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from catalog import Catalog
from sandbox.cloud.reservations import Reservations
from sandbox.cloud.resource import Resource
from sandbox.faults import Faults, Stockout


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
    def has_defaults(self) -> bool:
        """Whether projects have what Google gives each by itself: a network `default`, subnets of
        networks in auto mode, the nodes of a cluster's first pool."""
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

    def stockout(self, machine_type: str, zone: str) -> Stockout | None:
        """The rule of this run, or of the last one, by which machines are missing."""
        ...

    @property
    def short(self) -> dict[str, int]:
        """By node pool how many machines came, of those that are out of stock."""
        ...

    @property
    def degraded(self) -> dict[str, str]:
        """By cluster the error state that it was made in."""
        ...

    def find(self, token: str) -> Iterator[Resource]: ...

    def get(self, resource_id: str) -> Resource | None: ...

    def require(
        self, token: str, reference: str | None, what: str, project: str | None = None
    ) -> Resource:
        """The resource that an input refers to by id, self link, email or name, which is one of
        `project`, if that is known."""
        ...

    def project_number(self, project: str) -> str: ...

    def births(self, resource_id: str) -> int:
        """How often a resource of this id was created; another instance of it is another one."""
        ...

    def api_is_on(self, project: str, api: str) -> bool: ...

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
