"""Jobs whose pod was taken away, refused or could not start, whose scale-up failed, or whose
program said why it ended. The words are those of public reports: tests/unit/test_why_reports.py has
their sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.kube.planted_causes import (
    ENDLESS,
    Manifest,
    Planted,
    apart,
    ended,
    job,
    unready,
    waiting,
)


def _taken(reason: str, message: str) -> dict[str, Any]:
    target = {"type": "DisruptionTarget", "status": "True", "reason": reason, "message": message}
    return {"phase": "Failed", "conditions": [target]}


def _refused(reason: str, message: str) -> dict[str, Any]:
    return {"phase": "Failed", "reason": reason, "message": message}


def _not_begun(message: str) -> dict[str, Any]:
    status = ended("StartError", 128)
    status["containerStatuses"][0]["state"]["terminated"]["message"] = message
    return status


def _not_scaled(cause: str, words: str) -> Planted:
    said = (
        f"Node scale up in zones us-central1-b associated with this pod failed: {words}. Pod is at "
        "risk of not being scheduled."
    )
    sold_out = {"machine": "sold-out"}
    return Planted(job=job(cause, nodeSelector=sold_out), told=("FailedScaleUp", said))


def _not_scaled_for(cause: str, words: str) -> Planted:
    said = ("NotTriggerScaleUp", f"pod didn't trigger scale-up: {words}")
    return Planted(job=job(cause, cpu="500"), told=said)


def _says(cause: str, line: str, code: int = 1) -> Planted:
    return Planted(job=unready(cause), pod_status=ended("Error", code), says=line)


def _every_minute(begin: int, end: int) -> Sequence[datetime]:
    """From so many minutes ago to so many."""
    now = datetime.now(UTC)
    return [now - timedelta(minutes=it) for it in range(begin, end, -1)]


_CORDONED: Manifest = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "cordoned", "labels": {"machine": "cordoned"}},
    "spec": {"unschedulable": True},
}


_NO_PROGRAM = (
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc "
    'create failed: unable to start container process: exec: "entry": executable file not found in '
    "$PATH: unknown"
)

END_CAUSES: Mapping[str, Planted] = {
    "machine-gone": Planted(
        job=unready("machine-gone"),
        pod_status={
            **_taken(
                "TerminationByKubelet", "Pod was terminated in response to imminent node shutdown."
            ),
            "reason": "Terminated",
        },
    ),
    "drained": Planted(
        job=unready("drained"),
        pod_status=_taken("EvictionByEvictionAPI", "Eviction API: evicting"),
    ),
    "preempted-by-pods": Planted(
        job=unready("preempted-by-pods"),
        pod_status=_taken("PreemptionByScheduler", "default-scheduler: preempting"),
    ),
    "taken-away": Planted(
        job=unready("taken-away"), pod_status=_taken("SomethingNew", "because of it")
    ),
    "evicted": Planted(
        job=unready("evicted"),
        pod_status=_refused("Evicted", "The node was low on resource: memory."),
    ),
    "device-not-given": Planted(
        job=unready("device-not-given"),
        pod_status=_refused(
            "UnexpectedAdmissionError",
            "Pod Allocate failed due to requested number of devices unavailable for "
            "nvidia.com/gpu. Requested:1, Available: 0, which is unexpected",
        ),
    ),
    "accelerator-broken": Planted(
        job=unready("accelerator-broken"),
        pod_status=_refused(
            "UnexpectedAdmissionError",
            "Pod Allocate failed due to device plugin GetPreferredAllocation rpc failed with err: "
            "rpc error: code = Unknown desc = Unable to retrieve list of available devices: error "
            "creating nvml.Device 3: nvml: GPU is lost, which is unexpected",
        ),
    ),
    "node-was-full": Planted(
        job=unready("node-was-full"),
        pod_status=_refused("OutOfcpu", "Node didn't have enough resource: cpu, requested: 4000"),
    ),
    "refused-by-node": Planted(
        job=unready("refused-by-node"), pod_status=_refused("SomethingNew", "because of it")
    ),
    "command-missing": Planted(job=unready("command-missing"), pod_status=_not_begun(_NO_PROGRAM)),
    "container-not-made": Planted(
        job=unready("container-not-made"),
        pod_status=waiting("CreateContainerError", "something that runc begins to say tomorrow"),
    ),
    "mount-lost": Planted(
        job=unready("mount-lost"),
        pod_status=waiting(
            "CreateContainerError",
            'failed to generate spec: failed to stat "/data": transport endpoint is not connected',
        ),
    ),
    "pod-network": Planted(
        job=unready("pod-network"),
        pod_status=waiting("ContainerCreating"),
        told=(
            "FailedCreatePodSandBox",
            "failed to allocate for range 0: no IP addresses available in range set: 10.60.28.1",
        ),
    ),
    "driver-not-there": Planted(
        job=unready("driver-not-there"),
        pod_status=waiting("ContainerCreating"),
        told=(
            "FailedCreatePodSandBox",
            'failed to get sandbox runtime: no runtime for "nvidia" is configured',
        ),
    ),
    "pod-sandbox": Planted(
        job=unready("pod-sandbox"),
        pod_status=waiting("ContainerCreating"),
        told=("FailedCreatePodSandBox", "rpc error: code = Unknown desc = something new"),
    ),
    "node-not-usable": Planted(
        beside=(_CORDONED,), job=job("node-not-usable", nodeSelector={"machine": "cordoned"})
    ),
    # On the one node of the pool that a Ray worker has.
    "one-pod-a-node": Planted(
        job=job(
            "one-pod-a-node",
            nodeSelector={"cloud.google.com/gke-nodepool": "h200-pool"},
            tolerations=[{"operator": "Exists"}],
            affinity=apart("kubernetes.io/hostname", {"ray.io/node-type": "worker"}),
        )
    ),
    "one-job-a-place": Planted(
        job=job(
            "one-job-a-place",
            affinity=apart("cloud.google.com/gke-nodepool", {"ray.io/node-type": "head"}),
        )
    ),
    "devices-not-prepared": Planted(
        job=unready("devices-not-prepared"),
        pod_status=waiting("ContainerCreating"),
        told=(
            "FailedPrepareDynamicResources",
            "Failed to prepare dynamic resources: NodePrepareResources: context deadline exceeded",
        ),
    ),
    "node-says": Planted(
        source="ours: a reason that nobody knows yet",
        job=unready("node-says"),
        pod_status=waiting("ContainerCreating"),
        told=("SomethingNew", "what a kubelet says tomorrow"),
    ),
    "container-busy": Planted(
        job=unready("container-busy"),
        pod_status=waiting(
            "CreateContainerError", 'failed to reserve container name "main_0": name is reserved'
        ),
    ),
    "node-was-new": Planted(
        job=unready("node-was-new"),
        pod_status=_refused(
            "NodeAffinity",
            "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node "
            "affinity/selector",
        ),
    ),
    "google-quota": _not_scaled("google-quota", "GCE quota exceeded"),
    "ip-space": _not_scaled("ip-space", "IP space exhausted"),
    "reservation-full": _not_scaled("reservation-full", "Reservation capacity exceeded"),
    "reservation-not-usable": _not_scaled("reservation-not-usable", "Invalid Reservation: "),
    "placement-refused": _not_scaled("placement-refused", "Unsupported Compact Placement Config"),
    "tpu-refused": _not_scaled("tpu-refused", "Invalid TPU topology: 4x4x4"),
    "service-account-deleted": _not_scaled(
        "service-account-deleted", "Service Account was deleted"
    ),
    "scale-up-failed": _not_scaled("scale-up-failed", "Internal error"),
    "pool-at-max": _not_scaled_for("pool-at-max", "3 max node group size reached"),
    "scale-up-backoff": _not_scaled_for("scale-up-backoff", "1 in backoff after failed scale-up"),
    "accelerator-memory": _says(
        "accelerator-memory", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20 MiB"
    ),
    "accelerator-busy": _says(
        "accelerator-busy", "TPU initialization failed: open(/dev/vfio/0): Device or resource busy"
    ),
    "collective-timeout": _says(
        "collective-timeout",
        "[E ProcessGroupNCCL.cpp:458] [Rank 0] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=96120, OpType=ALLREDUCE) ran for 1800600 milliseconds before timing out.",
        134,
    ),
    "driver-not-found": _says(
        "driver-not-found", "RuntimeError: Found no NVIDIA driver on your system."
    ),
    "driver-too-old": _says(
        "driver-too-old", "RuntimeError: The NVIDIA driver on your system is too old (found 12020)."
    ),
    "disk-full": _says("disk-full", "OSError: [Errno 28] No space left on device"),
    "name-not-resolved": _says(
        "name-not-resolved", "socket.gaierror: [Errno -3] Temporary failure in name resolution"
    ),
    "shared-memory": _says(
        "shared-memory",
        "RuntimeError: DataLoader worker (pid 41) is killed by signal: Bus error.",
        135,
    ),
    "illegal-instruction": _says(
        "illegal-instruction", "Shard process was signaled to shutdown with signal 4 rank=0"
    ),
    "silent": Planted(
        job=job("silent", annotations=ENDLESS),
        says="step 1 loss 2.1",
        said_at=_every_minute(200, 100),
    ),
}
