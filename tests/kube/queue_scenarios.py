"""The table of what queues do over time: its rows, their objects, and what is seen of them."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.base.pod_manifest import gpu_tolerations
from components.jobs.fine_tune import fine_tune_spec
from components.queues.manifest import flavor_spec
from components.servers.manifest import Rollout, deployment_spec
from components.teams.quota import queued_defaults_spec
from kube.objects import JsonObject, Ref, dig, labels_of, maps, name_of
from sandbox.kube.store import owner_of
from stacks.config import validate
from tests.conftest import changed
from tests.parts.samples import BARE
from tests.unit.inference_samples import TGI
from tests.unit.kueue_samples import KUEUE, PRIORITY, QUEUE, flavor, namespace, quota
from tests.unit.memory_kube_samples import asking, container, make
from tests.unit.test_fine_tune_manifest import PODS as TUNING

FLAVORS = ("one", "two")
GPUS_OF_NODE = 2
_ENDS = "pod-terminate.stage.kwok.x-k8s.io/delay"
_SCENARIO = "scenario"
PRIORITIES = {"low": 1, "middle": 2, "high": 3}
ELASTIC = "kueue.x-k8s.io/elastic-job"


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """`prefix` is before all its names, so that many of them have one cluster. `pools` are those of
    a config, each with a flavor as the program writes it; `nodes` are machines of theirs."""

    name: str
    prefix: str
    pools: Mapping[str, Mapping[str, Any]]
    nodes: Mapping[str, str]
    steps: Sequence[Mapping[str, Any]]

    def ground(self) -> list[JsonObject]:
        """Its own namespace, flavors and nodes."""
        flavors = [
            flavor(self._flavor(name), **self._flavor_spec(name, pool))
            for name, pool in self.pools.items()
        ]
        nodes = [self._node(name, pool) for name, pool in self.nodes.items()]
        return [namespace(self.prefix), *flavors, *nodes]

    def made(self, step: Mapping[str, Any]) -> list[JsonObject]:
        queues = step.get("queues") or {}
        found = [it for name, spec in queues.items() for it in self._queue(name, dict(spec))]
        return found + [self._workload(*it) for it in (step.get("workloads") or {}).items()]

    def _flavor(self, name: str) -> str:
        return f"{self.prefix}-{name}" if name in self.pools else name

    def _flavor_spec(self, name: str, pool: Mapping[str, Any]) -> JsonObject:
        """Of a pool whose nodes have a taint of the scenario's, which keeps other pods away."""
        own = {"key": _SCENARIO, "value": self.prefix}
        gpus = {} if "topology" in pool else {"machine_type": "g2-standard-24", "nodes": 1}
        machines = {**gpus, **pool, "taints": [own]}
        pools = {"cpu": {"machine_type": "e2-standard-4", "nodes": 1}, "own": machines}
        frameworks = ["pod", "ray.io/raycluster"]
        queues = {"flavors": {"own": {"pool": "own"}}, "frameworks": frameworks}
        if machines.get("capacity", {}).get("mode") == "queued":
            queues |= {
                "admission_checks": {"dws": {}},
                "cluster_queues": {"cluster-queue": {"admission_checks": ["dws"]}},
            }
        found = validate(changed(BARE, zone="us-central1-b", pools=pools, queues=queues)).queues
        assert found is not None
        labels = {"pool": self._flavor(name)}
        tolerations, taints = found.tolerations("own"), found.taints("own")
        return flavor_spec(node_labels=labels, taints=taints, tolerations=tolerations)

    def _node(self, name: str, pool: str) -> JsonObject:
        """With the taints of GKE's on nodes with these accelerators."""
        device = "google.com/tpu" if "topology" in self.pools[pool] else "nvidia.com/gpu"
        room = {"cpu": "8", "memory": "64Gi", "pods": "110", device: str(GPUS_OF_NODE)}
        found = make("Node", f"{self.prefix}-{name}")
        found["metadata"]["labels"] = {"pool": self._flavor(pool)}
        found["metadata"]["annotations"] = {"kwok.x-k8s.io/node": "fake"}
        effect = {"effect": "NoSchedule"}
        taints = [
            {"key": device, "value": "present", **effect},
            {"key": _SCENARIO, "value": self.prefix, **effect},
        ]
        return {
            **found,
            "spec": {"taints": taints},
            "status": {"capacity": room, "allocatable": room},
        }

    def gone(self, step: Mapping[str, Any]) -> list[Ref]:
        jobs = [make("Job", f"{self.prefix}-{it}", "batch/v1") for it in step.get("gone") or ()]
        return [Ref.of(self._in_namespace(it)) for it in jobs]

    def ended(self, step: Mapping[str, Any], pods: Sequence[JsonObject]) -> list[JsonObject]:
        """Pods that take their time to end, and now have it behind them."""
        return [it for name in step.get("ended") or () for it in self._pods(name, pods)]

    def fallen(
        self, step: Mapping[str, Any], pods: Sequence[JsonObject]
    ) -> list[tuple[Ref, JsonObject]]:
        """Status of each running pod that a step ends: on a machine that is `lost`, or by the code
        with which its container `fails`."""
        found: list[tuple[Ref, JsonObject]] = []
        for name, index in (step.get("lost") or {}).items():
            found += [(Ref.of(it), _LOST) for it in self._running(name, pods, index)]
        for name, codes in (step.get("fails") or {}).items():
            for index, code in codes.items():
                found += [
                    (Ref.of(it), _failed(it, code)) for it in self._running(name, pods, index)
                ]
        return found

    def _queue(self, name: str, given: dict[str, Any]) -> list[JsonObject]:
        team, defaults = given.pop("team", False), given.pop("defaults", False)
        limits = {
            it: str(given.pop(it)) for it in ("borrowingLimit", "lendingLimit") if it in given
        }
        quotas: dict[str, int] = given.pop("flavors", None) or {"one": given.pop("quota")}
        device = "google.com/tpu" if given.pop("chips", False) else "nvidia.com/gpu"
        cpus = [quota("cpu", str(given.pop("cpus")))] if "cpus" in given else []
        cpus += [quota("memory", given.pop("memory"))] if "memory" in given else []
        flavors = [
            {"name": self._flavor(it), "resources": [quota(device, str(amount), **limits), *cpus]}
            for it, amount in quotas.items()
        ]
        covered = [device, *(it["name"] for it in cpus)]
        group = {"coveredResources": covered, "flavors": flavors}
        if "cohort" in given:
            given["cohortName"] = f"{self.prefix}-{given.pop('cohort')}"
        spec = {"namespaceSelector": {}, "resourceGroups": [group], **given}
        full = f"{self.prefix}-{name}"
        names = [full, *(["default"] if team else [])]
        local = [make("LocalQueue", it, KUEUE, spec={"clusterQueue": full}) for it in names]
        queue = make("ClusterQueue", full, KUEUE, spec=spec)
        ranges = [make("LimitRange", "defaults", spec=queued_defaults_spec())] if defaults else []
        return [queue, *map(self._in_namespace, [*local, *ranges])]

    def _workload(self, name: str, given: Mapping[str, Any]) -> JsonObject:
        full = f"{self.prefix}-{name}"
        made = _elastic(full, given["workers"]) if "workers" in given else _of_kind(full, given)
        labels = {QUEUE: f"{self.prefix}-{given['queue']}"} if "queue" in given else {}
        labels |= {PRIORITY: given["priority"]} if "priority" in given else {}
        made["metadata"]["labels"] = labels
        return self._in_namespace(made)

    def _in_namespace(self, manifest: JsonObject) -> JsonObject:
        return {**manifest, "metadata": {**manifest["metadata"], "namespace": self.prefix}}

    def seen(self, step: Mapping[str, Any], objects: Sequence[JsonObject]) -> dict[str, str]:
        """The states that a step speaks of, by the workloads and queues that there are."""
        states = {it: self._state(it, objects) for it in step.get("states") or {}}
        pods = {f"pods of {it}": self._places(it, objects) for it in step.get("pods") or {}}
        used = {f"used of {it}": self._used(it, objects) for it in step.get("used") or {}}
        return states | pods | used

    def _state(self, name: str, objects: Sequence[JsonObject]) -> str:
        own = [it for it in objects if it["kind"] == "Workload" and self._is_of(name, owner_of(it))]
        return " and ".join(sorted(filter(None, map(_state, own))))

    def _is_of(self, name: str, owner: Mapping[str, Any]) -> bool:
        """A workload of a pod that a controller made begins with the controller's name."""
        full = f"{self.prefix}-{name}"
        return owner.get("name") == full or str(owner.get("name")).startswith(f"{full}-")

    def _pods(self, name: str, pods: Sequence[JsonObject]) -> list[JsonObject]:
        own = [it for it in pods if it["kind"] == "Pod" and self._is_of(name, it["metadata"])]
        return sorted(own, key=name_of)

    def _running(self, name: str, pods: Sequence[JsonObject], index: int) -> list[JsonObject]:
        own = [it for it in self._pods(name, pods) if _place(it).startswith("Running")]
        indexes = [int(labels_of(it).get(_INDEX, 0)) for it in own]
        return [it for it, at in zip(own, indexes, strict=True) if at == index]

    def _places(self, name: str, objects: Sequence[JsonObject]) -> str:
        places = map(_place, self._pods(name, objects))
        return ", ".join(sorted(it.replace(f"{self.prefix}-", "") for it in places))

    def _used(self, name: str, objects: Sequence[JsonObject]) -> str:
        (queue,) = [it for it in objects if name_of(it) == f"{self.prefix}-{name}"]
        usage = maps(dig(queue, "status", "flavorsUsage"))
        return str(sum(int(one["total"]) for it in usage for one in maps(it["resources"])))


