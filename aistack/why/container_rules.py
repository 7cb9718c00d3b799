"""What is wrong with a pod that has its node: image, secret, volume, memory, disk, exit. Pure.

kubernetes/kubernetes v1.35.4 pkg/kubelet: images/types.go (ErrImagePull and its kin),
kuberuntime/kuberuntime_container.go (CreateContainerConfigError), eviction/helpers.go (Evicted),
volumemanager (FailedMount); OOMKilled is the container runtime's.
"""

from __future__ import annotations

import re
from datetime import datetime

from aistack.job import MANAGER
from aistack.members import LAUNCHER, SIDECAR, Member
from aistack.offered import kubectl, offered
from aistack.why.end_rules import (
    known_end,
    more_shared_memory,
    mount_not_writable,
    no_checkpoint,
    only_follows,
    requirements_not_installed,
    shared_memory_full,
)
from aistack.why.ends import (
    any_end,
    bad_ends,
    containers,
    end_of_log,
    is_oom,
    last_end,
    own_error,
    runs_again,
    was_bad,
)
from aistack.why.ray_rules import RAY_WAITER, is_history
from aistack.why.saying import BROKEN_NODE, Saying, capital, first_said, spoken
from aistack.why.snapshot import Reason, Rule, Snapshot, pod_words, statuses
from aistack.why.taken_away import not_gone, restarts_used, taken_away, what_follows, who_took
from kube.jobs import State
from kube.kinds import DEPLOYMENT, JOB_SET, RAY_CLUSTER, RAY_JOB
from kube.objects import JsonObject, dig, labels_of, maps, name_of, namespace_of
from kube.reading import moment, whole

_IMAGE = {"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"}
_CONFIG = {"CreateContainerConfigError", "CreateContainerError", "RunContainerError"}
# kubernetes/kubernetes v1.35.4 pkg/kubelet/eviction/eviction_manager.go and helpers.go.
_EMPTY_DIR = re.compile(r'EmptyDir volume "(?P<name>[^"]+)"')
_OF_A_DISK = re.compile(
    r"ephemeral-storage|ephemeral local storage|local ephemeral storage|EmptyDir volume"
    r"|DiskPressure|inodes"
)
# Words of kubernetes/kubernetes pull 72844 of 2019-01-12.
_OF_PROCESSES = re.compile(r"low on resource: pids|PIDPressure")
# Events that repeat what conditions and statuses of the pod say, and those from before its node.
_TOLD_OTHERWISE = {"FailedScheduling", "FailedScaleUp", "NotTriggerScaleUp", "BackOff", "Unhealthy"}
# A sidecar gets its signal with the end of the program, and has its grace period.
_SIDECAR_SECONDS = 120
# The kubelet repeats a warning within minutes as long as it holds.
_FRESH_SECONDS = 900
# vllm-project/vllm issue 17386 of 2025-04-29, llm-d/llm-d-inference-sim issue 45 of 2025-06-03.
_BY_PROBE = re.compile(r"Container (?P<name>\S+) failed (?P<probe>\w+) probe, will be restarted")
# A container has its grace period after the kubelet's word.
_PROBE_SECONDS = 300
# What the kubelet says of a container whose process never began.
_NOT_STARTED = {"StartError", "ContainerCannotRun"}
# ray-project/kuberay v1.4.2 ray-operator/controllers/ray/utils/constant.go.
_RAY_GROUP = "ray.io/group"
_NAMED = re.compile(r'(secret|configmap) "([^"]+)" not found')
_KEY = re.compile(r"couldn't find key (\S+) in (Secret|ConfigMap) (\S+)")
# signal(7), and the shell's own codes.
_MEANINGS = {
    126: " (its command is not executable)",
    127: " (its command is not in the image)",
    132: " (SIGILL: the node's processor lacks an instruction that the program uses)",
    134: " (SIGABRT: a library or a watchdog ended it)",
    137: " (SIGKILL, not by its own memory limit)",
    139: " (SIGSEGV: a fault in native code)",
    143: " (SIGTERM: something outside the program stopped it)",
}
# Pods that the kubelet refused, or ended, for a reason that has a rule of its own.
_OWN_RULE = {"Evicted", "DeadlineExceeded"}

