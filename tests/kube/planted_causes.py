"""Jobs that cannot run, each for a reason of its own, and what each is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from components.queues.labels import PRIORITY_LABEL, QUEUE_LABEL

Manifest = dict[str, Any]
_KUEUE = "kueue.x-k8s.io/v1beta2"
# kwok leaves the pod as the scheduler left it, for the test to say what a kubelet would.
NOT_READY = {"pod-ready.stage.kwok.x-k8s.io/delay": "never"}
ENDLESS = {"pod-complete.stage.kwok.x-k8s.io/delay": "1h"}
_OF_JOBS = ("suspend", "activeDeadlineSeconds", "backoffLimit")
_CPU_ONLY = {"cloud.google.com/gke-nodepool": "cpu-pool"}


@dataclass(frozen=True, kw_only=True)
class Planted:
    """`source` is who met the cause, and when; the words of those in planted_ends.py are sourced
    where they are recorded. `beside` is made before the job, in this order. `pod_status` is what
    its kubelet says of its pod, `told` an event of the pod, and `says` is in its log, now or at
    each time of `said_at`; `refused` says that no pod of it may be made."""

    job: Manifest
    source: str = ""
    beside: tuple[Manifest, ...] = ()
    pod_status: Mapping[str, Any] = field(default_factory=dict[str, Any])
    told: tuple[str, str] | None = None
    says: str = ""
    said_at: Sequence[datetime] = ()
    refused: bool = False

    @property
    def pod(self) -> Manifest:
        """As the Job's controller would make it."""
        name = self.job["metadata"]["name"]
        metadata = {"name": name, "namespace": "default", "labels": {"job-name": name}}
        spec = self.job["spec"]["template"]["spec"]
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def job(
    name: str, *, queue: str = "", priority: str = "", cpu: str = "100m", **pod: Any
) -> Manifest:
    """A Job of one pod, on a node of the CPU pool."""
    labels = {QUEUE_LABEL: queue, PRIORITY_LABEL: priority}
    own = {key: pod.pop(key) for key in _OF_JOBS if key in pod}
    metadata = pod.pop("metadata", {})
    annotations = pod.pop("annotations", {})
    amounts = {"cpu": cpu, **pod.pop("amounts", {})}
    container = {
        "name": "main",
        "image": "python:3.12-slim",
        "resources": {"requests": amounts, "limits": amounts},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": "default",
            "labels": {key: value for key, value in labels.items() if value},
            **metadata,
        },
        "spec": {
            "backoffLimit": 0,
            **own,
            "template": {
                "metadata": {"annotations": annotations},
                "spec": {
                    "restartPolicy": "Never",
                    "nodeSelector": _CPU_ONLY,
                    **pod,
                    "containers": [container],
                },
            },
        },
    }


