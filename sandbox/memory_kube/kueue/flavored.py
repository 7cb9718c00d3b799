"""Pods of an admitted job go to the nodes of its flavors.

Kueue writes the flavors' labels into the job's pod templates; here each pod gets them when it is
made, and the templates stay as they were applied.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox.gke.tpu_webhook import GROUP
from sandbox.kube.objects import JsonObject, dig, labels_of, maps, namespace_of
from sandbox.kube.store import Store, owner_of
from sandbox.memory_kube.kueue.jobs import HEAD, MAIN, SUBMITTER

_HEAD_GROUP = "headgroup"
_REPLICATED_JOB = "jobset.sigs.k8s.io/replicatedjob-name"


def flavored(store: Store, pod: JsonObject, owner: JsonObject) -> JsonObject:
    """A new pod of an owner; it changes only if the owner, or the one above, has been admitted."""
    workload, pod_set = _workload(store, owner), pod_set_of(pod)
    if workload is None and (above := _above(store, owner)) is not None:
        workload = _workload(store, above)
        pod_set = _pod_set_above(above, owner, pod_set)
    names = _flavors(workload, pod_set)
    return {**pod, "spec": with_flavors(store, pod["spec"], names)} if names else pod


def with_flavors(store: Store, spec: JsonObject, names: list[str]) -> JsonObject:
    flavors = [each for each in store.all("ResourceFlavor") if each["metadata"]["name"] in names]
    selector, tolerations = dict(spec.get("nodeSelector") or {}), maps(spec.get("tolerations"))
    for flavor in flavors:
        selector |= flavor["spec"].get("nodeLabels") or {}
        tolerations += maps(flavor["spec"].get("tolerations"))
    added = {"nodeSelector": selector, "tolerations": tolerations}
    return {**spec, **{key: value for key, value in added.items() if value}}


def admitted_selector(store: Store, job: JsonObject) -> JsonObject | None:
    """What Kueue has made of a started Job's node selector; None where it has not touched it."""
    workload = None if job["spec"].get("suspend") else _workload(store, job)
    spec = job["spec"]["template"]["spec"]
    names = _flavors(workload, MAIN)
    selector = with_flavors(store, spec, names).get("nodeSelector") if names else None
    return selector if selector != spec.get("nodeSelector") else None


def is_admitted(store: Store, job: JsonObject) -> bool:
    """Whether a job runs by Kueue's leave, so that its pods' templates hold what Kueue wrote."""
    workload = None if job["spec"].get("suspend") else _workload(store, job)
    return dig(workload, "status", "admission") is not None


def _pod_set_above(above: JsonObject, owner: JsonObject, pod_set: str) -> str:
    if above["kind"] == "JobSet":
        return labels_of(owner).get(_REPLICATED_JOB, pod_set)
    return SUBMITTER if owner["kind"] == "Job" else pod_set


def _workload(store: Store, owner: JsonObject) -> JsonObject | None:
    """The one that it runs by; of a job that scales another may wait."""
    found = store.owned_by(owner, "Workload")
    admitted = [each for each in found if dig(each, "status", "admission")]
    return next(iter(admitted or found), None)


def _above(store: Store, owner: JsonObject) -> JsonObject | None:
    reference = owner_of(owner)
    if not reference:
        return None
    where = namespace_of(owner)
    return store.get(reference["apiVersion"], reference["kind"], where, reference["name"])


def pod_set_of(pod: Mapping[str, Any]) -> str:
    group = labels_of(pod).get(GROUP)
    return HEAD if group == _HEAD_GROUP else group or MAIN


def _flavors(workload: JsonObject | None, pod_set: str) -> list[str]:
    assigned = maps(dig(workload, "status", "admission", "podSetAssignments"))
    found = [each["flavors"] for each in assigned if each["name"] == pod_set]
    return sorted({name for flavors in found for name in flavors.values()})