# containerd and the registries: kubernetes/kubernetes issue 118402 and moby/moby issue 40619
# (toomanyrequests), containerd/containerd core/images/image.go ("no match for platform in
# manifest"), core/remotes/docker/resolver.go ("not found"), and Go's os and net ("no space left on
# device", "i/o timeout").
_PULLS = (
    Saying(
        "image",
        re.compile(r"toomanyrequests|429 Too Many Requests"),
        "its registry answers no more of the nodes' requests for now",
        "Wait, the kubelet asks again; or take the image from a registry of your own.",
    ),
    Saying(
        "image",
        re.compile(r"no space left on device"),
        "the node's disk has no room for it",
        "Give the pool larger disks, or take a smaller image.",
    ),
    Saying(
        "image",
        re.compile(r"no match for platform"),
        "it is made for other processors than the node's",
        "Name an image that is made for the node's processors too.",
    ),
    Saying(
        "image",
        re.compile(r"i/o timeout|TLS handshake timeout|context deadline exceeded|no such host"),
        "its registry did not answer",
        "See whether the nodes reach the registry: they go out by the NAT of the stack.",
    ),
    Saying(
        "image",
        re.compile(r"denied|unauthorized|\b403\b|\b401\b", re.IGNORECASE),
        "the nodes may not read it",
        "Let the nodes' account read it, or name an image that they may read.",
    ),
    Saying(
        "image",
        re.compile(r"not found|manifest unknown|couldn't parse image|invalid reference"),
        "there is none of that name",
        "Name an image and tag that are there.",
    ),
)
# GoogleCloudPlatform/gcs-fuse-csi-driver docs/troubleshooting.md and issue 283;
# kubernetes/kubernetes v1.35.4 pkg/volume/csi/csi_client.go; Lustre's mount.lustre.
_MOUNTS = (
    Saying(
        "volume-not-mounted",
        re.compile(r"failed to inject the sidecar|sidecar container.*(was )?not injected"),
        "the webhook that puts the bucket's sidecar into it did not do so",
        "Delete the pod: the one that is made in its place gets the sidecar.",
    ),
    # GoogleCloudPlatform/gcs-fuse-csi-driver issue 153 of 2023-12-27.
    Saying(
        "volume-not-mounted",
        re.compile(r"failed to find the sidecar container"),
        "the pod has no sidecar, which serves the bucket",
        'Give the pod the annotation gke-gcsfuse/volumes: "true", by which the webhook adds the '
        "sidecar; where it has it, delete the pod: the one that is made in its place gets it.",
    ),
    # GoogleCloudPlatform/gcs-fuse-csi-driver issue 1605 of 2026-08-25: a driver that never comes.
    Saying(
        "volume-not-mounted",
        re.compile(r"not found in the list of registered CSI drivers"),
        "the node has no driver for it yet",
        "Wait: on a new node the driver takes a minute. Where it does not come, see that the "
        "cluster has the add-on and that the driver's pods in kube-system run on that node.",
    ),
    # GoogleCloudPlatform/gcsfuse issues 2950 of 2025-01-29 and 1726 of 2024-02-19.
    Saying(
        "volume-not-mounted",
        re.compile(r"gcsfuse (?:failed|exited) with error: (?:fatal error|panic)"),
        "gcsfuse, which serves the bucket, crashed by a fault of its own",
        "Delete the pod. Where it crashes again, older ones cannot take objects whose names end "
        "with a line break: rename these, or take a newer GKE, which brings a newer gcsfuse.",
    ),
    Saying(
        "volume-not-mounted",
        re.compile(r"Is the MGS (specification correct|running)", re.IGNORECASE),
        "the Lustre instance does not answer",
        "See that the instance is ready and that its port is the one that the node was made for.",
    ),
    Saying(
        "volume-not-mounted",
        re.compile(r"Multi-Attach error"),
        "another node has it attached, and it takes one node at a time",
        "Wait some minutes until the other pod is gone; where both run, give each its own volume.",
    ),
    # GoogleCloudPlatform/gcs-fuse-csi-driver pull 1445 of 2026-06-10: "Unauthenticated", for nobody
    # gave the credentials; issue 667 of 2025-06-05.
    Saying(
        "volume-not-mounted",
        re.compile(
            r"per-RPC creds failed due to error: compute: Received 5\d\d"
            r"|could not find default credentials|Failed to set up metadata service"
            r"|169\.254\.169\.254"
        ),
        "the metadata server of its node, which gives its account's credentials, does not answer",
        "Delete the pod: an older driver does not try again by itself.",
    ),
    Saying(
        "volume-not-mounted",
        re.compile(r"Permission ?Denied|\b403\b|Unauthenticated|\b401\b", re.IGNORECASE),
        "its account may not use it",
        "Let the pod's account use the bucket: name the bucket among the stack's `buckets`.",
    ),
    # GoogleCloudPlatform/gcs-fuse-csi-driver issue 372 of 2024-11-11.
    Saying(
        "volume-not-mounted",
        re.compile(r"dial unix \S*csi\.sock|driver .*is not running"),
        "the driver's own pod on the node does not answer",
        "Wait while it starts again; then see the driver's pods in kube-system on that node.",
    ),
    Saying(
        "volume-not-mounted",
        re.compile(r"bucket .*(doesn't|does not) exist|code = NotFound|not found", re.IGNORECASE),
        "what it names is not there",
        "See the name in these words: name a bucket, claim or secret that is there.",
    ),
    Saying(
        "volume-not-mounted",
        re.compile(r"timed out|deadline exceeded|i/o timeout", re.IGNORECASE),
        "its server or its driver did not answer in time",
        "Wait, the node tries again; see whether the node's network reaches the server.",
    ),
)


