"""Stops `pulumi up` before it replaces or deletes what nobody agreed to lose.

It is in force where `deletion_protection` is. Why it is a hook: docs/adr/0008.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pulumi
from pulumi import _types
from pulumi.output import Unknown

from components.base.tokens import is_component
from stacks import refusal
from stacks.acknowledge import REMOVED, written
from stacks.agreements import SPENT, Agreements, instance_of
from stacks.arguments import plain
from stacks.by_hand import ByHand, differs
from stacks.config import ConfigError
from stacks.data_loss import lost_in_place, lost_with, objects_deleted
from stacks.on_record import Record, Recorded
from stacks.plan import Plan
from stacks.property_paths import UNKNOWN, Secret, value_at
from stacks.refusal import (
    BUCKET,
    LOCKS,
    NODE_POOL,
    SEAL_CONFIG,
    SEAL_HOOK,
    SEAL_RUNS,
    SEAL_TYPE,
    Lock,
    Refusal,
    RefusedError,
    drops_nodes,
    is_guarded,
    renews_nodes,
    text_of,
)
from stacks.renamed import renamed
from stacks.running_work import RunningWork, Stop
from stacks.stands_on import going_with

# A `pulumi destroy` that does not run the program ends with the names of the hooks that it would
# need, and a hook on record that the program does not register is an error (pulumi/pulumi
# pkg/resource/deploy/step.go:625 and deployment.go:849, v3.256.0, 2026-11-22). States of earlier
# releases have another one on all that is guarded.
HOOK = "stack.deletion_protection is on"
SEAL = "deletion-guard"
# Keeps which instances there were when an entry first agreed by the config, from the beginning of a
# run on, so that it agrees to no other if the run fails; and what an entry had removed, for of that
# nothing else is left.
_SEEN_TYPE = "gke-ai-stacks-guard:guard:Agreements"
_SEEN = "agreements"
_REMOVED = "removed"
_RUNS = "runs"

_LONGEST = 60
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

    `declared` has all that the program makes, long before the engine hears of it, and `ignored` the
    properties of each whose changes the engine is not to see; `wanted` what the engine has heard
    of; `gone_early` what went before that. A preview goes on past what it refuses, so that one
    message at its end has all of it: `refused`. What no run replaces is `hand`'s.
    """

    plan: Plan
    work: RunningWork
    record: Record
    agreements: Agreements
    hand: ByHand
    made: list[pulumi.Resource] = field(default_factory=list[pulumi.Resource])
    locks: list[tuple[pulumi.Resource, Lock]] = field(
        default_factory=list[tuple[pulumi.Resource, Lock]]
    )
    bound: set[_Key] = field(default_factory=set[_Key])
    declared: dict[_Key, _Inputs] = field(default_factory=dict[_Key, _Inputs])
    ignored: dict[_Key, tuple[str, ...]] = field(default_factory=dict[_Key, tuple[str, ...]])
    wanted: dict[_Key, _Wanted] = field(default_factory=dict[_Key, _Wanted])
    gone_early: dict[_Key, pulumi.ResourceHookArgs] = field(
        default_factory=dict[_Key, pulumi.ResourceHookArgs]
    )
    touched: set[str] = field(default_factory=set[str])
    refused: list[Refusal] = field(default_factory=list[Refusal])
    twice: list[str] = field(default_factory=list[str])
    kept: list[str] = field(default_factory=list[str])

    @property
    def protects(self) -> bool:
        return self.plan.stack.deletion_protection

    @property
    def _of_destroy(self) -> str:
        stack = self.plan.stack
        return refusal.of_destroy(pulumi.get_stack(), stack.jobs.keys(), stack.teams.keys())

    @property
    def in_force(self) -> bool:
        """Protection that is turned off holds for the run that turns it off."""
        return self.protects or bool(self.record.of_type(SEAL_TYPE))

    def note(
        self, args: pulumi.ResourceTransformationArgs
    ) -> pulumi.ResourceTransformationResult | None:
        """Runs as the program makes a resource, before the engine hears of any."""
        key = (args.type_, args.name)
        self.made.append(args.resource)
        lock = LOCKS.get(args.type_)
        if lock is not None and args.props.get(lock.property) is lock.opens:
            self.locks.append((args.resource, lock))
        if key in self.declared and (key in self.work.jobs or self._is_guarded(args.type_, {})):
            self.twice.append(args.name)
        self.declared[key] = args.props
        self.ignored[key] = tuple(map(_camel, args.opts.ignore_changes or ()))
        for alias in args.opts.aliases or ():
            if isinstance(alias, pulumi.Alias) and isinstance(alias.name, str):
                self.declared.setdefault((args.type_, alias.name), args.props)
        recorded = self.record.get(*key) if self.in_force else None
        if recorded is not None and self._is_guarded(recorded.type, recorded.outputs):
            self.bound.add(key)
            return pulumi.ResourceTransformationResult(args.props, self._asked(recorded, args.opts))
        if recorded is not None and any(self._going_with(recorded)):
            hooks = pulumi.ResourceHookBinding(before_create=[self._create_hook])
            first = pulumi.ResourceOptions(hooks=hooks, delete_before_replace=False)
            options = pulumi.ResourceOptions.merge(args.opts, first)
            return pulumi.ResourceTransformationResult(args.props, options)
        if not self.protects or (key not in self.work.jobs and not self._has_trigger(args)):
            return None
        self.bound.add(key)
        # Not in the transform below: the SDK sends on no replacement trigger that comes back from
        # one (3.272.0, tried).
        return pulumi.ResourceTransformationResult(args.props, self._held(args.opts))

    def _needed(self, it: Recorded, causes: Mapping[str, Any]) -> list[str]:
        """The entries without which a resource on record may not be replaced."""
        may_replace = partial(self.plan.facts.may_replace, it.type)
        if not causes and self.agreements.awaits(it.name, it.outputs, may_replace):
            return []
        return self.agreements.for_replacement(it.name, causes, instance_of(it.type, it.outputs))

    def _certain_causes(self, it: Recorded) -> dict[str, Any]:
        return refusal.changed_for_certain(
            it.type,
            it.outputs,
            _as_declared(self.declared[it.type, it.name]),
            self.plan.facts,
            self.ignored.get((it.type, it.name), ()),
        )

    def _asked(self, recorded: Recorded, options: pulumi.ResourceOptions) -> pulumi.ResourceOptions:
        """Has the engine ask before it replaces what is on record, whatever hooks the record has,
        and before it deletes what no entry agrees to replace.

        The engine calls a hook before a delete only where the last run registered one: not where
        protection was off, nor where the run that turns it off ended halfway. It calls the hook
        before a create always, and in `up` such a create comes first, whatever the provider says
        (pulumi/pulumi pkg/resource/deploy/step_generator.go, goal.DeleteBeforeReplace, v3.256.0).
        The SDK sends on no False that comes back from the transform below (3.272.0, _callbacks.py).
        """
        hooks = pulumi.ResourceHookBinding(before_create=[self._create_hook])
        needed = self._needed(recorded, self._certain_causes(recorded))
        asks = bool(needed) and not pulumi.runtime.is_dry_run()
        first = False if asks or any(self._going_with(recorded)) else None
        if self.protects:
            options = self._held(options)
        else:
            options = pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(hooks=hooks))
        order = pulumi.ResourceOptions(delete_before_replace=first)
        return pulumi.ResourceOptions.merge(options, order)

    def _going_with(self, root: Recorded) -> Iterator[Refusal]:
        """What an `up` deletes before it replaces the root, as far as no entry agrees to that. A
        preview deletes nothing, and asks for each when its turn comes."""
        if pulumi.runtime.is_dry_run():
            return
        for it in going_with(root, self.record):
            if not self._is_guarded(it.type, it.outputs):
                continue
            instance = instance_of(it.type, it.outputs)
            entries = self.agreements.for_replacement(it.name, {}, instance)
            why = f"{root.name}, which it stands on, is replaced"
            yield from self._refusal(it.type, it.name, why, entries, it.outputs)

    def _has_trigger(self, args: pulumi.ResourceTransformationArgs) -> bool:
        """Of what the transform below holds; its inputs may not be known yet."""
        if args.opts.replacement_trigger is None:
            return False
        if args.type_ != NODE_POOL:
            return is_guarded(args.type_, {}, self.plan.facts)
        accelerated = (it for it in self.plan.pools.values() if it.machine.accelerator is not None)
        return self.work.carries(args.name) or any(it.has(args.name) for it in accelerated)

    # A hook before a delete is given what was there alone, one before a create what comes alone
    # (pulumi/pulumi pkg/resource/deploy/step.go:321 and :626, v3.256.0, 2026-11-22).
    async def before_delete(self, args: pulumi.ResourceHookArgs) -> None:
        token, name = args.type, args.name
        if token == SEAL_TYPE:
            if self.protects:
                raise pulumi.RunError(self._of_destroy)
            await self._refuse_half_a_destroy()
            return
        stops = list(self.work.stops([(token, name)]))
        if not stops and not self._is_guarded(token, await plain(args.old_inputs or {})):
            return
        refusals = [*self._of_work(stops), *await self._of_deleted(args)]
        if not refusals and not self.hand.refusal():
            pulumi.log.warn(f"{name} goes, as stack.acknowledge agrees to")
        self._refuse(refusals)

    async def _refuse_half_a_destroy(self) -> None:
        """Where the config opens a lock that the state keeps shut. An `up` has opened it before it
        deletes anything; a destroy opens none."""
        shut: dict[str, str] = {}
        for resource, lock in self.locks:
            if lock.is_shut(await plain(getattr(resource, lock.property))):
                shut[str(await plain(resource.urn))] = _camel(lock.property)
        if shut:
            seals = [it.urn for it in self.record.of_type(SEAL_TYPE)]
            raise pulumi.RunError(refusal.still_locked(shut, seals, pulumi.get_stack()))

    def before_update(self, args: pulumi.ResourceHookArgs) -> None:
        old, new, pool = args.old_inputs or {}, args.new_inputs or {}, (args.type, args.name)
        renewed = [pool] if renews_nodes(args.type, old, new) else []
        shrunk = [pool] if drops_nodes(args.type, old, new) else []
        if renewed or shrunk:
            self._refuse(list(self._of_work(self.work.stops([], renewed, shrunk))))

    async def before_create(self, args: pulumi.ResourceHookArgs) -> None:
        """What is on record and created is replaced. Where the record has a hook before its delete
        and that was called, it is judged already."""
        old = self.record.get(args.type, args.name)
        if old is None or args.name in self.touched:
            return
        self._refuse(list(self._going_with(old)))
        self._refuse(list(self._of_work(self.work.stops([(args.type, args.name)]))))
        if not self._is_guarded(args.type, old.outputs):
            return
        self.touched.add(args.name)
        if self.hand.stops(args.type, old.outputs):
            return
        causes = self._certain_causes(old)
        entries = self._needed(old, causes)
        if not entries:
            pulumi.log.warn(f"{args.name} goes, as stack.acknowledge agrees to")
            return
        changed = differs(old.outputs, await plain(args.new_inputs or {}))
        why = _listed(old.outputs, causes) or _without_a_cause(changed=changed)
        if old.registered_urn != args.urn:
            why = f"the state has it under another URN, {old.urn}"
        self._refuse(self._refusal(args.type, args.name, why, entries, old.outputs))

    def _is_guarded(self, token: str, inputs: _Inputs) -> bool:
        return is_guarded(token, inputs, self.plan.facts)

    def _refuse(self, refusals: list[Refusal]) -> None:
        """In a preview told at its end; else the engine stops before it deletes anything."""
        if pulumi.runtime.is_dry_run():
            self.refused += refusals
        elif refusals:
            raise pulumi.RunError(self._text_of(refusals, begun=True))

    def _text_of(self, refusals: list[Refusal], *, begun: bool = False) -> str:
        return text_of(
            refusals,
            self.kept,
            turned_off=not self.protects,
            begun=begun,
            standing=bool(self.agreements.entries),
        )

    def _of_work(self, stops: Iterator[Stop] | list[Stop]) -> Iterator[Refusal]:
        for stop in stops:
            if stop.agreement is None or not self.in_force:
                continue
            self.touched.add(stop.resource)
            if stop.agreement == REMOVED:
                entries = self.agreements.for_removal(stop.resource)
            else:
                entries = self.agreements.for_replacement(stop.resource, {}, stop.instance)
            if entries:
                yield Refusal(str(stop), tuple(entries))

    async def _of_deleted(self, args: pulumi.ResourceHookArgs) -> list[Refusal]:
        key, old = (args.type, args.name), await plain(args.old_inputs or {})
        if not self._is_guarded(args.type, old):
            return []
        if key not in self.declared:
            return self._of_removed(*key, old)
        self.touched.add(args.name)
        if self.hand.stops(args.type, old):
            recorded = self.record.get(*key)
            if recorded is not None and not pulumi.runtime.is_dry_run():
                raise pulumi.RunError(str(self.hand.refusal(recorded)))
            return []
        if key in self.wanted:
            return await self._of_replaced(args)
        self.gone_early[key] = args
        entries = self.agreements.for_replacement(args.name, {}, await _instance(args))
        why = "what it depends on is replaced"
        return self._refusal(args.type, args.name, why, entries, old)

    def _of_removed(self, token: str, name: str, old: _Inputs) -> list[Refusal]:
        entries = self.agreements.for_removal(name)
        if not entries:
            return []
        lost = lost_with(token, old, self.plan.facts)
        what = f"{name} would be deleted"
        return [Refusal(f"{what} (the program no longer has it): {lost}", tuple(entries))]

    async def _of_replaced(self, args: pulumi.ResourceHookArgs) -> list[Refusal]:
        new, old = self.wanted[args.type, args.name], await plain(args.old_inputs or {})
        causes = refusal.causes_of(
            args.type, old, new.inputs, self.plan.facts, new.ignored, new.forced
        )
        why = _listed(old, causes)
        before = _as_declared(self.declared[args.type, args.name])
        known = {
            path: UNKNOWN if value_at(before, path, (UNKNOWN,)) is UNKNOWN else value
            for path, value in causes.items()
        }
        entries = self.agreements.for_replacement(args.name, known, await _instance(args))
        why = why or _without_a_cause(changed=differs(old, new.inputs))
        return self._refusal(args.type, args.name, why, entries, old)

    def _refusal(
        self, token: str, name: str, why: str, entries: list[str], old: _Inputs
    ) -> list[Refusal]:
        if not entries:
            return []
        lost = lost_with(token, old, self.plan.facts)
        return [Refusal(f"{name} would be replaced ({why}): {lost}", tuple(entries))]

    async def transform(
        self, args: pulumi.ResourceTransformArgs
    ) -> pulumi.ResourceTransformResult | None:
        inputs = await plain(args.props)
        carries = args.type_ == NODE_POOL and self.work.carries(args.name)
        if not carries and not self._is_guarded(args.type_, inputs):
            return None
        key, opts = (args.type_, args.name), args.opts
        self.wanted[key] = _Wanted(
            inputs,
            tuple(opts.ignore_changes or ()),
            tuple(opts.replace_on_changes or ()),
        )
        if key in self.bound or not self.protects:
            return None
        return pulumi.ResourceTransformResult(args.props, self._held(opts))

    def _held(self, opts: pulumi.ResourceOptions) -> pulumi.ResourceOptions:
        hooks = pulumi.ResourceHookBinding(
            before_delete=[self._hook],
            before_update=[self._update_hook],
            before_create=[self._create_hook],
        )
        # The engine's own protection would refuse first, with words that do not say how to agree.
        ours = pulumi.ResourceOptions(hooks=hooks, protect=False)
        return pulumi.ResourceOptions.merge(opts, ours)

    def close(self) -> None:
        """To be called when the program has made everything, and the engine has heard of nothing.

        Raises ConfigError where entries of `acknowledge` match nothing, and RefusedError.
        """
        if self.twice:
            raise ConfigError(
                [
                    f"stack: two resources would be called {name}, so that nothing could be agreed "
                    "to of one alone; nearest: another name of the team or the namespace"
                    for name in self.twice
                ]
            )
        inputs = {key: partial(_as_declared, props) for key, props in self.declared.items()}
        if lines := list(renamed(inputs, self.record)):
            raise ConfigError(lines)
        self._judge_agreements()
        if self.in_force:
            self._judge_what_is_known()
        self._tell_losses_in_place(told={it.sentence for it in self.refused})
        self._note_instances()
        registered = [it.urn for it in self.made]
        if self.protects:
            hooks = pulumi.ResourceHookBinding(before_delete=[self._seal_hook])
            # A destroy begins with what nothing depends on, and no component is deleted because
            # what it depends on is made anew (pulumi/pulumi pkg/resource/deploy/
            # step_generator.go:3163, v3.256.0, 2026-11-22; run on the sandbox).
            seal = pulumi.ComponentResource(
                SEAL_TYPE,
                SEAL,
                None,
                pulumi.ResourceOptions(depends_on=list(self.made), hooks=hooks),
            )
            seal.register_outputs(
                {
                    SEAL_CONFIG: self.agreements.config,
                    SEAL_HOOK: self._of_destroy,
                    SEAL_RUNS: {**_ended_runs(self.record), **self.agreements.by_run()},
                }
            )
            registered.append(seal.urn)
        pulumi.Output.all(*registered).apply(lambda _: self._end_of_program())

    def _judge_agreements(self) -> None:
        named = {one.resource for one in self.agreements.entries}
        # The values of all are asked for only where a name is no resource's.
        unknown = bool(named - {name for _, name in self.declared})
        declared = {
            key: _as_declared(props) if unknown or key[1] in named else {}
            for key, props in self.declared.items()
            if not is_component(key[0])
        }
        recorded = {
            (it.type, it.name): it.outputs
            for it in self.record.resources
            if not is_component(it.type)
        }
        agreements = self.agreements
        if agreements.removed is not None:
            agreements = replace(agreements, removed={*agreements.removed, *self._emptied()})
        wrong, spent = agreements.judge(declared, recorded, self._instances())
        if wrong:
            raise ConfigError(wrong)
        entries = map(written, self.agreements.entries)
        self.kept = [one for one in entries if one not in spent]
        _tell_spent(spent)

    def _emptied(self) -> Iterator[str]:
        """What a run with targets took away, of what entries agree to remove: of that the engine
        keeps the component that had it, which was no target, and no note of ours (tried, CLI
        3.256.0). Its name begins with the component's, and nothing else on record does."""
        for it in self.record.resources:
            if _is_made(it) or (it.type, it.name) in self.declared:
                continue
            owned = f"{it.name}-"
            if not any(
                one.name.startswith(owned) for one in self.record.resources if _is_made(one)
            ):
                yield from (one for one in self.agreements.by_removal() if one.startswith(owned))

    def _tell_losses_in_place(self, told: Collection[str]) -> None:
        """What is refused is `told` by the refusal."""
        for it in self.record.of_type(BUCKET):
            props = self.declared.get((it.type, it.name))
            lines = lost_in_place(it.type, it.outputs, _as_declared(props)) if props else ()
            for sentence in (f"{it.name}: {line}" for line in lines):
                if sentence not in told:
                    pulumi.log.warn(sentence)

    def _instances(self) -> dict[str, str]:
        return _instances_in(self.record)

    def _note_instances(self) -> None:
        """The first run with an entry notes them, and those after it keep what it noted, as long as
        the entry stands: the seal, which says that the config was reached, goes with protection.
        The engine deletes what is removed after this, when the program has ended."""
        names, removed = self.agreements.by_config(), self.agreements.by_removal()
        runs = self.agreements.by_run()
        if not names and not removed and not runs:
            return
        reached = dict.fromkeys(names, SPENT) if self.agreements.reached else {}
        instances = {**self._instances(), **self.agreements.seen, **reached}
        noted = {name: instances.get(name, "") for name in sorted(names)}
        component = pulumi.ComponentResource(_SEEN_TYPE, _SEEN)
        component.register_outputs(
            {
                SEAL_CONFIG: self.agreements.config,
                "instances": noted,
                _REMOVED: sorted(removed),
                _RUNS: {name: [run, self._instances().get(name, "")] for name, run in runs.items()},
            }
        )

    def _judge_what_is_known(self) -> None:
        """What goes for certain, before the engine hears of anything."""
        gone = [it for it in self.record.resources if (it.type, it.name) not in self.declared]
        found = [
            one
            for it in gone
            if self._is_guarded(it.type, it.outputs)
            for one in self._of_removed(it.type, it.name, it.outputs)
        ]
        stops = (stop for it in gone for stop in self.work.stops([(it.type, it.name)]))
        found += self._of_work(stop for stop in stops if stop.agreement == REMOVED)
        found += self._of_objects_deleted()
        # A `pulumi destroy --run-program` of what has the seal comes by here, and replaces nothing.
        if not self.record.of_type(SEAL_TYPE):
            found += self._of_unguarded()
        if pulumi.runtime.is_dry_run():
            self.refused += found
        elif found:
            raise RefusedError(self._text_of(found))

    def _of_objects_deleted(self) -> Iterator[Refusal]:
        for it in self.record.of_type(BUCKET):
            props = self.declared.get((it.type, it.name))
            if not props:
                continue
            declared = _as_declared(props)
            entries = self.agreements.for_rules(it.name, declared)
            for line in objects_deleted(it.outputs, declared) if entries else ():
                yield Refusal(f"{it.name}: {line}", tuple(entries))

    def _of_unguarded(self) -> Iterator[Refusal]:
        """What is on record from a run with protection off, by the properties that are known to
        replace it: it is refused before the engine hears of anything."""
        for it in self.record.resources:
            if (it.type, it.name) not in self.declared or not self._is_guarded(it.type, it.outputs):
                continue
            causes = self._certain_causes(it)
            if causes and (entries := self._needed(it, causes)):
                self.touched.add(it.name)
                why = _listed(it.outputs, causes)
                yield from self._refusal(it.type, it.name, why, entries, it.outputs)

    async def _end_of_program(self) -> None:
        """The engine knows all that the program makes; in a preview it has told what goes."""
        if not self.in_force:
            # Without a seal, which a first `up` that failed never made, a destroy has no first step
            # of ours.
            await self._refuse_half_a_destroy()
        if pulumi.runtime.is_dry_run() and (refusal := self.hand.refusal()):
            raise pulumi.RunError(str(refusal))
        if self.refused:
            raise pulumi.RunError(self._text_of(self.refused))
        if wrong := list(self.agreements.unused(self.touched, self._instances())):
            raise pulumi.RunError(str(ConfigError(wrong)))
        _tell_spent(self.agreements.over(self.touched))

    def install(self) -> None:
        """Put the guard in front of what the program registers from here on."""
        # In a preview too, so that `pulumi up` ends there, with nothing touched. Where protection
        # is off it is there for what an earlier run brought up with it on.
        options = pulumi.ResourceHookOptions(on_dry_run=True)
        self._hook = pulumi.ResourceHook(HOOK, self.before_delete, options)
        self._seal_hook = pulumi.ResourceHook(self._of_destroy, self.before_delete, options)
        recorded = {str(it.outputs.get(SEAL_HOOK)) for it in self.record.of_type(SEAL_TYPE)}
        for earlier in sorted({*refusal.OF_DESTROY_BEFORE, *recorded} - {self._of_destroy}):
            pulumi.ResourceHook(earlier, self.before_delete, options)
        self._update_hook = pulumi.ResourceHook("new-nodes", self.before_update, options)
        self._create_hook = pulumi.ResourceHook("replaced", self.before_create, options)
        pulumi.runtime.register_stack_transformation(self.note)
        if self.in_force:
            pulumi.runtime.register_resource_transform(self.transform)


