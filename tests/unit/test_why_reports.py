"""What people reported of jobs on such clusters, in the words of their reports: each is told by its
cause, and of jobs that recover or are well nothing is told as in their way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from aistack.events import Event
from aistack.find import Found
from aistack.members import Member
from aistack.why.look import own_times
from aistack.why.snapshot import Snapshot
from aistack.why.verdict import verdict
from components.base.pod_manifest import GCSFUSE
from kube.kinds import JOB_SET, RAY_JOB
from stacks.parts.jobs.requirements import NOT_INSTALLED
from tests.unit.why_samples import NOW, condition, job, pod, ray_cluster, snapshot, workload

SIDECAR = "gke-gcsfuse-sidecar"
SHUTDOWN = "Pod was terminated in response to imminent node shutdown."


@dataclass(frozen=True)
class Report:
    """`source` is where the words are from; `words` have to be in the sentence or the advice."""

    source: str
    snapshot: Snapshot
    cause: str
    words: tuple[str, ...] = ()


def ended(name: str = "main", **terminated: Any) -> dict[str, Any]:
    state = {"terminated": {"reason": "Error", "exitCode": 1, **terminated}}
    return {"name": name, "image": "a", "restartCount": 0, "state": state}


def back(name: str = "main", restarts: int = 1, **terminated: Any) -> dict[str, Any]:
    """A container that runs again."""
    return {
        "name": name,
        "image": "a",
        "ready": True,
        "restartCount": restarts,
        "state": {"running": {}},
        "lastState": ended(**terminated)["state"],
    }


OOM = {"reason": "OOMKilled", "exitCode": 137}
OOM_STATE = {"lastState": {"terminated": OOM}}


def ends_again(restarts: int) -> dict[str, Any]:
    """Of a container that waits for its next try."""
    return {
        **back(restarts=restarts),
        "ready": False,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
    }


def failed(role: str = "0", **status: Any) -> Member:
    status = {"containerStatuses": [ended()], **status}
    return pod(role, phase="Failed", **status)


def renamed(member: Member, name: str) -> Member:
    body = dict(member.pod)
    body["metadata"] = {**body["metadata"], "name": name}
    return replace(member, pod=body)


def limited(member: Member, name: str = "main", memory: str = "4Gi") -> Member:
    containers = [{"name": name, "resources": {"limits": {"memory": memory}}}]
    body = dict(member.pod)
    key = "initContainers" if name == SIDECAR else "containers"
    body["spec"] = {**body["spec"], key: containers}
    return replace(member, pod=body)


def disrupted(why: str, words: str = "", **status: Any) -> Member:
    target = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": why,
        "message": words,
    }
    return failed(conditions=[target], **status)


def stopped_by_kueue() -> Member:
    target = {
        "type": "TerminatedByKueue",
        "status": "True",
        "reason": "UnschedulableOnAssignedNode",
        "message": "Pod terminated by Kueue NodeController due to node taint",
    }
    return failed(conditions=[target])


def policy(found: Found, action: str = "Ignore") -> Found:
    rule = {"action": action, "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    found.obj["spec"]["podFailurePolicy"] = {"rules": [rule]}
    return found


def waiting(reason: str, message: str) -> Member:
    state = {"waiting": {"reason": reason, "message": message}}
    status = {"name": "main", "image": "europe-docker.pkg.dev/p/r/train:1", "state": state}
    return pod(phase="Pending", containerStatuses=[status])


def of_pod(reason: str, message: str, *, minutes: int = 1, name: str = "train-0") -> Event:
    return Event(
        at=NOW - timedelta(minutes=minutes),
        warns=True,
        about=f"Pod/{name}",
        reason=reason,
        message=message,
    )


def unscheduled(message: str, **selector: str) -> Member:
    scheduled = {"type": "PodScheduled", "status": "False", "message": message}
    member = pod(phase="Pending", conditions=[scheduled])
    del member.pod["spec"]["nodeName"]
    member.pod["spec"]["nodeSelector"] = selector
    return member


def node(
    name: str, *taints: str, gpus: int = 0, labels: Mapping[str, str] | None = None
) -> dict[str, Any]:
    spec = {"taints": [{"key": it, "effect": "NoSchedule"} for it in taints]}
    allocatable = {"nvidia.com/gpu": str(gpus)} if gpus else {}
    own = {"kubernetes.io/hostname": name, **(labels or {})}
    return {
        "metadata": {"name": name, "labels": own},
        "spec": spec,
        "status": {"allocatable": allocatable},
    }


def not_scaled(words: str) -> Snapshot:
    said = (
        f"Node scale up in zones us-central1-b associated with this pod failed: {words}. Pod is at "
        "risk of not being scheduled."
    )
    lacks = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu."
    return snapshot(job(active=1), unscheduled(lacks), events=[of_pod("FailedScaleUp", said)])


def not_pulled(message: str) -> Snapshot:
    return snapshot(job(active=1), waiting("ErrImagePull", message))


def not_mounted(message: str) -> Snapshot:
    return snapshot(job(active=1), pod(phase="Pending"), events=[of_pod("FailedMount", message)])


def said_at_the_end(*lines: str, code: int = 1) -> Snapshot:
    member = failed(containerStatuses=[ended(exitCode=code)])
    return snapshot(job(failed=1), member, logs={member.name: lines})


def ray_job(status: Mapping[str, Any] | None = None) -> Found:
    spec = {"clusterSelector": {"ray.io/cluster": "lab"}}
    metadata = {**ray_cluster().obj["metadata"]}
    return Found(RAY_JOB, {"metadata": metadata, "spec": spec, "status": dict(status or {})})


def ray_ready(minutes: int = 60) -> tuple[Member, ...]:
    since = (NOW - timedelta(minutes=minutes)).isoformat()
    ready = [{"type": "Ready", "status": "True", "lastTransitionTime": since}]
    return pod("head", conditions=ready), pod("0", conditions=ready)


def interactive(found: Found) -> Found:
    found.obj["spec"]["submissionMode"] = "InteractiveMode"
    return found


def job_set(replicas: int = 1, **status: Any) -> Found:
    part = {"name": "n", "replicas": replicas, "template": {"spec": job().obj["spec"]}}
    spec: dict[str, Any] = {"replicatedJobs": [part]}
    return Found(JOB_SET, {"metadata": job().obj["metadata"], "spec": spec, "status": status})


def ending(found: Found, finalizer: str) -> Found:
    """A job that was deleted half an hour ago, and is still there."""
    found.obj["metadata"] |= {"deletionTimestamp": ago(30), "finalizers": [finalizer]}
    return found


def with_own_cluster(found: Found) -> Found:
    found.obj["spec"] = {"rayClusterSpec": ray_cluster().obj["spec"]}
    return found


def with_part(shot: Snapshot, part: Found) -> Snapshot:
    """A part that the job made, and that is suspended."""
    part.obj["spec"]["suspend"] = True
    return replace(shot, members=replace(shot.members, made=((part.kind, part.obj),)))


def inactive(evicted: dict[str, str]) -> Snapshot:
    shot = queued()
    return replace(shot, workload=workload(evicted, active=False))


def retried(found: Found) -> Found:
    found.obj["spec"]["backoffLimit"] = 3
    return found


def without_retries(found: Found) -> Found:
    found.obj["spec"]["backoffLimit"] = 0
    return found


def excusing(found: Found) -> Found:
    """As a JobSet excuses pods that were taken away."""
    part = found.obj["spec"]["replicatedJobs"][0]
    pods = {**part["template"]["spec"], **policy(job(), "FailJob").obj["spec"]}
    found.obj["spec"]["replicatedJobs"] = [{**part, "template": {"spec": pods}}]
    found.obj["spec"]["failurePolicy"] = {
        "maxRestarts": 20,
        "rules": [
            {
                "action": "RestartJobSetAndIgnoreMaxRestarts",
                "onJobFailureReasons": ["PodFailurePolicy"],
            }
        ],
    }
    return found


def depending(found: Found) -> Found:
    """A second part, whose pods are made when the first has ended."""
    parts = found.obj["spec"]["replicatedJobs"]
    waits = {"dependsOn": [{"name": "n", "status": "Complete"}], "name": "later"}
    found.obj["spec"]["replicatedJobs"] = [*parts, {**parts[0], **waits}]
    return found


def in_order(found: Found) -> Found:
    found.obj["spec"]["startupPolicy"] = {"startupPolicyOrder": "InOrder"}
    return found


def begun(found: Found, minutes: float) -> Found:
    found.obj["metadata"]["creationTimestamp"] = ago(minutes)
    return found


def made_at(member: Member, minutes: float) -> Member:
    member.pod["metadata"]["creationTimestamp"] = ago(minutes)
    return member


def new_record(shot: Snapshot, seconds: float) -> Snapshot:
    begun(shot.found, seconds / 60)
    record = workload()
    record["metadata"]["creationTimestamp"] = ago(seconds / 60)
    return replace(shot, workload=record)


def ready_cluster(workers: int = 1) -> Found:
    status = {
        "conditions": [condition("HeadPodReady", "True")],
        "readyWorkerReplicas": workers,
        "desiredWorkerReplicas": 1,
    }
    return Found(ray_cluster().kind, {**ray_cluster().obj, "status": status})


def redis(shot: Snapshot) -> Snapshot:
    (kind, obj) = shot.members.made[0]
    spec = {**obj["spec"], "gcsFaultToleranceOptions": {"redisAddress": "redis:6379"}}
    made = ((kind, {**obj, "spec": spec}),)
    return replace(shot, members=replace(shot.members, made=made))


def on_ray(found: Found, *pods: Member) -> Snapshot:
    shot = snapshot(found, *pods)
    made = ((ray_cluster().kind, ray_cluster().obj),)
    return replace(shot, members=replace(shot.members, made=made))


def ray_says(*lines: str) -> Snapshot:
    """Of a job that failed, the end of its driver's log."""
    said = "Job entrypoint command failed with exit code 1, last available logs (truncated to "
    message = "\n".join([f"{said}20,000 chars):", *lines])
    failed = {"jobDeploymentStatus": "Failed", "jobStatus": "FAILED", "message": message}
    return on_ray(ray_job(failed), *ray_ready())


def refused_by_jobset(words: str) -> Snapshot:
    """A pod that JobSet's webhook refuses, beside one that waits for a node."""
    event = Event(
        at=NOW,
        warns=True,
        about="Job/train-n-0",
        reason="FailedCreate",
        message=f'Error creating: admission webhook "vpod.kb.io" denied the request: {words}',
    )
    waits = unscheduled("0/1 nodes are available: 1 Insufficient google.com/tpu.")
    return snapshot(job_set(restarts=0, replicas=2), waits, events=[event])


def refused_for_good(words: str) -> Snapshot:
    """A workload that Kueue has given up, for a check rejected it."""
    message = "The workload is deactivated due to Admission check in Rejected state: machines"
    evicted = because(condition("Evicted", "True", message), "DeactivatedDueToAdmissionCheck")
    shot = with_check(queued(evicted), "Rejected", words)
    return replace(shot, workload={**(shot.workload or {}), "spec": {"active": False}})


def ago(minutes: float) -> str:
    return (NOW - timedelta(minutes=minutes)).isoformat()


def refused(reason: str, message: str) -> Snapshot:
    """A pod that its node did not take, which has no containers."""
    return snapshot(job(active=1), pod(phase="Failed", reason=reason, message=message))


def no_sandbox(message: str) -> Snapshot:
    said = of_pod("FailedCreatePodSandBox", message)
    return snapshot(job(active=1), pod(phase="Pending"), events=[said])


def not_begun(message: str) -> Snapshot:
    """A container whose process the runtime could not start."""
    status = ended(reason="StartError", exitCode=128, message=f"{_RUNTIME}{message}: unknown")
    return snapshot(job(active=1), failed(containerStatuses=[status]))


def queued(*conditions: dict[str, str], **more: Any) -> Snapshot:
    return snapshot(job(queue="lq", suspend=True), workload=workload(*conditions), **more)


def pending(message: str) -> Snapshot:
    return queued(condition("QuotaReserved", "False", message))


def because(found: dict[str, str], reason: str) -> dict[str, str]:
    return {**found, "reason": reason}


def scale_up(reason: str, message: str, minutes: int = 1) -> Snapshot:
    lacks = "0/15 nodes are available: 3 Insufficient nvidia.com/gpu."
    said = replace(of_pod(reason, message, minutes=minutes), warns=False)
    return snapshot(job(active=1), unscheduled(lacks), events=[said])


def with_volume(member: Member, volume: dict[str, Any]) -> Member:
    member.pod["spec"]["volumes"] = [volume]
    return member


def with_check(shot: Snapshot, state: str, message: str) -> Snapshot:
    found = workload()
    check = {"name": "machines", "state": state, "message": message}
    status = {**(shot.workload or found)["status"], "admissionChecks": [check]}
    return replace(shot, workload={**found, "status": status})


def gated(name: str) -> Member:
    member = unscheduled("Scheduling is blocked due to non-empty scheduling gates")
    member.pod["spec"]["schedulingGates"] = [{"name": name}]
    return member


def deleted(member: Member, minutes: float, *finalizers: str) -> Member:
    """A pod whose grace period ended so many minutes ago."""
    body = dict(member.pod)
    gone = {"deletionTimestamp": ago(minutes), "finalizers": list(finalizers)}
    body["metadata"] = {**body["metadata"], **gone}
    return replace(member, pod=body)


def labelled(member: Member, **labels: str) -> Member:
    body = dict(member.pod)
    body["metadata"] = {**body["metadata"], "labels": labels}
    return replace(member, pod=body)


def of_aistack(found: Found, manager: str) -> Found:
    found.obj["metadata"]["labels"] = {"managed-by": manager, "stack": "lab"}
    return found


def printed(*minutes_ago: float, found: Found | None = None) -> Snapshot:
    """A program that runs, and when it printed its lines."""
    times = [NOW - timedelta(minutes=it) for it in minutes_ago]
    lines = [f"step {number} loss 2.1" for number in range(len(times))]
    shot = snapshot(found or job(active=1, ready=1), pod(), logs={"train-0": lines})
    return replace(shot, line_times={"train-0": times})


def driver_prints(*minutes_ago: float) -> Snapshot:
    """What a RayJob without a launcher prints, by times that its own lines begin with."""
    began = {"jobDeploymentStatus": "Running", "jobStatus": "RUNNING", "startTime": ago(500)}
    shot = on_ray(ray_job(began), *ray_ready())
    lines = [f"{NOW - timedelta(minutes=it):%Y-%m-%d %H:%M:%S},100 INFO step" for it in minutes_ago]
    return replace(
        shot, logs={"driver": lines}, line_times={"driver": own_times(lines, shot.found)}
    )


def every(step: float, begin: float, end: float) -> list[float]:
    """From so many minutes ago to so many."""
    count = round((begin - end) / step)
    return [begin - step * number for number in range(count + 1)]


def failed_at(role: str, minutes: float, *lines: str) -> tuple[Member, dict[str, tuple[str, ...]]]:
    member = failed(role, containerStatuses=[ended(finishedAt=ago(minutes))])
    return member, {member.name: lines}


def stopped_by(probe: str) -> Snapshot:
    """A container that runs again since the kubelet stopped the try before."""
    said = f"Container main failed {probe} probe, will be restarted"
    at_work = {**back(exitCode=137, finishedAt=ago(1)), "ready": False}
    member = pod(conditions=[condition("Ready", "False")], containerStatuses=[at_work])
    return snapshot(job(active=1), member, events=[of_pod("Killing", said)])


def waits_for_hosts(minutes: float) -> Snapshot:
    """What JAX says once of a slice whose other hosts do not run."""
    lines = [
        "/usr/lib/python3.10/site-packages/jax/_src/xla_bridge.py:146: UserWarning: TPU backend "
        "initialization is taking more than 60.0 seconds. Did you run your code on all TPU hosts?",
        "  warnings.warn(",
    ]
    shot = snapshot(job(active=1, ready=1), pod(), logs={"train-0": lines})
    return replace(shot, line_times={"train-0": [NOW - timedelta(minutes=minutes)] * 2})


def with_affinity(member: Member, place: str) -> Member:
    terms = [{"topologyKey": place, "labelSelector": {}}]
    kept = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    member.pod["spec"]["affinity"] = kept
    return member