# kubernetes/kubernetes v1.35.4 pkg/kubelet/kuberuntime/kuberuntime_manager.go wraps the words of
# containerd's CRI plugin and of the CNI plugins: aws/amazon-vpc-cni-k8s issue 284 of 2019-01-09 (no
# plugin yet), kubernetes/test-infra issue 13039 of 2019-06
# (no addresses), NVIDIA/gpu-operator issue 413 of 2022-10-20 (no runtime yet).
_SANDBOXES = (
    Saying(
        "pod-network",
        re.compile(r"no (more )?IP addresses (are )?available|no available IP"),
        "its node has no addresses left for pods",
        "Wait until another pod of the node ends, or give the pool more addresses for each node.",
    ),
    Saying(
        "driver-not-there",
        re.compile(r"no runtime for \S+ is configured|nvidia-container-runtime: no such file"),
        "the GPU runtime of its node is not installed yet",
        "Wait some minutes: the driver's installer makes it; then see its pods in kube-system.",
    ),
    Saying(
        "pod-network",
        re.compile(r"NetworkPluginNotReady|cni (plugin not|config un)initialized|find plugin"),
        "the network plug-in of its node is not there yet",
        "Wait: on a new node it takes a minute; then see the pods of kube-system on that node.",
    ),
    Saying(
        "pod-network",
        re.compile(r"network|CNI|cni|sandbox .*address"),
        "the network of its node, or one that the pod asks for, does not take it",
        "See that its networks exist and its node is healthy; delete the pod if not.",
    ),
)
# opencontainers/runc libcontainer/init_linux.go: words of a container that could not begin.
# k3s-io/helm-controller issue 250, delimitrou/DeathStarBench issue 358 of 2025-05-18,
# iterative/cml issue 1069 of 2022-06-20 (no driver), containerd/containerd issue 12243.
_STARTS = (
    Saying(
        "driver-not-there",
        re.compile(r"nvidia-container-cli.*(driver not loaded|initialization error)"),
        "the NVIDIA driver of its node is not loaded",
        "Wait some minutes on a new node; then see the pods of the driver's installer in "
        "kube-system, and cordon the node if it stays so.",
    ),
    Saying(
        "image",
        re.compile(r"exec format error"),
        "its image is made for other processors than the node's",
        "Name an image that is made for the node's processors too.",
    ),
    Saying(
        "command-missing",
        re.compile(
            r'exec: \\?"(?P<what>[^"\\]+)\\?": (?:executable file not found|stat .*no such file)'
            r"|exec (?P<other>\S+): no such file"
        ),
        "its image has no program of the name of its command",
        "See the command in the words above: name a program that the image has, by its whole path.",
    ),
    Saying(
        "command-missing",
        re.compile(r"exec: .*permission denied"),
        "its command may not be run: the file is not executable",
        "Make the file executable in the image, or run it by its interpreter: `python3 FILE`.",
    ),
    # flyteorg/flyte issue 6786 of 2025-12-03, ray-project/kuberay issue 1130 of 2023-05-31.
    Saying(
        "container-busy",
        re.compile(r"failed to reserve container name|is reserved for"),
        "an earlier try of its node to make the same container has not come back",
        "Wait. Where it stays so, the first try waits for something, mostly a mount or the disk: "
        "see the pod's events, and delete the pod.",
    ),
    # yandex-cloud/k8s-csi-s3 issue 133 of 2024-08-05.
    Saying(
        "mount-lost",
        re.compile(r"transport endpoint is not connected"),
        "a mount of its pod is dead: what mounted it ended",
        "Delete the pod: the one that is made in its place mounts anew.",
    ),
    Saying(
        "mount-path",
        re.compile(r"chdir to cwd|mkdir .*(read-only file system|not a directory)"),
        "a folder that it names for its work or a mount cannot be made",
        "Name a working folder that the image has, and mount volumes elsewhere.",
    ),
)
# kubernetes/kubernetes v1.35.4 pkg/kubelet/lifecycle/predicate.go and pkg/kubelet/cm/devicemanager:
# issues 130145 of 2025-02-13 and 97131 of 2020-12-08; NVIDIA/k8s-device-plugin issue 231 of
# 2021-03-05 (GPU is lost).
_REFUSALS = (
    Saying(
        "accelerator-broken",
        re.compile(r"GPU is lost|no healthy devices present|cannot allocate unhealthy devices"),
        "an accelerator of the node is broken",
        "Cordon the node, and submit the job again if no other pod is made. " + BROKEN_NODE,
    ),
    Saying(
        "device-not-given",
        re.compile(r"Allocate failed|UnexpectedAdmissionError|TopologyAffinityError"),
        "the node could not give it the devices that it was promised",
        "Submit the job again if no other pod is made; cordon the node if it does so again.",
    ),
    # flyteorg/flyte pull 6461 of 2025-05-22.
    Saying(
        "node-was-new",
        re.compile(r"Predicate NodeAffinity failed|Predicate TaintToleration failed"),
        "the node had not all its labels or taints yet when the pod came",
        "Submit the job again if no other pod is made: the node has them now.",
    ),
    Saying(
        "node-was-full",
        re.compile(r"Node didn't have enough resource|OutOf\w+"),
        "the node was full when it came, for another pod was faster",
        "Submit the job again if no other pod is made.",
    ),
)