def wanted(step: Mapping[str, Any]) -> dict[str, str]:
    """A regular expression for each state that is seen."""
    used = {f"used of {name}": f"{gpus}$" for name, gpus in (step.get("used") or {}).items()}
    pods = {f"pods of {name}": f"{it}$" for name, it in (step.get("pods") or {}).items()}
    return {**(step.get("states") or {}), **pods, **used}


def _place(pod: JsonObject) -> str:
    """Phase and node of a pod that has not ended; none of one that has."""
    metadata, phase = pod["metadata"], dig(pod, "status", "phase")
    if phase in ("Failed", "Succeeded"):
        return ""
    if metadata.get("deletionTimestamp"):
        return "ending"
    return f"{phase} on {pod['spec']['nodeName']}" if pod["spec"].get("nodeName") else str(phase)


_INDEX = "batch.kubernetes.io/job-completion-index"
# As the kubelet says on a machine that is shut down.
_LOST = {
    "phase": "Failed",
    "conditions": [
        {"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet"}
    ],
}


def _failed(pod: JsonObject, code: int) -> JsonObject:
    (container,) = pod["spec"]["containers"]
    ended = {"terminated": {"exitCode": code, "reason": "Error"}}
    status = {"name": container["name"], "image": container["image"], "state": ended}
    status |= {"ready": False, "restartCount": 0, "imageID": ""}
    return {"phase": "Failed", "containerStatuses": [status]}


