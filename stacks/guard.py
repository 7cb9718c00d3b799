"""Stops `pulumi up` before it replaces or deletes what nobody agreed to lose.

It is in force where `deletion_protection` is. Why it is a hook: docs/adr/0008.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
from pulumi.output import Unknown

from stacks import refusal
from stacks.plan import Plan
from stacks.refusal import (
    CLUSTER,
    KUBERNETES,
    NODE_POOL,
    SEAL_TYPE,
    UNKNOWN,
    is_guarded,
    renews_nodes,
)
from stacks.running_work import RunningWork, Stop

# A `pulumi destroy` that does not run the program ends with the names of the hooks that it would
# need, so the name is what we would say.
HOOK = refusal.OF_DESTROY
SEAL = "deletion-guard"

_Key = tuple[str, str]
_Inputs = Mapping[str, Any]


@dataclass(frozen=True)
class _Wanted:
    inputs: _Inputs
    ignored: tuple[str, ...]
    forced: tuple[str, ...]


@dataclass
class Guard:
    """What the program wants, as far as it has come, held against what the engine deletes.

    `declared` has all that the program makes, with the properties that come from other resources
    and make it anew; `wanted` what the engine has heard of; `gone_early` what went before that.
    """

    plan: Plan
    work: RunningWork
    made: list[pulumi.Resource] = field(default_factory=list[pulumi.Resource])
    bound: set[_Key] = field(default_factory=set[_Key])
    declared: dict[_Key, list[str]] = field(default_factory=dict[_Key, list[str]])
    wanted: dict[_Key, _Wanted] = field(default_factory=dict[_Key, _Wanted])
    gone_early: dict[_Key, _Inputs] = field(default_factory=dict[_Key, _Inputs])

    def note(
        self, args: pulumi.ResourceTransformationArgs
    ) -> pulumi.ResourceTransformationResult | None:
        """Runs as the program makes a resource, long before the engine hears of it."""
        key = (args.type_, args.name)
        self.made.append(args.resource)
        self.declared[key] = [
            path
            for name, value in args.props.items()
            if isinstance(value, pulumi.Output) and name != "project"
            if self.plan.facts.replaces(args.type_, path := _camel(name))
        ]
        if key not in self.work.jobs and not self._has_trigger(args):
            return None
        self.bound.add(key)
        # Not in the transform below: the SDK sends on no replacement trigger that comes back from
        # one (3.272.0, tried).
        return pulumi.ResourceTransformationResult(args.props, self._held(args.opts))

    def _has_trigger(self, args: pulumi.ResourceTransformationArgs) -> bool:
        guarded = is_guarded(args.type_, {}, self.plan.facts)
        return guarded and args.opts.replacement_trigger is not None

    async def before_delete(self, args: pulumi.ResourceHookArgs) -> None:
        token, name, old = args.type, args.name, await _plain(args.old_inputs or {})
        stops = list(self.work.stops([(token, name)]))
        if token != SEAL_TYPE and not stops and not is_guarded(token, old, self.plan.facts):
            return
        reasons = list(filter(None, [*map(self._of_work, stops), self._reason(token, name, old)]))
        if reasons:
            raise pulumi.RunError("\n".join(reasons))
        if token != SEAL_TYPE:
            pulumi.log.warn(
                f"{name} goes, as stack.acknowledge agrees to: take the entry out afterwards"
            )

    def before_update(self, args: pulumi.ResourceHookArgs) -> None:
        if renews_nodes(args.type, args.old_inputs or {}, args.new_inputs or {}):
            stops = self.work.stops([], [(args.type, args.name)])
            if reasons := list(filter(None, map(self._of_work, stops))):
                raise pulumi.RunError("\n".join(reasons))

    def _of_work(self, stop: Stop) -> str | None:
        agreed = refusal.agreed_to(stop.resource, self.plan.stack.acknowledge)
        if stop.agreement is None or not self.plan.stack.deletion_protection:
            return None
        return refusal.of_work(str(stop), stop.resource, stop.agreement, agreed)

    def _reason(self, token: str, name: str, old: _Inputs) -> str | None:
        if not self.plan.stack.deletion_protection:
            return None if token == SEAL_TYPE else refusal.of_unprotected(name)
        if token == SEAL_TYPE:
            return refusal.OF_DESTROY
        if not is_guarded(token, old, self.plan.facts):
            return None
        agreed = refusal.agreed_to(name, self.plan.stack.acknowledge)
        if (token, name) not in self.declared:
            return refusal.of_removed(name, agreed)
        if (token, name) in self.wanted:
            return self._of_replaced(token, name, old)
        self.gone_early[token, name] = old
        if token.startswith(KUBERNETES):
            return self._of_object(name)
        return refusal.of_dependent(name, self.declared[token, name], agreed)

    def _of_object(self, name: str) -> str | None:
        clusters = [name for kind, name in self.declared if kind == CLUSTER]
        return refusal.of_object(name, clusters, self.plan.stack.acknowledge)

    def _of_replaced(self, token: str, name: str, old: _Inputs) -> str | None:
        new = self.wanted[token, name]
        causes = refusal.causes_of(token, old, new.inputs, self.plan.facts, new.ignored, new.forced)
        if not causes and token.startswith(KUBERNETES):
            return self._of_object(name)
        agreed = refusal.agreed_to(name, self.plan.stack.acknowledge)
        return refusal.of_replaced(name, causes, agreed)

    async def transform(
        self, args: pulumi.ResourceTransformArgs
    ) -> pulumi.ResourceTransformResult | None:
        inputs = await _plain(args.props)
        carries = args.type_ == NODE_POOL and self.work.carries(args.name)
        if not carries and not is_guarded(args.type_, inputs, self.plan.facts):
            return None
        key, opts = (args.type_, args.name), args.opts
        self.wanted[key] = _Wanted(
            inputs,
            tuple(opts.ignore_changes or ()),
            tuple(opts.replace_on_changes or ()),
        )
        if key in self.gone_early and (reason := self._of_replaced(*key, self.gone_early.pop(key))):
            pulumi.log.error(reason)
        if key in self.bound:
            return None
        return pulumi.ResourceTransformResult(args.props, self._held(opts))

    def _held(self, opts: pulumi.ResourceOptions) -> pulumi.ResourceOptions:
        hooks = pulumi.ResourceHookBinding(
            before_delete=[self._hook], before_update=[self._update_hook]
        )
        # The engine's own protection would refuse first, with words that do not say how to agree.
        ours = pulumi.ResourceOptions(hooks=hooks, protect=False)
        return pulumi.ResourceOptions.merge(opts, ours)

    def close(self) -> None:
        """To be called when the program has made everything."""
        if not self.plan.stack.deletion_protection:
            return
        for line in refusal.out_of_place(
            self.plan.stack.acknowledge, {name for _, name in self.declared}
        ):
            pulumi.log.warn(line)
        hooks = pulumi.ResourceHookBinding(before_delete=[self._hook])
        seal = pulumi.ComponentResource(
            SEAL_TYPE, SEAL, None, pulumi.ResourceOptions(depends_on=list(self.made), hooks=hooks)
        )
        seal.register_outputs({})

    def install(self) -> None:
        """Put the guard in front of what the program registers from here on."""
        # In a preview too, so that `pulumi up` ends there, with nothing touched. Where protection
        # is off it is there for what an earlier run brought up with it on.
        options = pulumi.ResourceHookOptions(on_dry_run=True)
        self._hook = pulumi.ResourceHook(HOOK, self.before_delete, options)
        self._update_hook = pulumi.ResourceHook("new-nodes", self.before_update, options)
        if self.plan.stack.deletion_protection:
            pulumi.runtime.register_stack_transformation(self.note)
            pulumi.runtime.register_resource_transform(self.transform)


def install(plan: Plan, work: RunningWork) -> Guard:
    guard = Guard(plan, work)
    guard.install()
    return guard


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


async def _plain(value: Any) -> Any:
    """A value without outputs; what is not known yet is UNKNOWN."""
    if isinstance(value, pulumi.Output):
        output: pulumi.Output[Any] = value
        return await _plain(await output.future(True)) if await output.is_known() else UNKNOWN
    if isinstance(value, Unknown):
        return UNKNOWN
    if isinstance(value, Mapping):
        return {key: await _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [await _plain(inner) for inner in value]
    return value
