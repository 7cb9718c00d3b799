"""Replacements that no property asks for, and that no single run ends: by `pulumi state taint`,
`--replace` or `--target-replace`, of the resource or of what it stands on.

They are refused at the end of the preview, protected or not, with the commands that do them. The
engine calls a hook before a create, and what is created is on record only where it is replaced
(stacks/running_work.py has the same hook and why no destroy asks for it).
"""

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi

from components.base.static_volume import BOUND
from stacks.arguments import plain
from stacks.on_record import Record, Recorded
from stacks.one_run import PROVIDER, WHY, of_cluster, of_everything
from stacks.property_paths import Secret, Unknown, changed_paths, value_at
from stacks.refusal import ADDRESS, CLUSTER, KUBERNETES, NAMESPACE, NETWORK, RELEASE, is_kueue
from stacks.two_runs import TwoRuns, TwoRunsError

_HOOK = "replaced-by-hand"
_CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
_VOLUME = "kubernetes:core/v1:PersistentVolume"
_KUEUE_OBJECT = "kubernetes:kueue.x-k8s.io/"
# Each has the finalizer kueue.x-k8s.io/resource-in-use as long as another object names it
# (kubernetes-sigs/kueue apis/kueue/v1beta2/constants.go, ResourceInUseFinalizerName, read
# 2026-11-26).
_NAMED_BY_OTHERS = ("AdmissionCheck", "ClusterQueue", "ResourceFlavor", "Topology")


@dataclass(frozen=True)
class _Replaced:
    """A resource on record that the engine makes anew; `changed` says whether its own properties
    ask for it, as far as they are known."""

    recorded: Recorded
    changed: bool


@dataclass
class ByHand:
    """What the engine makes anew in this run, in its order."""

    record: Record
    replaced: dict[str, _Replaced] = field(default_factory=dict[str, _Replaced])

    def stops(self, token: str, outputs: Mapping[str, Any]) -> bool:
        """Whether no run ends that makes this anew, whatever else it does."""
        if token == RELEASE:
            return is_kueue(outputs)
        return token == CLUSTER and bool(self.record.of_type(PROVIDER))

    def refusal(self, *going: Recorded) -> TwoRunsError | None:
        """Says what cannot be done, and how it is done; None where all of it can. What is `going`
        is replaced, too."""
        replaced = [*self.replaced.values(), *(_Replaced(it, changed=False) for it in going)]
        found = (one for kind in KINDS for one in kind(self, replaced))
        first = next(found, None)
        return None if first is None else first.refusal(self.record, pulumi.get_stack())

    def watch(
        self, hook: pulumi.ResourceHook, args: pulumi.ResourceTransformationArgs
    ) -> pulumi.ResourceTransformationResult | None:
        if self.record.get(args.type_, args.name) is None:
            return None
        hooks = pulumi.ResourceHookBinding(before_create=[hook])
        own = pulumi.ResourceOptions(hooks=hooks)
        return pulumi.ResourceTransformationResult(
            args.props, pulumi.ResourceOptions.merge(args.opts, own)
        )

    async def before_create(self, args: pulumi.ResourceHookArgs) -> None:
        recorded = self.record.get(args.type, args.name)
        # Only those have the hook.
        assert recorded is not None
        changed = differs(recorded.outputs, await plain(args.new_inputs or {}))
        self.replaced[recorded.urn] = _Replaced(recorded, changed)
        # A preview goes on, for what is replaced with it is not known yet.
        if not pulumi.runtime.is_dry_run() and (refusal := self.refusal()):
            raise pulumi.RunError(str(refusal))

    def install(self) -> None:
        """To be called before the program registers anything."""
        options = pulumi.ResourceHookOptions(on_dry_run=True)
        hook = pulumi.ResourceHook(_HOOK, self.before_create, options)
        pulumi.runtime.register_stack_transformation(lambda args: self.watch(hook, args))