def evicted(it: Snapshot) -> Reason | None:
    for member in it.pods:
        if dig(member.pod, "status", "reason") == "Evicted":
            said = str(dig(member.pod, "status", "message") or "").strip().rstrip(".")
            cause, advice = _evicted_for(it, member.pod, said)
            return Reason(
                cause,
                f"{capital(pod_words(member))} was evicted from its node: {said}.",
                f"{advice} {what_follows(it)}",
            )
    return None


def _evicted_for(it: Snapshot, pod: JsonObject, said: str) -> tuple[str, str]:
    """The cause, and what to do."""
    volume = _EMPTY_DIR.search(said)
    if volume is not None and volume["name"] in _in_memory(pod):
        return "shared-memory", more_shared_memory(it)
    if _OF_A_DISK.search(said):
        return "evicted-for-disk", "Ask for more `ephemeral_storage_gib`, or write to a mount."
    if _OF_PROCESSES.search(said):
        return "evicted", "Run fewer processes and threads in one pod: a node has few for all."
    if "memory" in said.lower():
        return "evicted", "Ask for what its pods use, so that no node is given too many."
    return "evicted", "No rule knows these words."


def _in_memory(pod: JsonObject) -> set[str]:
    volumes = maps(pod["spec"].get("volumes"))
    return {it["name"] for it in volumes if dig(it, "emptyDir", "medium") == "Memory"}


def _said_before(member: Member) -> str:
    """The command that shows the log of the sidecar that ended."""
    where = ("--namespace", namespace_of(member.pod), name_of(member.pod))
    return kubectl("logs", *where, "--container", SIDECAR, "--previous")


