"""What the simulated cloud knows of one resource type: its id, its rules, its computed outputs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

from recovery.ids import resource_id
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError, HalfMadeError

# Of the simulated cloud, whose times are the same in every run.
_FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
RFC1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")


class Kind:
    """Rules of one resource type; the defaults admit everything that the schema admits."""

    token: ClassVar[str]
    api: ClassVar[str | None] = None
    # Whether several stacks can have it at once: making it again changes nothing.
    shared: ClassVar[bool] = False
    # Whether it is a line of a policy: making it again changes nothing, and the first delete takes
    # it away, whoever made it.
    merged: ClassVar[bool] = False
    # Paths in blocks that a program sends part of, whose values the cloud makes up.
    made_up: ClassVar[tuple[str, ...]] = ()

    def identify(self, inputs: Inputs) -> str:
        """The new resource's id; raises CloudError where an input that it is made of is missing."""
        found = resource_id(self.token, inputs)
        if found is None:
            raise CloudError(
                "INVALID_ARGUMENT", f"{self.token} has no name; give it one, names are never random"
            )
        return found

    def taken(self, existing: Inputs, inputs: Inputs) -> str:
        """What a create is told whose id `existing` has."""
        del existing
        return f"{self.identify(inputs)} already exists"

    def project(self, inputs: Inputs) -> str | None:
        """The project whose API is asked."""
        return inputs.get("project")

    def planned(self, inputs: Inputs) -> None:
        """Refuse what the provider refuses in a preview, too, by raising CloudError; what is not
        known yet is there."""

    def admit(self, inputs: Inputs, cloud: View) -> None:
        """Refuse a create by raising CloudError."""

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        """The computed properties of a new or changed resource."""
        del inputs, cloud, resource_id
        return {}

    def change(self, resource: Resource, news: Inputs, cloud: View) -> None:
        """Refuse an update by raising CloudError."""

    def replaced_by(self, olds: Inputs, news: Inputs) -> frozenset[str]:
        """Properties whose change replaces by a rule of the provider's that no schema shows."""
        del olds, news
        return frozenset()

    def unasked(self, inputs: Inputs, cloud: View) -> dict[str, Any]:
        """Inputs that nobody sent, and that the cloud answers with nevertheless: the table's
        `unasked`, as blocks."""
        del inputs, cloud
        return {}

    def release(self, resource: Resource, cloud: View) -> None:
        """Refuse a delete by raising CloudError."""

    def after_create(self, resource: Resource, cloud: View) -> None:
        """What the cloud does by itself once the resource exists."""

    def half_made(self, resource: Resource, cloud: View) -> HalfMadeError | None:
        """The provider's error where the create ended in an error state, and left the resource."""
        del resource, cloud

    def create_minutes(self, inputs: Inputs, cloud: View) -> float | None:
        """How long the create takes that ends so; None for as long as one that goes well."""
        del inputs, cloud

    def sent(self, state: Inputs, news: Inputs, there: Inputs) -> Inputs:
        """What an update sends, by what the provider has in its `state`, and what is `there`."""
        del state, there
        return news

    def after_change(self, olds: Inputs, resource: Resource, cloud: View) -> None:
        """What the cloud does by itself once the resource has changed."""

    def half_changed(self, olds: Inputs, resource: Resource, cloud: View) -> HalfMadeError | None:
        """The provider's error where the update failed, and the resource has the change."""
        del olds, resource, cloud

    def change_minutes(self, olds: Inputs, news: Inputs, cloud: View) -> float | None:
        """How long the update takes that ends so; None for as long as one that goes well."""
        del olds, news, cloud

    def after_cut_off(self, resource: Resource, cloud: View) -> None:
        """What there is more where the provider died before a create's further calls."""

    def after_update(self, resource: Resource, olds: Inputs, cloud: View) -> None:
        """What the provider does in an update beside the call, by what its state was before."""

    def after_delete(self, resource: Resource, cloud: View) -> None:
        """What the cloud does by itself once the resource is gone."""

    def is_asked(self, operation: str, inputs: Inputs) -> bool:
        """Whether the provider calls the cloud at all; what it does by itself takes no cloud
        time."""
        del operation, inputs
        return True

    def slots(self, inputs: Inputs) -> str | None:
        """The key under which operations are limited to a few at once, or None."""
        del inputs
        return None


def birth_digest(cloud: View, resource_id: str, length: int = 12) -> str:
    """A stand-in for what a real cloud makes up for each instance of a resource."""
    return digest(resource_id, str(cloud.births(resource_id)), length=length)


def birth_time(cloud: View, resource_id: str) -> str:
    """When this instance was created; no two of one id were at the same time."""
    born = _FIRST_DAY + timedelta(days=cloud.births(resource_id))
    return born.strftime("%Y-%m-%dT%H:%M:%SZ")


def check_name(kind: str, name: str, limit: int = 63) -> None:
    """Names of compute, container and Lustre resources: RFC 1035 labels with their own limits
    (hashicorp/terraform-provider-google-beta resource_compute_network.go,
    resource_container_cluster.go:305 and resource_lustre_instance.go, 93c65b2d)."""
    if len(name) > limit or not RFC1035.fullmatch(name):
        raise CloudError(
            "INVALID_ARGUMENT",
            f'{kind} name "{name}" must be a lowercase RFC 1035 label of at most {limit} letters',
        )


def refuse_if_used(what: str, users: Iterator[Resource]) -> None:
    """Raise the cloud's own in-use answer, naming the first user."""
    user = next(users, None)
    if user is not None:
        # genevieve/leftovers issue 6.
        raise CloudError("RESOURCE_IN_USE", f"{what} is already being used by {user.id}")


def digest(*parts: str, length: int = 12) -> str:
    """A stable stand-in for the random parts that a real cloud would make up."""
    return hashlib.sha256("/".join(parts).encode()).hexdigest()[:length]