def queue(name: str, cpu: str = "2", *, flavor: str = "plain", **spec: Any) -> tuple[Manifest, ...]:
    """A cluster queue and a door to it."""
    amounts = [{"name": "cpu", "nominalQuota": cpu}]
    group = {
        "coveredResources": ["cpu"],
        "flavors": [{"name": flavor, "resources": amounts}],
    }
    whole = {"namespaceSelector": {}, "resourceGroups": [group], **spec}
    door = {"clusterQueue": name}
    return (
        {"apiVersion": _KUEUE, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": whole},
        {
            "apiVersion": _KUEUE,
            "kind": "LocalQueue",
            "metadata": {"name": name, "namespace": "default"},
            "spec": door,
        },
    )


def apart(place: str, labels: Mapping[str, str]) -> Manifest:
    """An affinity of pods that go nowhere where one of these labels is."""
    terms = [{"topologyKey": place, "labelSelector": {"matchLabels": dict(labels)}}]
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def flavor(name: str, **spec: Any) -> Manifest:
    return {
        "apiVersion": _KUEUE,
        "kind": "ResourceFlavor",
        "metadata": {"name": name},
        "spec": spec,
    }


def priority(name: str, value: int) -> Manifest:
    kind = {"apiVersion": _KUEUE, "kind": "WorkloadPriorityClass"}
    return {**kind, "metadata": {"name": name}, "value": value}


def waiting(reason: str, message: str = "") -> dict[str, Any]:
    """What a kubelet says of a container that it cannot start."""
    return _pod("Pending", {"waiting": {"reason": reason, "message": message}})


def ended(reason: str, code: int) -> dict[str, Any]:
    return _pod("Failed", {"terminated": {"reason": reason, "exitCode": code}})


def _pod(phase: str, state: Mapping[str, Any]) -> dict[str, Any]:
    status = {
        "name": "main",
        "image": "python:3.12-slim",
        "imageID": "",
        "ready": False,
        "restartCount": 0,
        "state": dict(state),
    }
    return {"phase": phase, "containerStatuses": [status]}


def _preempting() -> tuple[Manifest, ...]:
    preemption = {"withinClusterQueue": "LowerPriority"}
    return (*queue("ranked", preemption=preemption), priority("low", 1), priority("high", 2))


WEBHOOK = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingWebhookConfiguration",
    "metadata": {"name": "planted"},
    "webhooks": [
        {
            "name": "away.example.com",
            "clientConfig": {"url": "https://127.0.0.1:9/"},
            "rules": [
                {
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "operations": ["CREATE"],
                    "resources": ["pods"],
                }
            ],
            "objectSelector": {"matchLabels": {"job-name": "webhook-away"}},
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "timeoutSeconds": 2,
        }
    ],
}
RESOURCE_QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "planted", "namespace": "default"},
    "spec": {"hard": {"requests.example.com/device": "0"}},
}
PLAIN = flavor("plain")


def unready(name: str, **pod: Any) -> Manifest:
    return job(name, annotations=NOT_READY, **pod)