def install(plan: Plan, work: RunningWork, record: Record) -> Guard:
    seals = record.of_type(SEAL_TYPE)
    reached = str(seals[0].outputs.get(SEAL_CONFIG, "")) if seals else ""
    noted = next((it.outputs for it in record.of_type(_SEEN_TYPE)), {})
    removed = None if record.hidden else frozenset(noted.get(_REMOVED) or ())
    agreements = replace(Agreements.of(plan.stack, reached), removed=removed, runs=work.runs())
    if noted.get(SEAL_CONFIG) == agreements.config:
        begun = _not_ended(noted.get(_RUNS) or {}, record)
        agreements = replace(agreements, seen=noted.get("instances") or {}, begun=begun)
    guard = Guard(plan, work, record, agreements, ByHand(record))
    guard.hand.install()
    guard.install()
    return guard


def _is_made(it: Recorded) -> bool:
    return not is_component(it.type)


def _instances_in(record: Record) -> dict[str, str]:
    found = ((it.name, instance_of(it.type, it.outputs)) for it in record.resources)
    return {name: instance for name, instance in found if instance}


def _not_ended(noted: Mapping[str, Sequence[str]], record: Record) -> dict[str, str]:
    """The runs of jobs whose nodes an `up` that did not end well may have taken in part. Without a
    seal nothing says whether it did."""
    if not record.of_type(SEAL_TYPE):
        return {}
    instances, ended = _instances_in(record), _ended_runs(record)
    return {
        name: run
        for name, (run, instance) in noted.items()
        if instances.get(name) == instance and ended.get(name) != run
    }


