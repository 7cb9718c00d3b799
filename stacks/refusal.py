"""What is guarded, for it is hard to get back, what replaces it, and how a run says that it may not
go. No Pulumi import.

Paths of properties are as the engine writes them.
"""

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from catalog import Catalog, FactError
from stacks.acknowledge import yaml_block
from stacks.property_paths import changed_paths, is_below, value_at

NODE_POOL = "gcp:container/nodePool:NodePool"
KUBERNETES = "kubernetes:"
NAMESPACE = "kubernetes:core/v1:Namespace"
RELEASE = "kubernetes:helm.sh/v3:Release"
# Its chart has the custom resource definitions among its templates: with them go all objects
# (sigs.k8s.io/kueue v0.19.2 charts/kueue/templates/crd, no helm.sh/resource-policy, 2026-11-22).
_KUEUE = "kueue"
CLUSTER = "gcp:container/cluster:Cluster"
BUCKET = "gcp:storage/bucket:Bucket"
LUSTRE = "gcp:lustre/instance:Instance"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
NETWORK = "gcp:compute/network:Network"
REDIS = "gcp:redis/instance:Instance"
ADDRESS = "gcp:compute/globalAddress:GlobalAddress"
_ALWAYS = frozenset(
    {
        NETWORK,
        SUBNETWORK,
        CLUSTER,
        LUSTRE,
        REDIS,
        BUCKET,
        NAMESPACE,
    }
)


def is_guarded(token: str, inputs: Mapping[str, Any], catalog: Catalog) -> bool:
    """Whether a resource with these inputs is guarded: of node pools, those with accelerators, and
    of Helm releases, Kueue.

    A pool of machines that the catalog does not know counts as one of them.
    """
    if token == RELEASE:
        return is_kueue(inputs)
    if token != NODE_POOL:
        return token in _ALWAYS
    config = inputs.get("nodeConfig")
    if not isinstance(config, Mapping) or config.get("guestAccelerators"):
        return True
    try:
        return catalog.machine(str(config.get("machineType"))).accelerator is not None
    except FactError:
        return True


def is_kueue(inputs: Mapping[str, Any]) -> bool:
    """Whether a Helm release with these inputs is Kueue's."""
    return inputs.get("name") == _KUEUE


_STREAMING = "nodeConfig.gcfsConfig"
# An update of these has GKE move a pool to new nodes; one of labels or taints does not (Container
# API v1, UpdateNodePoolRequest; GKE documentation, "Update Kubernetes node labels and taints for
# node pools", 2026-11-23).
NEW_NODES = (
    "nodeConfig.machineType",
    "nodeConfig.diskSizeGb",
    "nodeConfig.diskType",
    # The same request: the version and the image of the nodes.
    "nodeConfig.imageType",
    "version",
    # GKE documentation, "Use Image streaming": turning it on or off recreates the nodes; also
    # GoogleCloudPlatform/magic-modules#11510 and hashicorp/terraform-provider-google#17522.
    _STREAMING,
    # GKE documentation, "Customizing node system configuration": nodes are made anew for it.
    "nodeConfig.kubeletConfig",
)


