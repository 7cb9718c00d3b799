"""What is guarded, for it is hard to get back, and why it may not go: by what changes and what was
agreed to. Pure.

Paths of properties are as the engine writes them.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from catalog import Catalog, FactError
from stacks.acknowledge import REMOVED, Acknowledge, entry

_SIMPLE = re.compile(r"[A-Za-z_]\w*")
# Where a bridged provider notes the keys that it filled in itself.
_DEFAULTS = "__defaults"


class Unknown:
    """A value that is known only once what it comes from exists."""


UNKNOWN: Final = Unknown()


def changed_paths(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Every leaf that was added, removed or changed; a value that is not known yet counts."""
    return sorted(_of_maps(old, new, ""))


def _of_maps(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> Iterator[str]:
    filled_in = {_DEFAULTS, *(old.get(_DEFAULTS) or ())}
    for key in {**old, **new}:
        if key in new or key not in filled_in:
            yield from _of_values(old.get(key), new.get(key), _join(path, key))


def _of_values(old: Any, new: Any, path: str) -> Iterator[str]:
    if new is UNKNOWN:
        yield path
    elif isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _of_maps(old, new, path)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _of_values(before, after, f"{path}[{place}]")
    elif not _same(old, new):
        yield path


def _same(old: Any, new: Any) -> bool:
    """Whether the values are one to a provider, which takes "9000" for 9000."""
    scalars = (str, int, float)
    if isinstance(old, scalars) and isinstance(new, scalars):
        return old == new or str(old).lower() == str(new).lower()
    return old == new


def _join(path: str, key: str) -> str:
    if not _SIMPLE.fullmatch(key):
        quoted = key.replace('"', '\\"')
        return f'{path}["{quoted}"]'
    return f"{path}.{key}" if path else key


NODE_POOL = "gcp:container/nodePool:NodePool"
KUBERNETES = "kubernetes:"
NAMESPACE = "kubernetes:core/v1:Namespace"
RELEASE = "kubernetes:helm.sh/v3:Release"
# Its chart has the custom resource definitions among its templates: with them go all objects.
_KUEUE = "kueue"
CLUSTER = "gcp:container/cluster:Cluster"
LUSTRE = "gcp:lustre/instance:Instance"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
NETWORK = "gcp:compute/network:Network"
ADDRESS = "gcp:compute/globalAddress:GlobalAddress"
_ALWAYS = frozenset(
    {
        NETWORK,
        SUBNETWORK,
        CLUSTER,
        LUSTRE,
        "gcp:redis/instance:Instance",
        "gcp:storage/bucket:Bucket",
        NAMESPACE,
    }
)


def is_guarded(token: str, inputs: Mapping[str, Any], catalog: Catalog) -> bool:
    """Whether a resource with these inputs is guarded: of node pools, those with accelerators, and
    of Helm releases, Kueue.

    A pool of machines that the catalog does not know counts as one of them.
    """
    if token == RELEASE:
        return inputs.get("name") == _KUEUE
    if token != NODE_POOL:
        return token in _ALWAYS
    config = inputs.get("nodeConfig")
    if not isinstance(config, Mapping) or config.get("guestAccelerators"):
        return True
    try:
        return catalog.machine(str(config.get("machineType"))).accelerator is not None
    except FactError:
        return True


# An update of these has GKE move a pool to new nodes; one of labels or taints does not (Container
# API v1, UpdateNodePoolRequest; GKE documentation, "Update Kubernetes node labels and taints for
# node pools", 2026-11-23).
NEW_NODES = ("nodeConfig.machineType", "nodeConfig.diskSizeGb", "nodeConfig.diskType")


def renews_nodes(token: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether an update in place makes a pool's nodes anew."""
    return token == NODE_POOL and any(it.startswith(NEW_NODES) for it in changed_paths(old, new))


# The property that an agreement names under which a job that runs is made anew.
SPEC = "spec"
# What a review gives as cause for a resource that goes only because another one does.
WITH_ANOTHER = ("replaceWith", "provider", "dependencies")
# Stands while protection is on, and depends on all that the program has, so a destroy comes to it
# first. Not a part of any picture.
SEAL_TYPE = "gke-ai-stacks-guard:guard:DeletionGuard"
OFF_FIRST = "`pulumi up` with stack.deletion_protection false and nothing else changed"

OF_DESTROY = (
    "stack.deletion_protection is on, and nothing was deleted; "
    f"nearest: {OFF_FIRST}, then `pulumi destroy`"
)


def agreed_to(name: str, acknowledged: Iterable[Acknowledge]) -> frozenset[str]:
    """The properties of a resource that the config agrees to."""
    return frozenset(one.property for one in acknowledged if one.resource == name)


def causes_of(
    token: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    catalog: Catalog,
    ignored: Collection[str] = (),
    forced: Collection[str] = (),
) -> list[str]:
    """The changed properties that make the resource anew.

    Where none of them is known to, all of them are. `ignored` and `forced` are the resource's own
    options `ignore_changes` and `replace_on_changes`.
    """
    changed = [path for path in changed_paths(old, new) if not _below(path, ignored)]
    causes = [path for path in changed if catalog.replaces(token, path) or _below(path, forced)]
    return causes or changed


def of_replaced(name: str, causes: Sequence[str], agreed: Collection[str]) -> str | None:
    """Why one that is made anew may not go; each of its causes has to be agreed to."""
    if not causes:
        return None if set(agreed) & set(WITH_ANOTHER) else _as_it_is(name)
    missing = [path for path in causes if not _covered(path, agreed)]
    if not missing:
        return None
    return (
        f"{name} would be replaced ({', '.join(causes)} changes), and stack.acknowledge does not "
        f"agree to {', '.join(missing)}; nearest: {_entries(name, missing)}"
    )


def of_object(
    name: str, clusters: Sequence[str], acknowledged: Iterable[Acknowledge]
) -> str | None:
    """Why an object of Kubernetes that does not change may not go: it may only with its cluster."""
    if {one.resource for one in acknowledged} & set(clusters):
        return None
    return (
        f"{name} would go as it is, with its cluster or in a destroy, and stack.acknowledge names "
        f"no cluster; nearest: what `python -m review --base main` shows for "
        f"{', '.join(clusters)}"
    )


def of_removed(name: str, agreed: Collection[str]) -> str | None:
    """Why one that the program has no more may not go."""
    if REMOVED in agreed:
        return None
    return (
        f"{name} would be deleted, for the program no longer has it, and stack.acknowledge does "
        f"not agree to that; nearest: {_entries(name, [REMOVED])}"
    )


def of_work(line: str, name: str, wanted: str, agreed: Collection[str]) -> str | None:
    """Why work that runs may not stop, of which `line` says what that costs. It is agreed to by one
    word, whatever stops it."""
    if wanted in agreed:
        return None
    return f"{line}. stack.acknowledge does not agree to that; nearest: {_entries(name, [wanted])}"


def of_dependent(name: str, links: Sequence[str], agreed: Collection[str]) -> str | None:
    """Why one may not go whose turn in the program comes only after what it hangs on is replaced.

    `links` are its properties that come from guarded resources. What it will be is not known by
    then; that is judged when its turn comes, and a preview waits for it.
    """
    if set(agreed) & {*links, *WITH_ANOTHER}:
        return None
    near = " or ".join(_entries(name, [path]) for path in links or WITH_ANOTHER[-1:])
    return (
        f"{name} would be replaced with what it hangs on, and stack.acknowledge does not agree to "
        f"that; nearest: {near}"
    )


def of_unprotected(name: str) -> str:
    """Why protection cannot be turned off together with what it protects from."""
    return (
        f"{name} was brought up with stack.deletion_protection on and would go in the very run "
        f"that turns it off; nearest: {OFF_FIRST}, then this"
    )


def out_of_place(acknowledged: Iterable[Acknowledge], declared: Collection[str]) -> list[str]:
    """A line for every agreement that cannot match: it is left from an earlier change."""
    return [
        f"stack.acknowledge: {one.property} of {one.resource} matches nothing, for the program "
        f"{'has' if one.property == REMOVED else 'does not have'} {one.resource}: take it out"
        for one in acknowledged
        if (one.resource in declared) is (one.property == REMOVED)
    ]


def _as_it_is(name: str) -> str:
    return (
        f"{name} would be deleted with nothing of its own changed, and stack.deletion_protection "
        f"is on; nearest: {OFF_FIRST}, then `pulumi destroy`"
    )


def _entries(name: str, paths: Iterable[str]) -> str:
    return f"acknowledge: [{', '.join(entry(name, path) for path in paths)}] under stack"


def _covered(path: str, agreed: Collection[str]) -> bool:
    """Agreed to as it is, or by a part of it: an engine may name an item where a list changes."""
    wanted = _unquoted(path)
    return any(one == wanted or one.startswith(f"{wanted}[") for one in map(_unquoted, agreed))


def _unquoted(path: str) -> str:
    """With every key of a map behind a dot: engine and providers do not all quote the same ones."""
    return path.replace('["', ".").replace('"]', "")


def _below(path: str, prefixes: Iterable[str]) -> bool:
    return any(path == it or path.startswith((f"{it}.", f"{it}[")) for it in prefixes)
