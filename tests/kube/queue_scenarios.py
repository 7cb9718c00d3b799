"""The table of what queues do over time: its rows, their objects, and what is seen of them."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.kube.objects import JsonObject, Ref, dig, maps, name_of
from sandbox.kube.store import owner_of
from tests.unit.kueue_samples import KUEUE, NAMESPACE, PRIORITY, QUEUE, flavor, quota
from tests.unit.memory_kube_samples import asking, container, make

FLAVORS = ("one", "two")
PRIORITIES = {"low": 1, "middle": 2, "high": 3}
ELASTIC = "kueue.x-k8s.io/elastic-job"


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """`prefix` is before all its names, so that many of them have one cluster."""

    name: str
    prefix: str
    memory: bool
    steps: Sequence[Mapping[str, Any]]

    def made(self, step: Mapping[str, Any]) -> list[JsonObject]:
        queues = step.get("queues") or {}
        found = [it for name, spec in queues.items() for it in self._queue(name, dict(spec))]
        return found + [self._job(*it) for it in (step.get("workloads") or {}).items()]

    def gone(self, step: Mapping[str, Any]) -> list[Ref]:
        jobs = [make("Job", f"{self.prefix}-{it}", "batch/v1") for it in step.get("gone") or ()]
        return [Ref.of(_in_namespace(it)) for it in jobs]

    def _queue(self, name: str, given: dict[str, Any]) -> list[JsonObject]:
        limits = {
            it: str(given.pop(it)) for it in ("borrowingLimit", "lendingLimit") if it in given
        }
        quotas: dict[str, int] = given.pop("flavors", None) or {"one": given.pop("quota")}
        flavors = [
            {"name": it, "resources": [quota("nvidia.com/gpu", str(amount), **limits)]}
            for it, amount in quotas.items()
        ]
        group = {"coveredResources": ["nvidia.com/gpu"], "flavors": flavors}
        if "cohort" in given:
            given["cohortName"] = f"{self.prefix}-{given.pop('cohort')}"
        spec = {"namespaceSelector": {}, "resourceGroups": [group], **given}
        full = f"{self.prefix}-{name}"
        local = make("LocalQueue", full, KUEUE, spec={"clusterQueue": full})
        return [make("ClusterQueue", full, KUEUE, spec=spec), _in_namespace(local)]

    def _job(self, name: str, given: Mapping[str, Any]) -> JsonObject:
        full = f"{self.prefix}-{name}"
        made = _elastic(full, given["workers"]) if "workers" in given else _job(full, given)
        made["metadata"]["labels"] = {QUEUE: f"{self.prefix}-{given['queue']}"}
        if "priority" in given:
            made["metadata"]["labels"][PRIORITY] = given["priority"]
        return _in_namespace(made)

    def seen(self, step: Mapping[str, Any], objects: Sequence[JsonObject]) -> dict[str, str]:
        """The states that a step speaks of, by the workloads and queues that there are."""
        states = {it: self._state(it, objects) for it in step.get("states") or {}}
        return states | {f"used of {it}": self._used(it, objects) for it in step.get("used") or {}}

    def _state(self, name: str, objects: Sequence[JsonObject]) -> str:
        own = [it for it in objects if owner_of(it).get("name") == f"{self.prefix}-{name}"]
        states = [_state(it) for it in own if it["kind"] == "Workload"]
        return " and ".join(sorted(filter(None, states)))

    def _used(self, name: str, objects: Sequence[JsonObject]) -> str:
        (queue,) = [it for it in objects if name_of(it) == f"{self.prefix}-{name}"]
        usage = maps(dig(queue, "status", "flavorsUsage"))
        return str(sum(int(one["total"]) for it in usage for one in maps(it["resources"])))


def wanted(step: Mapping[str, Any]) -> dict[str, str]:
    """A regular expression for each state that is seen."""
    used = {f"used of {name}": f"{gpus}$" for name, gpus in (step.get("used") or {}).items()}
    return {**(step.get("states") or {}), **used}


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


def _in_namespace(manifest: JsonObject) -> JsonObject:
    return {**manifest, "metadata": {**manifest["metadata"], "namespace": NAMESPACE}}


def _job(name: str, given: Mapping[str, Any]) -> JsonObject:
    amounts = {"gpu": str(given["gpus"])}
    amounts |= {"cpu": str(given["cpus"])} if "cpus" in given else {}
    spec = {"restartPolicy": "Never", "containers": [container(resources=asking(**amounts))]}
    return make("Job", name, "batch/v1", spec={"suspend": True, "template": {"spec": spec}})


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
    """What all scenarios share, beside Kueue and the namespace."""
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


def scenarios(*, memory: bool = False) -> list[Any]:
    rows = yaml.safe_load((Path(__file__).with_suffix(".yaml")).read_text())
    found = [
        Scenario(
            name=row["name"],
            prefix=f"s{number}",
            memory=row.get("memory", False),
            steps=row["steps"],
        )
        for number, row in enumerate(rows)
    ]
    return [pytest.param(it, id=it.name) for it in found if it.memory or not memory]