CAUSES: Mapping[str, Planted] = {
    "quota-full": Planted(
        source="kubernetes-sigs/kueue pull 9698 of 2026-03-06",
        beside=(*queue("small"), job("holder", queue="small", cpu="2")),
        job=job("quota-full", queue="small"),
    ),
    "never-fits": Planted(
        source="kubernetes-sigs/kueue 4134 of 2025-02-03",
        beside=queue("tiny", "1"),
        job=job("never-fits", queue="tiny", cpu="3"),
    ),
    "behind-another": Planted(
        source="kubernetes-sigs/kueue 8309 of 2025-12",
        beside=(
            *queue("strict", queueingStrategy="StrictFIFO"),
            job("first", queue="strict", cpu="1500m"),
            priority("high", 2),
            job("head", queue="strict", cpu="1", priority="high"),
        ),
        job=job("behind-another", queue="strict"),
    ),
    "queue-missing": Planted(
        source="kubernetes-sigs/kueue pull 540 of 2023-02-01",
        job=job("queue-missing", queue="none-such"),
    ),
    "queue-stopped": Planted(
        source="kubernetes-sigs/kueue 1651 of 2024-01-26",
        beside=queue("held", stopPolicy="Hold"),
        job=job("queue-stopped", queue="held"),
    ),
    "queue-inactive": Planted(
        source="headlamp-k8s/plugins 1191 of 2026-08-15",
        beside=queue("flavorless", flavor="none-such"),
        job=job("queue-inactive", queue="flavorless"),
    ),
    "namespace-not-let-in": Planted(
        source="kubernetes-sigs/kueue 301 of 2022-07-18",
        beside=queue("closed", namespaceSelector={"matchLabels": {"let": "in"}}),
        job=job("namespace-not-let-in", queue="closed"),
    ),
    "flavor-taint": Planted(
        source="kubernetes-sigs/kueue 189 of 2022-04-08",
        beside=(
            flavor("spoilt", nodeTaints=[{"key": "a", "value": "b", "effect": "NoSchedule"}]),
            *queue("spoilt", flavor="spoilt"),
        ),
        job=job("flavor-taint", queue="spoilt"),
    ),
    "flavor-mismatch": Planted(
        source="kubernetes-sigs/kueue 189 of 2022-04-08",
        beside=(
            flavor("other", nodeLabels={"cloud.google.com/gke-nodepool": "l4-pool"}),
            *queue("other", flavor="other"),
        ),
        job=job("flavor-mismatch", queue="other"),
    ),
    "resource-not-in-queue": Planted(
        source="AI-Hypercomputer/xpk 603 of 2025-08-23",
        beside=queue("cpus"),
        job=job("resource-not-in-queue", queue="cpus", amounts={"nvidia.com/gpu": "1"}),
    ),
    "preempted": Planted(
        source="kubernetes-sigs/kueue 9807 of 2026-03-11",
        beside=_preempting(),
        job=job("preempted", queue="ranked", priority="low", cpu="2"),
    ),
    "suspended": Planted(
        source="kubernetes/kubernetes 97170 of 2020-12-09", job=job("suspended", suspend=True)
    ),
    "webhook-away": Planted(
        source="kubernetes-sigs/jobset 361 of 2023-12-21",
        beside=(WEBHOOK,),
        job=job("webhook-away"),
        refused=True,
    ),
    "namespace-quota": Planted(
        source="kubernetes/kubernetes 88718 of 2020-03-02",
        beside=(RESOURCE_QUOTA,),
        job=job("namespace-quota", amounts={"example.com/device": "1"}),
        refused=True,
    ),
    "service-account-missing": Planted(
        source="keras-team/kinetic 286 of 2026-08-01",
        job=job("service-account-missing", serviceAccountName="nobody"),
    ),
    "no-such-node": Planted(
        source="2i2c-org/infrastructure 2185 of 2023-02-09",
        job=job("no-such-node", nodeSelector={"machine": "none-such"}),
    ),
    "taint": Planted(
        source="kubernetes/kubernetes pkg/scheduler/framework/plugins/tainttoleration of v1.35.4",
        job=job("taint", nodeSelector={"cloud.google.com/gke-nodepool": "h200-pool"}),
    ),
    "too-large": Planted(
        source="kubernetes/autoscaler 8129 of 2025-05-15", job=job("too-large", cpu="500")
    ),
    # The pool has two nodes with 7.41 CPUs for pods.
    "no-room": Planted(
        source="ray-project/kuberay 2188 of 2024-06-12",
        beside=(
            job("sits", cpu="500m", annotations=ENDLESS),
            job(
                "sits-apart",
                cpu="500m",
                annotations=ENDLESS,
                affinity=apart("kubernetes.io/hostname", {"batch.kubernetes.io/job-name": "sits"}),
            ),
        ),
        job=job("no-room", cpu="7200m"),
    ),
    "network-missing": Planted(
        source="NVIDIA/aicr 2215 of 2026-08-17",
        job=job("network-missing", amounts={"networking.gke.io.networks/rdma-0.IP": "1"}),
    ),
    "volume-missing": Planted(
        source="kubeflow/community-distribution 1956 of 2021-08-02",
        job=job(
            "volume-missing",
            volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "none-such"}}],
        ),
    ),
    "claim-missing": Planted(
        source="kubernetes/kubernetes pull 138487 of 2026-04-20",
        job=job(
            "claim-missing",
            resourceClaims=[{"name": "nics", "resourceClaimTemplateName": "none-such"}],
        ),
    ),
    "gated": Planted(
        source="kubernetes-sigs/kueue 9986 of 2026-03-18",
        job=job("gated", schedulingGates=[{"name": "example.com/gate"}]),
    ),
    "stock-out": Planted(
        source="GoogleCloudPlatform/cluster-autoscaler pkg/events of 7d250507 of 2026-08-21",
        job=job("stock-out", nodeSelector={"machine": "sold-out"}),
        told=(
            "FailedScaleUp",
            "Node scale up in zones us-central1-b associated with this pod failed: GCE out of "
            "resources. Pod is at risk of not being scheduled.",
        ),
    ),
    "image": Planted(
        source="containerd/containerd 12243 of 2025-08-28",
        job=unready("image"),
        pod_status=waiting("ImagePullBackOff", "manifest not found"),
    ),
    "secret-missing": Planted(
        source="reportportal/kubernetes 178 of 2021-07-05",
        job=unready("secret-missing"),
        pod_status=waiting("CreateContainerConfigError", 'secret "tokens" not found'),
    ),
    "volume-not-mounted": Planted(
        source="GoogleCloudPlatform/lustre-csi-driver 104 of 2025-06-13",
        job=unready("volume-not-mounted"),
        pod_status=waiting("ContainerCreating"),
        told=("FailedMount", 'MountVolume.SetUp failed for volume "lustre": connection timed out'),
    ),
    "out-of-memory": Planted(
        source="OpenRLHF/OpenRLHF 911 of 2025-03-24",
        job=unready("out-of-memory"),
        pod_status=ended("OOMKilled", 137),
    ),
    "evicted-for-disk": Planted(
        source="ray-project/kuberay 2125 of 2024-06-29",
        job=unready("evicted-for-disk"),
        pod_status={
            "phase": "Failed",
            "reason": "Evicted",
            "message": "The node was low on resource: ephemeral-storage.",
        },
    ),
    "program-failed": Planted(
        source="pytorch/pytorch 75512 of 2022-04-08",
        job=unready("program-failed"),
        pod_status=ended("Error", 3),
    ),
    "deadline": Planted(
        source="ray-project/kuberay 5295 of 2026-09-15",
        job=unready("deadline", activeDeadlineSeconds=1),
    ),
}
# Kueue tries it again and again, without a pause.
KEPT = Planted(
    source="kubernetes-sigs/kueue 4809 of 2025-03-27",
    beside=(
        *queue(
            "lender",
            "600m",
            cohortName="kept",
            queueingStrategy="StrictFIFO",
            preemption={"reclaimWithinCohort": "Never"},
        ),
        *queue("borrower", "200m", cohortName="kept"),
        job("borrows", queue="borrower", cpu="400m", annotations=ENDLESS),
        job("lacks", queue="lender", cpu="500m"),
    ),
    job=job("kept-for-another", queue="borrower", cpu="100m"),
)
# What makes the one of that name wait, once that runs.
AFTERWARDS: Mapping[str, Callable[[], Manifest]] = {
    "preempted": lambda: job("preempting", queue="ranked", priority="high", cpu="2")
}
HEALTHY = (
    *(job(f"healthy-{number}", annotations=ENDLESS) for number in range(5)),
    *(job(f"queued-healthy-{number}", queue="roomy") for number in range(5)),
)


