"""What recurs in the lives of resources: options, each with the failure that it prevents, and the
name of an object for those that wait for it."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import pulumi

from catalog.timeouts import minutes_for

_T = TypeVar("_T")


def child_of(parent: pulumi.Resource) -> pulumi.ResourceOptions:
    """Options of an ordinary child."""
    return pulumi.ResourceOptions(parent=parent)


def once_there(
    options: pulumi.ResourceOptions, *needed: Sequence[pulumi.Resource]
) -> pulumi.ResourceOptions:
    """Of a component that waits for all of these, besides what its user has it wait for."""
    every = list(dict.fromkeys(one for some in needed for one in some))
    return pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(depends_on=every))


def fixed_name(
    parent: pulumi.Resource,
    *,
    minutes: int | None = None,
    update_minutes: int | None = None,
    protect: bool | None = None,
    ignore_changes: Sequence[str] = (),
    replace_on_changes: Sequence[str] = (),
    replace_with: Sequence[pulumi.Resource] = (),
    replacement_trigger: Sequence[str] | None = None,
    depends_on: Sequence[pulumi.Resource] = (),
    timeouts: pulumi.CustomTimeouts | None = None,
) -> pulumi.ResourceOptions:
    """Options of a child whose cloud name stays the same when it is replaced.

    Created before its predecessor is gone, the replacement would be refused as already existing.
    `minutes` is how long a create, update or delete may take before the engine gives up, and
    `update_minutes` how long an update may take where that is another time. Of what Google takes
    long for, `timeouts` are those `of_google`.
    """
    if minutes is not None:
        limit, update = f"{minutes}m", f"{update_minutes or minutes}m"
        timeouts = pulumi.CustomTimeouts(create=limit, update=update, delete=limit)
    return pulumi.ResourceOptions(
        parent=parent,
        protect=protect,
        delete_before_replace=True,
        custom_timeouts=timeouts,
        ignore_changes=list(ignore_changes),
        replace_on_changes=list(replace_on_changes),
        replace_with=list(replace_with) or None,
        replacement_trigger=replacement_trigger and pulumi.Output.from_input(replacement_trigger),
        depends_on=list(depends_on) or None,
    )


def of_google(token: str, inputs: Mapping[str, object]) -> pulumi.CustomTimeouts:
    """How long each operation on a resource of Google's may take, by the table of durations and no
    less than the provider waits by itself; `inputs` are those by which it differs, by the
    provider's names."""
    minutes = minutes_for(token, inputs)
    return pulumi.CustomTimeouts(**{it: f"{many}m" for it, many in minutes.items()})


def held_to(value: pulumi.Input[str], *others: pulumi.Input[str]) -> pulumi.Output[str]:
    """The value, as a property that comes from the others as well.

    Where one of them is deleted before it is replaced, the engine first deletes what would be
    replaced if such a property changed, and all of it in the graph's order. Other ways to be
    replaced have no order (pulumi/pulumi step_generator.go, calculateDependentReplacements and
    findResourcesReplacedWith, 3.256).
    """
    return pulumi.Output.all(value, *others).apply(lambda known: known[0])


def not_followed(value: pulumi.Input[_T]) -> pulumi.Output[_T]:
    """The value, as a property that comes from no resource: what has it stays where the source is
    replaced, and waits for the source by `depends_on`.

    Where a source is deleted before it is replaced, the engine asks the provider what a value that
    is not known would do, and heeds no `ignore_changes` then (pulumi/pulumi
    pkg/resource/deploy/step_generator.go, calculateDependentReplacements, 3.256).
    """
    source = pulumi.Output.from_input(value)
    # Tasks, so that a program that ends itself leaves none that nobody waits for.
    known: Any = asyncio.ensure_future(source.future(with_unknowns=True))
    is_known, is_secret = map(asyncio.ensure_future, (source.is_known(), source.is_secret()))
    return pulumi.Output(set(), known, is_known, is_secret)


_METADATA = "metadata"


def object_name(resource: pulumi.CustomResource) -> pulumi.Output[str]:
    """The object's name, known once it exists and is ready."""
    metadata: pulumi.Output[Any] = getattr(resource, _METADATA)
    return metadata.apply(lambda meta: meta["name"])
