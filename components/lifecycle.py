"""What recurs in the lives of resources: options, each with the failure that it prevents, and the
name of an object for those that wait for it."""

from collections.abc import Sequence
from typing import Any

import pulumi


def child_of(parent: pulumi.Resource, *, protect: bool | None = None) -> pulumi.ResourceOptions:
    """Options of an ordinary child."""
    return pulumi.ResourceOptions(parent=parent, protect=protect)


def fixed_name(
    parent: pulumi.Resource,
    *,
    minutes: int | None = None,
    protect: bool | None = None,
    ignore_changes: Sequence[str] = (),
    replace_on_changes: Sequence[str] = (),
    replace_with: Sequence[pulumi.Resource] = (),
    depends_on: Sequence[pulumi.Resource] = (),
) -> pulumi.ResourceOptions:
    """Options of a child whose cloud name stays the same when it is replaced.

    Created before its predecessor is gone, the replacement would be refused as already existing.
    `minutes` is how long a create, update or delete may take before the engine gives up.
    """
    timeouts = None
    if minutes is not None:
        limit = f"{minutes}m"
        timeouts = pulumi.CustomTimeouts(create=limit, update=limit, delete=limit)
    return pulumi.ResourceOptions(
        parent=parent,
        protect=protect,
        delete_before_replace=True,
        custom_timeouts=timeouts,
        ignore_changes=list(ignore_changes),
        replace_on_changes=list(replace_on_changes),
        replace_with=list(replace_with) or None,
        depends_on=list(depends_on) or None,
    )


def held_to(value: pulumi.Input[str], *others: pulumi.Input[str]) -> pulumi.Output[str]:
    """The value, as a property that comes from the others as well.

    Where one of them is deleted before it is replaced, the engine first deletes what would be
    replaced if such a property changed, and all of it in the graph's order. Other ways to be
    replaced have no order (pulumi/pulumi step_generator.go, calculateDependentReplacements and
    findResourcesReplacedWith, 3.256).
    """
    return pulumi.Output.all(value, *others).apply(lambda known: known[0])


_METADATA = "metadata"


def object_name(resource: pulumi.CustomResource) -> pulumi.Output[str]:
    """The object's name, known once it exists and is ready."""
    metadata: pulumi.Output[Any] = getattr(resource, _METADATA)
    return metadata.apply(lambda meta: meta["name"])
