"""Fields that somebody else than the program has set, and what becomes of them in an update.

As far as it matters here: replicas that `kubectl scale` or an autoscaler wrote, and what Kueue
writes into what it starts: a Job's selector of nodes, labels in a RayCluster's groups of workers,
both in a JobSet's Jobs. A selector and groups are one field each for an API server. Sources:
pulumi/pulumi-kubernetes provider/pkg/await/await.go, ssaUpdate and handleSSAIgnoreFields (commit
94977969); it takes over what `kubectl` changed in the object itself, not by a subresource
(fluxcd/pkg ssa/patch.go:72).
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.kube.errors import KubeError, invalid
from sandbox.kube.objects import JsonObject, annotations_of, dig, name_of
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.flavored import admitted_selector, is_admitted
from sandbox.memory_kube.ray_pods import with_workers

OWNERS = "sandboxFieldOwners"
REPLICAS = "spec.replicas"
_SELECTOR = "spec.template.spec.nodeSelector"
GROUPS = "spec.workerGroupSpecs"
# Where pods' templates stand in a list, into which no path that is ignored leads.
_TEMPLATES = {"JobSet": "spec.replicatedJobs", "RayCluster": GROUPS}
_OURS = "pulumi-kubernetes"
_FORCE = "pulumi.com/patchForce"


@dataclass(frozen=True, kw_only=True)
class _Owned:
    """`shown` is how an API server names the owner, `value` what it has set, None where that is
    surely more than what the program has."""

    path: str
    shown: str
    value: Any


def scaled_by(
    store: Store, live: JsonObject, replicas: int, manager: str, group: str = ""
) -> JsonObject:
    """The object with another scale, by its subresource: the field is the manager's from now on.
    That of a Ray cluster is its autoscaler's, which writes into a group of workers."""
    if live["kind"] == "RayCluster":
        return store.patch(live, spec=with_workers(live["spec"], replicas, group))
    if live["spec"]["replicas"] == replicas:
        return live
    owners = {**(live.get(OWNERS) or {}), REPLICAS: manager}
    return store.patch(live, **{"spec": {**live["spec"], "replicas": replicas}, OWNERS: owners})


def settled(
    store: Store,
    live: JsonObject,
    given: Mapping[str, Any],
    merged: JsonObject,
    ignored: Collection[str],
) -> JsonObject:
    """An update that leaves to others what is theirs: `given` is what the program sends, `merged`
    the same with defaults. Raises KubeError where both want a field and the program does not force
    it, or cannot."""
    force = annotations_of(given).get(_FORCE) == "true"
    found, left = copy.deepcopy(merged), dict[str, str](live.get(OWNERS) or {})
    for owned in _others(store, live):
        steps = owned.path.split(".")
        wanted = dig(given, *steps)
        if owned.path in ignored or wanted is None:
            _put(found, steps, dig(live, *steps))
        elif wanted == owned.value:
            continue
        elif owned.path == _SELECTOR:
            text = (
                "spec.template: Invalid value: field is immutable, and Kueue has set nodeSelector"
            )
            raise invalid(live["kind"], name_of(live), [text])
        elif force:
            left.pop(owned.path, None)
            if owned.path == GROUPS:
                # And what Kueue wrote is gone.
                left[GROUPS] = _OURS
        else:
            near = "to ignore it" if owned.value is None else f'the annotation {_FORCE}: "true"'
            raise KubeError(
                f"Apply failed with 1 conflict: conflict with {owned.shown}: .{owned.path}; "
                f"nearest: {near}",
                reason="Conflict",
            )
    return {**found, **({OWNERS: left} if left else {})}


def _others(store: Store, live: JsonObject) -> Iterator[_Owned]:
    owners = live.get(OWNERS) or {}
    for path, manager in owners.items():
        if path == GROUPS:
            continue
        shown = f'"{manager}" with subresource "scale" using {live["apiVersion"]}'
        yield _Owned(path=path, shown=shown, value=dig(live, *path.split(".")))
    if live["kind"] == "Job" and (selector := admitted_selector(store, live)) is not None:
        yield _Owned(path=_SELECTOR, shown='"kueue"', value=selector)
    path = _TEMPLATES.get(live["kind"])
    if path is not None and is_admitted(store, live) and path not in owners:
        yield _Owned(path=path, shown=f'"kueue" using {live["apiVersion"]}', value=None)


def _put(obj: JsonObject, steps: list[str], value: Any) -> None:
    *above, last = steps
    for step in above:
        obj = obj[step]
    if value is None:
        obj.pop(last, None)
    else:
        obj[last] = value
