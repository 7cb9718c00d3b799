"""Stops `pulumi up` before it replaces or deletes what nobody agreed to lose.

It is in force where `deletion_protection` is. Why it is a hook: docs/adr/0008.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi

from stacks.blocks.acknowledge import Acknowledge
from stacks.blocks.cluster_stack import ClusterStack
from stacks.guarded import is_guarded

# The engine names it where it refuses `pulumi destroy`, so it says which switch is on.
HOOK = "deletion-protection"
# What a review gives as cause for a resource that goes only because another one does.
WITH_ANOTHER = "replaceWith"


def install(config: ClusterStack) -> None:
    """Put the guard in front of what the program registers from here on."""
    if not config.deletion_protection:
        return
    wanted: dict[str, Mapping[str, Any]] = {}

    def check(args: pulumi.ResourceHookArgs) -> None:
        reason = refusal(
            args.name, args.old_inputs or {}, wanted.get(args.name), config.acknowledge
        )
        if reason is not None:
            raise pulumi.RunError(reason)

    # In a preview too, so that `pulumi up` ends there, with nothing touched.
    hook = pulumi.ResourceHook(HOOK, check, pulumi.ResourceHookOptions(on_dry_run=True))
    agreed = {one.resource for one in config.acknowledge}

    def guard(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
        if not is_guarded(args.type_, args.props, config.facts):
            return None
        wanted[args.name] = args.props
        hooks = pulumi.ResourceHookBinding(before_delete=[hook])
        opts = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(hooks=hooks))
        if args.name in agreed:
            opts.protect = False
        return pulumi.ResourceTransformResult(args.props, opts)

    pulumi.runtime.register_resource_transform(guard)


def refusal(
    name: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any] | None,
    acknowledged: Sequence[Acknowledge],
) -> str | None:
    """Why a guarded resource may not be deleted; None when that was agreed to.

    `old` and `new` are inputs; `new` is None for one that the program has no more, or that goes
    before the program came to it. The engine does not tell a hook which property is the cause, so
    one that was agreed to has to be among those that change.
    """
    agreed = {one.property for one in acknowledged if one.resource == name}
    if new is None:
        changed: list[str] = []
        passes = bool(agreed)
    else:
        changed = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
        passes = any(_root(path) in (*changed, WITH_ANOTHER) for path in agreed)
    if passes:
        return None
    if new is not None and not changed:
        return (
            f"{name} would be deleted as it is, and stack.deletion_protection is on; nearest: "
            "`pulumi up` with stack.deletion_protection false, then `pulumi destroy`"
        )
    why = f" ({', '.join(changed)} changes)" if changed else ""
    return (
        f"{name} would be replaced or deleted{why}, and stack.acknowledge does not say so; "
        f"nearest: resource {name} there, with the property that `pulumi preview` names as cause"
    )


def _root(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]
