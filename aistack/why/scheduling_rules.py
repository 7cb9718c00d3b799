"""Why no node takes a pod of the job. Pure.

The scheduler's words: kubernetes/kubernetes v1.35.4 pkg/scheduler/framework/plugins, in
tainttoleration, nodeaffinity, noderesources, volumebinding and dynamicresources. It counts each
node once, by the first rule that the node breaks: taints, the selector, room.
The autoscaler's: kubernetes/autoscaler cluster-autoscaler, eventing_scale_up_processor.go and
core/scaleup; GKE documentation, "Troubleshoot cluster autoscaler not scaling up".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import takewhile

from aistack.members import Member
from aistack.offered import kubectl
from aistack.why.claim_rules import claim_not_met
from aistack.why.saying import Saying, capital, first_said, spoken
from aistack.why.scale_up import not_scaled_up
from aistack.why.snapshot import Reason, Rule, Snapshot, pod_words, unscheduled
from components.base.pod_manifest import GPU
from components.pools.labels import GKE_ACCELERATOR
from kube import quantity
from kube.objects import JsonObject, dig, labels_of, maps, name_of
from kube.pod_requests import requests_of
from kube.reading import amount, moment

_LACK = re.compile(r"Insufficient ([\w./-]*\w)|(?P<pods>Too many pods)")
# The autoscaler gives a group of nodes 15 minutes, and says then that they failed
# (kubernetes/autoscaler cluster-autoscaler/FAQ.md, max-node-provision-time).
_NODE_SECONDS = 1800
# It looks every ten seconds, and a repeated event has the time of its last.
_SAME_LOOK_SECONDS = 120
_NETWORK = "networking.gke.io.networks/"
_HOST = "kubernetes.io/hostname"

# Taints that say what a node is going through, and not whom it is for: kubernetes/kubernetes
# v1.35.4 staging/src/k8s.io/api/core/v1/well_known_taints.go; kubernetes/autoscaler
# cluster-autoscaler/utils/taints/taints.go; GoogleCloudPlatform/k8s-node-termination-handler
# main.go (Google's own of a machine that is about to go).
_STATES = {
    "node.kubernetes.io/unreachable": "does not answer",
    "node.kubernetes.io/not-ready": "is not ready",
    "node.kubernetes.io/unschedulable": "is cordoned",
    "node.kubernetes.io/memory-pressure": "is short of memory",
    "node.kubernetes.io/disk-pressure": "is short of disk",
    "node.kubernetes.io/pid-pressure": "is short of process numbers",
    "node.kubernetes.io/network-unavailable": "has no network yet",
    "node.kubernetes.io/out-of-service": "is out of service",
    "node.cloudprovider.kubernetes.io/uninitialized": "is being set up",
    "node.cloudprovider.kubernetes.io/shutdown": "is shut down",
    "ToBeDeletedByClusterAutoscaler": "is being taken away by the autoscaler",
    "cloud.google.com/impending-node-termination": "is about to be taken by Google",
}

_MISSING = (
    Saying(
        "volume-missing",
        re.compile(r'persistentvolumeclaim "(?P<name>[^"]+)" not found'),
        "The volume claim {name} that it mounts is not in its namespace.",
        "Mount one that is there, or make it.",
    ),
    Saying(
        "volume-unbound",
        re.compile(r"unbound immediate PersistentVolumeClaims"),
        "A volume claim that it mounts has no volume yet.",
        "See the events of the claim, and whether its class has room.",
    ),
    Saying(
        "claim-missing",
        re.compile(r'resourceclaim(?:template)?(?:\S*) "(?P<name>[^"]+)" not found'),
        "The resource claim {name} that it names is not in its namespace.",
        "Name a claim template that is there.",
    ),
)


def held_by_gate(it: Snapshot) -> Reason | None:
    for member, _ in unscheduled(it):
        gates = [gate["name"] for gate in maps(dig(member.pod, "spec", "schedulingGates"))]
        if gates:
            return Reason(
                "gated",
                f"Its pods wait for whoever takes away the gate {gates[0]}.",
                "See whether the controller that the gate names runs, and what it waits for.",
            )
    return None


# kubernetes/kubernetes v1.35.4 pkg/scheduler/framework/plugins: volumebinding, interpodaffinity,
# podtopologyspread, nodevolumelimits. backube/volsync issue 1329 of 2024-07-08.
_KEPT_OFF = (
    Saying(
        "volume-elsewhere",
        re.compile(r"volume node affinity conflict|didn't find available persistent volumes"),
        "A volume that it mounts is in another zone than the nodes that it may use.",
        "Use nodes of the volume's zone, or make the volume anew in the zone of the nodes.",
    ),
    Saying(
        "one-pod-a-node",
        re.compile(r"pod anti-affinity rules|existing pods anti-affinity rules"),
        "Each of its pods takes a node for itself, and every node that it may use has one already.",
        "Wait for other jobs, ask for fewer pods, or have the pool enlarged.",
    ),
    Saying(
        "spread",
        re.compile(r"pod topology spread constraints|pod affinity rules"),
        "Its pods have to be near to, or spread over, others, and no free node is where they may "
        "go.",
        "Wait for nodes there, or loosen the affinity or the spread of its pods.",
    ),
    Saying(
        "volume-limit",
        re.compile(r"exceed max volume count"),
        "The nodes have as many volumes attached as they may.",
        "Wait for other pods to end, or use larger machines, which take more volumes.",
    ),
)


def kept_off(it: Snapshot) -> Reason | None:
    for member, message in unscheduled(it):
        known = first_said(_KEPT_OFF, [message])
        if known is None:
            continue
        place = _place_for_itself(member.pod)
        if known.cause != "one-pod-a-node" or place in ("", _HOST):
            return known
        return Reason(
            "one-job-a-place",
            f"Its pods take a whole {place} for themselves, and every one that they may use has "
            "pods in it with which they share none.",
            f"Wait for other jobs, or have another {place} added: "
            f"`{kubectl('get', 'pods', '-A', '-o', 'wide')}` shows who is in which.",
        )
    return None


def _place_for_itself(pod: JsonObject) -> str:
    """What of the cluster the pod shares with nobody whom its anti-affinity names: a node, or for
    a JobSet's exclusive placement a pool or a slice (kubernetes-sigs/jobset issue 1057 of
    2025-10-08)."""
    terms = maps(
        dig(
            pod,
            "spec",
            "affinity",
            "podAntiAffinity",
            "requiredDuringSchedulingIgnoredDuringExecution",
        )
    )
    return next((str(term["topologyKey"]) for term in terms), "")


def something_missing(it: Snapshot) -> Reason | None:
    scheduled = {one.name: said for one, said in unscheduled(it)}
    for member in it.pods:
        if dig(member.pod, "spec", "nodeName"):
            continue
        message = scheduled.get(member.name, "")
        told = [event.message for event in it.said_of_pod(member) if "laim" in event.reason]
        if (reason := first_said(_MISSING, [message, *told])) is not None:
            return reason
    return None


def no_machine_to_be_had(it: Snapshot) -> Reason | None:
    for member, _ in unscheduled(it):
        for event in it.said_of_pod(member):
            if event.reason == "TriggeredScaleUp":
                break
            if event.reason == "FailedScaleUp":
                return not_scaled_up(event.message)
    return None


def machine_comes(it: Snapshot) -> Reason | None:
    for member, _ in unscheduled(it):
        newest = next((e for e in it.said_of_pod(member) if "ScaleUp" in e.reason), None)
        if newest is not None and newest.reason == "TriggeredScaleUp":
            age = (it.now - newest.at).total_seconds()
            if age > _NODE_SECONDS:
                return Reason(
                    "nodes-late",
                    f"A node was asked of Google for {pod_words(member)} {spoken(age)} ago, and "
                    "none has come that takes it.",
                    "See the node pool's instance group in Google's console for what Google says; "
                    "cancel the job and submit it again to have a node asked for anew.",
                )
            return Reason(
                "node-comes",
                "A node is being made for it.",
                "Wait: a node with accelerators takes some minutes.",
            )
    return None


def pool_at_most(it: Snapshot) -> Reason | None:
    """The autoscaler would have added a node, and may not (kubernetes/autoscaler issue 5692 of
    2023-04-17; cluster-autoscaler/core/scaleup/orchestrator/skippedreasons.go)."""
    for member, _ in unscheduled(it):
        said = _not_triggered(it, member)
        if any("max node group size reached" in it or "max limit reached" in it for it in said):
            return Reason(
                "pool-at-max",
                f"The node pool has as many nodes as it may have, and none is free for "
                f"{pod_words(member)}.",
                "Wait for other jobs, or let the pool have more, by `pools.NAME.autoscaling.max`.",
            )
        waits = next((it for it in said if "backoff after failed scale-up" in it), None)
        if waits is not None:
            return Reason(
                "scale-up-backoff",
                "Google gave the node pool no node lately, and the autoscaler waits before it asks "
                f"again: {waits.rstrip('.')}.",
                "Wait: it asks again after some minutes, half an hour at the most.",
            )
    return None


def _not_triggered(it: Snapshot, member: Member) -> Sequence[str]:
    """What the autoscaler says at present of why it adds no node, the newest first: other words of
    its own are another event, and may be of the same look."""
    events = [event for event in it.said_of_pod(member) if "ScaleUp" in event.reason]
    if not events or events[0].reason != "NotTriggerScaleUp":
        return ()
    return [
        event.message
        for event in takewhile(lambda event: event.reason == "NotTriggerScaleUp", events)
        if (events[0].at - event.at).total_seconds() < _SAME_LOOK_SECONDS
    ]


def no_node_of_the_kind(it: Snapshot) -> Reason | None:
    for member, message in unscheduled(it):
        selector: JsonObject = dig(member.pod, "spec", "nodeSelector") or {}
        known = it.nodes is not None
        if known and not any(selector.items() <= labels_of(one).items() for one in it.nodes or ()):
            return _no_kind(it, member, selector)
        if not known and "node affinity/selector" in message and not _LACK.search(message):
            return _no_kind(it, member, selector)
    return None


def _no_kind(it: Snapshot, member: Member, selector: JsonObject) -> Reason:
    """A pool may have none at the moment: the autoscaler speaks of all pools together, so which of
    its words is about that one nobody knows (kubernetes/autoscaler
    cluster-autoscaler/core/scaleup/orchestrator/orchestrator.go)."""
    wanted = ", ".join(f"{key}={value}" for key, value in selector.items())
    waits = ("backoff after failed scale-up", "max node group size reached")
    said = (one for one in _not_triggered(it, member) if any(word in one for word in waits))
    if words := next(said, "").strip().rstrip("."):
        return Reason(
            "no-such-node",
            f"There is no node with {wanted or 'what it selects'} now. The autoscaler says of all "
            f'pools: "{words}".',
            "Where a pool makes such nodes, wait: after a failed try the autoscaler asks again "
            "within half an hour, and at its most nodes once others end. Where none does, select "
            "nodes that a pool has.",
        )
    return Reason(
        "no-such-node",
        f"There is no node with {wanted or 'what it selects'}.",
        "Select nodes that a pool has, or add a pool with these; one that scales from zero makes "
        "its nodes by itself.",
    )


def no_network(it: Snapshot) -> Reason | None:
    for _, message in unscheduled(it):
        lack = [one for one, _ in _LACK.findall(message) if one.startswith(_NETWORK)]
        if lack:
            name = lack[0].removeprefix(_NETWORK).removesuffix(".IP")
            return Reason(
                "network-missing",
                f"No node has the network interface {name} free that its pods ask for.",
                "Use nodes of a pool with these networks, a pod on each; see `status` for them.",
            )
    return None


def node_not_usable(it: Snapshot) -> Reason | None:
    """All nodes that a pod selects are in a state in which Kubernetes gives them nothing."""
    for member, _ in unscheduled(it):
        nodes = _selected(member.pod, it.nodes or ())
        states = [state for node in nodes if (state := _state(node))]
        if not nodes or len(states) < len(nodes):
            continue
        name, more = name_of(nodes[0]), len(nodes) - 1
        others = f", and so are {more} more" if more else ""
        pinned = _HOST in (dig(member.pod, "spec", "nodeSelector") or {})
        return Reason(
            "node-not-usable",
            f"The node {name} that {pod_words(member)} is to run on {states[0]}{others}.",
            "Kueue chose this one node for it: cancel the job and submit it again if the node "
            "does not come back."
            if pinned
            else "Wait: GKE repairs nodes; uncordon it if a person has cordoned it.",
        )
    return None


def no_driver(it: Snapshot) -> Reason | None:
    """GPUs are there for Kubernetes once the driver is, and the device plug-in has said so."""
    for member, message in unscheduled(it):
        if f"Insufficient {GPU}" not in message:
            continue
        nodes = [
            it for it in _selected(member.pod, it.nodes or ()) if GKE_ACCELERATOR in labels_of(it)
        ]
        without = [node for node in nodes if not _offers(node, GPU)]
        if nodes and len(without) == len(nodes):
            return Reason(
                "driver-not-there",
                f"The node {name_of(nodes[0])} has GPUs and offers none yet: its driver is being "
                "installed, or could not be.",
                "Wait some minutes; then see the pods of nvidia-gpu-device-plugin in kube-system.",
            )
    return None


def _offers(node: JsonObject, resource: str) -> bool:
    return str((dig(node, "status", "allocatable") or {}).get(resource, "0")) != "0"


def _state(node: JsonObject) -> str:
    """What it is going through; empty for one that pods could use."""
    for taint in maps(dig(node, "spec", "taints")):
        if taint["key"] in _STATES and taint["effect"] != "PreferNoSchedule":
            return _STATES[taint["key"]]
    return _STATES["node.kubernetes.io/unschedulable"] if dig(node, "spec", "unschedulable") else ""


def _selected(pod: JsonObject, nodes: Sequence[JsonObject]) -> list[JsonObject]:
    selector: JsonObject = dig(pod, "spec", "nodeSelector") or {}
    return [node for node in nodes if selector.items() <= labels_of(node).items()]


def too_large(it: Snapshot) -> Reason | None:
    """More in one pod than any node has that it may use, be it empty: kubernetes/autoscaler issues
    8129 of 2025-05-15 and 3869 of 2021-02-03. A pool that could make larger ones would have been
    asked for one."""
    for member, message in unscheduled(it):
        if _is_new(it, member) and not _not_triggered(it, member):
            continue
        nodes = _selected(member.pod, it.nodes or ())
        amounts = requests_of(member.pod["spec"])
        for resource in dict.fromkeys(name for name, _ in _LACK.findall(message) if name):
            wanted = amounts.get(resource, Fraction(0))
            most = max((_has(node, resource) for node in nodes), default=Fraction(0))
            if not most or wanted <= most:
                continue
            return Reason(
                "too-large",
                f"{capital(pod_words(member))} asks for {quantity.render(wanted)} of {resource}, "
                f"and the largest node that it may use has {quantity.render(most)}.",
                f"Ask for {quantity.render(most)} at the most for a pod, less what Kubernetes' own "
                "pods take there, or have a pool with larger machines added: waiting does not "
                "help.",
            )
    return None


def _is_new(it: Snapshot, member: Member) -> bool:
    """Whether the autoscaler may not have looked at it yet."""
    made = dig(member.pod, "metadata", "creationTimestamp")
    age = (it.now - moment(made)).total_seconds() if made else _SAME_LOOK_SECONDS
    return age < _SAME_LOOK_SECONDS


def _has(node: JsonObject, resource: str) -> Fraction:
    return amount((dig(node, "status", "allocatable") or {}).get(resource, 0))


def no_room(it: Snapshot) -> Reason | None:
    for member, message in unscheduled(it):
        lack = list(dict.fromkeys(name or "places for pods" for name, _ in _LACK.findall(message)))
        if lack:
            waiting = len(list(unscheduled(it)))
            return Reason(
                "no-room",
                f"The nodes have not enough {' and '.join(lack)} free for {waiting} of its "
                f"{max(it.wanted, len(it.pods))} pods, {member.name} first.",
                "Wait for other jobs, ask for less, or have the pool enlarged.",
            )
    return None


def tainted(it: Snapshot) -> Reason | None:
    for member, message in unscheduled(it):
        if "untolerated taint" in message:
            keys = _untolerated(member.pod, it.nodes or ())
            what = f"the taint {', '.join(keys)}" if keys else "taints"
            return Reason(
                "taint",
                f"The nodes that it selects have {what} that its pods do not tolerate.",
                "Add the toleration, or use other nodes.",
            )
    return None


def _untolerated(pod: JsonObject, nodes: Sequence[JsonObject]) -> list[str]:
    """Keys of taints of the nodes that the pod selects."""
    tolerated = {one.get("key") for one in maps(dig(pod, "spec", "tolerations"))}
    keys = {
        taint["key"]
        for node in _selected(pod, nodes)
        for taint in maps(dig(node, "spec", "taints"))
        if taint["effect"] != "PreferNoSchedule"
    }
    return sorted(keys - tolerated)


def not_scheduled(it: Snapshot) -> Reason | None:
    for member, message in unscheduled(it):
        return Reason(
            "unschedulable",
            f"No node takes {member.name}: {message.rstrip('.')}.",
            "No rule knows these words: change what the pods ask of their node as they say.",
        )
    return None


RULES: tuple[Rule, ...] = (
    held_by_gate,
    something_missing,
    no_machine_to_be_had,
    machine_comes,
    claim_not_met,
    no_network,
    no_node_of_the_kind,
    node_not_usable,
    no_driver,
    pool_at_most,
    too_large,
    no_room,
    kept_off,
    tainted,
    not_scheduled,
)
