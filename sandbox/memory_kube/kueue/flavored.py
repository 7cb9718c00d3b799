"""Pods that Kueue lets start: without its gates, and for the nodes of their flavors.

Kueue writes the flavors' labels into the job's pod templates; here each pod gets them when it is
made, and the templates stay as they were applied.
"""

from __future__ import annotations

from collections.abc import Collection

from sandbox.gke.tpu_webhook import GROUP
from sandbox.kube.objects import JsonObject, dig, labels_of, maps
from sandbox.kube.store import Store
from sandbox.memory_kube.kueue.jobs import HEAD, MAIN, SUBMITTER, owners

_REPLICATED_JOB = "jobset.sigs.k8s.io/replicatedjob-name"
GATE = "kueue.x-k8s.io/admission"
_GATES = (GATE, "kueue.x-k8s.io/elastic-job")


def flavored(store: Store, pod: JsonObject, owner: JsonObject) -> JsonObject:
    """A new pod of an owner; it changes only if the owner, or one above, has been admitted."""
    above = [owner, *owners(store, owner)]
    workloads = [workload for each in above for workload in store.owned_by(each, "Workload")]
    assigned = maps(dig(next(iter(workloads), None), "status", "admission", "podSetAssignments"))
    flavors = {each["name"]: {*each["flavors"].values()} for each in assigned}
    if not flavors:
        return pod
    labels = labels_of(pod)
    named = labels.get(_REPLICATED_JOB) or labels.get(GROUP) or MAIN
    own = flavors.get(HEAD if named == "headgroup" else named, flavors.get(SUBMITTER, set()))
    return {**pod, "spec": let_start(store, pod["spec"], own)}


def let_start(store: Store, spec: JsonObject, flavors: Collection[str]) -> JsonObject:
    """A pod's spec without Kueue's gates and with what its flavors' nodes ask."""
    selector, tolerations = dict(spec.get("nodeSelector") or {}), maps(spec.get("tolerations"))
    for each in store.all("ResourceFlavor"):
        if each["metadata"]["name"] in flavors:
            selector |= each["spec"].get("nodeLabels") or {}
            tolerations += maps(each["spec"].get("tolerations"))
    gates = [it for it in maps(spec.get("schedulingGates")) if it["name"] not in _GATES]
    parts = {"nodeSelector": selector, "tolerations": tolerations, "schedulingGates": gates}
    kept = {key: value for key, value in spec.items() if key not in parts}
    return kept | {key: value for key, value in parts.items() if value}