def mount_lost(it: Snapshot) -> Reason | None:
    """A sidecar that ended and is back mounts nothing in a pod that runs: only a new pod does
    (GoogleCloudPlatform/gcs-fuse-csi-driver docs/troubleshooting.md, "Transport endpoint is not
    connected")."""
    for member, status in containers(it):
        ended = dig(status, "lastState", "terminated")
        if status["name"] != SIDECAR or ended is None or not was_bad(ended):
            continue
        how = _killed(member, status) if is_oom(ended) else f"exit code {ended.get('exitCode')}"
        return Reason(
            "mount-lost",
            f"The bucket's mount in {pod_words(member)} is lost: its sidecar ended, {how}, and a "
            "sidecar that is back does not mount it again.",
            "Delete the pod, or submit the job again"
            + (
                ", with more `buckets.NAME.mount.sidecar.memory_gib`."
                if is_oom(ended)
                else f"; what the sidecar said: `{_said_before(member)}`."
            ),
        )
    return None


def out_of_memory(it: Snapshot) -> Reason | None:
    """What was in the memory is lost. Of a plain pod whose container runs again that is history; a
    Ray cluster's knowledge, its actors and its objects do not come back with the container."""
    ray = it.found.kind in (RAY_CLUSTER, RAY_JOB)
    for member, status in containers(it):
        forgives = not ray and it.job.state is not State.FAILED
        ended = last_end(status) if forgives else any_end(status)
        if ended is None or not is_oom(ended):
            continue
        if ray and last_end(status) is None and is_history(it, ended):
            continue
        restarts = whole(status.get("restartCount"))
        times = f" {restarts} times" if restarts > 1 else ""
        return Reason(
            "out-of-memory",
            f"Container {status['name']} of {pod_words(member)} was killed{times}: "
            f"{_killed(member, status)}.",
            f"{_more_memory(it, member, status['name'])} {what_follows(it, failed=True)}",
        )
    return None


def _killed(member: Member, status: JsonObject) -> str:
    limit = _limit(member.pod, status["name"])
    return f"it used more memory than its limit{f' of {limit}' if limit else ''}"


def _more_memory(it: Snapshot, member: Member, container: str) -> str:
    """The field of the stack's config that raises the limit of this container."""
    if container == SIDECAR:
        return "Give the sidecar more `buckets.NAME.mount.sidecar.memory_gib`."
    if container == RAY_WAITER:
        # ray-project/kuberay issue 2735 of 2025-01-13.
        return (
            "No field gives it more, for the amount is KubeRay's own: take an image in which the "
            "command `ray` needs less, or have KubeRay run with "
            "ENABLE_INIT_CONTAINER_INJECTION=false."
        )
    if it.found.kind in (RAY_CLUSTER, RAY_JOB) and member.role != LAUNCHER:
        group = labels_of(member.pod).get(_RAY_GROUP, "GROUP")
        part = "head" if member.role == "head" else f"workers.{group}"
        name = "the head" if member.role == "head" else "the workers"
        return (
            f"Give {name} of the Ray cluster more memory, `ray.NAME.{part}.requests.memory_gib`, "
            "or keep less there: objects, logs, processes."
        )
    if it.found.kind == DEPLOYMENT:
        return "Give the server more memory, `servers.NAME.requests.memory_gib`."
    less = "or use less: smaller batches, fewer loader processes."
    manager, _, stack = it.job.owner.partition(":")
    if not stack:
        return f"Raise `resources.limits.memory` of the container in its template, {less}"
    field = "`submit --memory`" if manager == MANAGER else "`jobs.NAME.requests.memory_gib`"
    return f"Ask for more memory, {field}, {less}"


def refused_by_node(it: Snapshot) -> Reason | None:
    """A pod that its node did not take has no containers: its own reason says why."""
    for member in it.pods:
        reason = str(dig(member.pod, "status", "reason") or "")
        failed = dig(member.pod, "status", "phase") == "Failed"
        if not failed or not reason or reason in _OWN_RULE or _has_run(member.pod):
            continue
        words = str(dig(member.pod, "status", "message") or "").strip().rstrip(".")
        known = first_said(_REFUSALS, [f"{reason} {words}"])
        why = known.sentence if known else "for a reason that no rule knows"
        return Reason(
            known.cause if known else "refused-by-node",
            f'The node of {pod_words(member)} refused the pod: {why}. The node says: "{reason}: '
            f'{words}".',
            known.advice if known else what_follows(it),
        )
    return None