def _state(workload: JsonObject) -> str:
    conditions = {it["type"]: it for it in maps(dig(workload, "status", "conditions"))}
    true = {kind for kind, it in conditions.items() if it["status"] == "True"}
    if "Finished" in true:
        return ""
    if "Admitted" in true:
        sets = maps(dig(workload, "status", "admission", "podSetAssignments"))
        flavors = {flavor for one in sets for flavor in (one.get("flavors") or {}).values()}
        return f"admitted to {' and '.join(sorted(flavors))}"
    if "Evicted" in true:
        said = [conditions[it]["reason"] for it in ("Evicted", "Preempted") if it in true]
        return f"evicted: {', '.join(said)}"
    if "QuotaReserved" in conditions:
        why = conditions["QuotaReserved"]
        return f"pending, {why['reason']}: {why['message']}"
    return "new"


def _of_kind(name: str, given: Mapping[str, Any]) -> JsonObject:
    """A Job of one pod, or what the scenario says of another kind; `tuning` is that of the
    program, with so many pods."""
    if "tuning" in given:
        return make("Job", name, "batch/v1", spec=_tuning(name, given["tuning"]))
    amounts = {"gpu": str(given["gpus"])} if given.get("gpus") else {}
    amounts |= {"cpu": str(given["cpus"])} if "cpus" in given else {}
    amounts |= {"google.com/tpu": str(given["chips"])} if "chips" in given else {}
    spec: JsonObject = {"containers": [container(resources=asking(**amounts))]}
    annotations = {_ENDS: "never"} if given.get("lingers") else {}
    annotations |= {"revision": str(given["revision"])} if "revision" in given else {}
    labels = {"app": name}
    kind = given.get("kind", "Job")
    if kind == "Pod":
        return make("Pod", name, spec=spec)
    ranked = {PRIORITY: given["priority"]} if kind == "Deployment" and "priority" in given else {}
    metadata = {"annotations": annotations, "labels": {**labels, **ranked}}
    template = {"metadata": metadata, "spec": spec}
    if kind == "Deployment":
        rollout = Rollout(given.get("rollout", Rollout.SURGE))
        strategy = deployment_spec(TGI, replicas=1, rollout=rollout)["strategy"]
        selected = {"selector": {"matchLabels": labels}, "strategy": strategy}
        return make(kind, name, "apps/v1", spec={**selected, "template": template})
    if given.get("tolerates"):
        spec["tolerations"] = gpu_tolerations()
    spec["restartPolicy"] = "Never"
    return make("Job", name, "batch/v1", spec={"suspend": True, "template": template})