def _ended_runs(record: Record) -> dict[str, str]:
    seals = record.of_type(SEAL_TYPE)
    return seals[0].outputs.get(SEAL_RUNS) or {} if seals else {}


def _tell_spent(entries: Mapping[str, str]) -> None:
    for why in sorted(set(entries.values())):
        lines = ", ".join(f"- {one}" for one, reason in entries.items() if reason == why)
        pulumi.log.warn(f"stack.acknowledge: {why}; delete {lines}")


def _listed(old: _Inputs, causes: _Inputs) -> str:
    return "; ".join(
        f"{path}: {_shown(value_at(old, path))} -> {_shown(value)}"
        for path, value in causes.items()
    )


def _without_a_cause(*, changed: bool) -> str:
    if changed:
        return "no property that is known to replace it changes"
    return "nothing of its own changes"


def _shown(value: Any) -> str:
    """A value in a line: one that is secret or not known beforehand is not told."""
    match value:
        case None:
            return "none"
        case _ if value is UNKNOWN:
            return "known later"
        case Secret():
            return "[secret]"
        case bool():
            return str(value).lower()
        case float() if value.is_integer():
            # The wire has no whole numbers.
            return str(int(value))
        case list() | dict():
            return f"{len(value)} entries"
        case _:
            text = str(value)
            return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


async def _instance(args: pulumi.ResourceHookArgs) -> str:
    return instance_of(args.type, await plain(args.old_outputs or {}))


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _as_declared(props: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a resource with the engine's names, before any output of another resource
    is known."""
    return {
        (key := _camel(name)): _argument(value, key)
        for name, value in props.items()
        if value is not None
    }


# Maps whose keys are the user's own, of pulumi-gcp's resources.
_OWN_KEYS = frozenset({"labels", "resourceLabels", "metadata", "userLabels", "data", "annotations"})


def _argument(value: Any, key: str) -> Any:
    """A block may be given as an object of its type or as a map with Python's names."""
    if isinstance(value, pulumi.Output | Unknown):
        return UNKNOWN
    if _types.is_input_type(type(value)):
        names = _types.input_type_py_to_pulumi_names(type(value))
        fields = _types.input_type_to_dict(value)
        return {
            (own := names.get(name, name)): _argument(inner, own)
            for name, inner in fields.items()
            if inner is not None
        }
    if isinstance(value, Mapping):
        named = (lambda name: name) if key in _OWN_KEYS else _camel
        return {(own := named(name)): _argument(inner, own) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_argument(inner, key) for inner in value]
    return value