def _has_run(pod: JsonObject) -> bool:
    return any(any_end(status) or dig(status, "state", "running") for status in statuses(pod))


def cannot_start(it: Snapshot) -> Reason | None:
    """A container whose first process the runtime could not start."""
    for member, status in containers(it):
        waiting, ended = dig(status, "state", "waiting") or {}, last_end(status) or {}
        said = ""
        if ended.get("reason") in _NOT_STARTED:
            said = str(ended.get("message") or "")
        elif waiting.get("reason") in _CONFIG:
            said = str(waiting.get("message") or "")
        known = first_said(_STARTS, [said])
        if known is None and ended.get("reason") not in _NOT_STARTED:
            continue
        why = f", for {known.sentence}" if known else ""
        return Reason(
            known.cause if known else "container-not-made",
            f"Container {status['name']} of {pod_words(member)} cannot start{why}. The runtime "
            f'says: "{said.strip().rstrip(".")[-400:]}".',
            known.advice if known else "No rule knows these words: change the pod as they say.",
        )
    return None


def image_not_pulled(it: Snapshot) -> Reason | None:
    for member, status in containers(it):
        waiting = dig(status, "state", "waiting") or {}
        if waiting.get("reason") not in _IMAGE:
            continue
        message = str(waiting.get("message") or "").strip()
        told = [event.message for event in it.said_of_pod(member) if event.reason == "Failed"]
        known = first_said(_PULLS, [message, *told])
        why = f": {known.sentence}" if known else ""
        # What the kubelet itself says of its own waiting is no word of the registry.
        own = message and not message.startswith("Back-off pulling image")
        words = f'; the node says: "{message[:300]}"' if own else ""
        return Reason(
            "image",
            f"The image {status['image']} of {pod_words(member)} cannot be pulled{why}{words}.",
            known.advice
            if known
            else f"See `{offered('events', it.job.name)}`, which has the registry's own words.",
        )
    return None


def reference_missing(it: Snapshot) -> Reason | None:
    for member, status in containers(it):
        waiting = dig(status, "state", "waiting") or {}
        if waiting.get("reason") not in _CONFIG:
            continue
        said = str(waiting.get("message") or "")
        if (match := _NAMED.search(said)) is not None:
            kind, name = match.groups()
            return Reason(
                f"{kind}-missing",
                f"The {kind} {name} that {pod_words(member)} needs is not in its namespace.",
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
            f"Container {status['name']} of {pod_words(member)} cannot be made: "
            f"{said.rstrip('.')}.",
            "No rule knows these words: change the pod as they say.",
        )
    return None


def not_mounted(it: Snapshot) -> Reason | None:
    """The kubelet says it by events alone; one that it has said before its pod ran is history."""
    for member in it.pods:
        if dig(member.pod, "status", "phase") != "Pending":
            continue
        for event in it.said_of_pod(member):
            words = event.message.rstrip(".")
            if event.reason in ("FailedMount", "FailedAttachVolume"):
                known = first_said(_MOUNTS, [event.message])
                why = f", for {known.sentence}" if known else ""
                return Reason(
                    "volume-not-mounted",
                    f"A volume of {pod_words(member)} cannot be mounted{why}: {words}.",
                    known.advice if known else "No rule knows these words; the node tries again.",
                )
            if event.reason in ("FailedCreatePodSandBox", "NetworkNotReady"):
                return _no_sandbox(member, words)
            if event.reason == "FailedPrepareDynamicResources":
                return Reason(
                    "devices-not-prepared",
                    f"The driver of the devices that {pod_words(member)} claims has not prepared "
                    f"them: {words}.",
                    "Wait, the node tries again; then see the pods of the driver on that node.",
                )
    return None