def waits_for_head(ready: str, phase: str = "Running") -> Snapshot:
    """A worker that asks for the head since 40 minutes."""
    asks = {
        "name": "wait-gcs-ready",
        "image": "a",
        "state": {"running": {"startedAt": ago(40)}},
    }
    head = pod("head", phase=phase, conditions=[condition("Ready", ready)])
    return snapshot(ray_cluster(), head, pod("0", phase="Pending", initContainerStatuses=[asks]))


def cluster_queue(name: str, nominal: int, **limits: int) -> dict[str, Any]:
    amounts = {"name": "nvidia.com/gpu", "nominalQuota": nominal, **limits}
    flavors = [{"name": "l4", "resources": [amounts]}]
    spec = {"cohortName": "all", "resourceGroups": [{"flavors": flavors}]}
    return {"metadata": {"name": name}, "spec": spec}


def has_quota(queue: str, gpus: int) -> dict[str, Any]:
    assigned = {"flavors": {"nvidia.com/gpu": "l4"}, "resourceUsage": {"nvidia.com/gpu": gpus}}
    admission = {"clusterQueue": queue, "podSetAssignments": [assigned]}
    held = workload(condition("QuotaReserved", "True"))
    held["status"]["admission"] = admission
    return held


def asks_of_cohort(
    *cohort: dict[str, Any], gpus: int, admitted: tuple[dict[str, Any], ...], rivals: int = 1
) -> Snapshot:
    """A job of the first of these cluster queues, of which Kueue says that it lacks one GPU."""
    requests = {"requests": {"nvidia.com/gpu": gpus}}
    template = {"spec": {"containers": [{"name": "main", "resources": requests}]}}
    lacks = "insufficient unused quota for nvidia.com/gpu in flavor l4, 1 more needed"
    shot = queued(
        condition("QuotaReserved", "False", f"couldn't assign flavors to pod set main: {lacks}"),
        cluster_queue=cohort[0],
        cohort=cohort,
        admitted=admitted,
        rivals=[workload()] * rivals,
    )
    assert shot.workload is not None
    shot.workload["spec"] = {"podSets": [{"name": "main", "count": 1, "template": template}]}
    return shot


def with_event(shot: Snapshot, earlier: Event) -> Snapshot:
    return replace(shot, events=[earlier, *shot.events])


def asks_for(member: Member, amounts: dict[str, str], *nodes: dict[str, Any]) -> Snapshot:
    member.pod["spec"]["containers"] = [{"name": "main", "resources": {"requests": amounts}}]
    return snapshot(job(active=1), member, nodes=nodes)


def with_disk(found: dict[str, Any], amount: str) -> dict[str, Any]:
    found["status"]["allocatable"]["ephemeral-storage"] = amount
    return found


