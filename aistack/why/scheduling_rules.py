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

from aistack.why.claim_rules import claim_not_met
from aistack.why.saying import Saying, first_said
from aistack.why.snapshot import Reason, Rule, Snapshot, unscheduled
from sandbox.kube.objects import JsonObject, dig, labels_of, maps

_LACK = re.compile(r"Insufficient ([\w./-]+)")
_NETWORK = "networking.gke.io.networks/"

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
        "See the events of the claim: `kubectl describe pvc`.",
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
                return _no_machines(event.message)
    return None


def _no_machines(message: str) -> Reason:
    if "quota" in message.lower():
        return Reason(
            "google-quota",
            f"Google's quota of the project allows no more machines: {message.rstrip('.')}.",
            "Ask Google for more quota, or use another region or machine.",
        )
    return Reason(
        "stock-out",
        f"Google has none of these machines now: {message.rstrip('.')}.",
        "Wait, or take another zone, capacity by flex-start, or a reservation.",
    )


def machine_comes(it: Snapshot) -> Reason | None:
    for member, _ in unscheduled(it):
        newest = next((e for e in it.said_of_pod(member) if "ScaleUp" in e.reason), None)
        if newest is not None and newest.reason == "TriggeredScaleUp":
            return Reason(
                "node-comes",
                "A node is being made for it.",
                "Wait: a node with accelerators takes some minutes.",
            )
    return None


def no_node_of_the_kind(it: Snapshot) -> Reason | None:
    for member, message in unscheduled(it):
        selector: JsonObject = dig(member.pod, "spec", "nodeSelector") or {}
        known = it.nodes is not None
        if known and not any(selector.items() <= labels_of(one).items() for one in it.nodes or ()):
            return _no_kind(selector)
        if not known and "node affinity/selector" in message and not _LACK.search(message):
            return _no_kind(selector)
    return None


def _no_kind(selector: JsonObject) -> Reason:
    wanted = ", ".join(f"{key}={value}" for key, value in selector.items())
    return Reason(
        "no-such-node",
        f"There is no node with {wanted or 'what it selects'}.",
        "Select nodes that a pool has, or add a pool with these; one that scales from zero makes "
        "its nodes by itself.",
    )


def no_network(it: Snapshot) -> Reason | None:
    for _, message in unscheduled(it):
        lack = [one for one in _LACK.findall(message) if one.startswith(_NETWORK)]
        if lack:
            name = lack[0].removeprefix(_NETWORK).removesuffix(".IP")
            return Reason(
                "network-missing",
                f"No node has the network interface {name} free that its pods ask for.",
                "Use nodes of a pool with these networks, a pod on each; see `status` for them.",
            )
    return None


def no_room(it: Snapshot) -> Reason | None:
    for member, message in unscheduled(it):
        lack = list(dict.fromkeys(_LACK.findall(message)))
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
    selector: JsonObject = dig(pod, "spec", "nodeSelector") or {}
    tolerated = {one.get("key") for one in maps(dig(pod, "spec", "tolerations"))}
    keys = {
        taint["key"]
        for node in nodes
        if selector.items() <= labels_of(node).items()
        for taint in maps(dig(node, "spec", "taints"))
        if taint["effect"] != "PreferNoSchedule"
    }
    return sorted(keys - tolerated)


def not_scheduled(it: Snapshot) -> Reason | None:
    for member, message in unscheduled(it):
        return Reason(
            "unschedulable",
            f"No node takes {member.name}: {message.rstrip('.')}.",
            "Change what the pods ask of their node as that says.",
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
    no_room,
    tainted,
    not_scheduled,
)