def _tried_again(name: str, source: str, **status: Any) -> Planted:
    """One whose first pod ended badly, with another one in its place."""
    again = job(name, annotations=ENDLESS, backoffLimit=4)
    return Planted(source=source, job=again, pod_status={"phase": "Failed", **status})


def _once(name: str, source: str, *told: str) -> Planted:
    """One that runs, for all that was once said of its pod."""
    reason, message = told
    return Planted(source=source, job=job(name, annotations=ENDLESS), told=(reason, message))


# Jobs that were in trouble and are not any more; of those with `pod_status` it is of their first
# pod.
RECOVERING: Mapping[str, Planted] = {
    "failed-and-tried-again": _tried_again(
        "failed-and-tried-again",
        "kubernetes/kubernetes pkg/controller/job/job_controller.go of v1.35.4",
        **{key: it for key, it in ended("Error", 1).items() if key != "phase"},
    ),
    "evicted-and-tried-again": _tried_again(
        "evicted-and-tried-again",
        "ray-project/kuberay 2125 of 2024-06-29",
        reason="Evicted",
        message="The node was low on resource: ephemeral-storage.",
    ),
    "machine-was-taken": _tried_again(
        "machine-was-taken",
        "flyteorg/flyte 8067 of 2026-09-22",
        reason="Terminated",
        message="Pod was terminated in response to imminent node shutdown.",
    ),
    "had-no-machine": _once(
        "had-no-machine",
        "GoogleCloudPlatform/cluster-autoscaler pkg/events of 7d250507 of 2026-08-21",
        "FailedScaleUp",
        "Node scale up in zones us-central1-b associated with this pod failed: GCE out of "
        "resources. Pod is at risk of not being scheduled.",
    ),
    "had-no-mount": _once(
        "had-no-mount",
        "GoogleCloudPlatform/lustre-csi-driver 104 of 2025-06-13",
        "FailedMount",
        'MountVolume.SetUp failed for volume "lustre": connection timed out',
    ),
    "had-no-image": _once(
        "had-no-image",
        "containerd/containerd 12243 of 2025-08-28",
        "Failed",
        'Failed to pull image "python:3.12-slim": toomanyrequests',
    ),
}