def on_bucket(line: str) -> Snapshot:
    """A program that ended with this line, in a pod with a bucket at /data."""
    shot = said_at_the_end(line)
    spec = shot.members.pods[0].pod["spec"]
    spec["volumes"] = [{"name": "data", "csi": {"driver": GCSFUSE}}]
    spec["containers"][0]["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
    return shot


def in_two_groups(shot: Snapshot) -> Snapshot:
    assert shot.workload is not None
    shot.workload["spec"]["podSets"] *= 2
    return shot


def two_ranks(*ranks: tuple[Member, dict[str, tuple[str, ...]]]) -> Snapshot:
    logs = {name: lines for _, said in ranks for name, lines in said.items()}
    return snapshot(job(failed=2), *(member for member, _ in ranks), logs=logs)


_RUNTIME = (
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc "
    "create failed: unable to start container process: "
)
_WATCHDOG = (
    "[E ProcessGroupNCCL.cpp:458] [Rank 0] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=96120, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1800600 milliseconds "
    "before timing out."
)
_ON_N1 = {"kubernetes.io/hostname": "n1"}
_GPU_NODE = {"cloud.google.com/gke-accelerator": "nvidia-l4"}
_TAINTED = "0/1 nodes are available: 1 node(s) had untolerated taint(s)."
_KUBERNETES = "v1.35.4"
_PLUGINS = "kubernetes/kubernetes pkg/scheduler/framework/plugins"
_AUTOSCALER = "GoogleCloudPlatform/cluster-autoscaler pkg/events of 7d250507 of 2026-08-21"

REPORTS: dict[str, Report] = {
    "spot": Report(
        "marin-community/marin 7123 of 2026-07-12; flyteorg/flyte 8067 of 2026-09-22",
        snapshot(
            policy(job(active=1)),
            disrupted(
                "TerminationByKubelet",
                SHUTDOWN,
                containerStatuses=[ended(exitCode=143)],
                reason="Terminated",
                message=SHUTDOWN,
            ),
        ),
        "machine-gone",
        ("spot machines", "counts as no retry", "made by itself"),
    ),
    "spot, of a Job that counts it": Report(
        "flyteorg/flyte 8067 of 2026-09-22",
        snapshot(job(active=1), disrupted("TerminationByKubelet", SHUTDOWN)),
        "machine-gone",
        ("counts as one of its retries",),
    ),
    "spot, of a Job that gave up": Report(
        "flyteorg/flyteplugins 354 of 2023-05-26",
        snapshot(
            job(conditions=[condition("Failed", "True", "BackoffLimitExceeded")]),
            disrupted("TerminationByKubelet", SHUTDOWN),
        ),
        "machine-gone",
        ("does not start again by itself",),
    ),
    "node gone": Report(
        f"kubernetes/kubernetes pkg/controller/podgc/gc_controller.go of {_KUBERNETES}",
        snapshot(
            policy(job(active=1)), disrupted("DeletionByPodGC", "PodGC: node no longer exists")
        ),
        "machine-gone",
        ("The node of rank 0 is gone",),
    ),
    "node gone, as GKE says it": Report(
        "kubernetes-sigs/prow 117 of 2024-04-18",
        snapshot(
            policy(job(active=1)),
            disrupted(
                "DeletionByGCPControllerManager", "GCPControllerManager: node no longer exists"
            ),
        ),
        "machine-gone",
        ("The node of rank 0 is gone", "counts as no retry"),
    ),
    "a node that has not all its labels yet": Report(
        "flyteorg/flyte 6461 of 2025-05-22",
        refused(
            "NodeAffinity",
            "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node "
            "affinity/selector",
        ),
        "node-was-new",
    ),
    "an earlier try of the same container": Report(
        "flyteorg/flyte 6786 of 2025-12-03; ray-project/kuberay 1130 of 2023-05-31",
        snapshot(
            job(active=1),
            waiting(
                "CreateContainerError",
                'failed to reserve container name "primary_0": name "primary_0" is reserved for '
                '"containerid123"',
            ),
        ),
        "container-busy",
        ("Wait",),
    ),
    "a bucket that is not there": Report(
        "GoogleCloudPlatform/gcs-fuse-csi-driver docs/troubleshooting.md of v1.20",
        not_mounted(
            "rpc error: code = NotFound desc = failed to get GCS bucket: storage: bucket doesn't "
            "exist"
        ),
        "volume-not-mounted",
        ("what it names is not there",),
    ),
    "a plug-in that does not take the pod": Report(
        "cilium/cilium 11497 of 2020-05-12",
        no_sandbox(
            'failed to set up sandbox container "714c" network for pod "app2": NetworkPlugin cni '
            'failed to set up pod "app2_default" network: unable to connect to the agent'
        ),
        "pod-network",
        ("the network of its node",),
    ),
    "a plug-in that is not there yet": Report(
        "cilium/cilium 11497 of 2020-05-12",
        no_sandbox(
            'NetworkPlugin cni failed to set up pod "app2_default" network: failed to find plugin '
            '"cilium-cni" in path [/home/kubernetes/bin]'
        ),
        "pod-network",
        ("Wait",),
    ),
    "a program for other processors": Report(
        "containerd/containerd 12243 of 2025-08-28",
        not_begun('exec: "/bin/sh": exec format error'),
        "image",
        ("other processors",),
    ),
    "a working folder that cannot be made": Report(
        "opencontainers/runc libcontainer/init_linux.go of v1.3.0",
        not_begun('error during container init: chdir to cwd ("/app") set in config.json failed'),
        "mount-path",
        ("/app",),
    ),
    "others whose pods are not ready": Report(
        "kubernetes-sigs/kueue pkg/scheduler/scheduler.go of v0.19.2",
        pending("waiting for all admitted workloads to be in PodsReady condition"),
        "others-not-ready",
    ),
    "jobs that are stopped for it": Report(
        "kubernetes-sigs/kueue pkg/scheduler/scheduler.go of v0.19.2",
        pending("Pending the preemption of 2 workload(s)"),
        "preemption-under-way",
        ("2 jobs",),
    ),
    "a namespace with pod security": Report(
        "kubernetes/pod-security-admission policy of v0.35.4",
        snapshot(
            job(active=0),
            events=[
                Event(
                    at=NOW,
                    warns=True,
                    about="Job/train",
                    reason="FailedCreate",
                    message='Error creating: pods "train-x" is forbidden: violates PodSecurity '
                    '"restricted:latest": allowPrivilegeEscalation != false (container "main" must '
                    "set securityContext.allowPrivilegeEscalation=false)",
                )
            ],
        ),
        "pod-security",
        ("allowPrivilegeEscalation != false",),
    ),
    "a claim without a volume": Report(
        f"{_PLUGINS}/volumebinding/volume_binding.go of {_KUBERNETES}",
        snapshot(
            job(active=1),
            unscheduled(
                "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims."
            ),
        ),
        "volume-unbound",
    ),
    "a Ray cluster that is not there": Report(
        "ray-project/kuberay ray-operator/apis/ray/v1/rayjob_types.go of v1.4.2",
        snapshot(ray_job()),
        "ray-cluster-missing",
        ("lab",),
    ),
    "a node that was asked for a minute ago": Report(
        "kubernetes/autoscaler cluster-autoscaler/FAQ.md of 2026 (TriggeredScaleUp)",
        scale_up("TriggeredScaleUp", "pod triggered scale-up: [{gpu-pool 0->1 (max: 4)}]"),
        "node-comes",
    ),
    "an API server's words of tomorrow": Report(
        "ours: what no rule knows is told in full",
        snapshot(
            job(active=0),
            events=[
                Event(
                    at=NOW - timedelta(minutes=2),
                    warns=True,
                    about="Job/train",
                    reason="FailedCreate",
                    message="Error creating: something that an API server says tomorrow",
                )
            ],
        ),
        "pods-refused",
        ("something that an API server says tomorrow", "No rule knows", "2 min ago"),
    ),
    "a Job that failed, and whose pods are gone": Report(
        "kubernetes/kubernetes staging/src/k8s.io/api/batch/v1/types.go of v1.35.4",
        snapshot(
            job(
                failed=7,
                conditions=[
                    condition("Failed", "True", "Job has reached the specified backoff limit")
                ],
            )
        ),
        "failed",
        ("backoff limit",),
    ),
    "a job that a finalizer keeps": Report(
        "ray-project/kuberay 4767 of 2026-04",
        snapshot(ending(ray_cluster(), "ray.io/gcs-ft-redis-cleanup-finalizer")),
        "stopping",
        ("ray.io/gcs-ft-redis-cleanup-finalizer", "for 30 min"),
    ),
    "a RayJob that KubeRay does not take": Report(
        "kubernetes-sigs/kueue 13413 of 2026-07-23",
        snapshot(
            with_own_cluster(
                ray_job(
                    {
                        "jobDeploymentStatus": "ValidationFailed",
                        "reason": "ValidationFailed",
                        "message": "RayJob name should be no more than 47 characters",
                    }
                )
            )
        ),
        "refused-by-kuberay",
        ("47 characters",),
    ),
    "a Ray cluster that KubeRay does not take": Report(
        "ray-project/kuberay ray-operator/controllers/ray/utils/validation.go of v1.4.2",
        snapshot(
            ray_cluster(),
            events=[
                Event(
                    at=NOW,
                    warns=True,
                    about="RayCluster/train",
                    reason="InvalidRayClusterSpec",
                    message="The RayCluster spec is invalid default/train: headGroupSpec should "
                    "have at least one container",
                )
            ],
        ),
        "refused-by-kuberay",
        ("at least one container",),
    ),
    "a RayJob's cluster that is suspended": Report(
        "kubernetes-sigs/kueue 1844 of 2024-03-14",
        with_part(
            snapshot(with_own_cluster(ray_job({"jobDeploymentStatus": "Initializing"}))),
            ray_cluster(),
        ),
        "part-suspended",
        ("RayCluster train is suspended",),
    ),
    "a RayJob's launcher that is suspended": Report(
        "kubernetes-sigs/kueue 1568 of 2024-01-11",
        with_part(snapshot(with_own_cluster(ray_job({"jobDeploymentStatus": "Running"}))), job()),
        "part-suspended",
        ("Job train is suspended",),
    ),
    "GPUs that NVIDIA's Fabric Manager has not joined": Report(
        "huggingface/huggingface_hub 4134 of 2026-04-23",
        said_at_the_end(
            "[warmup] fabric manager never reported Completed; trying anyway",
            "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda "
            "functions before calling NumCudaDevices() that might have already set an error? "
            "Error 802: system not yet initialized",
        ),
        "accelerator-broken",
        ("Fabric Manager", "another node"),
    ),
    "a PyTorch that is older than the GPU": Report(
        "weecology/DeepForest 1090 of 2025-07-03",
        said_at_the_end(
            "NVIDIA B200 with CUDA capability sm_100 is not compatible with the current PyTorch "
            "installation.",
            "RuntimeError: CUDA error: no kernel image is available for execution on the device",
            "CUDA kernel errors might be asynchronously reported at some other API call",
        ),
        "gpu-not-supported",
        ("CUDA 12.8",),
    ),
    "a bucket that the pods' account may not use": Report(
        "kubeflow/katib 1588 of 2021-07-26",
        said_at_the_end(
            "google.api_core.exceptions.Forbidden: 403 GET https://storage.googleapis.com/storage/"
            "v1/b/brightclue-mlops?projection=noAcl&prettyPrint=false: Caller does not have "
            "storage.buckets.get access to the Google Cloud Storage bucket."
        ),
        "bucket-denied",
        ("may not do storage.buckets.get", "client.bucket"),
    ),
    "a disk that Ray's objects have filled": Report(
        "ray-project/ray 49173 of 2024-12-09",
        ray_says(
            "ray.exceptions.OutOfDiskError: Local disk is full",
            "The object cannot be created because the local object store is full and the local "
            "disk's utilization is over capacity (95% by default).",
        ),
        "disk-full",
    ),
    "an object store that is full": Report(
        "ray-project/ray 11594 of 2020-10-24",
        ray_says(
            "ray.exceptions.ObjectStoreFullError: Failed to put object ffffffffffffffffdf5a1a82 in "
            "object store because it is full. Object size is 25892330588 bytes.",
            "The local object store is full of objects that are still in scope and cannot be "
            "evicted.",
        ),
        "shared-memory",
        ("object store", "shm_gib"),
    ),
    "a Ray that is not the cluster's": Report(
        "Unakar/Logic-RL 30 of 2025-02-12",
        ray_says(
            "RuntimeError: Version mismatch: The cluster was started with:",
            "    Ray: 2.12.0",
            "    Python: 3.11.11",
            "This process on node 10.123.3.87 was started with:",
            "    Ray: 2.42.0",
            "    Python: 3.9.21",
        ),
        "ray-not-alike",
        ("requirements.txt",),
    ),
    "a leader that failed beside its new one": Report(
        "kubernetes-sigs/jobset 1276 of 2026-07-13",
        refused_by_jobset("expected 1 leader pod (train-n-0-0), but got 2. this is an expected, "),
        "refused-by-webhook",
        ("train-n-0-0 that failed", "Delete the one that failed"),
    ),
    "a leader that is not there yet": Report(
        "kubernetes-sigs/jobset 1276 of 2026-07-13",
        refused_by_jobset("expected 1 leader pod (train-n-0-0), but got 0. this is an expected, "),
        "no-room",
    ),
    "machines that Google has taken back": Report(
        "kubernetes-sigs/kueue 2196 of 2024-05-23",
        refused_for_good(
            "Capacity provisioned for the Provisioning Request was reclaimed and is no longer "
            "available in the cluster."
        ),
        "machine-gone",
        ("Google has taken its machines back", "checkpoints"),
    ),
    "a check that refuses it for good": Report(
        "kubernetes-sigs/kueue 2196 of 2024-05-23",
        refused_for_good("Provisioning Request wasn't accepted."),
        "admission-check",
        ("wasn't accepted",),
    ),
    "a rank that is gone, as NCCL says it": Report(
        "NVIDIA/nccl 2076 of 2026-03-29",
        said_at_the_end(
            "torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:268, remote process "
            "exited or there was a network error, NCCL version 2.21.5",
            "ncclRemoteError: A call failed possibly due to a network error or a remote process "
            "exiting prematurely.",
            "Last error:",
            "socketProgressOpt: Call to recv from 172.1.1.1<33759> failed: Connection reset",
        ),
        "peer-lost",
    ),
    "a rank that is gone, and the rank": Report(
        "NVIDIA/nccl 795 of 2023-03-02",
        two_ranks(
            failed_at("0", 1, "ncclRemoteError: A call failed possibly due to a network error"),
            failed_at("1", 1, "ValueError: a batch of rank 1 is empty"),
        ),
        "program-failed",
        ("rank 1", "a batch of rank 1 is empty"),
    ),
    "a rank that is gone, and one that waited for it": Report(
        "NVIDIA/nccl 795 of 2023-03-02; pytorch/pytorch 163546 of 2025-09-22",
        two_ranks(
            failed_at("0", 1, "ncclRemoteError: A call failed possibly due to a network error"),
            failed_at(
                "1", 1, "RuntimeError: Timed out waiting 1800000ms for recv operation to complete"
            ),
        ),
        "peer-lost",
    ),
    "a rank that is gone, as gloo says it, and the rank": Report(
        "pytorch/pytorch 75512 of 2022-04-08",
        two_ranks(
            failed_at(
                "0",
                1,
                "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598] Connection "
                "closed by peer [18.25.6.30]:28048",
            ),
            failed_at("1", 1, "ValueError: a batch of rank 1 is empty"),
        ),
        "program-failed",
        ("rank 1", "a batch of rank 1 is empty"),
    ),
    "a GPU's memory that was full, and an error of a package after it": Report(
        "ours: a line of a log counts only where it is the end",
        said_at_the_end(
            "torch.cuda.OutOfMemoryError: CUDA out of memory. Halving the batch.",
            "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        ),
        "program-failed",
        ("Expecting value",),
    ),
    "a loader process that was killed": Report(
        "Visual-AI/3DRS 7 of 2025-08-01",
        said_at_the_end(
            "RuntimeError: DataLoader worker (pid 108439) is killed by signal: Killed."
        ),
        "out-of-memory",
        ("loader processes",),
    ),
    "a sidecar that outlives its program": Report(
        "istio/istio 11045 of 2019-01-19",
        snapshot(
            job(active=1),
            pod(
                conditions=[condition("Ready", "False")],
                containerStatuses=[
                    ended(reason="Completed", exitCode=0, finishedAt=ago(40)),
                    {"name": "istio-proxy", "image": "a", "state": {"running": {}}},
                ],
            ),
        ),
        "sidecar-runs",
        ("40 min ago", "istio-proxy"),
    ),
    "a head that ends again and again under a RayJob": Report(
        "ray-project/kuberay 4178 of 2025-11-05",
        on_ray(
            ray_job({"jobDeploymentStatus": "Initializing"}),
            pod(
                "head",
                containerStatuses=[ends_again(7)],
            ),
        ),
        "program-failed",
        ("8 times",),
    ),
    "a RayJob whose time is over": Report(
        "ray-project/kuberay 5295 of 2026-09-15",
        on_ray(
            ray_job(
                {
                    "jobDeploymentStatus": "Failed",
                    "jobStatus": "RUNNING",
                    "reason": "DeadlineExceeded",
                }
            ),
            *ray_ready(),
        ),
        "deadline",
    ),
    "a launcher that does not reach Ray": Report(
        "ray-project/kuberay 4760 of 2026-04-23",
        replace(
            on_ray(
                ray_job({"jobDeploymentStatus": "Failed", "reason": "SubmissionFailed"}),
                *ray_ready(),
                pod("launcher", phase="Failed", containerStatuses=[ended("ray-job-submitter")]),
            ),
            logs={
                "train-launcher": [
                    "ConnectionError: Failed to connect to Ray at address: "
                    "http://rayjob-head-svc.default.svc:8265."
                ]
            },
        ),
        "ray-not-reached",
        ("Failed to connect to Ray",),
    ),
    "a worker whose gate stays": Report(
        "kubernetes-sigs/kueue 9986 of 2026-03-18",
        on_ray(
            ray_job({"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"}),
            pod("head"),
            replace(gated("kueue.x-k8s.io/elastic-job"), role="0"),
        ),
        "gated",
        ("kueue.x-k8s.io/elastic-job",),
    ),
    "memory of a TPU": Report(
        "sokrypton/ColabFold 62 of 2021-10-23",
        said_at_the_end(
            "RuntimeError: RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 9.08G "
            "of 7.48G hbm. Exceeded hbm capacity by 1.60G.",
            "Total hbm usage >= 9.60G:",
            "Program hbm requirement 9.08G:",
        ),
        "accelerator-memory",
    ),
    "a head that was evicted": Report(
        "ray-project/kuberay 2125 of 2024-06-29",
        snapshot(
            ray_cluster(),
            pod(
                "head",
                phase="Failed",
                reason="Evicted",
                message="The node was low on resource: ephemeral-storage. ",
            ),
            pod("0"),
        ),
        "evicted-for-disk",
        ("The head", "KubeRay makes another pod"),
    ),
    "a head without Ray in its image": Report(
        "ray-project/kuberay 4272 of 2025-12-15",
        snapshot(
            ray_cluster(),
            pod("head", phase="Failed", containerStatuses=[ended(exitCode=127)]),
            logs={"train-head": ["/bin/bash: line 1: ray: command not found"]},
        ),
        "program-failed",
        ("is not in the image", "ray: command not found"),
    ),
    "a head that its dead node does not let go": Report(
        "ray-project/kuberay 4078 of 2025-09-18",
        snapshot(ray_cluster(), deleted(pod("head"), 20), pod("0")),
        "pod-not-gone",
        ("The head",),
    ),
    "an actor of Ray's own that died": Report(
        "ray-project/ray 34710 of 2023-04-24",
        on_ray(
            ray_job(
                {
                    "jobDeploymentStatus": "Failed",
                    "jobStatus": "FAILED",
                    "message": "Unexpected error occurred: The actor died unexpectedly before "
                    "finishing this task. class_name: JobSupervisor",
                }
            ),
            *ray_ready(),
        ),
        "ray-job-failed",
        ("The actor died unexpectedly",),
    ),
    "Autopilot's rules": Report(
        "argoproj/argo-workflows 13073 of 2024-05-21",
        snapshot(
            job(active=0),
            events=[
                Event(
                    at=NOW - timedelta(minutes=3),
                    warns=True,
                    about="Job/train",
                    reason="FailedCreate",
                    message="Error creating: admission webhook "
                    '"warden-validating.common-webhooks.networking.gke.io" denied the request: GKE '
                    "Warden rejected the request because it violates one or more constraints.\n"
                    'Violations details: {"[denied by autogke-pod-limit-constraints]":["Total cpu '
                    "requested by containers for workload 'train' is higher than the Autopilot "
                    "maximum of '11'.\"]}\nRequested by user: 'system:serviceaccount:kube-system:"
                    "job-controller'",
                )
            ],
        ),
        "refused-by-webhook",
        ("higher than the Autopilot maximum of '11'", "3 min ago"),
    ),
    "memory, as Ray's own monitor has it": Report(
        "OpenRLHF/OpenRLHF 911 of 2025-03-24",
        on_ray(
            ray_job(
                {
                    "jobDeploymentStatus": "Failed",
                    "jobStatus": "FAILED",
                    "reason": "AppFailed",
                    "message": "ray.exceptions.OutOfMemoryError: Task was killed due to the node "
                    "running low on memory.\nMemory on the node (IP: 10.0.0.1) where the task was "
                    "running was 59.49GB / 62.58GB (0.950744), which exceeds the memory usage "
                    "threshold of 0.95.",
                }
            ),
            *ray_ready(),
        ),
        "out-of-memory",
        ("workers of the Ray cluster", "59.49GB / 62.58GB"),
    ),
    "memory of a GPU, in what Ray says of its job": Report(
        "InternLM/InternLM 186 of 2023-08-08",
        ray_says("torch.OutOfMemoryError: CUDA out of memory."),
        "accelerator-memory",
    ),
    "a network that is not ready": Report(
        "aws/amazon-vpc-cni-k8s 284 of 2019-01-09",
        snapshot(
            job(active=1),
            pod(phase="Pending"),
            events=[
                of_pod(
                    "NetworkNotReady",
                    "network is not ready: [runtime network not ready: NetworkReady=false "
                    "reason:NetworkPluginNotReady message:docker: network plugin is not ready: cni "
                    "config uninitialized]",
                )
            ],
        ),
        "pod-network",
        ("is not there yet", "Wait"),
    ),
    "a volume in another zone": Report(
        "backube/volsync 1329 of 2024-07-08",
        snapshot(
            job(active=1),
            unscheduled("0/9 nodes are available: 9 node(s) had volume node affinity conflict."),
        ),
        "volume-elsewhere",
    ),
    "nodes with as many pods as they may have": Report(
        "hwameistor/hwameistor 1227 of 2023-11-07",
        snapshot(
            job(active=1),
            unscheduled(
                "0/3 nodes are available: 1 node(s) were unschedulable, 2 Too many pods. "
                "preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling."
            ),
        ),
        "no-room",
        ("places for pods",),
    ),
    "a node for each pod": Report(
        f"{_PLUGINS}/interpodaffinity/filtering.go of {_KUBERNETES}",
        snapshot(
            job(active=1),
            unscheduled("0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules."),
        ),
        "one-pod-a-node",
    ),
    "a spread that no node allows": Report(
        f"{_PLUGINS}/podtopologyspread/filtering.go of {_KUBERNETES}",
        snapshot(
            job(active=1),
            unscheduled(
                "0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints."
            ),
        ),
        "spread",
    ),
    "as many volumes as a node takes": Report(
        "volcano-sh/volcano 3191 of 2023-11-20",
        snapshot(
            job(active=1),
            unscheduled("0/2 nodes are available: 2 node(s) exceed max volume count."),
        ),
        "volume-limit",
    ),
    "a barrier of JAX": Report(
        "AI-Hypercomputer/gpu-recipes 2 of 2025-02-20",
        said_at_the_end(
            "Original error: DEADLINE_EXCEEDED: Barrier timed out. Id: "
            "[Init]Wait_for_all_tasks_to_register::0. This usually happens because a task "
            "triggered the barrier too early or too slowly."
        ),
        "collective-timeout",
    ),
    "a heartbeat of JAX": Report(
        "jax-ml/jax 23599 of 2024-10-10",
        said_at_the_end(
            "UNAVAILABLE: Task /job:jax_worker/replica:0/task:0 heartbeat timeout. This indicates "
            "that the remote task has failed, got preempted, or crashed unexpectedly."
        ),
        "collective-timeout",
    ),
    "a rendezvous that nobody comes to": Report(
        "pytorch/pytorch 80772 of 2022-07-01",
        said_at_the_end(
            "    raise RendezvousTimeoutError()",
            "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError",
        ),
        "collective-timeout",
    ),
    "a rendezvous whose host is gone": Report(
        "pytorch/pytorch 128970 of 2024-06-18",
        said_at_the_end(
            "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to "
            "the C10d store has failed. See inner exception for details."
        ),
        "collective-timeout",
    ),
    "a LimitRange": Report(
        "kubernetes-sigs/kueue 14965 of 2026-09-01",
        pending("resources didn't satisfy LimitRange constraints: [main: must be less than 4]"),
        "limit-range",
        ("must be less than 4", "does not try it again"),
    ),
    "devices that their driver does not prepare": Report(
        "kubernetes-sigs/dra-driver-nvidia-gpu 766 of 2025-12-03",
        snapshot(
            job(active=1),
            pod(phase="Pending"),
            events=[
                of_pod(
                    "FailedPrepareDynamicResources",
                    "Failed to prepare dynamic resources: failed to fetch ResourceClaim X "
                    "referenced by pod Y: the server could not find the requested resource",
                )
            ],
        ),
        "devices-not-prepared",
    ),
    "a warning of tomorrow": Report(
        "ours: what no rule knows is told in full",
        snapshot(
            job(active=1),
            pod(phase="Pending"),
            events=[of_pod("SomethingNew", "what a kubelet says tomorrow")],
        ),
        "node-says",
        ("SomethingNew: what a kubelet says tomorrow", "No rule knows"),
    ),
    "a worker that waits for Ray's head": Report(
        "ray-project/kuberay 1187 of 2023-06-25",
        snapshot(ray_cluster(), pod("head"), pod("0", phase="Pending")),
        "starts-too-long",
        ("no rule knows",),
    ),
    "node silent": Report(
        f"kubernetes/kubernetes pkg/controller/tainteviction/taint_eviction.go of {_KUBERNETES}",
        snapshot(
            policy(job(active=1)),
            disrupted("DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint"),
        ),
        "machine-gone",
        ("stopped answering",),
    ),
    "drained for an upgrade": Report(
        f"kubernetes/kubernetes pkg/registry/core/pod/storage/eviction.go of {_KUBERNETES}",
        snapshot(
            policy(job(active=1)), disrupted("EvictionByEvictionAPI", "Eviction API: evicting")
        ),
        "drained",
        ("upgrade",),
    ),
    "room for pods with more priority": Report(
        f"kubernetes/kubernetes staging/src/k8s.io/api/core/v1/types.go of {_KUBERNETES}",
        snapshot(
            policy(job(active=1)), disrupted("PreemptionByScheduler", "default-scheduler: ...")
        ),
        "preempted-by-pods",
    ),
    "a reason that nobody knows yet": Report(
        f"kubernetes/kubernetes staging/src/k8s.io/api/core/v1/types.go of {_KUBERNETES}",
        snapshot(policy(job(active=1)), disrupted("SomethingNew", "because of it")),
        "taken-away",
        ("SomethingNew: because of it",),
    ),
    "Kueue ends the pod of a dead node": Report(
        "kubernetes-sigs/kueue 14917 of 2026-08-31, 14092 of 2026-08-10",
        snapshot(job(active=1), stopped_by_kueue()),
        "stopped-by-kueue",
        ("due to node taint",),
    ),
    "memory goes before the machine": Report(
        f"kubernetes/kubernetes pkg/kubelet/eviction/eviction_manager.go of {_KUBERNETES}",
        snapshot(
            policy(job(active=1)),
            disrupted("TerminationByKubelet", SHUTDOWN, containerStatuses=[ended(**OOM)]),
        ),
        "out-of-memory",
    ),
    "sidecar back, mount dead": Report(
        "GoogleCloudPlatform/gcs-fuse-csi-driver 314 of 2024-07-18, 372 of 2024-11-11",
        snapshot(
            job(active=1, ready=1),
            limited(pod(initContainerStatuses=[back(SIDECAR, 4, **OOM)]), SIDECAR, "256Mi"),
        ),
        "mount-lost",
        ("256Mi", "buckets.NAME.mount.sidecar.memory_gib"),
    ),
    "sidecar back, program failed on its mount": Report(
        "GoogleCloudPlatform/gcs-fuse-csi-driver 50 of 2023-08-02",
        snapshot(
            job(failed=1),
            failed(
                initContainerStatuses=[back(SIDECAR, 1, **OOM)],
                containerStatuses=[ended()],
            ),
            logs={"train-0": ["OSError: [Errno 107] Transport endpoint is not connected"]},
        ),
        "mount-lost",
    ),
    "Ray's head killed and back": Report(
        "ray-project/kuberay 4287 of 2025-12-17",
        on_ray(
            ray_job({"jobDeploymentStatus": "Failed", "jobStatus": "FAILED"}),
            limited(pod("head", containerStatuses=[back(**OOM)])),
        ),
        "out-of-memory",
        ("the head", "4Gi", "ray.NAME.head.requests.memory_gib", "submit it again"),
    ),
    "a Ray worker killed three times": Report(
        "ray-project/ray 62340 of 2026-04",
        on_ray(
            ray_job({"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"}),
            pod("head"),
            pod("0", containerStatuses=[back(restarts=3, **OOM)]),
        ),
        "out-of-memory",
        ("killed 3 times",),
    ),
    "no answer of KubeRay": Report(
        "ray-project/kuberay 4760 of 2026-04-23",
        on_ray(ray_job(), *ray_ready()),
        "controller-away",
        ("KubeRay",),
    ),
    "no answer of JobSet": Report(
        "kubernetes-sigs/jobset pkg/controllers of v0.12.0", snapshot(job_set()), "controller-away"
    ),
    "ready and never submitted": Report(
        "NVIDIA-NeMo/RL 2749 of 2026-06-09",
        on_ray(ray_job({"jobDeploymentStatus": "Initializing"}), *ray_ready()),
        "not-submitted",
    ),
    "pending in Ray": Report(
        "ray-project/kuberay ray-operator/apis/ray/v1/rayjob_types.go of v1.4.2",
        on_ray(ray_job({"jobDeploymentStatus": "Running", "jobStatus": "PENDING"}), *ray_ready()),
        "pending-in-ray",
    ),
    "nothing says why": Report(
        "ours: nothing else says anything",
        snapshot(job(active=1), pod(phase="Pending")),
        "starts-too-long",
        ("no rule knows",),
    ),
    **{
        words: Report(_AUTOSCALER, not_scaled(words), cause, (words,))
        for words, cause in {
            "GCE quota exceeded": "google-quota",
            "GCE out of resources": "stock-out",
            "IP space exhausted": "ip-space",
            "Internal error": "scale-up-failed",
            "Service Account was deleted": "service-account-deleted",
            "Invalid TPU topology: 4x4x4": "tpu-refused",
            "Reservation capacity exceeded": "reservation-full",
            "Reservation not found or incorrectly shared": "reservation-not-usable",
            "Reservation incompatible with node group": "reservation-not-usable",
            "Any affinity reservations no capacity": "reservation-full",
            'Some nodes in node group "gpu-pool" failed to appear in time': "nodes-late",
            "Unsupported Compact Placement Config: too many VMs": "placement-refused",
            "Unsupported Compact Placement Config": "placement-refused",
        }.items()
    },
    "quota beside a stock-out": Report(
        _AUTOSCALER, not_scaled("GCE out of resources, GCE quota exceeded"), "google-quota"
    ),
    "driver not there yet": Report(
        "kubeflow/pipelines 2561 of 2019-11-06",
        snapshot(
            job(active=1),
            unscheduled("0/1 nodes are available: 1 Insufficient nvidia.com/gpu.", **_GPU_NODE),
            nodes=[node("n1", labels=_GPU_NODE)],
        ),
        "driver-not-there",
        ("n1",),
    ),
    "GPUs all taken": Report(
        f"{_PLUGINS}/noderesources/fit.go of {_KUBERNETES}",
        snapshot(
            job(active=1),
            unscheduled("0/1 nodes are available: 1 Insufficient nvidia.com/gpu.", **_GPU_NODE),
            nodes=[node("n1", gpus=8, labels=_GPU_NODE)],
        ),
        "no-room",
    ),
    "Kueue's choice is a dead node": Report(
        "kubernetes-sigs/kueue 14917 of 2026-08-31",
        snapshot(
            job(active=1),
            unscheduled(_TAINTED, **_ON_N1),
            nodes=[node("n1", "node.kubernetes.io/unreachable"), node("n2")],
        ),
        "node-not-usable",
        ("n1", "does not answer", "submit it again"),
    ),
    "cordoned": Report(
        f"{_PLUGINS}/nodeunschedulable of {_KUBERNETES}",
        snapshot(
            job(active=1),
            unscheduled("0/1 nodes are available: 1 node(s) were unschedulable."),
            nodes=[node("n1", "node.kubernetes.io/unschedulable")],
        ),
        "node-not-usable",
        ("is cordoned",),
    ),
    "about to be taken by Google": Report(
        "GoogleCloudPlatform/k8s-node-termination-handler main.go of 00ba027b",
        snapshot(
            job(active=1),
            unscheduled(_TAINTED),
            nodes=[node("n1", "cloud.google.com/impending-node-termination")],
        ),
        "node-not-usable",
    ),
    "a taint that is for others": Report(
        f"{_PLUGINS}/tainttoleration of {_KUBERNETES}",
        snapshot(job(active=1), unscheduled(_TAINTED), nodes=[node("n1", "team")]),
        "taint",
    ),
    **{
        f"image: {said}": Report(source, not_pulled(message), "image", (said, message[:40]))
        for source, said, message in (
            (
                "kata-containers/kata-containers 10109 of 2024-08-01",
                "answers no more",
                "toomanyrequests: You have reached your pull rate limit.",
            ),
            (
                "containerd/containerd core/images/image.go of v2.1",
                "other processors",
                "no match for platform in manifest: not found",
            ),
            (
                "kubernetes/kubernetes 118402 of 2023",
                "no room for it",
                "failed to extract layer: write /layer.tar: no space left on device",
            ),
            (
                "containerd/containerd core/remotes/docker/resolver.go of v2.1",
                "did not answer",
                "dial tcp 74.125.0.1:443: i/o timeout",
            ),
            (
                "containerd/containerd core/remotes/docker/resolver.go of v2.1",
                "none of that name",
                "europe-docker.pkg.dev/p/r/train:1: not found",
            ),
            (
                "containerd/containerd core/remotes/docker/authorizer.go of v2.1",
                "may not read it",
                "failed to authorize: 403 Forbidden",
            ),
        )
    },
    "an image for no reason that is known": Report(
        "containerd/containerd core/remotes of v2.1",
        not_pulled("something else entirely"),
        "image",
        ("something else",),
    ),
    **{
        f"mount: {said}": Report(source, not_mounted(message), "volume-not-mounted", (said,))
        for source, said, message in (
            (
                "GoogleCloudPlatform/gcs-fuse-csi-driver 283 of 2024-06-03",
                "Delete the pod",
                "the webhook failed to inject the sidecar container into the Pod spec",
            ),
            (
                f"kubernetes/kubernetes pkg/volume/csi/csi_client.go of {_KUBERNETES}",
                "Wait",
                "driver name gcsfuse.csi.storage.gke.io not found in the list of registered CSI "
                "drivers",
            ),
            (
                "GoogleCloudPlatform/lustre-csi-driver 104 of 2025-06-13",
                "does not answer",
                "mount.lustre: Is the MGS running?",
            ),
            (
                "GoogleCloudPlatform/gcs-fuse-csi-driver 1445 of 2026-06-10",
                "its account may not use it",
                "rpc error: code = PermissionDenied desc = failed to get GCS bucket: 403",
            ),
        )
    },
    "shared memory of a loader": Report(
        "pytorch/pytorch 16979 of 2019-02-11, 108861 of 2024-02-07",
        said_at_the_end(
            "ERROR: Unexpected bus error encountered in worker. This might be caused by "
            "insufficient shared memory (shm).",
            "RuntimeError: DataLoader worker (pid 41) is killed by signal: Bus error.",
        ),
        "shared-memory",
        ("shm_gib",),
    ),
    "shared memory that a program was warned of, and its error": Report(
        "ours: a line of a log counts only where it is the end",
        said_at_the_end(
            "UserWarning: the loaders may have insufficient shared memory (shm).",
            "ValueError: shapes do not match",
        ),
        "program-failed",
        ("shapes do not match",),
    ),
    "shared memory of NCCL": Report(
        "NVIDIA/nccl src/misc/shmutils.cc of v2.28",
        said_at_the_end(
            "NCCL WARN Error while creating shared memory segment /dev/shm/nccl-A1b2 (size 96)",
            "torch.distributed.DistBackendError: NCCL error",
        ),
        "shared-memory",
    ),
    "bus error": Report(
        "torvalds/linux include/uapi/asm-generic/signal.h of v6.12",
        said_at_the_end(code=135),
        "shared-memory",
    ),
    "a checkpoint that it began without": Report(
        "ours: a line of a log counts only where it is the end",
        said_at_the_end(
            "INFO checkpoint not found, starting from scratch",
            "step 1",
            "ValueError: shapes do not match",
        ),
        "program-failed",
        ("shapes do not match",),
    ),
    "a checkpoint that is not there": Report(
        "huggingface/transformers src/transformers/trainer.py of v4.57",
        said_at_the_end(
            "ValueError: Can't find a valid checkpoint: /data/checkpoint-400 not found"
        ),
        "no-checkpoint",
    ),
    "a program's error, and retries that are left": Report(
        "kubernetes/kubernetes pkg/apis/batch/v1/defaults.go of v1.35.4",
        snapshot(
            job(active=1, failed=1),
            failed(),
            logs={
                "train-0": [
                    "  successfully saved checkpoint from iteration     400 to /data/run",
                    "ValueError: no",
                ]
            },
        ),
        "program-failed",
        ("counts as one of its retries, of which it has 6", "iteration 400 is saved in /data/run"),
    ),
    "the rank that failed first": Report(
        "pytorch/pytorch 163546 of 2025-09-22",
        two_ranks(
            failed_at("0", 1, _WATCHDOG),
            failed_at("1", 31, "ValueError: a batch of rank 1 is empty"),
        ),
        "program-failed",
        ("rank 1", "a batch of rank 1 is empty"),
    ),
    "a collective operation": Report(
        "pytorch/pytorch 118369 of 2024-02-17",
        said_at_the_end(_WATCHDOG, code=134),
        "collective-timeout",
        ("aistack logs train",),
    ),
    "a process group that cannot be made": Report(
        "pytorch/pytorch torch/csrc/distributed/c10d/socket.cpp of v2.9.0",
        said_at_the_end(
            "torch.distributed.DistNetworkError: The client socket has timed out after 600000ms "
            "while trying to connect to (train-0-0.train, 29500)."
        ),
        "collective-timeout",
    ),
    "memory of a GPU": Report(
        "InternLM/InternLM 186 of 2023-08-08",
        said_at_the_end(
            "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; "
            "7.80 GiB total capacity; 1.28 GiB already allocated; 5.44 MiB free; 1.32 GiB reserved "
            "in total by PyTorch)"
        ),
        "accelerator-memory",
        ("more memory of the pod does not help",),
    ),
    "a GPU of its node is broken": Report(
        "huggingface/trl 4149 of 2025-09-26",
        said_at_the_end(
            "RuntimeError: CUDA error: uncorrectable ECC error encountered",
            "CUDA kernel errors might be asynchronously reported at some other API call, so the "
            "stacktrace below might be incorrect.",
        ),
        "accelerator-broken",
        ("cordon", "on Autopilot alone", "cloud.google.com/fault-behavior=XID"),
    ),
    "a broken GPU in one rank, a timeout in the other": Report(
        "kohya-ss/sd-scripts 1434 of 2024",
        two_ranks(
            failed_at("0", 1, _WATCHDOG),
            failed_at("1", 1, "RuntimeError: CUDA error: uncorrectable ECC error encountered"),
        ),
        "accelerator-broken",
        ("Rank 1",),
    ),
    "a TPU that another process has open": Report(
        "marin-community/marin 2618 of 2026-02-02",
        said_at_the_end(
            "RuntimeError: Unable to initialize backend 'tpu': FAILED_PRECONDITION: TPU "
            "initialization failed: open(/dev/vfio/0): Device or resource busy: Device or resource "
            "busy; Couldn't open iommu group /dev/vfio/0"
        ),
        "accelerator-busy",
    ),
    "an image that does not look for the driver": Report(
        "scverse/scvi-tools 3799 of 2026-05-06; keras-team/kinetic 269 of 2026-06-12",
        said_at_the_end(
            "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an "
            "NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx"
        ),
        "driver-not-found",
        ("LD_LIBRARY_PATH",),
    ),
    "a compiler that does not find the driver": Report(
        "llm-d/llm-d 1063 of 2026-04-02",
        said_at_the_end(
            "/usr/bin/ld: cannot find -l:libcuda.so.1",
            "collect2: error: ld returned 1 exit status",
        ),
        "driver-not-found",
        ("LIBRARY_PATH too",),
    ),
    "an image whose own driver goes before the node's": Report(
        "vllm-project/vllm 21979 of 2025-07-30",
        said_at_the_end(
            "UserWarning: CUDA initialization: Unexpected error from cudaGetDeviceCount(). Error "
            "803: system has unsupported display driver / cuda driver combination"
        ),
        "gpu-not-seen",
        ("/usr/local/nvidia/lib64",),
    ),
    "a program that sees no GPU": Report(
        "keras-team/kinetic 269 of 2026-06-12",
        said_at_the_end(
            '  File ".../vllm/config/device.py", line 78, in __post_init__',
            "    self.device = torch.device(self.device_type)",
            "RuntimeError: Device string must not be empty",
        ),
        "gpu-not-seen",
        ("/usr/local/nvidia/lib64",),
    ),
    "a checkpoint of a GPU where none is seen": Report(
        "pytorch/pytorch torch/serialization.py of v2.9.0",
        said_at_the_end(
            "RuntimeError: Attempting to deserialize object on a CUDA device but "
            "torch.cuda.is_available() is False. If you are running on a CPU-only machine, please "
            "use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
        ),
        "gpu-not-seen",
    ),
    "a driver that is too old": Report(
        "pytorch/pytorch c10/cuda/CUDAFunctions.cpp of v2.9.0",
        said_at_the_end(
            "RuntimeError: The NVIDIA driver on your system is too old (found version 12020)."
        ),
        "driver-too-old",
    ),
    "a disk that is full": Report(
        "databrickslabs/dolly 139 of 2023-04-29",
        said_at_the_end("OSError: [Errno 28] No space left on device"),
        "disk-full",
        ("ephemeral_storage_gib",),
    ),
    "a name that DNS does not know": Report(
        "bminor/glibc sysdeps/posix/gai_strerror-strs.h of 2.41 (EAI_AGAIN)",
        said_at_the_end("socket.gaierror: [Errno -3] Temporary failure in name resolution"),
        "name-not-resolved",
    ),
    "an image for other processors that was pulled": Report(
        "containerd/containerd 12243 of 2025-08-28",
        said_at_the_end("exec /bin/sh: exec format error", code=255),
        "image",
        ("other processors",),
    ),
    "a GPU's memory that was full, and the program went on": Report(
        "ours: a line of a log counts only where it is the end",
        said_at_the_end(
            "torch.cuda.OutOfMemoryError: CUDA out of memory. Halving the batch.",
            "ValueError: shapes do not match",
        ),
        "program-failed",
        ("shapes do not match",),
    ),
    **{
        f"a container that cannot start: {name}": Report(source, not_begun(said), cause, words)
        for name, source, said, cause, words in (
            (
                "no such program",
                "opencontainers/runc libcontainer of v1.3.0; k3s-io/helm-controller 250",
                'exec: "entry": executable file not found in $PATH',
                "command-missing",
                ('exec: "entry"',),
            ),
            (
                "no such path",
                "delimitrou/DeathStarBench 358 of 2025-05-18",
                'error during container init: exec: "./user": stat ./user: no such file or '
                "directory",
                "command-missing",
                ("./user",),
            ),
            (
                "not executable",
                "opencontainers/runc libcontainer/init_linux.go of v1.3.0",
                'exec: "/app/run.sh": permission denied',
                "command-missing",
                ("not executable",),
            ),
            (
                "no driver",
                "iterative/cml 1069 of 2022-06-20",
                "error during container init: error running hook #0: error running hook: exit "
                "status 1, stdout: , stderr: Auto-detected mode as 'legacy' nvidia-container-cli: "
                "initialization error: nvml error: driver not loaded",
                "driver-not-there",
                (),
            ),
            (
                "words of tomorrow",
                "opencontainers/runc libcontainer of v1.3.0",
                "something that runc begins to say tomorrow",
                "container-not-made",
                ("No rule knows", "tomorrow"),
            ),
        )
    },
    **{
        f"a node that refuses a pod: {name}": Report(source, refused(why, said), cause, (said,))
        for name, source, why, said, cause in (
            (
                "stale devices",
                "kubernetes/kubernetes 130145 of 2025-02-13",
                "UnexpectedAdmissionError",
                "Pod Allocate failed due to requested number of devices unavailable for "
                "nvidia.com/gpu. Requested:1, Available: 0, which is unexpected",
                "device-not-given",
            ),
            (
                "a lost GPU",
                "NVIDIA/k8s-device-plugin 231 of 2021-03-05",
                "UnexpectedAdmissionError",
                "Pod Allocate failed due to device plugin GetPreferredAllocation rpc failed with "
                "err: rpc error: code = Unknown desc = Unable to retrieve list of available "
                "devices: error creating nvml.Device 3: nvml: GPU is lost, which is unexpected",
                "accelerator-broken",
            ),
            (
                "no healthy device",
                "openshift/instaslice-operator 140 of 2024-10-03",
                "UnexpectedAdmissionError",
                "Pod was rejected: Allocate failed due to no healthy devices present; cannot "
                "allocate unhealthy devices nvidia.com/mig-1g.5gb, which is unexpected",
                "accelerator-broken",
            ),
            (
                "full",
                "kubernetes/kubernetes pkg/kubelet/lifecycle/predicate.go of v1.35.4",
                "OutOfcpu",
                "Node didn't have enough resource: cpu, requested: 4000, used: 14000, capacity: "
                "16000",
                "node-was-full",
            ),
            (
                "a reason of tomorrow",
                "kubernetes/kubernetes pkg/kubelet/lifecycle of v1.35.4",
                "SomethingNew",
                "because of something new",
                "refused-by-node",
            ),
        )
    },
    "a node that shuts down refuses a pod": Report(
        "kubernetes/kubernetes pkg/kubelet/nodeshutdown of v1.35.4",
        refused("NodeShutdown", "Pod was rejected as the node is shutting down."),
        "machine-gone",
    ),
    "a node with full disks refuses a pod": Report(
        "kubernetes/enhancements 3463 of 2022-09-19",
        refused("Evicted", "Pod The node had condition: [DiskPressure]."),
        "evicted-for-disk",
    ),
    "the sidecar's disk": Report(
        "substratusai/runbooks 92 of 2023-07-13",
        refused(
            "Evicted",
            "Pod ephemeral local storage usage exceeds the total limit of containers 5Gi.",
        ),
        "evicted-for-disk",
    ),
    "a pod that its dead node does not let go": Report(
        "kubernetes/kubernetes 72226 of 2019-02-27; kubernetes/enhancements 6262 of 2026-07-29",
        snapshot(job(active=1), deleted(pod(), 20)),
        "pod-not-gone",
        ("20 min", "kubectl get node a"),
    ),
    "a pod that a finalizer holds": Report(
        "DataBiosphere/toil 4246 of 2022-10-14",
        snapshot(job(active=1), deleted(pod(), 20, "example.com/hold")),
        "pod-not-gone",
        ("example.com/hold holds it",),
    ),
    "no addresses on the node": Report(
        "kubernetes/test-infra 13039 of 2019-06",
        no_sandbox(
            "Failed create pod sandbox: rpc error: code = Unknown desc = failed to setup network "
            'for sandbox "42bf": failed to allocate for range 0: no IP addresses available in '
            "range set: 10.60.28.1-10.60.28.254"
        ),
        "pod-network",
        ("no addresses left for pods",),
    ),
    "no GPU runtime yet": Report(
        "NVIDIA/gpu-operator 413 of 2022-10-20",
        no_sandbox(
            "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox "
            'runtime: no runtime for "nvidia" is configured'
        ),
        "driver-not-there",
        ("Wait",),
    ),
    "a sandbox, in words of tomorrow": Report(
        "containerd/containerd internal/cri/server of v2.1",
        no_sandbox("rpc error: code = Unknown desc = something new"),
        "pod-sandbox",
        ("No rule knows", "something new"),
    ),
    "a disk that another node has": Report(
        "kubernetes/kubernetes 53059 of 2018-01-12",
        snapshot(
            job(active=1),
            pod(phase="Pending"),
            events=[
                of_pod(
                    "FailedAttachVolume",
                    'Multi-Attach error for volume "pvc-25580310" Volume is already exclusively '
                    "attached to one node and can't be attached to another",
                )
            ],
        ),
        "volume-not-mounted",
        ("another node has it",),
    ),
    "memory, of a job of the stack": Report(
        "ours: docs/keys.md",
        snapshot(
            of_aistack(job(active=1), "pulumi"),
            limited(failed(containerStatuses=[ended(**OOM)])),
        ),
        "out-of-memory",
        ("4Gi", "jobs.NAME.requests.memory_gib", "counts as one of its retries"),
    ),
    "memory, of a job that was submitted": Report(
        "ours: docs/run-my-training.md",
        snapshot(of_aistack(job(active=1), "aistack"), failed(containerStatuses=[ended(**OOM)])),
        "out-of-memory",
        ("submit --memory",),
    ),
    "memory, of a group of Ray workers": Report(
        "ray-project/ray 62340 of 2026-04",
        on_ray(
            ray_job({"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"}),
            pod("head"),
            labelled(pod("0", containerStatuses=[back(**OOM)]), **{"ray.io/group": "gpu"}),
        ),
        "out-of-memory",
        ("ray.NAME.workers.gpu.requests.memory_gib",),
    ),
    "Ray's head runs again and knows no job": Report(
        "ray-project/kuberay 3903 of 2025-07-29, 3860",
        on_ray(
            ray_job(
                {"jobDeploymentStatus": "Running", "jobStatus": "RUNNING", "startTime": ago(50)}
            ),
            pod("head", containerStatuses=[back(exitCode=1, finishedAt=ago(10))]),
            pod("0"),
        ),
        "ray-state-lost",
        ("10 min ago", "`redis`"),
    ),
    "packages of a script, without a way to the index": Report(
        "numerai/numerai-cli 60 of 2023-02-01",
        said_at_the_end(
            "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, "
            "status=None)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3."
            "connection.HTTPSConnection object at 0x7f1d>: Failed to establish a new connection: "
            "[Errno -3] Temporary failure in name resolution')': /simple/certifi/",
            "ERROR: Could not find a version that satisfies the requirement certifi (from "
            "versions: none)",
            "ERROR: No matching distribution found for certifi",
            f"{NOT_INSTALLED} 1",
        ),
        "packages-not-installed",
        ("index of the packages cannot be reached", "--no-requirements"),
    ),
    "a version that the index has not": Report(
        "hystax/optscale 290 of 2024-05-27",
        said_at_the_end(
            "ERROR: Could not find a version that satisfies the requirement ansible==7.0.0 (from "
            "-r requirements.txt (line 1)) (from versions: 1.0, 1.1, 1.2)",
            "ERROR: No matching distribution found for ansible==7.0.0",
            f"{NOT_INSTALLED} 1",
        ),
        "packages-not-installed",
        ("no such package or version", "ansible==7.0.0"),
    ),
    "an image without pip": Report(
        "threat9/routersploit 553 of 2018-11-22",
        said_at_the_end("/usr/local/bin/python3: No module named pip", f"{NOT_INSTALLED} 1"),
        "packages-not-installed",
        ("has no pip",),
    ),
    "pip that failed before, and a program that failed since": Report(
        "ours: a line of a log counts only where it is the end",
        said_at_the_end(
            "ERROR: Could not find a version that satisfies the requirement x",
            f"{NOT_INSTALLED} 1",
            "ValueError: shapes do not match",
        ),
        "program-failed",
        ("shapes do not match",),
    ),
    "packages of a Ray job": Report(
        "ray-project/ray 22472 of 2022-02-17",
        on_ray(
            ray_job(
                {
                    "jobDeploymentStatus": "Failed",
                    "jobStatus": "FAILED",
                    "reason": "AppFailed",
                    "message": "runtime_env setup failed: Failed to set up runtime environment.",
                }
            ),
            *ray_ready(),
        ),
        "packages-not-installed",
    ),
    "a person stops a Ray job": Report(
        "ray-project/kuberay ray-operator/controllers/ray/rayjob_controller.go of v1.4.2",
        on_ray(ray_job({"jobDeploymentStatus": "Complete", "jobStatus": "STOPPED"}), *ray_ready()),
        "stopped-by-hand",
        ("ray job stop",),
    ),
    "a launcher that gave up": Report(
        "ray-project/kuberay 4760 of 2026-04-23",
        on_ray(
            ray_job(
                {
                    "jobDeploymentStatus": "Failed",
                    "reason": "SubmissionFailed",
                    "message": "Job submission has failed. Reason: BackoffLimitExceeded.",
                }
            ),
            *ray_ready(),
        ),
        "ray-job-failed",
        ("SubmissionFailed", "BackoffLimitExceeded"),
    ),
    "more in one task than any worker has": Report(
        "real-stanford/scalingup 6 of 2023-08-11",
        replace(
            on_ray(
                ray_job({"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"}),
                *ray_ready(),
                pod("launcher"),
            ),
            logs={
                "train-launcher": [
                    "(autoscaler +32s) Error: No available node types can fulfill resource request "
                    "{'CPU': 1.0, 'GPU': 1.0}. Add suitable node types to this cluster to resolve "
                    "this issue."
                ]
            },
        ),
        "pending-in-ray",
        ("{'CPU': 1.0, 'GPU': 1.0}",),
    ),
    "a head without a node, in a cluster that calls itself ready": Report(
        "ray-project/kuberay 2188 of 2024-06-12",
        snapshot(
            ray_cluster(),
            replace(
                unscheduled(
                    "0/5 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint "
                    "{node-role.kubernetes.io/master: }, 3 node(s) didn't match Pod's node "
                    "affinity/selector. preemption: 0/5 nodes are available: 1 No preemption "
                    "victims found for incoming pod, 4 Preemption is not helpful for scheduling.."
                ),
                role="head",
            ),
        ),
        "no-room",
        ("cpu",),
    ),
    "workers that nobody makes": Report(
        "ours: what no rule knows is told as it is",
        snapshot(
            Found(ray_cluster().kind, {**ray_cluster().obj, "status": {"state": ""}}), pod("head")
        ),
        "pods-missing",
        ("1 of its 2 pods",),
    ),
    "a submission that is a person's": Report(
        "ray-project/kuberay ray-operator/apis/ray/v1/rayjob_types.go of v1.4.2",
        on_ray(
            interactive(ray_job({"jobDeploymentStatus": "Waiting"})),
            *ray_ready(),
        ),
        "not-submitted",
        ("InteractiveMode",),
    ),
    "followers that wait for their leader": Report(
        "kubernetes-sigs/jobset 1187 of 2026-03-13",
        refused_by_jobset("follower pod node selector not set"),
        "no-room",
        ("google.com/tpu free",),
    ),
    "JobSet's webhook does not answer": Report(
        "kubernetes-sigs/jobset 361 of 2023-12-21",
        snapshot(
            job(active=0),
            events=[
                Event(
                    at=NOW,
                    warns=True,
                    about="Job/train",
                    reason="FailedCreate",
                    message="Error creating: Internal error occurred: failed calling webhook "
                    '"mpod.kb.io": failed to call webhook: Post '
                    '"https://jobset-webhook-service.jobset-system.svc:443/mutate--v1-pod?timeout='
                    '10s": no endpoints available for service "jobset-webhook-service"',
                )
            ],
        ),
        "webhook-away",
        ("mpod.kb.io",),
    ),
    "no node has the topology": Report(
        "kubernetes-sigs/kueue 5039 of 2025-04-17",
        pending(
            "couldn't assign flavors to pod set main: no topology domains at level: "
            "oci.oraclecloud.com/rdma.local_block_id"
        ),
        "topology",
        ("oci.oraclecloud.com/rdma.local_block_id", "waiting does not help"),
    ),
    "the topology is full": Report(
        "kubernetes-sigs/kueue 10824 of 2026-04-29",
        pending(
            "couldn't assign flavors to pod set main: topology \"default\" doesn't allow to fit "
            'any of 4 pod(s). Total nodes: 15; excluded: resource "nvidia.com/gpu": 15'
        ),
        "topology",
    ),
    "a flavor without a topology": Report(
        "kubernetes-sigs/kueue 7646 of 2025-11-28",
        pending(
            'couldn\'t assign flavors to pod set one: Flavor "default" does not support '
            "TopologyAwareScheduling"
        ),
        "topology",
        ("flavor default has none",),
    ),
    "admitted and held": Report(
        "kubernetes-sigs/kueue 3936 of 2025-01-07, 1726 of 2024-02-13",
        queued(
            condition("QuotaReserved", "True", minutes=10),
            condition("Admitted", "True", minutes=10),
        ),
        "kueue-away",
        ("10 min ago",),
    ),
    "a record that nobody looks at": Report(
        "kubernetes-sigs/kueue 5244 of 2025-05-14",
        queued(cluster_queue={"spec": {"queueingStrategy": "BestEffortFIFO"}}),
        "kueue-away",
        ("1 h",),
    ),
    "pods that were not ready in time": Report(
        "kubernetes-sigs/kueue 2291 of 2024-06-04",
        queued(
            condition("QuotaReserved", "False", "Exceeded the PodsReady timeout default/train"),
            because(
                condition("Evicted", "True", "Exceeded the PodsReady timeout default/train"),
                "PodsReadyTimeout",
            ),
            because(condition("Requeued", "False"), "PodsReadyTimeout"),
        ),
        "not-ready-in-time",
        ("by itself",),
    ),
    "a machine that Kueue cannot replace": Report(
        "kubernetes-sigs/kueue 12701 of 2026-07-02; pkg/scheduler/scheduler.go of v0.19.2",
        queued(
            condition("QuotaReserved", "False"),
            because(
                condition(
                    "Evicted",
                    "True",
                    "Workload was evicted as there was no replacement for unhealthy node(s): x0",
                ),
                "NodeFailures",
            ),
        ),
        "machine-gone",
        ("unhealthy node(s): x0", "by itself", "aistack checkpoints train"),
    ),
    "a queue that was stopped under it": Report(
        "kubernetes-sigs/kueue apis/kueue/v1beta2/workload_types.go of v0.19.2",
        queued(
            because(
                condition("Evicted", "True", "The ClusterQueue is stopped"), "ClusterQueueStopped"
            )
        ),
        "queue-stopped",
    ),
    "the better right of a cohort": Report(
        "kubernetes-sigs/kueue 9807 of 2026-03-11",
        queued(
            because(
                condition("Evicted", "True", "Preempted to accommodate a workload (UID: 1)"),
                "Preempted",
            )
        ),
        "preempted",
        ("Preempted to accommodate a workload",),
    ),
    "a person takes it out of its queue": Report(
        "kubernetes-sigs/kueue apis/kueue/v1beta2/workload_types.go of v0.19.2",
        inactive(
            because(condition("Evicted", "True", "The workload is deactivated"), "Deactivated")
        ),
        "deactivated",
        ("A person", "spec.active"),
    ),
    "Kueue gives it up": Report(
        "kubernetes-sigs/kueue 2362 of 2024-06-04",
        inactive(
            because(
                condition(
                    "Evicted", "True", "The workload is deactivated due to exceeding the maximum"
                ),
                "DeactivatedDueToRequeuingLimitExceeded",
            )
        ),
        "deactivated",
        ("Kueue has given it up",),
    ),
    "its time in the queue is over": Report(
        "kubernetes-sigs/kueue apis/kueue/v1beta2/workload_types.go of v0.19.2",
        inactive(
            because(
                condition("Evicted", "True", "exceeding the maximum execution time"),
                "DeactivatedDueToMaximumExecutionTimeExceeded",
            )
        ),
        "deadline",
        ("minutes",),
    ),
    "spot, of a JobSet that excuses it": Report(
        "kubernetes-sigs/jobset 1117 of 2026-01-13",
        snapshot(excusing(job_set()), disrupted("TerminationByKubelet", SHUTDOWN)),
        "machine-gone",
        ("All its pods are made anew", "counts as no retry"),
    ),
    "a program's error, of a JobSet that excuses machines": Report(
        "kubernetes-sigs/jobset 1117 of 2026-01-13",
        snapshot(excusing(job_set()), failed()),
        "program-failed",
        ("counts as one of its retries, of which it has 20",),
    ),
    "a program's error, of a JobSet that has restarted before": Report(
        "kubernetes-sigs/jobset pull 1152 of 2026-02-13",
        snapshot(excusing(job_set(restarts=3, restartsCountTowardsMax=2)), failed()),
        "program-failed",
        ("counts as one of its retries, of which it has 20 and has used 2",),
    ),
    "a program's error, of a JobSet that has used its restarts": Report(
        "kubernetes-sigs/jobset pull 1152 of 2026-02-13",
        snapshot(excusing(job_set(restarts=20, restartsCountTowardsMax=20)), failed()),
        "program-failed",
        ("no retry left and does not start again by itself: submit it again",),
    ),
    "a program's error, of a JobSet that is about to make its last pods": Report(
        "kubernetes-sigs/jobset pull 1152 of 2026-02-13",
        snapshot(
            excusing(job_set(restarts=20, restartsCountTowardsMax=20)),
            labelled(failed(), **{"jobset.sigs.k8s.io/restart-attempt": "19"}),
        ),
        "program-failed",
        ("All its pods are made anew by themselves",),
    ),
    "a program's error, of a Job without retries": Report(
        "kubernetes/kubernetes pkg/apis/batch/v1/defaults.go of v1.35.4",
        snapshot(without_retries(job(active=1)), failed()),
        "program-failed",
        ("no retry left and does not start again by itself",),
    ),
    "Kueue's words of tomorrow": Report(
        "kubernetes-sigs/kueue 12378 of 2026-06-19",
        pending("The workload waits for what Kueue begins to have tomorrow"),
        "waits-in-queue",
        ("tomorrow", "No rule knows"),
    ),
    "a pool with its most nodes": Report(
        "kubernetes/autoscaler 5692 of 2023-04-17",
        scale_up(
            "NotTriggerScaleUp",
            "pod didn't trigger scale-up: 12 node(s) didn't match Pod's node affinity/selector, 3 "
            "max node group size reached",
        ),
        "pool-at-max",
        ("autoscaling.max",),
    ),
    "an autoscaler that waits before it asks again": Report(
        "GoogleCloudPlatform/cluster-autoscaler reasons.go, 7d25050 of 2026-08-21",
        scale_up(
            "NotTriggerScaleUp", "pod didn't trigger scale-up: 1 in backoff after failed scale-up"
        ),
        "scale-up-backoff",
    ),
    "a node that was asked for and does not come": Report(
        "kubernetes/autoscaler cluster-autoscaler/FAQ.md of 2026 (max-node-provision-time)",
        scale_up("TriggeredScaleUp", "pod triggered scale-up: [{gpu-pool 0->1 (max: 4)}]", 45),
        "nodes-late",
        ("45 min ago",),
    ),
    "a training that hangs": Report(
        "pytorch/pytorch 97191 of 2023-03-20",
        printed(*every(0.1, 200, 60)),
        "silent",
        ("for 1 h", "11:00 UTC", "never paused for more than 6 s", "step 1400 loss"),
    ),
    "a training that hangs, with an evaluation every half hour": Report(
        "NVIDIA-NeMo/RL 1846 of 2026-01",
        printed(*every(0.5, 400, 300), *every(0.5, 290, 200)),
        "silent",
        ("for 3 h", "never paused for more than 10 min"),
    ),
    "a sidecar whose limit its own start does not fit into": Report(
        "GoogleCloudPlatform/gcs-fuse-csi-driver 314 of 2024-07-18",
        snapshot(
            job(active=1, ready=1),
            limited(
                pod(
                    initContainerStatuses=[
                        back(
                            SIDECAR,
                            4,
                            reason="StartError",
                            exitCode=128,
                            message=f"{_RUNTIME}container init was OOM-killed (memory limit too "
                            "low?): unknown",
                        )
                    ]
                ),
                SIDECAR,
                "256Mi",
            ),
        ),
        "mount-lost",
        ("256Mi", "buckets.NAME.mount.sidecar.memory_gib"),
    ),
    "a container that cannot start on a dead mount": Report(
        "yandex-cloud/k8s-csi-s3 133 of 2024-08-05",
        snapshot(
            job(active=1),
            waiting(
                "CreateContainerError",
                'failed to generate container "16aa" spec: failed to generate spec: failed to stat '
                '"/var/lib/kubelet/pods/2219/volumes/kubernetes.io~csi/data/mount": transport '
                "endpoint is not connected",
            ),
        ),
        "mount-lost",
        ("Delete the pod",),
    ),
    **{
        f"mount: {said}": Report(source, not_mounted(message), "volume-not-mounted", (said,))
        for source, said, message in (
            (
                "GoogleCloudPlatform/gcs-fuse-csi-driver 372 of 2024-11-11",
                "the driver's own pod",
                'rpc error: code = Unavailable desc = connection error: desc = "transport: Error '
                "while dialing: dial unix /var/lib/kubelet/plugins/gcsfuse.csi.storage.gke.io/"
                'csi.sock: connect: connection refused"',
            ),
            (
                "GoogleCloudPlatform/gcs-fuse-csi-driver 56 of 2023-08-22",
                "its account",
                "rpc error: code = Unauthenticated desc = failed to prepare storage service: "
                "storage service manager failed to setup service: context deadline exceeded",
            ),
            (
                "GoogleCloudPlatform/ai-on-gke 488 of 2024-03-28",
                "account may not",
                "rpc error: code = PermissionDenied desc = the sidecar container failed with "
                "error: compute: Received 403 `Unable to generate access token; IAM returned 403 "
                "Forbidden: Permission 'iam.serviceAccounts.getAccessToken' denied",
            ),
            (
                "kubernetes-sigs/aws-fsx-csi-driver 244 of 2022-03-15",
                "in time",
                "Unable to attach or mount volumes: unmounted volumes=[vol-23713], unattached "
                "volumes=[vol-23714]: timed out waiting for the condition",
            ),
            (
                "kubernetes/kubernetes pkg/volume/csi of v1.35.4",
                "No rule knows",
                "rpc error: code = Internal desc = something that a driver says tomorrow",
            ),
        )
    },
    "more shared memory than the job has": Report(
        "kubernetes/kubernetes 28272 of 2019-11-04",
        snapshot(
            job(active=1),
            with_volume(
                pod(
                    phase="Failed",
                    reason="Evicted",
                    message='Usage of EmptyDir volume "dshm" exceeds the limit "1Gi". ',
                ),
                {"name": "dshm", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
            ),
        ),
        "shared-memory",
        ("shm_gib",),
    ),
    "a node that is short of memory": Report(
        "FederatedAI/KubeFATE 64 of 2019-12-06",
        refused(
            "Evicted",
            "The node was low on resource: memory. Container egg was using 5053216Ki, which "
            "exceeds its request of 0. ",
        ),
        "evicted",
        ("egg was using",),
    ),
    "a node that is short of processes": Report(
        "kubernetes/kubernetes pull 72844 of 2019-01-12",
        refused("Evicted", "The node was low on resource: pids. "),
        "evicted",
        ("fewer processes",),
    ),
    "an eviction in words of tomorrow": Report(
        "kubernetes/kubernetes pkg/kubelet/eviction/helpers.go of v1.35.4",
        refused("Evicted", "something that a kubelet begins to say tomorrow"),
        "evicted",
        ("No rule knows these words", "tomorrow"),
    ),
    "a node that is short of memory, of a Job that excuses it": Report(
        "ZettaAI/zetta_utils 524 of 2023-10-12",
        snapshot(
            policy(job(active=1)),
            disrupted(
                "TerminationByKubelet",
                "The node was low on resource: memory.",
                reason="Evicted",
                message="The node was low on resource: memory.",
            ),
        ),
        "evicted",
        ("counts as no retry",),
    ),
    "a node that is short of disk": Report(
        "concourse/hush-house 8 of 2019-02-16",
        refused(
            "Evicted",
            "The node was low on resource: ephemeral-storage. Container hush-house-worker was "
            "using 73712Ki, which exceeds its request of 0. ",
        ),
        "evicted-for-disk",
    ),
    "a disk quota": Report(
        "open-mmlab/mmdetection 12069 of 2024-12-09",
        said_at_the_end("OSError: [Errno 122] Disk quota exceeded"),
        "disk-full",
    ),
    "a check that refuses it for now": Report(
        "kubernetes-sigs/kueue 5129 of 2025-04-25",
        with_check(
            queued(
                condition("QuotaReserved", "False", "The workload has failed admission checks"),
                because(
                    condition("Evicted", "True", "At least one admission check is false"),
                    "AdmissionCheck",
                ),
            ),
            "Retry",
            "Retrying after failure: Max nodepool size reached, affected nodepools: dws-a100",
        ),
        "admission-check",
        ("Max nodepool size reached, affected nodepools: dws-a100",),
    ),
    "capacity that is not found yet": Report(
        "kubernetes/autoscaler 9805 of 2026-06-11",
        with_check(
            queued(
                condition("QuotaReserved", "True"),
                requests=[
                    {
                        "status": {
                            "conditions": [
                                condition(
                                    "Provisioned",
                                    "False",
                                    "Capacity is not found, CA will try to find it later.",
                                )
                            ]
                        }
                    }
                ],
            ),
            "Pending",
            "",
        ),
        "waits-for-machines",
        ("Capacity is not found",),
    ),
    "a reservation that is not named": Report(
        "google/tunix 2342 of 2026-09-21",
        not_scaled("Invalid Reservation: "),
        "reservation-not-usable",
    ),
    "a head that ends again and again": Report(
        "ray-project/kuberay 3897 of 2025-07-28",
        snapshot(
            ray_cluster(),
            pod(
                "head",
                containerStatuses=[ends_again(938)],
            ),
            logs={"train-head": ["gcs_rpc_client.h:196: Failed to connect to GCS within 60 sec"]},
        ),
        "ray-not-reached",
        ("Failed to connect to GCS",),
    ),
    "a mount whose node gives no credentials": Report(
        "GoogleCloudPlatform/gcs-fuse-csi-driver pull 1445 of 2026-06-10",
        not_mounted(
            'MountVolume.SetUp failed for volume "data" : rpc error: code = Unauthenticated desc = '
            "transport: per-RPC creds failed due to error: compute: Received 504"
        ),
        "volume-not-mounted",
        ("the metadata server of its node", "Delete the pod"),
    ),
    "a server whose download got a bus error": Report(
        "huggingface/text-generation-inference 446 of 2023-06-13",
        said_at_the_end("Error: Download process was signaled to shutdown with signal 7"),
        "shared-memory",
        ("shm_gib",),
    ),
    "a launcher of KubeRay's that could not submit": Report(
        "ray-project/kuberay 2314 of 2024-08-20",
        on_ray(
            ray_job(
                {
                    "jobDeploymentStatus": "Failed",
                    "jobStatus": "RUNNING",
                    "reason": "SubmissionFailed",
                    "message": "Job submission has failed. Reason: BackoffLimitExceeded.",
                }
            ),
            *ray_ready(),
        ),
        "ray-job-failed",
        ("KubeRay says that it failed, SubmissionFailed",),
    ),
    "an engine's own error before its launcher's": Report(
        "vllm-project/vllm 23192 of 2025-08-19",
        said_at_the_end(
            "(EngineCore_0 pid=18) ERROR 09-03 11:03:37 [core.py:712] ValueError: no such layer",
            *("(APIServer pid=1)   File" for _ in range(60)),
            "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause",
        ),
        "program-failed",
        ('its last error: "ValueError: no such layer"',),
    ),
    "a server that loads for longer than its startup probe waits": Report(
        "vllm-project/vllm 17386 of 2025-04-29",
        stopped_by("startup"),
        "not-started-in-time",
        ("failureThreshold",),
    ),
    "a server that its liveness probe asks for a page that it does not have": Report(
        "llm-d/llm-d-inference-sim 45 of 2025-06-03",
        stopped_by("liveness"),
        "stopped-answering",
        ("liveness probe",),
    ),
    "a job of which Kueue says nothing, for another that asks for the same was refused": Report(
        "kubernetes-sigs/kueue pull 9698 of 2026-03-06",
        queued(
            condition("PodsReady", "False", "Not all pods are ready or succeeded", minutes=18),
            alike=[
                workload(
                    condition(
                        "QuotaReserved",
                        "False",
                        "couldn't assign flavors to pod set node: insufficient unused quota for "
                        "nvidia.com/gpu in flavor l4, 1 more needed",
                    )
                )
            ],
        ),
        "quota-full",
        ("1 more of nvidia.com/gpu in flavor l4", "default/job-train, which asks for the same"),
    ),
    "a head that its probe finds unready": Report(
        "ray-project/kuberay 3799 of 2025-06-18",
        snapshot(
            ray_cluster(),
            pod("head", conditions=[condition("Ready", "False")]),
            pod("0"),
            events=[of_pod("Unhealthy", "Readiness probe failed:", name="train-head")],
        ),
        "not-ready",
        ("Readiness probe failed",),
    ),
    "pods that wait for their place in the topology": Report(
        "kubernetes-sigs/kueue 3494 of 2024-11-08",
        snapshot(job(active=1), gated("kueue.x-k8s.io/topology")),
        "gated",
        ("kueue.x-k8s.io/topology",),
    ),
    "a process that uses instructions which the processor lacks": Report(
        "huggingface/text-generation-inference 2238 of 2024-07-22",
        said_at_the_end(
            "ERROR text_generation_launcher: Shard process was signaled to shutdown with signal 4 "
            "rank=0",
            "Error: ShardCannotStart",
        ),
        "illegal-instruction",
        ("such as AVX",),
    ),
    "a program that uses instructions which the processor lacks": Report(
        "dragonflydb/dragonfly 296 of 2022-09-14",
        said_at_the_end(code=132),
        "program-failed",
        ("lacks an instruction",),
    ),
    "a process that a launcher saw killed": Report(
        "bmaltais/kohya_ss 1065 of 2023-06-25",
        said_at_the_end(
            "subprocess.CalledProcessError: Command '['/venv/bin/python', 'train_network.py']' "
            "died with <Signals.SIGKILL: 9>."
        ),
        "out-of-memory",
        ("more memory",),
    ),
    "a process that torchrun saw killed": Report(
        "pytorch/pytorch torch/distributed/elastic/multiprocessing/api.py of v2.9.0",
        said_at_the_end(
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
            "train.py FAILED",
            "Root Cause (first observed failure):",
            "[0]:",
            "  exitcode  : -9 (pid: 17)",
            "  traceback : Signal 9 (SIGKILL) received by PID 17",
        ),
        "out-of-memory",
    ),
    "a program that its shell saw killed": Report(
        "argoproj/argo-workflows 8981 of 2022-06-16",
        said_at_the_end(
            "/argo/staging/script: line 10:    93 Killed                  pyenv exec python "
            'script/execute.py "${args[@]}"'
        ),
        "out-of-memory",
    ),
    "a worker whose question its head does not hear": Report(
        "ray-project/kuberay 2519 of 2024-11-07; 2540 of 2024-11-14",
        waits_for_head("True"),
        "ray-not-reached",
        ("for 40 min", "the head is ready", "--rank 0 --container wait-gcs-ready"),
    ),
    "a worker whose head is not ready": Report(
        "ray-project/kuberay 2519 of 2024-11-07",
        waits_for_head("False"),
        "ray-not-reached",
        ("the head is running and not ready", "aistack logs train --rank head"),
    ),
    "a worker whose question does not fit KubeRay's own limit": Report(
        "ray-project/kuberay 2735 of 2025-01-13",
        snapshot(
            ray_cluster(),
            pod("head"),
            limited(
                pod(
                    phase="Pending",
                    initContainerStatuses=[
                        {**ends_again(4), "name": "wait-gcs-ready", **OOM_STATE}
                    ],
                ),
                "wait-gcs-ready",
                "256Mi",
            ),
        ),
        "out-of-memory",
        ("limit of 256Mi", "KubeRay's own"),
    ),
    "quota that is kept for another": Report(
        "kubernetes-sigs/kueue pull 4813 of 2025-03-28 (issue 4809)",
        asks_of_cohort(
            cluster_queue("mine", 4),
            cluster_queue("theirs", 8),
            gpus=2,
            admitted=(has_quota("theirs", 6),),
        ),
        "kept-for-another",
        ("6 of nvidia.com/gpu in flavor l4 are free", "default/job-train"),
    ),
    "quota that is kept for another, in Kueue's own words": Report(
        "kubernetes-sigs/kueue pkg/scheduler/scheduler.go of v0.19.2",
        pending("Workload no longer fits after processing another workload"),
        "kept-for-another",
    ),
    "jobs that are stopped for another one": Report(
        "kubernetes-sigs/kueue pkg/scheduler/scheduler.go of v0.19.2",
        pending("Workload has overlapping preemption targets with another workload"),
        "preemption-under-way",
    ),
    "quota that its queue may not borrow": Report(
        "kubernetes-sigs/kueue 3405 of 2024-10-31",
        asks_of_cohort(
            cluster_queue("mine", 4, borrowingLimit=1),
            cluster_queue("theirs", 8),
            gpus=2,
            admitted=(has_quota("mine", 4),),
        ),
        "borrowing-limit",
        ("asks for 2 of nvidia.com/gpu in flavor l4, of which 8 are free", "1 more"),
    ),
    "quota that its queue may not borrow, of pods that may have another flavor": Report(
        "ours: what is not known is not claimed",
        in_two_groups(
            asks_of_cohort(
                cluster_queue("mine", 4, borrowingLimit=1),
                cluster_queue("theirs", 8),
                gpus=1,
                admitted=(has_quota("mine", 4),),
            )
        ),
        "quota-full",
    ),
    "quota that others do not lend": Report(
        "kubernetes-sigs/kueue pull 1331 of 2023-11-22",
        asks_of_cohort(
            cluster_queue("mine", 4),
            cluster_queue("theirs", 8, lendingLimit=1),
            gpus=2,
            admitted=(has_quota("mine", 4),),
        ),
        "quota-full",
    ),
    "quota that all have": Report(
        "kubernetes-sigs/kueue pkg/scheduler/flavorassigner/flavorassigner.go of v0.19.2",
        asks_of_cohort(
            cluster_queue("mine", 4),
            cluster_queue("theirs", 8),
            gpus=2,
            admitted=(has_quota("theirs", 8), has_quota("mine", 3)),
        ),
        "quota-full",
    ),
    "quota that is free, and nobody whom it could be kept for": Report(
        "ours: a verdict of Kueue's may be a moment old",
        asks_of_cohort(cluster_queue("mine", 4), gpus=2, admitted=(), rivals=0),
        "quota-full",
    ),
    "a RayJob by HTTP that hangs": Report(
        "NVIDIA-NeMo/RL 1846 of 2026-01",
        driver_prints(*every(0.5, 400, 200)),
        "silent",
        ("for 3 h", "ray stack"),
    ),
    "a request of a RayJob by HTTP that no worker can have": Report(
        "real-stanford/scalingup 6 of 2023-08-11",
        replace(
            on_ray(
                ray_job({"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"}), *ray_ready()
            ),
            logs={
                "driver": [
                    "(autoscaler +32s) Error: No available node types can fulfill resource request "
                    "{'GPU': 8.0}. Add suitable node types to this cluster to resolve this issue."
                ]
            },
        ),
        "pending-in-ray",
        ("{'GPU': 8.0}",),
    ),
    "a mount whose node gives no credentials at first": Report(
        "GoogleCloudPlatform/gcs-fuse-csi-driver 667 of 2025-06-05",
        not_mounted(
            'MountVolume.SetUp failed for volume "data" : rpc error: code = Internal desc = '
            "gcsfuse failed with error: Error while mounting gcsfuse: failed to create storage "
            "handle using createStorageHandle: go storage client creation failed: while creating "
            "http endpoint: while fetching tokenSource: DefaultTokenSource: google: could not find "
            "default credentials."
        ),
        "volume-not-mounted",
        ("metadata server", "Delete the pod"),
    ),
    "a pod without the sidecar's annotation": Report(
        "GoogleCloudPlatform/gcs-fuse-csi-driver 153 of 2023-12-27",
        not_mounted(
            'MountVolume.SetUp failed for volume "gcs-fuse-csi-pv" : rpc error: code = '
            "FailedPrecondition desc = failed to find the sidecar container in Pod spec"
        ),
        "volume-not-mounted",
        ('gke-gcsfuse/volumes: "true"',),
    ),
    "a gcsfuse that crashes": Report(
        "GoogleCloudPlatform/gcsfuse 2950 of 2025-02-10",
        not_mounted(
            'MountVolume.SetUp failed for volume "gcs-fuse-csi-ephemeral" : rpc error: code = '
            "Internal desc = gcsfuse failed with error: fatal error: sync: unlock of unlocked mutex"
        ),
        "volume-not-mounted",
        ("crashed by a fault of its own", "line break"),
    ),
    "a gcsfuse that crashed under a program": Report(
        "GoogleCloudPlatform/gcsfuse 1726 of 2024-02-19",
        snapshot(
            job(active=1, ready=1),
            pod(initContainerStatuses=[back(SIDECAR, 1, exitCode=2, reason="Error")]),
        ),
        "mount-lost",
        ("exit code 2", "Delete the pod"),
    ),
    "a driver that does not come up on the nodes of a new GKE": Report(
        "GoogleCloudPlatform/gcs-fuse-csi-driver 1605 of 2026-08-25",
        not_mounted(
            "kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: driver name "
            "gcsfuse.csi.storage.gke.io not found in the list of registered CSI drivers"
        ),
        "volume-not-mounted",
        ("driver's pods in kube-system",),
    ),
    "a Ray cluster whose pods are ready, and whom KubeRay does not call so": Report(
        "ray-project/kuberay 5088 of 2026-08-25",
        snapshot(Found(ray_cluster().kind, {**ray_cluster().obj, "status": {}}), *ray_ready()),
        "controller-away",
        ("All its 2 pods are ready", "KubeRay"),
    ),
    "quota and checks, and no place": Report(
        "kubernetes-sigs/kueue 9048 of 2026-05-05",
        with_check(
            queued(
                condition("QuotaReserved", "True", minutes=30),
                events=[
                    replace(
                        of_pod(
                            "SecondPassFailed",
                            "couldn't assign flavors to pod set main: insufficient unused quota "
                            "for nvidia.com/gpu in flavor default-flavor, 8 more needed",
                        ),
                        about="Workload/job-train",
                    )
                ],
            ),
            "Ready",
            "",
        ),
        "not-placed",
        ("for 30 min", "8 more needed"),
    ),
    "groups of pods that never fit together": Report(
        "kubernetes-sigs/kueue 4134 of 2025-02-03; pull 7232 of 2025-10-13",
        pending(
            "couldn't assign flavors to pod set worker: insufficient quota for nvidia.com/gpu in "
            "flavor single-node-h100, previously considered podsets requests (16) + current podset "
            "request (8) > maximum capacity (16)"
        ),
        "never-fits",
        ("16 and for 8 more of nvidia.com/gpu",),
    ),
    "a pool for each job, with pods of others in it": Report(
        "kubernetes-sigs/jobset 1057 of 2025-10-08",
        snapshot(
            job_set(restarts=0),
            with_affinity(
                unscheduled(
                    "0/6 nodes are available: 6 node(s) didn't satisfy existing pods anti-affinity "
                    "rules. preemption: 0/6 nodes are available: 6 No preemption victims found."
                ),
                "cloud.google.com/gke-nodepool",
            ),
        ),
        "one-job-a-place",
        ("a whole cloud.google.com/gke-nodepool",),
    ),
    "a program on one host of a slice": Report(
        "jax-ml/jax 19971 of 2024-02-25; google-research/t5x 997 of 2022-12-31",
        waits_for_hosts(30),
        "slice-incomplete",
        ("for 30 min", "as many pods as the topology has hosts"),
    ),
    "fewer addresses than the slice has hosts": Report(
        "Lightning-AI/pytorch-lightning 20244 of 2024-09-02; huggingface/transformers 28204",
        said_at_the_end(
            "RuntimeError: Bad StatusOr access: UNKNOWN: TPU initialization failed: Invalid "
            "--2a886c8_slice_builder_worker_addresses specified. Expected 4 worker addresses, got "
            "1."
        ),
        "slice-incomplete",
        ("its TPU slice has 4 hosts", "addresses of 1"),
    ),
    "a topology that no TPU of the kind has": Report(
        "google/sam pull 101 of 2026-06-06",
        snapshot(
            job(active=1),
            unscheduled(
                "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
                **{"cloud.google.com/gke-tpu-topology": "1x1"},
            ),
            nodes=[node("n1", labels={"cloud.google.com/gke-tpu-topology": "2x2"})],
        ),
        "no-such-node",
        ("gke-tpu-topology=1x1",),
    ),
    "NCCL that does not say why": Report(
        "vllm-project/vllm 7800 of 2024-08-23; xorbitsai/inference 2836 of 2025-03-13",
        said_at_the_end(
            "RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=INFO for "
            "details)"
        ),
        "nccl-failed",
        ("NCCL_DEBUG=WARN", "shm_gib"),
    ),
    "NCCL that says why": Report(
        "vllm-project/production-stack 276 of 2025-03-13",
        said_at_the_end(
            "torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:317, unhandled "
            "system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5",
            "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or "
            "device error.",
            "Last error:",
            "Error while creating shared memory segment /dev/shm/nccl-F9ffgB (size 9637888)",
        ),
        "shared-memory",
    ),
    "shared memory, as an older NCCL says it": Report(
        "NVIDIA/nccl 342 of 2020-06-20; vllm-project/vllm 1710 of 2023-11-18",
        said_at_the_end(
            "include/shm.h:28 NCCL WARN Call to posix_fallocate failed: No space left on device",
            "include/shm.h:48 NCCL WARN Error while creating shared memory segment "
            "nccl-shm-recv-250a7cc850ba9298-0-1-3 (size 9637888)",
        ),
        "shared-memory",
        ("shm_gib",),
    ),
    "an interface that the pod does not have": Report(
        "marin-community/marin 6940 of 2026-07-04; 7018 of 2026-07-08",
        said_at_the_end(
            "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to create NCCL communicator: "
            "ncclCommInitRankConfig(...) failed: invalid usage. Last NCCL warning(error): "
            "'Bootstrap : no socket interface found'"
        ),
        "nccl-interface",
        ("NCCL_SOCKET_IFNAME",),
    ),
    "an interface that the pod does not have, of NCCL 2.27": Report(
        "NVIDIA/nccl 1837 of 2025-09-08",
        said_at_the_end(
            "ncclInternalError: Internal check failed.",
            "Last error:",
            "ncclSocketInit: connecting to address  with family 59936 is neither AF_INET(2) nor "
            "AF_INET6(10)",
        ),
        "nccl-interface",
    ),
    "a process that a fault in native code ended": Report(
        "huggingface/text-generation-inference 2293 of 2024-07-24",
        said_at_the_end(
            "ERROR text_generation_launcher: Shard process was signaled to shutdown with signal 11 "
            "rank=0",
            "Error: ShardCannotStart",
        ),
        "native-fault",
        ("signal 11",),
    ),
    "a bucket that whom its image runs as may not write to": Report(
        "GoogleCloudPlatform/gcs-fuse-csi-driver 400 of 2024-12-04",
        on_bucket("PermissionError: [Errno 13] Permission denied: '/data/tmp/dir1'"),
        "mount-not-writable",
        ("mounted at /data", "`mount.uid` and `mount.gid`"),
    ),
    "a folder of the image that whom it runs as may not write to": Report(
        "GoogleCloudPlatform/gcs-fuse-csi-driver 400 of 2024-12-04",
        on_bucket("PermissionError: [Errno 13] Permission denied: '/database/dir1'"),
        "program-failed",
    ),
    "a pod that has no way to Hugging Face": Report(
        "ShishirPatil/gorilla 1161 of 2025-09-05",
        said_at_the_end(
            "urllib3.exceptions.MaxRetryError: HTTPSConnectionPool(host='huggingface.co', "
            "port=443): Max retries exceeded with url: /x/resolve/main/config.json (Caused by "
            "NewConnectionError('Failed to establish a new connection: [Errno 101] Network is "
            "unreachable'))",
            "OSError: We couldn't connect to 'https://huggingface.co' to load the files, and "
            "couldn't find them in the cached files.",
            "Check your internet connection or see how to run the library in offline mode.",
        ),
        "hub-not-reached",
        ("reach the internet", "a refusal is told in the same words"),
    ),
    "more GPUs in a pod than any machine has": Report(
        "kubernetes/autoscaler 8129 of 2025-05-15",
        asks_for(
            unscheduled("0/2 nodes are available: 2 Insufficient nvidia.com/gpu."),
            {"nvidia.com/gpu": "2"},
            node("n1", gpus=1),
            node("n2", gpus=1),
        ),
        "too-large",
        ("asks for 2 of nvidia.com/gpu", "has 1", "waiting does not help"),
    ),
    "more GPUs than any machine has yet, before the autoscaler has looked": Report(
        "ours: a pool that has no node yet may have larger ones",
        asks_for(
            made_at(unscheduled("0/2 nodes are available: 2 Insufficient nvidia.com/gpu."), 1),
            {"nvidia.com/gpu": "2"},
            node("n1", gpus=1),
        ),
        "no-room",
    ),
    "more disk in a pod than any machine has": Report(
        "GoogleCloudPlatform/gcs-fuse-csi-driver 153 of 2024-01-05",
        asks_for(
            unscheduled(
                "0/3 nodes are available: 3 Insufficient ephemeral-storage. preemption: 0/3 nodes "
                "are available: 3 No preemption victims found for incoming pod.."
            ),
            {"ephemeral-storage": "60Gi"},
            with_disk(node("n1"), "47Gi"),
        ),
        "too-large",
        ("ephemeral-storage", "47Gi"),
    ),
    "a pool that has no node, after a failed try": Report(
        "2i2c-org/infrastructure 2185 of 2023-02-09",
        snapshot(
            job(active=1),
            unscheduled(
                "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
                **_GPU_NODE,
            ),
            nodes=[node("n1")],
            events=[
                of_pod(
                    "NotTriggerScaleUp",
                    "pod didn't trigger scale-up: 1 node(s) didn't match Pod's node "
                    "affinity/selector, 1 in backoff after failed scale-up",
                )
            ],
        ),
        "no-such-node",
        ("1 in backoff after failed scale-up", "asks again within half an hour"),
    ),
    "a pool with its most nodes, and what the autoscaler says beside it": Report(
        "kubernetes/autoscaler cluster-autoscaler/core/scaleup/orchestrator of v1.32.1",
        with_event(
            scale_up("NotTriggerScaleUp", "pod didn't trigger scale-up: 2 Insufficient cpu"),
            of_pod(
                "NotTriggerScaleUp", "pod didn't trigger scale-up: 3 max node group size reached"
            ),
        ),
        "pool-at-max",
    ),
    "a pool that had its most nodes an hour ago": Report(
        "ours: what is present counts",
        with_event(
            scale_up("NotTriggerScaleUp", "pod didn't trigger scale-up: 2 Insufficient cpu"),
            of_pod(
                "NotTriggerScaleUp",
                "pod didn't trigger scale-up: 3 max node group size reached",
                minutes=60,
            ),
        ),
        "no-room",
    ),
    "the fourth try fails too": Report(
        "kubernetes/kubernetes pkg/controller/job/job_controller.go of v1.35.4",
        snapshot(
            job(failed=2),
            renamed(failed(), "train-a"),
            renamed(failed(), "train-b"),
        ),
        "program-failed",
        ("2nd try",),
    ),
}


# A repository, what in it, and when: a day, a release or a commit.
SOURCE = re.compile(r"[\w.-]+/[\w.-]+ \S.* of v?\d|ours: .")


def test_a_report_has_a_public_source_with_a_date_or_a_version() -> None:
    assert [name for name, it in REPORTS.items() if not SOURCE.match(it.source)] == []


@pytest.mark.parametrize("name", REPORTS)
def test_what_people_reported_is_told_by_its_cause(name: str) -> None:
    report = REPORTS[name]
    reason = verdict(report.snapshot).reason
    assert reason is not None
    assert reason.cause == report.cause
    said = f"{reason.sentence} {reason.advice}"
    assert [it for it in report.words if it not in said] == []


@pytest.mark.parametrize("head", ["[rank1]: ", "[default0]:", "(Trainer pid=7, ip=10.0.0.2) "])
def test_what_a_launcher_puts_before_each_line_changes_no_cause(head: str) -> None:
    """torch/distributed/distributed_c10d.py of v2.3.0, _distributed_excepthook; torchrun's --tee;
    Ray's log of its workers."""
    told: dict[str, str] = {}
    for name, report in REPORTS.items():
        logs = {of: [f"{head}{line}" for line in said] for of, said in report.snapshot.logs.items()}
        reason = verdict(replace(report.snapshot, logs=logs)).reason
        if logs and (reason is None or reason.cause != report.cause):
            told[name] = "" if reason is None else reason.cause
    assert told == {}


RECOVERS: dict[str, tuple[Snapshot, str]] = {
    "a retry beside its failure": (
        snapshot(job(active=1, ready=1, failed=1), renamed(failed(), "train-a"), pod()),
        "; rank 0 is at its 2nd try: the one before it ended with exit code 1.",
    ),
    "a retry beside what was killed": (
        snapshot(
            job(active=1, ready=1, failed=1),
            renamed(limited(failed(containerStatuses=[ended(**OOM)])), "train-a"),
            pod(),
        ),
        "was killed, for it used more memory than its limit of 4Gi.",
    ),
    "a retry beside what was evicted": (
        snapshot(
            job(active=1, ready=1, failed=1),
            renamed(pod(phase="Failed", reason="Evicted", message="low on memory"), "train-a"),
            pod(),
        ),
        "ended: Evicted.",
    ),
    "a machine that was taken, and another": (
        snapshot(
            policy(job(active=1, ready=1)),
            renamed(disrupted("TerminationByKubelet", SHUTDOWN), "train-a"),
            pod(),
        ),
        "the machine of the one before it was shut down",
    ),
    "a third try": (
        snapshot(
            job(active=1, ready=1, failed=2),
            renamed(failed(), "train-a"),
            renamed(failed(), "train-b"),
            pod(),
        ),
        "3rd try",
    ),
    "one rank of two again": (
        snapshot(
            job(active=2, ready=2, failed=1), renamed(failed("1"), "train-a"), pod("0"), pod("1")
        ),
        "rank 1 is at its 2nd try",
    ),
    "a container that runs again in its pod": (
        snapshot(job(active=1, ready=1), pod(containerStatuses=[back(exitCode=1)])),
        "container main of rank 0 runs again since it ended, exit code 1.",
    ),
    "a plain container killed for memory that runs again": (
        snapshot(job(active=1, ready=1), pod(containerStatuses=[back(**OOM)])),
        "it used more memory than its limit",
    ),
    "an init container that had to try twice": (
        snapshot(
            job(active=1, ready=1),
            pod(
                initContainerStatuses=[
                    {
                        **ended("fetch", exitCode=0, reason="Completed"),
                        "lastState": ended()["state"],
                        "ready": True,
                    }
                ]
            ),
        ),
        "It runs, with 1 of 1 pods ready.",
    ),
    "a mount that took two tries": (
        snapshot(
            job(active=1, ready=1),
            pod(),
            events=[of_pod("FailedMount", "not found in the list of registered CSI drivers")],
        ),
        "It runs, with 1 of 1 pods ready.",
    ),
    "an image that took two tries": (
        snapshot(
            job(active=1, ready=1),
            pod(),
            events=[of_pod("Failed", "toomanyrequests: rate limit")],
        ),
        "It runs, with 1 of 1 pods ready.",
    ),
    "pods that were refused for a while": (
        snapshot(
            job(active=1, ready=1),
            pod(),
            events=[
                Event(
                    at=NOW,
                    warns=True,
                    about="Job/train",
                    reason="FailedCreate",
                    message='failed calling webhook "mpod.kb.io"',
                )
            ],
        ),
        "It runs, with 1 of 1 pods ready.",
    ),
    "a pod that its node refused, and another": (
        snapshot(
            job(active=1, ready=1, failed=1),
            renamed(pod(phase="Failed", reason="UnexpectedAdmissionError"), "train-a"),
            pod(),
        ),
        "the one before it ended: UnexpectedAdmissionError.",
    ),
    "a command that could not start, and one that can": (
        snapshot(
            job(active=1, ready=1, failed=1),
            renamed(
                failed(containerStatuses=[ended(reason="StartError", exitCode=128)]), "train-a"
            ),
            pod(),
        ),
        "the one before it ended with exit code 128.",
    ),
    "a GPU's memory that was full, and a retry": (
        snapshot(
            job(active=1, ready=1, failed=1),
            renamed(failed(), "train-a"),
            pod(),
            logs={"train-a": ["torch.OutOfMemoryError: CUDA out of memory."]},
        ),
        "It runs, with 1 of 1 pods ready; rank 0 is at its 2nd try",
    ),
    "a node that shut down, and another": (
        snapshot(
            job(active=1, ready=1, failed=1),
            renamed(
                pod(
                    phase="Failed",
                    reason="NodeShutdown",
                    message="Pod was rejected as the node is shutting down.",
                ),
                "train-a",
            ),
            pod(),
        ),
        "the machine of the one before it was shut down",
    ),
    "a pod that a dead node did not let go, and another": (
        snapshot(job(active=1, ready=1), renamed(deleted(failed(), 20), "train-a"), pod()),
        "It runs, with 1 of 1 pods ready; rank 0 is at its 2nd try",
    ),
    "a sandbox that took two tries": (
        snapshot(
            job(active=1, ready=1), pod(), events=[of_pod("FailedCreatePodSandBox", "no runtime")]
        ),
        "It runs, with 1 of 1 pods ready.",
    ),
    "a scale-up that failed before another": (
        snapshot(
            job(active=1, ready=1),
            pod(),
            events=[
                of_pod("FailedScaleUp", "GCE out of resources", minutes=40),
                of_pod("TriggeredScaleUp", "pod triggered scale-up", minutes=35),
            ],
        ),
        "It runs, with 1 of 1 pods ready.",
    ),
    "a head that was killed before the job began": (
        on_ray(
            ray_job(
                {"jobDeploymentStatus": "Running", "jobStatus": "RUNNING", "startTime": ago(10)}
            ),
            pod("head", containerStatuses=[back(**OOM, finishedAt=ago(90))]),
            pod("0"),
        ),
        "It runs",
    ),
    "a head that ended before the job began": (
        on_ray(
            ray_job(
                {"jobDeploymentStatus": "Running", "jobStatus": "RUNNING", "startTime": ago(10)}
            ),
            pod("head", containerStatuses=[back(exitCode=1, finishedAt=ago(90))]),
            pod("0"),
        ),
        "It runs",
    ),
    "a head whose state Redis keeps": (
        redis(
            on_ray(
                ray_job(
                    {"jobDeploymentStatus": "Running", "jobStatus": "RUNNING", "startTime": ago(50)}
                ),
                pod("head", containerStatuses=[back(exitCode=1, finishedAt=ago(10))]),
                pod("0"),
            )
        ),
        "It runs",
    ),
    "a Ray cluster whose head was killed, and is ready": (
        snapshot(ready_cluster(), limited(pod("head", containerStatuses=[back(**OOM)])), pod("0")),
        "it used more memory than its limit of 4Gi. Give the head of the Ray cluster more memory",
    ),
    "a request that Ray's autoscaler could fulfil later": (
        replace(
            on_ray(
                ray_job({"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"}),
                *ray_ready(),
                pod("launcher"),
            ),
            logs={
                "train-launcher": [
                    "(autoscaler +32s) Error: No available node types can fulfill resource request "
                    "{'GPU': 1.0}. Add suitable node types to this cluster to resolve this issue.",
                    *(f"step {number}" for number in range(5)),
                ]
            },
        ),
        "It runs",
    ),
    "KubeRay within its first minute": (
        on_ray(
            Found(
                RAY_JOB,
                {
                    **ray_job().obj,
                    "metadata": {
                        **ray_job().obj["metadata"],
                        "creationTimestamp": (NOW - timedelta(seconds=20)).isoformat(),
                    },
                },
            ),
            *ray_ready(),
        ),
        "It starts",
    ),
    "a Ray job on a cluster that is ready since a minute": (
        on_ray(ray_job({"jobDeploymentStatus": "Initializing"}), *ray_ready(minutes=1)),
        "It starts",
    ),
    "a slice whose other hosts come a little later": (waits_for_hosts(3), "It runs"),
    "a Ray cluster whose pods have just become ready": (
        snapshot(
            Found(ray_cluster().kind, {**ray_cluster().obj, "status": {}}), *ray_ready(minutes=1)
        ),
        "It starts",
    ),
    "a RayJob by HTTP that prints": (driver_prints(*every(0.5, 400, 1)), "It runs"),
    "a worker that asks for its head since a moment": (
        snapshot(
            begun(ray_cluster(), 5),
            pod("head"),
            pod(
                phase="Pending",
                initContainerStatuses=[
                    {
                        "name": "wait-gcs-ready",
                        "image": "a",
                        "state": {"running": {"startedAt": ago(4)}},
                    }
                ],
            ),
        ),
        "It starts",
    ),
    "a Ray job that runs": (
        on_ray(ray_job({"jobDeploymentStatus": "Running", "jobStatus": "RUNNING"}), *ray_ready()),
        "It runs",
    ),
    "a JobSet at its third try, one of which counts": (
        snapshot(
            excusing(
                job_set(
                    replicatedJobsStatus=[{"name": "n", "ready": 1}],
                    restarts=2,
                    restartsCountTowardsMax=1,
                )
            ),
            pod("0"),
        ),
        "pods ready; it is at its 3rd try, and has used 1 of its 20 restarts.",
    ),
    "a JobSet that has not restarted": (
        snapshot(job_set(replicatedJobsStatus=[{"name": "n", "ready": 1}], restarts=0), pod("0")),
        "It runs, with 1 of 1 pods ready.",
    ),
    "a RayJob at its second try": (
        on_ray(
            retried(
                ray_job({"jobDeploymentStatus": "Running", "jobStatus": "RUNNING", "failed": 1})
            ),
            *ray_ready(),
        ),
        "; it is at its 2nd try, and has used 1 of its 3 retries.",
    ),
}


HEALTHY: dict[str, tuple[Snapshot, str]] = {
    "a Job that runs": (snapshot(job(active=1, ready=1), pod()), "It runs, with 1 of 1 pods"),
    "a pod that starts, with a warning from before": (
        snapshot(
            begun(job(active=1), 20),
            pod(phase="Pending"),
            events=[of_pod("SomethingNew", "what a kubelet said", minutes=18)],
        ),
        "It starts",
    ),
    "a sidecar that is about to end": (
        snapshot(
            begun(job(active=1), 10),
            pod(
                conditions=[condition("Ready", "False")],
                containerStatuses=[
                    ended(reason="Completed", exitCode=0, finishedAt=ago(1)),
                    {"name": "istio-proxy", "image": "a", "state": {"running": {}}},
                ],
            ),
        ),
        "It starts",
    ),
    "a Job of two, one of which has ended well": (
        snapshot(job(active=1, ready=1, succeeded=1), pod("0", phase="Succeeded"), pod("1")),
        "It runs",
    ),
    "a Job that ended well after a retry": (
        snapshot(
            job(succeeded=1, conditions=[condition("Complete", "True")]),
            renamed(failed(containerStatuses=[ended(**OOM)]), "train-a"),
            pod(phase="Succeeded"),
        ),
        "It has ended well.",
    ),
    "a line a second": (printed(*every(1 / 60, 30, 0)), "It runs"),
    "a line a second, and a checkpoint of 20 minutes": (printed(*every(1 / 60, 80, 20)), "It runs"),
    "a line a second, and a checkpoint of 40 minutes": (printed(*every(1 / 60, 90, 40)), "It runs"),
    "an evaluation of an hour, as there was one before": (
        printed(*every(0.5, 400, 340), *every(0.5, 280, 60)),
        "It runs",
    ),
    "an evaluation that takes four times as long as the one before": (
        printed(*every(0.5, 400, 340), *every(0.5, 280, 240)),
        "It runs",
    ),
    "a step of 20 minutes": (printed(*every(20, 600, 60)), "It runs"),
    "a compilation of 40 minutes": (printed(*every(0.05, 45, 40)), "It runs"),
    "a compilation of two hours": (printed(*every(0.05, 125, 120)), "It runs"),
    "a program that prints at its start alone": (printed(*every(0.05, 605, 600)), "It runs"),
    "a program that prints one line": (printed(600), "It runs"),
    "a program that prints nothing": (printed(), "It runs"),
    "a clock that is behind the nodes'": (printed(*every(1, 30, -5)), "It runs"),
    "a rank that prints, and one that does not": (
        replace(
            printed(*every(1, 200, 150)),
            line_times={
                "train-0": [NOW - timedelta(minutes=it) for it in every(1, 200, 150)],
                "train-7": [NOW - timedelta(minutes=it) for it in every(1, 200, 0)],
            },
        ),
        "It runs",
    ),
    "a program that had too little memory of its GPU, and went on": (
        snapshot(
            job(active=1, ready=1),
            pod(),
            logs={"train-0": ["torch.OutOfMemoryError: CUDA out of memory. Halving the batch."]},
        ),
        "It runs",
    ),
    "a pod that begins": (
        snapshot(begun(job(active=1), 10), pod(phase="Pending")),
        "It starts: 0 of 1 pods are ready.",
    ),
    "a job that waited for a day in its queue": (
        snapshot(
            job(queue="lq", active=1),
            pod(phase="Pending"),
            workload=workload(condition("Admitted", "True", minutes=5)),
        ),
        "It starts",
    ),
    "a JobSet that waited for a day in its queue": (
        snapshot(
            job_set(replicas=2, conditions=[]),
            workload=workload(condition("Admitted", "True", minutes=5)),
        ),
        "It starts",
    ),
    "a JobSet's part that waits for another to end": (
        snapshot(depending(job_set(replicatedJobsStatus=[{"name": "n", "ready": 1}])), pod("0")),
        "It starts",
    ),
    "a JobSet's parts that start in order": (
        snapshot(in_order(job_set(replicas=2, restarts=0)), pod("0")),
        "It starts",
    ),
    "a pod made anew a minute ago in a job of a day": (
        snapshot(job(active=1, failed=1), made_at(pod(phase="Pending"), 1)),
        "It starts",
    ),
    "a pod in its grace period": (
        snapshot(job(active=1, ready=1), deleted(pod(), -0.5)),
        "It runs",
    ),
    "a pod whose grace period has just ended": (
        snapshot(job(active=1, ready=1), deleted(pod(), 1)),
        "It runs",
    ),
    "a new record in a queue": (
        new_record(queued(cluster_queue={"spec": {"queueingStrategy": "BestEffortFIFO"}}), 20),
        "It is new in its queue",
    ),
    "a record behind the head of a queue in strict order": (
        queued(cluster_queue={"spec": {"queueingStrategy": "StrictFIFO"}}),
        "It has waited in its queue for 1 h",
    ),
    "admitted a moment ago": (
        queued(condition("QuotaReserved", "True"), condition("Admitted", "True")),
        "Kueue has admitted it",
    ),
    "a Ray cluster that is ready": (snapshot(ready_cluster(), pod("head"), pod("0")), "It runs"),
    "a Ray cluster that began five minutes ago": (
        snapshot(begun(ready_cluster(workers=0), 5), pod("head")),
        "It starts",
    ),
    "a Ray job of a person's own submission, on a cluster that is new": (
        on_ray(interactive(ray_job({"jobDeploymentStatus": "Waiting"})), *ray_ready(minutes=1)),
        "It starts",
    ),
    "a Ray job that is pending for a minute": (
        on_ray(
            ray_job({"jobDeploymentStatus": "Running", "jobStatus": "PENDING"}),
            *ray_ready(minutes=1),
        ),
        "It starts",
    ),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_in_the_way_of_what_is_well(name: str) -> None:
    shot, words = HEALTHY[name]
    found = verdict(shot)
    assert found.reason is None, found.reason
    assert found.sentence.startswith(words)


@pytest.mark.parametrize("name", RECOVERS)
def test_nothing_is_in_the_way_of_what_has_recovered(name: str) -> None:
    shot, words = RECOVERS[name]
    found = verdict(shot)
    assert found.reason is None, found.reason
    assert words in found.sentence


def test_a_node_that_waits_for_its_pods_is_no_dead_one() -> None:
    """A taint that prefers others holds nobody off."""
    found = node("n1", "node.kubernetes.io/unschedulable")
    found["spec"]["taints"][0]["effect"] = "PreferNoSchedule"
    shot = snapshot(job(active=1), unscheduled("0/1 nodes: 1 Insufficient cpu."), nodes=[found])
    reason = verdict(shot).reason
    assert reason is not None
    assert reason.cause == "no-room"


@pytest.mark.parametrize(
    "lines",
    [
        ["2026-11-23 11:00:00,1 INFO step", "  7%|#         | 7/100"],
        ["no time at all"],
        [],
        [
            "2026-11-23 03:00:00,1 INFO a pod whose clock is eight hours behind",
            "2026-11-23 04:00:00",
        ],
    ],
)
def test_a_line_without_a_time_of_the_clusters_clock_says_nothing_of_silence(
    lines: list[str],
) -> None:
    found = ray_job({"jobStatus": "RUNNING", "startTime": ago(70)})
    assert own_times(lines, found) == []


def test_lines_have_the_times_that_they_begin_with() -> None:
    found = ray_job({"jobStatus": "RUNNING", "startTime": ago(70)})
    said = ["2026-11-23 11:00:00,123 INFO step", "loss 2.1", "[2026-11-23T11:30:00] step"]
    assert [f"{it:%H:%M}" for it in own_times(said, found)] == ["11:00", "11:30"]