def sidecar_runs(it: Snapshot) -> Reason | None:
    """A pod ends when all its containers have: one that serves the program keeps it (istio/istio
    issue 11045 of 2019-01-19, kubernetes/kubernetes issue 25908). GKE's own are init containers,
    which end with the others."""
    for member in it.pods:
        own = {each["name"]: each for each in maps(dig(member.pod, "status", "containerStatuses"))}
        ended = dig(own.get(member.container), "state", "terminated") or {}
        others = [name for name, each in own.items() if dig(each, "state", "running") is not None]
        if was_bad(ended) or not others or not ended.get("finishedAt"):
            continue
        age = (it.now - moment(ended["finishedAt"])).total_seconds()
        if age < _SIDECAR_SECONDS:
            continue
        return Reason(
            "sidecar-runs",
            f"The program of {pod_words(member)} ended well {spoken(age)} ago, and container "
            f"{others[0]} of the pod still runs, so the pod does not end.",
            "Make that container an init container with `restartPolicy: Always`, or leave it out.",
        )
    return None


def node_says(it: Snapshot) -> Reason | None:
    """The newest warning about a pod that its node has not started, in words that no rule knows."""
    for member in it.pods:
        placed = dig(member.pod, "spec", "nodeName")
        if not placed or dig(member.pod, "status", "phase") != "Pending":
            continue
        for event in it.said_of_pod(member):
            fresh = (it.now - event.at).total_seconds() < _FRESH_SECONDS
            if event.warns and fresh and event.reason not in _TOLD_OTHERWISE:
                return Reason(
                    "node-says",
                    f'{capital(pod_words(member))} does not start; its node says: "{event.reason}: '
                    f'{event.message.strip()[:400]}".',
                    "No rule knows these words. The node tries again by itself.",
                )
    return None


def _no_sandbox(member: Member, words: str) -> Reason:
    known = first_said(_SANDBOXES, [words])
    why = f", for {known.sentence}" if known else ""
    return Reason(
        known.cause if known else "pod-sandbox",
        f"The node cannot set up {pod_words(member)}{why}: {words}.",
        known.advice if known else "No rule knows these words; the node tries again by itself.",
    )


def stopped_by_probe(it: Snapshot) -> Reason | None:
    """The kubelet stops a container that its startup or liveness probe does not reach, and says it
    by an event alone: the exit code is the signal's, or whatever the program makes of it
    (kubernetes/kubernetes v1.35.4 pkg/kubelet/kuberuntime/kuberuntime_manager.go)."""
    for member, status in containers(it):
        ended = last_end(status)
        if ended is None:
            continue
        for event in it.said_of_pod(member):
            said = _BY_PROBE.search(event.message) if event.reason == "Killing" else None
            if said is None or said["name"] != status["name"] or not _at_end(event.at, ended):
                continue
            return _unanswered(it, member, status["name"], said["probe"])
    return None


def _at_end(when: datetime, ended: JsonObject) -> bool:
    """Whether the kubelet's word came before this end and not one long before."""
    finished = ended.get("finishedAt")
    if not finished:
        return True
    seconds = (moment(finished) - when).total_seconds()
    return -_PROBE_SECONDS < seconds < _PROBE_SECONDS


def _unanswered(it: Snapshot, member: Member, name: str, probe: str) -> Reason:
    asked = (event for event in it.said_of_pod(member) if event.reason == "Unhealthy")
    words = next((one.message for one in asked if one.message.lower().startswith(probe)), "")
    why = f': "{words.strip().rstrip(".")}"' if words else ""
    see = f"See what it did until then: {_log_of(it, member)}."
    if probe == "startup":
        more = (
            "Give the server more `minutes` to start."
            if it.found.kind == DEPLOYMENT
            else "Give its startup probe more time, by `failureThreshold`."
        )
        return Reason(
            "not-started-in-time",
            f"The node stopped container {name} of {pod_words(member)}, for it had not started "
            f"within the time of its startup probe{why}.",
            f"{more} {see}",
        )
    return Reason(
        "stopped-answering",
        f"The node stopped container {name} of {pod_words(member)}, for it did not answer its "
        f"{probe} probe any more{why}.",
        f"{see} The container starts anew by itself.",
    )


