"""What is wrong with a pod that has its node: image, secret, volume, memory, disk, exit. Pure.

kubernetes/kubernetes v1.35.4 pkg/kubelet: images/types.go (ErrImagePull and its kin),
kuberuntime/kuberuntime_container.go (CreateContainerConfigError), eviction/helpers.go (Evicted),
volumemanager (FailedMount); OOMKilled is the container runtime's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aistack.members import Member
from aistack.why.snapshot import Reason, Rule, Snapshot, statuses
from sandbox.kube.objects import JsonObject, dig

_IMAGE = {"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"}
_CONFIG = {"CreateContainerConfigError", "CreateContainerError", "RunContainerError"}
_NAMED = re.compile(r'(secret|configmap) "([^"]+)" not found')
_KEY = re.compile(r"couldn't find key (\S+) in (Secret|ConfigMap) (\S+)")
_NO_CHECKPOINT = re.compile(
    r"checkpoint.*(not found|no such file|does not exist)"
    r"|(not found|no such file|does not exist).*(checkpoint|ckpt)",
    re.IGNORECASE,
)


def evicted(it: Snapshot) -> Reason | None:
    for member in it.pods:
        if dig(member.pod, "status", "reason") == "Evicted":
            said = str(dig(member.pod, "status", "message") or "").strip().rstrip(".")
            disk = "ephemeral-storage" in said or "DiskPressure" in said
            return Reason(
                "evicted-for-disk" if disk else "evicted",
                f"{_pod(member)} was evicted from its node: {said}.",
                "Ask for more `ephemeral_storage_gib`, or write to a mount."
                if disk
                else "Ask for what its pods use, so that no node is given too many.",
            )
    return None


def out_of_memory(it: Snapshot) -> Reason | None:
    for member, status in _containers(it):
        ended = _last_end(status)
        if ended is not None and ended.get("reason") == "OOMKilled":
            limit = _limit(member.pod, status["name"])
            return Reason(
                "out-of-memory",
                f"Container {status['name']} of {_pod(member)} was killed: it used more memory "
                f"than its limit{f' of {limit}' if limit else ''}.",
                "Ask for more memory, or use less: smaller batches, fewer loader processes.",
            )
    return None


def image_not_pulled(it: Snapshot) -> Reason | None:
    for member, status in _containers(it):
        waiting = dig(status, "state", "waiting") or {}
        if waiting.get("reason") in _IMAGE:
            why = _why_no_image(str(waiting.get("message") or ""))
            return Reason(
                "image",
                f"The image {status['image']} of {_pod(member)} cannot be pulled{why}.",
                "Name an image and tag that are there, and that the nodes' account may read.",
            )
    return None


def _why_no_image(message: str) -> str:
    if "not found" in message:
        return ": there is none of that name"
    denied = ("denied", "unauthorized", "403", "401")
    return ": the nodes may not read it" if any(word in message for word in denied) else ""


def reference_missing(it: Snapshot) -> Reason | None:
    for member, status in _containers(it):
        waiting = dig(status, "state", "waiting") or {}
        if waiting.get("reason") not in _CONFIG:
            continue
        said = str(waiting.get("message") or "")
        if (match := _NAMED.search(said)) is not None:
            kind, name = match.groups()
            return Reason(
                f"{kind}-missing",
                f"The {kind} {name} that {_pod(member)} needs is not in its namespace.",
                f"Make the {kind}, or name one that is there.",
            )
        if (match := _KEY.search(said)) is not None:
            key, kind, name = match.groups()
            return Reason(
                f"{kind.lower()}-missing",
                f"The {kind.lower()} {name.rpartition('/')[2]} has no key {key}.",
                "Add the key, or name one that is there.",
            )
        return Reason(
            "container-not-made",
            f"Container {status['name']} of {_pod(member)} cannot be made: {said.rstrip('.')}.",
            "Change the pod as that says.",
        )
    return None


def not_mounted(it: Snapshot) -> Reason | None:
    """The kubelet says it by events alone; one that it has said before its pod ran is history."""
    for member in it.pods:
        if dig(member.pod, "status", "phase") != "Pending":
            continue
        for event in it.said_of_pod(member):
            if event.reason in ("FailedMount", "FailedAttachVolume"):
                return Reason(
                    "volume-not-mounted",
                    f"A volume of {_pod(member)} cannot be mounted: {event.message.rstrip('.')}.",
                    "See that what it names is there, and that the pod's account may use it.",
                )
            if event.reason == "FailedCreatePodSandBox":
                return Reason(
                    "pod-network",
                    f"The network of {_pod(member)} cannot be set up: {event.message.rstrip('.')}.",
                    "See that its networks exist and its node is healthy; delete the pod if not.",
                )
    return None


def no_checkpoint(it: Snapshot) -> Reason | None:
    for member, status in _containers(it):
        ended = _last_end(status)
        if ended is None or ended.get("exitCode") == 0:
            continue
        for line in reversed(it.logs.get(member.name, ())):
            if _NO_CHECKPOINT.search(line):
                return Reason(
                    "no-checkpoint",
                    f'{_pod(member)} found no checkpoint to go on from: "{line.strip()}".',
                    f"See `aistack checkpoints {it.job.name}`; without one it has to begin anew.",
                )
    return None


def ended_badly(it: Snapshot) -> Reason | None:
    """A container that ended by itself, and the last that it said."""
    for member, status in _containers(it):
        ended = _last_end(status)
        if ended is None or ended.get("exitCode") == 0:
            continue
        restarts = int(status.get("restartCount") or 0)
        times = f" {restarts + 1} times" if restarts else ""
        lines = [line for line in it.logs.get(member.name, ()) if line.strip()]
        last = f'; its last line: "{lines[-1].strip()}"' if lines else ""
        return Reason(
            "program-failed",
            f"Container {status['name']} of {_pod(member)} ended with exit code "
            f"{ended.get('exitCode')}{times}{last}.",
            f"See what it said: `kubectl logs {member.name}`.",
        )
    return None


def asks_for_log(pod: JsonObject) -> bool:
    """Of one that did not end well, what it said last."""
    ends = map(_last_end, statuses(pod))
    return any(ended is not None and ended.get("exitCode") != 0 for ended in ends)


def _containers(it: Snapshot) -> Iterator[tuple[Member, JsonObject]]:
    for member in it.pods:
        for status in statuses(member.pod):
            yield member, status


def _last_end(status: JsonObject) -> JsonObject | None:
    """How it ended, unless it runs again since."""
    if dig(status, "state", "running") and status.get("ready"):
        return None
    return dig(status, "state", "terminated") or dig(status, "lastState", "terminated")


def _limit(pod: JsonObject, container: str) -> str:
    for each in dig(pod, "spec", "containers") or []:
        if each["name"] == container:
            return str(dig(each, "resources", "limits", "memory") or "")
    return ""


def _pod(member: Member) -> str:
    return f"rank {member.role}" if member.role.isdecimal() else f"the {member.role}"


RULES: tuple[Rule, ...] = (
    evicted,
    out_of_memory,
    image_not_pulled,
    reference_missing,
    not_mounted,
    no_checkpoint,
    ended_badly,
)
