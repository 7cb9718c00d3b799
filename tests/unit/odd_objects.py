"""A cluster with one of each kind of object that the verbs read, and with one field that its owner
has written oddly: what the API server takes, for every field of its schema."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubernetes.client import ApiClient

from aistack.cluster import Cluster
from aistack.errors import LostError, VerbError
from aistack.stack import Stack
from components.base.labels import STACK
from components.queues.labels import QUEUE_LABEL
from kube import kinds
from kube.jobs import SERVER_LABEL
from kube.kinds import Kind
from kube.objects import JsonObject, dig
from sandbox.kube.schemas import findings

WHEN = "2026-11-23T11:00:00Z"
# What no number, time, amount, list or name is; and what is one, of a size that nobody has.
TEXTS = (
    "",
    "x",
    "it's",
    "-1",
    "1e999999999",
    "1e1.5",
    "9" * 5000,
    "[" * 100_000,
    "{}",
    "[1]",
    "\u0663",
)
NUMBERS = (-1, 0, 2**31 - 1)
_GIVEN = {
    ("apiVersion",),
    ("metadata",),
    ("kind",),
    ("metadata", "name"),
    ("metadata", "namespace"),
} | {("metadata", it) for it in ("uid", "creationTimestamp", "generation", "ownerReferences")}
Path = tuple[str | int, ...]


def _made(kind: Kind, spec: Any = None, status: Any = None, **metadata: Any) -> JsonObject:
    own = {
        "name": "x",
        "namespace": "red",
        "uid": f"{kind.name}-1",
        "generation": 1,
        "creationTimestamp": WHEN,
        "labels": {QUEUE_LABEL: "red", STACK: "lab"},
        "annotations": {"kueue.x-k8s.io/job-owner": "x"},
    }
    found = {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "metadata": {**own, **metadata},
        "spec": spec,
        "status": status,
    }
    return {key: it for key, it in found.items() if it is not None}


def _condition(kind: str, status: str = "True", **more: str) -> JsonObject:
    return {
        "type": kind,
        "status": status,
        "reason": "Said",
        "message": "it said so",
        "lastTransitionTime": WHEN,
        **more,
    }


_AMOUNTS = {"cpu": "1", "nvidia.com/gpu": "1"}
_POD_SPEC = {
    "restartPolicy": "Never",
    "nodeSelector": {"cloud.google.com/gke-nodepool": "l4"},
    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
    "volumes": [
        {"name": "data", "persistentVolumeClaim": {"claimName": "x"}},
        {
            "name": "bucket",
            "csi": {
                "driver": "gcsfuse.csi.storage.gke.io",
                "volumeAttributes": {"bucketName": "b"},
            },
        },
    ],
    "resourceClaims": [{"name": "gpu", "resourceClaimName": "x"}],
    "containers": [
        {
            "name": "main",
            "image": "python:3.12-slim",
            "command": ["python", "train.py"],
            "args": ["--checkpoints", "/data"],
            "env": [
                {"name": "A", "value": "1"},
                {"name": "T", "valueFrom": {"secretKeyRef": {"name": "x", "key": "a"}}},
            ],
            "ports": [{"name": "http", "containerPort": 8000}],
            "resources": {"requests": dict(_AMOUNTS), "limits": dict(_AMOUNTS)},
            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
        }
    ],
}
_TEMPLATE = {
    "metadata": {"labels": {SERVER_LABEL: "vllm", "app": "x"}, "annotations": {"a": "1"}},
    "spec": _POD_SPEC,
}
_JOB_SPEC = {
    "parallelism": 2,
    "completions": 2,
    "backoffLimit": 1,
    "completionMode": "Indexed",
    "template": _TEMPLATE,
}
_HEAD = {"rayStartParams": {"num-cpus": "1"}, "template": _TEMPLATE}
_RAY_SPEC = {
    "rayVersion": "2.54.0",
    "headGroupSpec": _HEAD,
    "workerGroupSpecs": [
        {
            "groupName": "gpu",
            "replicas": 1,
            "minReplicas": 1,
            "maxReplicas": 1,
            "numOfHosts": 1,
            **_HEAD,
        }
    ],
}


def _pod(name: str, of: Kind, phase: str) -> JsonObject:
    running = {"running": {"startedAt": WHEN}}
    ended = {
        "terminated": {
            "exitCode": 1,
            "reason": "Error",
            "message": "{}",
            "startedAt": WHEN,
            "finishedAt": WHEN,
        }
    }
    status = {
        "phase": phase,
        "conditions": [
            _condition("Ready", "True" if phase == "Running" else "False"),
            _condition("PodScheduled", "False" if phase == "Pending" else "True"),
        ],
        "containerStatuses": [
            {
                "name": "main",
                "image": "python:3.12-slim",
                "imageID": "",
                "ready": phase == "Running",
                "restartCount": 1,
                "state": ended if phase == "Failed" else running,
                "lastState": ended,
            }
        ],
    }
    labels = {
        "batch.kubernetes.io/job-name": "x",
        "batch.kubernetes.io/job-completion-index": "1",
        "jobset.sigs.k8s.io/job-global-index": "1",
        "jobset.sigs.k8s.io/jobset-name": "x",
        "ray.io/cluster": "x",
        "ray.io/node-type": "head",
        "ray.io/group": "gpu",
        "app": "x",
    }
    return _made(
        kinds.POD,
        {**_POD_SPEC, **({} if phase == "Pending" else {"nodeName": "a"})},
        status,
        name=name,
        labels=labels,
        annotations={
            "kubectl.kubernetes.io/default-container": "main",
            "networking.gke.io/interfaces": "[]",
        },
        ownerReferences=[
            {
                "apiVersion": of.api_version,
                "kind": of.name,
                "name": "x",
                "uid": f"{of.name}-1",
                "controller": True,
            }
        ],
    )


WORK: Mapping[Kind, JsonObject] = {
    kinds.JOB: _made(kinds.JOB, _JOB_SPEC, {"active": 1, "failed": 1, "ready": 1}),
    kinds.JOB_SET: _made(
        kinds.JOB_SET,
        {
            "failurePolicy": {"maxRestarts": 1},
            "replicatedJobs": [{"name": "w", "replicas": 1, "template": {"spec": _JOB_SPEC}}],
        },
        {"restarts": 1, "replicatedJobsStatus": [{"name": "w", "ready": 1, "succeeded": 0}]},
    ),
    kinds.RAY_JOB: _made(
        kinds.RAY_JOB,
        {
            "entrypoint": "python train.py",
            "backoffLimit": 1,
            "submissionMode": "HTTPMode",
            "clusterSelector": {"ray.io/cluster": "x"},
            "rayClusterSpec": _RAY_SPEC,
        },
        {
            "jobId": "x-1",
            "jobStatus": "RUNNING",
            "jobDeploymentStatus": "Running",
            "rayClusterName": "x",
            "dashboardURL": "x-head-svc.red.svc.cluster.local:8265",
            "message": "it runs",
            "failed": 1,
            "startTime": WHEN,
        },
    ),
    kinds.RAY_CLUSTER: _made(
        kinds.RAY_CLUSTER,
        _RAY_SPEC,
        {
            "readyWorkerReplicas": 1,
            "desiredWorkerReplicas": 1,
            "state": "ready",
            "head": {"serviceName": "x"},
            "conditions": [_condition("HeadPodReady")],
        },
    ),
    kinds.DEPLOYMENT: _made(
        kinds.DEPLOYMENT,
        {"replicas": 1, "selector": {"matchLabels": {"app": "x"}}, "template": _TEMPLATE},
        {
            "replicas": 1,
            "updatedReplicas": 1,
            "readyReplicas": 1,
            "observedGeneration": 1,
            "conditions": [_condition("Available")],
        },
    ),
}
_OTHERS: Sequence[JsonObject] = (
    _made(
        kinds.SERVICE,
        {
            "selector": {"app": "x"},
            "ports": [{"name": "dashboard", "port": 8265, "targetPort": "http"}],
        },
        annotations={"cloud.google.com/neg": '{"exposed_ports": {"80": {}}}'},
    ),
    _made(
        kinds.CLAIM,
        {
            "accessModes": ["ReadWriteMany"],
            "volumeName": "x",
            "storageClassName": "x",
            "resources": {"requests": {"storage": "1Gi"}},
        },
        {"phase": "Bound", "capacity": {"storage": "1Gi"}},
    ),
    _made(
        kinds.RESOURCE_CLAIM,
        {
            "devices": {
                "requests": [
                    {
                        "name": "gpu",
                        "exactly": {"deviceClassName": "gpu.nvidia.com", "count": 1},
                    }
                ]
            }
        },
    ),
    _made(kinds.CRON_JOB, {"schedule": "* * * * *", "jobTemplate": {"spec": _JOB_SPEC}}),
    _made(
        kinds.STATEFUL_SET,
        {
            "replicas": 1,
            "serviceName": "x",
            "selector": {"matchLabels": {"app": "x"}},
            "template": _TEMPLATE,
        },
    ),
    _made(
        kinds.REPLICA_SET,
        {"replicas": 1, "selector": {"matchLabels": {"app": "x"}}, "template": _TEMPLATE},
    ),
)
# A member writes none of these: what they say is their controllers'.
_GROUNDS: Sequence[JsonObject] = (
    _made(
        kinds.NODE,
        {},
        {
            "allocatable": {"cpu": "8", "nvidia.com/gpu": "1"},
            "conditions": [_condition("Ready")],
        },
        name="a",
        labels={"cloud.google.com/gke-nodepool": "l4"},
    ),
    _made(kinds.LOCAL_QUEUE, {"clusterQueue": "x"}, {"pendingWorkloads": 1}, name="red"),
    _made(kinds.CLUSTER_QUEUE, {"resourceGroups": []}, {"admittedWorkloads": 1}),
    _made(
        kinds.WORKLOAD,
        {"queueName": "red", "priority": 1, "podSets": []},
        {"conditions": [_condition("QuotaReserved", "False"), _condition("Evicted")]},
    ),
    _made(kinds.NAMESPACE, name="red"),
    {
        **_made(kinds.EVENT),
        "involvedObject": {"kind": "Pod", "name": "x-0"},
        "type": "Warning",
        "reason": "Said",
        "message": "it said so",
        "lastTimestamp": WHEN,
    },
)


def owned(kind: Kind, phase: str) -> list[JsonObject]:
    """What a member has in a cluster: a job, its pods, and what is beside them."""
    pods = [_pod(f"x-{it}", kind, phase) for it in range(2)]
    return copy.deepcopy([WORK[kind], *pods, *(it for it in _OTHERS if it["kind"] != kind.name)])


def oddities(obj: JsonObject) -> Sequence[tuple[Path, Any]]:
    """Fields of an object that its owner writes, each with what may stand there instead."""
    return [
        (path, odd)
        for path, value in _fields(obj, ())
        if path not in _GIVEN and path[:2] not in _GIVEN
        for odd in _instead(value)
    ]


def changed(obj: JsonObject, path: Path, odd: Any) -> JsonObject | None:
    """None where the API server refuses it."""
    found = copy.deepcopy(obj)
    _put(found, path, odd)
    # The schema of a pod does not ask for its spec; validation asks for its containers
    # (kubernetes/kubernetes v1.35.4 pkg/apis/core/validation/validation.go, validateContainers).
    is_empty = found.get("kind") == "Pod" and not dig(found, "spec", "containers")
    return None if is_empty or findings(found) else found


NOTHING = object()


def _instead(value: Any) -> Iterator[Any]:
    yield NOTHING
    if isinstance(value, str):
        yield from TEXTS
    elif isinstance(value, int) and not isinstance(value, bool):
        yield from NUMBERS
    elif isinstance(value, dict):
        yield {}
    elif isinstance(value, list):
        yield []


def _fields(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, each in inner:
        yield (*path, key), each
        yield from _fields(each, (*path, key))


def _put(obj: Any, path: Path, value: Any) -> None:
    *way, last = path
    for step in way:
        obj = obj[step]
    if value is NOTHING:
        del obj[last]
    else:
        obj[last] = value


class World(Cluster):
    """Of what is asked for, all of its kind, whichever labels it should have."""

    def __init__(self, objects: Sequence[JsonObject]) -> None:
        super().__init__(ApiClient(), "none")
        self._objects = [*objects, *_GROUNDS]

    def pages(self, kind: Kind, namespace: str = "", **_: Any) -> Iterator[JsonObject]:
        return (copy.deepcopy(it) for it in self._objects if it["kind"] == kind.name)

    def get(self, kind: Kind, namespace: str, name: str) -> JsonObject | None:
        return next((it for it in self.pages(kind) if it["metadata"]["name"] == name), None)

    def kinds(self) -> Iterator[Kind]:
        return iter([kinds.POD, kinds.JOB])

    def refusal(self, kind: Kind, namespace: str, obj: Mapping[str, Any]) -> str:
        return ""

    def version(self) -> str:
        return "v1.35.4"

    def log(self, *_: Any, **__: Any) -> Iterator[str]:
        odd = ("step 1", "0." * 100_000, "9999-99-99 99:99:99 INFO no day")
        return iter(["no time at all", "9999-99-99T99:99:99Z x", *(f"{WHEN} {it}" for it in odd)])

    def delete(self, kind: Kind, namespace: str, name: str) -> bool:
        return True

    def websocket(self, path: str, query: Sequence[tuple[str, str]]) -> Any:
        raise LostError("nobody answers")

    def _call(self, *_: Any, **__: Any) -> Any:
        raise VerbError("nothing else is asked")


def stack(resources: Sequence[Mapping[str, Any]] = ()) -> Stack:
    outputs = {"namespaces": ["red"], "cluster_name": "x"}
    kind = "pulumi:pulumi:Stack"
    root = {"urn": f"urn:pulumi:lab::gke-ai-stacks::{kind}::x", "type": kind, "outputs": outputs}
    return Stack(name="lab", resources=[root, *resources])