def ended_badly(it: Snapshot) -> Reason | None:
    """The container that failed first, how it ended, and its last line: one that ended because
    another did may be the first that Kubernetes sees."""
    ends = sorted(bad_ends(it), key=lambda end: only_follows(end_of_log(it, end[0])))
    for member, status, ended in ends:
        restarts = whole(status.get("restartCount"))
        times = f" {restarts + 1} times" if restarts else ""
        before = len(it.earlier(member))
        again = f" at its {_nth(before + 1)} try" if before else ""
        code = ended.get("exitCode")
        lines = end_of_log(it, member)
        error = own_error(it.logs.get(member.name, ()))
        last = f'; its last line: "{lines[-1]}"' if lines else ""
        if error and not (lines and lines[-1].endswith(error)):
            last = f'; its last error: "{error[:300]}"'
        return Reason(
            "program-failed",
            f"Container {status['name']} of {pod_words(member)} ended{again} with exit code "
            f"{code}{_MEANINGS.get(code or 0, '')}{times}{last}.",
            f"See what it said: {_log_of(it, member)}. {what_follows(it, failed=True)}",
        )
    return None


def _log_of(it: Snapshot, member: Member) -> str:
    """The command that shows what the try that ended has said."""
    before = ("--previous",) if runs_again(member) else ()
    return f"`{offered('logs', it.job.name, '--rank', member.role, *before)}`"


def tries_before(it: Snapshot) -> str:
    """What became of those before, as clauses of what is now; empty where there were none."""
    return f"{_tries_as_a_whole(it)}{_tries_of_a_pod(it)}"


def _tries_as_a_whole(it: Snapshot) -> str:
    """A JobSet that restarts, and a RayJob, delete the pods of the try before
    (kubernetes-sigs/jobset pkg/controllers/failure_policy.go of f22237ac; ray-project/kuberay
    ray-operator/apis/ray/v1/rayjob_types.go of f6ef3f7b)."""
    status, spec = it.found.obj.get("status") or {}, it.found.obj.get("spec") or {}
    if it.found.kind == JOB_SET:
        tries, counted = whole(status.get("restarts")), restarts_used(status)
        most = whole(dig(spec, "failurePolicy", "maxRestarts"))
        used = f", and has used {counted} of its {most} restarts"
    elif it.found.kind == RAY_JOB:
        tries = whole(status.get("failed"))
        used = f", and has used {tries} of its {whole(spec.get('backoffLimit'))} retries"
    else:
        return ""
    return f"; it is at its {_nth(tries + 1)} try{used}" if tries else ""


def _tries_of_a_pod(it: Snapshot) -> str:
    for member in it.pods:
        before = it.earlier(member)
        if before:
            how = _how_it_ended(before[-1])
            return f"; {pod_words(member)} is at its {_nth(len(before) + 1)} try: {how}"
        for status in statuses(member.pod):
            ended = dig(status, "lastState", "terminated")
            if ended is not None and was_bad(ended) and last_end(status) is None:
                how = _killed(member, status) if is_oom(ended) else f"exit code {ended['exitCode']}"
                more = f". {_more_memory(it, member, status['name'])[:-1]}" if is_oom(ended) else ""
                return (
                    f"; container {status['name']} of {pod_words(member)} runs again since it "
                    f"ended, {how}{more}"
                )
    return ""


def _how_it_ended(member: Member) -> str:
    said = who_took(member.pod, "the one before it")
    if said is not None:
        return said[1][0].lower() + said[1][1:]
    for status in statuses(member.pod):
        ended = any_end(status)
        if ended is not None and is_oom(ended):
            return f"the one before it was killed, for {_killed(member, status)}"
        if ended is not None and was_bad(ended):
            return f"the one before it ended with exit code {ended['exitCode']}"
    reason = dig(member.pod, "status", "reason") or dig(member.pod, "status", "phase")
    return f"the one before it ended: {reason}"


def _limit(pod: JsonObject, container: str) -> str:
    spec = pod["spec"]
    for each in (*maps(spec.get("initContainers")), *spec["containers"]):
        if each["name"] == container:
            return str(dig(each, "resources", "limits", "memory") or "")
    return ""


def _nth(number: int) -> str:
    last = 0 if number % 100 in (11, 12, 13) else number % 10
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }"


RULES: tuple[Rule, ...] = (
    evicted,
    mount_lost,
    out_of_memory,
    taken_away,
    not_gone,
    refused_by_node,
    image_not_pulled,
    cannot_start,
    reference_missing,
    not_mounted,
    requirements_not_installed,
    no_checkpoint,
    mount_not_writable,
    shared_memory_full,
    known_end,
    stopped_by_probe,
    ended_badly,
    sidecar_runs,
    node_says,
)