def renews_nodes(token: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether an update in place makes a pool's nodes anew."""
    return token == NODE_POOL and any(
        path.startswith(NEW_NODES) and not (path.startswith(_STREAMING) and _stream_alike(old, new))
        for path in changed_paths(old, new)
    )


def drops_nodes(token: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether an update in place takes nodes of a pool away at once: to a fixed count below the one
    before, or below what the autoscaler may have added (hashicorp/terraform-provider-google-beta
    resource_container_node_pool.go:1869, SetSize, 93c65b2d60). Bounds that become smaller take none
    that is in use."""
    count = new.get("nodeCount")
    if token != NODE_POOL or count is None:
        return False
    bounds: Mapping[str, Any] = old.get("autoscaling") or {}
    most = bounds.get("totalMaxNodeCount") if bounds else old.get("nodeCount")
    return most is not None and int(count) < int(most)


def nodes_of(pool: Mapping[str, Any]) -> list[Any]:
    """What makes other or fewer nodes of a pool where it changes in place; how many an autoscaler
    has added changes by itself."""
    bounds = value_at(pool, "autoscaling.totalMaxNodeCount")
    count = value_at(pool, "nodeCount") if bounds is None else None
    return [*(value_at(pool, path) for path in NEW_NODES), count, bounds]


def _stream_alike(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """What an earlier release left out is off, as GKE begins with."""
    was, now = (value_at(it, f"{_STREAMING}.enabled") for it in (old, new))
    return bool(was) == bool(now)


# Stands while protection is on, and depends on all that the program has, so a destroy comes to it
# first. Not a part of any picture.
SEAL_TYPE = "gke-ai-stacks-guard:guard:DeletionGuard"
# Where the seal keeps the fingerprint of the config that the last complete `up` brought about, and
# the name of its hook, which the state has: another config and another name of the stack have
# another. And what the agreements of that `up` called the runs of jobs: they agree to nothing more.
SEAL_CONFIG = "config"
SEAL_RUNS = "runs"
SEAL_HOOK = "hook"
# As states of earlier releases have it.
_OFF_BEFORE = (
    "stack.deletion_protection is on, and nothing was deleted; nearest: `pulumi up` with "
    "stack.deletion_protection false and nothing else changed, then `pulumi destroy`"
)
_OFF_OR_PROGRAM_BEFORE = (
    f"{_OFF_BEFORE}; or, where that `up` cannot end, `pulumi destroy --run-program` with it false "
    "in the stack's file"
)
OF_DESTROY_BEFORE = (
    _OFF_BEFORE,
    _OFF_OR_PROGRAM_BEFORE,
    f"{_OFF_OR_PROGRAM_BEFORE}. People's work goes with the stack: `aistack work --stack NAME` "
    "lists it",
)
_FEW = 5
_BECOMES = ", to: "


def off_first(stack: str) -> str:
    """The run that takes protection away."""
    return (
        f"`pulumi up --stack {stack}` with stack.deletion_protection false and nothing else changed"
    )


def of_destroy(stack: str, jobs: Collection[str], teams: Collection[str]) -> str:
    """Why a destroy of the stack ends before it deletes anything, and whose work it would end, as
    far as the config says it: what runs in the cluster a destroy without a program does not ask."""
    ends = [f"{what} {_few(names)}" for what, names in (("jobs", jobs), ("teams", teams)) if names]
    whose = f" of the stack's {' and '.join(ends)}, and of others" if ends else " of people"
    return (
        "stack.deletion_protection is on, and nothing was deleted; nearest: "
        f"{off_first(stack)}, then `pulumi destroy --stack {stack}`; or, where that `up` cannot "
        f"end, `pulumi destroy --run-program --stack {stack}` with it false in the stack's file. "
        f"The work{whose} goes with the stack: "
        f"`aistack work --stack {stack}` lists what people have there"
    )


def _few(names: Collection[str]) -> str:
    first = sorted(names)[:_FEW]
    return ", ".join([*first, *([f"{len(names) - _FEW} more"] if len(names) > _FEW else [])])


@dataclass(frozen=True)
class Lock:
    """A property by which the provider itself refuses a delete, with Python's name, and the value
    that `opens` it. The provider reads it from the state, and a destroy changes no property."""

    property: str
    opens: bool
    open_if_absent: bool = False

    def is_shut(self, value: Any) -> bool:
        return not self.open_if_absent if value is None else value is (not self.opens)


# hashicorp/terraform-provider-google-beta 93c65b2d of 2026-08-21, google-beta/services:
# container/resource_container_cluster.go, redis/resource_redis_instance.go,
# storage/resource_storage_bucket.go.
LOCKS = {
    CLUSTER: Lock("deletion_protection", opens=False),
    REDIS: Lock("deletion_protection", opens=False, open_if_absent=True),
    BUCKET: Lock("force_destroy", opens=True),
}


def still_locked(locked: Mapping[str, str], seals: Iterable[str], stack: str) -> str:
    """Why a destroy would end half-way, and the commands that end it. `locked` has by URN the
    property that the config opens and the state keeps shut; `seals` depend on all of it."""
    locks = ", ".join(f"{urn.rpartition('::')[2]} ({name})" for urn, name in locked.items())
    targets = "".join(f" --target {shlex.quote(urn)}" for urn in (*locked, *seals))
    return "\n".join(
        [
            "The destroy would end half-way; nothing was deleted.",
            f"  The state still has the old value for {locks}",
            "Why: a destroy changes no property, and the provider asks the state whether it may "
            "delete. What does it:",
            f"  pulumi up --stack {stack}{targets}",
            f"  pulumi destroy --stack {stack} --run-program",
        ]
    )


_STACK_KEY = "gke-ai-stacks:stack"


class RefusedError(ValueError):
    """What may not go, and the YAML that agrees to it."""


@dataclass(frozen=True)
class Refusal:
    """A sentence on what would go, why, and what is lost with it; `entries` of `acknowledge` agree
    to that."""

    sentence: str
    entries: tuple[str, ...]


def causes_of(
    token: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    catalog: Catalog,
    ignored: Collection[str] = (),
    forced: Collection[str] = (),
) -> dict[str, Any]:
    """The changed properties that make the resource anew, with their new values.

    What changes in place is none: such a resource is replaced by hand, or by a provider's own rule.
    `ignored` and `forced` are the resource's own options `ignore_changes` and `replace_on_changes`.
    """
    changed = [path for path in changed_paths(old, new) if not is_below(path, ignored)]
    causes = [path for path in changed if catalog.replaces(token, path) or is_below(path, forced)]
    causes = causes or [
        path
        for path in changed
        if catalog.may_replace(token, path, value_at(old, path), value_at(new, path))
    ]
    return {path: value_at(new, path) for path in causes}


def changed_for_certain(
    token: str,
    recorded: Mapping[str, Any],
    new: Mapping[str, Any],
    catalog: Catalog,
    ignored: Collection[str] = (),
) -> dict[str, Any]:
    """The properties that are known to replace the resource and that differ from what is on record,
    as the provider gave it back: there a name may be a whole path, and what is not known before the
    engine hears of it counts as the same."""
    return {
        path: value
        for path in changed_paths(recorded, new)
        if catalog.replaces(token, path) and not is_below(path, ignored)
        if isinstance(value := value_at(new, path), str | int | float)
        if _last(value) != _last(value_at(recorded, path))
    }


def _last(value: Any) -> str:
    return str(value).rpartition("/")[2].lower()


def text_of(
    refusals: Sequence[Refusal],
    kept: Sequence[str] = (),
    *,
    turned_off: bool = False,
    begun: bool = False,
    standing: bool = False,
) -> str:
    """All of them in one message, with the YAML that agrees to them beside the entries that are
    `kept`. `turned_off` says that this very run would take protection away, and `begun` that it
    has changed other things by now; `standing` that the config has entries, if only spent ones."""
    reason = "stack.acknowledge does not agree to this"
    if turned_off:
        reason = f"this run would turn it off and take away what it protects, and {reason}"
    touched = "nothing of it was touched"
    if begun:
        touched = "the run stopped before that, and what it did until then is in its output"
    on = "was" if turned_off else "is"
    needed = [one for refusal in refusals for one in refusal.entries]
    # Of one property, or of one resource as a whole, a config has one entry.
    replaced = {one.rpartition(_BECOMES)[0] for one in needed}
    stays = [one for one in kept if one.rpartition(_BECOMES)[0] not in replaced]
    block = yaml_block([*stays, *needed])
    where = f"{_STACK_KEY} in the stack's file"
    return "\n".join(
        [
            f"stack.deletion_protection {on} on, and {reason}; {touched}.",
            *(f"  {line}" for line in dict.fromkeys(one.sentence for one in refusals)),
            "nearest: the config without that change; or, if it is wanted, below "
            f"{where}{', in the place of what stands there' if kept or standing else ''}:",
            *(f"  {line}" for line in block.splitlines()),
        ]
    )