def differs(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether an input has another value than before. What the cloud added does not count, nor what
    is known later, nor a name that Google gives back as a URL."""
    both = ((value_at(old, path), value_at(new, path)) for path in changed_paths(old, new))
    return any(
        wanted is not None
        and not isinstance(wanted, Unknown | Secret)
        and not str(before).endswith(f"/{wanted}")
        for before, wanted in both
    )


def _cluster(hand: ByHand, replaced: list[_Replaced]) -> Iterator[TwoRuns]:
    """A network goes only after all that is in it."""
    clusters = [it.recorded for it in replaced if hand.stops(it.recorded.type, {})]
    if not any(it.type == CLUSTER for it in clusters):
        return
    (cluster, *_) = (it for it in clusters if it.type == CLUSTER)
    (provider, *_) = hand.record.of_type(PROVIDER)
    outside = [it.recorded for it in replaced if not it.recorded.type.startswith(KUBERNETES)]
    everything = any(it.type == NETWORK for it in outside)
    # What comes before the cluster is what the cluster is made anew for.
    roots = [it.registered_urn for it in outside[: outside.index(cluster) + 1]]
    yield TwoRuns(
        what=f"{cluster.name} would be replaced, and no single run does that",
        differences=[],
        why=WHY,
        untaints=True,
        targets=() if everything else (provider.urn,),
        again="" if everything else "".join(f" --replace {shlex.quote(it)}" for it in roots),
        loss=of_everything(hand.record) if everything else of_cluster(cluster, hand.record),
    )


def _kueue(hand: ByHand, replaced: list[_Replaced]) -> Iterator[TwoRuns]:
    releases = [it.recorded for it in replaced if it.recorded.type == RELEASE]
    if going := [it for it in releases if hand.stops(it.type, it.outputs)]:
        # With the namespace go the releases in it.
        installed = {it.outputs.get("namespace") for it in going}
        spaces = [it.recorded for it in replaced if it.recorded.type == NAMESPACE]
        above = [it for it in spaces if _object(it.outputs)[1] in installed]
        yield TwoRuns(
            what=f"{', '.join(it.name for it in going)} would be replaced, and no single run does "
            "that",
            differences=[],
            why="the engine deletes what is replaced with it in no order, and Kueue keeps a flavor "
            "and a queue as long as another object names it",
            untaints=True,
            targets=[it.urn for it in above or going],
            loss="With `destroy` go Kueue, its queues, and what the stack runs in them; with `up` "
            "all of it is made again.",
        )


def _kueue_object(hand: ByHand, replaced: list[_Replaced]) -> Iterator[TwoRuns]:
    del hand
    going = [
        it.recorded
        for it in replaced
        if it.recorded.type.startswith(_KUEUE_OBJECT)
        and it.recorded.type.endswith(_NAMED_BY_OTHERS)
        and not it.changed
    ]
    if going:
        names = ", ".join(it.name for it in going)
        yield TwoRuns(
            what=f"{names} would be replaced, and no single run does that",
            differences=[],
            why="Kueue keeps a flavor as long as a queue names it, and a queue as long as work is "
            "in it",
            untaints=True,
            targets=[it.urn for it in going],
            loss=f"With `destroy` goes what depends on {names}: queues, and what the stack runs in "
            "them; with `up` all of it is made again.",
        )


def _range(hand: ByHand, replaced: list[_Replaced]) -> Iterator[TwoRuns]:
    """Another block has another name, so that it can be there before the last one goes."""
    for it in replaced:
        if it.recorded.type == ADDRESS and not it.changed:
            yield TwoRuns(
                what=f"{it.recorded.name} would be replaced, and no single run does that",
                differences=[],
                why="the peering has the range until another one is there, and one of this name is "
                "there already",
                untaints=True,
                targets=(it.recorded.urn,),
                loss=of_everything(hand.record, "what is peered"),
                instead="stack.network.peering with another block, which replaces what is peered, "
                "too",
            )


def _claim(hand: ByHand, replaced: list[_Replaced]) -> Iterator[TwoRuns]:
    urns = {it.recorded.urn for it in replaced}
    for it in replaced:
        volume = bound_to(hand.record, it.recorded) if it.recorded.type == _CLAIM else None
        if volume is None or volume.urn in urns or not was_bound(hand.record, volume):
            continue
        yield TwoRuns(
            what=f"{it.recorded.name} would be replaced without {volume.name}, and would wait for "
            "it for ever",
            differences=[],
            why="Kubernetes binds a retained volume to one claim, by its uid, and to no other one "
            "after that",
            untaints=True,
            destroys=False,
            again=f" --replace {shlex.quote(volume.registered_urn)}",
            loss="With `up` both are made anew, with what mounts them; the data stays.",
        )


KINDS: tuple[Callable[[ByHand, list[_Replaced]], Iterator[TwoRuns]], ...] = (
    _cluster,
    _kueue,
    _kueue_object,
    _range,
    _claim,
)


def bound_to(record: Record, claim: Recorded) -> Recorded | None:
    """The volume that names the claim."""
    wanted = _object(claim.outputs)
    return next((it for it in record.of_type(_VOLUME) if claim_of(it) == wanted), None)


def claim_of(volume: Recorded) -> tuple[str, str]:
    """Namespace and name of the claim that a volume is for."""
    reference = (volume.outputs.get("spec") or {}).get("claimRef") or {}
    return str(reference.get("namespace")), str(reference.get("name"))


def _object(outputs: Mapping[str, Any]) -> tuple[str, str]:
    metadata = outputs.get("metadata") or {}
    return str(metadata.get("namespace")), str(metadata.get("name"))


def was_bound(record: Record, volume: Recorded) -> bool:
    """Whether a claim was ever made for this very volume. Where a run ended between the two, its
    component still has the volume before it, or none."""
    uid = (volume.outputs.get("metadata") or {}).get("uid")
    return uid is not None and any(uid == it.outputs.get(BOUND) for it in record.resources)


def without_its_claim(record: Record, volume: Recorded) -> bool:
    """Whether the claim that a volume was bound to is on record no more."""
    claims = {_object(it.outputs) for it in record.of_type(_CLAIM)}
    return claim_of(volume) not in claims and was_bound(record, volume)
