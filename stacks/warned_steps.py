"""Steps of the engine that `preview` and `up` say something of before they begin."""

from collections.abc import Awaitable, Callable, Collection
from functools import partial
from inspect import isawaitable
from typing import Literal

import pulumi

Step = Literal["before_create", "before_update"]
Warn = Callable[[pulumi.ResourceHookArgs], str | Awaitable[str | None] | None]


def warn_of(name: str, step: Step, types: Collection[str], warning: Warn) -> None:
    """Has the engine ask `warning` before each such step of resources of these types, and warn of
    what it says. `name` is the hook's, of which the engine knows no two alike."""

    async def ask(args: pulumi.ResourceHookArgs) -> None:
        said = warning(args)
        line = await said if isawaitable(said) else said
        if line is not None:
            pulumi.log.warn(line)

    hook = pulumi.ResourceHook(name, ask, pulumi.ResourceHookOptions(on_dry_run=True))
    creates, updates = ([hook] if step == it else [] for it in ("before_create", "before_update"))
    binding = pulumi.ResourceHookBinding(before_create=creates, before_update=updates)
    pulumi.runtime.register_stack_transformation(partial(_bind, binding, types))


def _bind(
    binding: pulumi.ResourceHookBinding,
    types: Collection[str],
    args: pulumi.ResourceTransformationArgs,
) -> pulumi.ResourceTransformationResult | None:
    if args.type_ not in types:
        return None
    own = pulumi.ResourceOptions(hooks=binding)
    return pulumi.ResourceTransformationResult(
        args.props, pulumi.ResourceOptions.merge(args.opts, own)
    )