def _tuning(name: str, pods: int) -> JsonObject:
    """The program's, with no volumes that no machine here has, and of which one failure counts."""
    args = replace(TUNING, job_name=name, pods=pods, gpus=1, node_selector={}, backoff_limit=0)
    spec = fine_tune_spec(args, file_name="launch.sh", config_map="script")
    pod = spec["template"]["spec"]
    del pod["volumes"], pod["priorityClassName"], pod["serviceAccountName"]
    (only,) = pod["containers"]
    only |= {"volumeMounts": [], "env": [], "resources": asking(gpu="1")}
    return spec


def _elastic(name: str, workers: int) -> JsonObject:
    def template(**amounts: str) -> JsonObject:
        containers = [container("ray", resources=asking(**amounts))]
        return {"spec": {"containers": containers, "schedulingGates": [{"name": ELASTIC}]}}

    group = {
        "groupName": "workers",
        "replicas": workers,
        "minReplicas": 0,
        "maxReplicas": 9,
        "rayStartParams": {},
        "template": template(gpu="1"),
    }
    spec = {
        "rayVersion": "2.54.0",
        "enableInTreeAutoscaling": True,
        # Kueue counts the autoscaler's container in the head.
        "autoscalerOptions": {"resources": {}},
        "headGroupSpec": {"rayStartParams": {}, "template": template()},
        "workerGroupSpecs": [group],
    }
    made = make("RayCluster", name, "ray.io/v1", spec=spec)
    made["metadata"]["annotations"] = {ELASTIC: "true"}
    return made


def ground() -> list[JsonObject]:
    """What all scenarios share, beside Kueue."""
    ranks = [
        make("WorkloadPriorityClass", name, KUEUE, value=value)
        for name, value in PRIORITIES.items()
    ]
    return [*map(flavor, FLAVORS), *ranks]


def resized(live: JsonObject, made: JsonObject) -> JsonObject | None:
    """What Ray's autoscaler would write into a cluster that is there; None where it is not one."""
    if made["kind"] != "RayCluster":
        return None
    (group,) = copy.deepcopy(live["spec"]["workerGroupSpecs"])
    group["replicas"] = made["spec"]["workerGroupSpecs"][0]["replicas"]
    return {"spec": {"workerGroupSpecs": [group]}}


def scenarios() -> list[Any]:
    rows = yaml.safe_load((Path(__file__).with_suffix(".yaml")).read_text())
    found = [
        Scenario(
            name=row["name"],
            prefix=f"s{number}",
            pools=row.get("pools") or {},
            nodes=row.get("nodes") or {},
            steps=row["steps"],
        )
        for number, row in enumerate(rows)
    ]
    return [pytest.param(it, id=it.name) for it in found]
