"""Whoever may push a branch may write a state: what stands in it in the place of another type ends
a command in one line."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from aistack import stack as module
from aistack.errors import VerbError
from aistack.stack import Stack, selected_stack
from aistack.status.report import report
from aistack.status.snapshot import records
from kube.jobs import SERVER_LABEL
from kube.people.going import Going
from kube.people.networks import looking
from kube.people.work import Record
from recovery import report as recovery_report
from recovery.errors import RecoveryError
from recovery.pending import adopt_pending
from recovery.state import read
from recovery.state_shapes import StateError, checked
from stacks.refusal import NODE_POOL
from tests.unit.status_samples import pool, snapshot

Path = tuple[str | int, ...]
Resource = dict[str, Any]

ROOT = "pulumi:pulumi:Stack"
ODD: tuple[Any, ...] = (None, 7, "no\nnumber", 10**400, [None], {"a": 7})
_OBJECT = {"metadata": {"name": "it", "namespace": "red", "labels": {"stack": "lab"}}, "spec": {}}
_TEMPLATE = {
    "metadata": {"labels": {SERVER_LABEL: "vllm"}},
    "spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}]},
}
_JOB = {"parallelism": 1, "template": _TEMPLATE}
_RAY = {
    "headGroupSpec": {"template": _TEMPLATE},
    "workerGroupSpecs": [{"replicas": 1, "numOfHosts": 1, "template": _TEMPLATE}],
}
_POOL = {
    **pool(2, networks=1).inputs,
    "nodeLocations": ["us-central1-a"],
    "placementPolicy": {"tpuTopology": "2x2"},
    "queuedProvisioning": {"enabled": False},
}
_NODES = {
    "machineType": "unknown",
    "diskType": "pd-balanced",
    "diskSizeGb": 100,
    "labels": {"cloud.google.com/gke-networking-dra-driver": "true"},
    "guestAccelerators": [{"count": 1}],
    "reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION", "values": ["r"]},
    "maxRunDuration": "3600s",
}
PROPERTIES: Mapping[str, Any] = {
    ROOT: {
        "cluster_name": "lab",
        "project": "p",
        "cluster_location": "us-central1",
        "namespaces": ["red"],
        "operators": ["kueue"],
        "machines_after_jobs": ["l4"],
        "teams": {"red": "a queue"},
        "lustre_mount_point": "a@tcp:/b",
        "bucket_url": {"data": "gs://b"},
    },
    "gcp:container/nodePool:NodePool": {**_POOL, "nodeConfig": _NODES},
    "gcp:container/cluster:Cluster": {
        "minMasterVersion": "1.31.1-gke.1",
        "releaseChannel": {"channel": "EXTENDED"},
        "enableAutopilot": True,
        "addonsConfig": {"rayOperatorConfigs": [{"enabled": True}]},
        "resourceLabels": {"stack": "lab"},
    },
    "gcp:lustre/instance:Instance": {"capacityGib": 9000, "location": "us-central1-a"},
    "gcp:redis/instance:Instance": {"memorySizeGb": 1, "tier": "BASIC", "region": "us-central1"},
    "gcp:storage/bucket:Bucket": {"location": "US-CENTRAL1"},
    "gcp:compute/network:Network": {"name": "n", "project": "p"},
    "gcp:compute/routerNat:RouterNat": {"name": "n"},
    "kubernetes:helm.sh/v3:Release": {
        "chart": "kueue",
        "name": "kueue",
        "namespace": "kueue-system",
        "status": {"status": "pending-install"},
    },
    "kubernetes:core/v1:Namespace": _OBJECT,
    "kubernetes:core/v1:PersistentVolumeClaim": _OBJECT,
    "kubernetes:core/v1:PersistentVolume": {**_OBJECT, "spec": {"csi": {"driver": "lustre"}}},
    "kubernetes:core/v1:ResourceQuota": {**_OBJECT, "spec": {"hard": {"pods": "1"}}},
    "kubernetes:apps/v1:DaemonSet": _OBJECT,
    "kubernetes:networking.gke.io/v1:Network": _OBJECT,
    "kubernetes:batch/v1:Job": {**_OBJECT, "spec": _JOB},
    "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet": {
        **_OBJECT,
        "spec": {"replicatedJobs": [{"replicas": 1, "template": {"spec": _JOB}}]},
    },
    "kubernetes:apps/v1:Deployment": {**_OBJECT, "spec": {"replicas": 1, "template": _TEMPLATE}},
    "kubernetes:ray.io/v1:RayCluster": {**_OBJECT, "spec": _RAY},
    "kubernetes:ray.io/v1:RayJob": {**_OBJECT, "spec": {"rayClusterSpec": _RAY}},
}


def resource(token: str) -> Resource:
    urn = f"urn:pulumi:lab::gke-ai-stacks::{token}::it"
    inputs = copy.deepcopy(PROPERTIES[token])
    return {
        "urn": urn,
        "type": token,
        "custom": token != ROOT,
        "id": "projects/p/locations/l/clusters/c",
        "created": "2026-11-23T11:00:00Z",
        "parent": urn,
        "dependencies": [urn],
        "propertyDependencies": {"name": [urn]},
        "initErrors": ["half"],
        "inputs": {} if token == ROOT else inputs,
        "outputs": copy.deepcopy(inputs),
    }


def poisoned(token: str) -> Iterator[tuple[Path, Any, Resource]]:
    """The resource with each of its values in turn of another type."""
    found = resource(token)
    for path, value in _places(found, ()):
        for odd in ODD:
            if type(odd) is not type(value) or odd == ODD[3]:
                yield path, odd, _put(found, path, odd)


def _places(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Of a list its first alone."""
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1])
    for key, each in inner:
        yield (*path, key), each
        if isinstance(each, dict | list):
            yield from _places(each, (*path, key))


def _put(whole: Resource, path: Path, odd: Any) -> Resource:
    """Only the way to the place is copied."""
    step, *rest = path
    found: Any = whole.copy()
    found[step] = _put(found[step], tuple(rest), odd) if rest else odd
    return found


def shown(resources: list[Resource]) -> None:
    """What verbs make of a state."""
    stack = Stack(name="lab", resources=checked(resources))
    assert stack.namespaces == ["red"]
    assert stack.cluster_id.context
    Record.of(stack.resources)
    Going.of(stack.resources)
    list(looking(stack.resources))
    report(snapshot(*records(stack.resources), outputs=stack.outputs))


def recovered(it: Resource, kind: str) -> None:
    state = {"resources": [it], "pending_operations": [{"type": kind, "resource": it}]}
    deployment = read(json.dumps({"deployment": state}))["deployment"]
    adoption = adopt_pending(deployment)
    list(recovery_report.found(deployment, adoption))
    list(recovery_report.left("lab", adoption, deployment))


def refusals(token: str, run: Callable[[Resource], None]) -> list[str]:
    """Of the poisoned resources that are not taken. Any other error is one of the reader's."""
    said: list[str] = []
    for path, odd, it in poisoned(token):
        try:
            run(it)
        except (StateError, VerbError, RecoveryError) as error:
            said.append(str(error))
        except Exception as error:
            raise AssertionError(f"{token}: {path}: {str(odd)[:40]}") from error
    return said


@pytest.mark.parametrize("token", PROPERTIES)
def test_a_resource_of_which_something_is_of_another_type_is_refused_or_does_no_harm(
    token: str,
) -> None:
    others = [resource(it) for it in (ROOT, NODE_POOL) if it != token]
    shown([*others, resource(token)])
    said = refusals(token, lambda it: shown([*others, it]))
    assert said
    assert not any("\n" in it for it in said)


@pytest.mark.parametrize("kind", ["creating", "deleting"])
@pytest.mark.parametrize(
    "token",
    [
        NODE_POOL,
        "gcp:container/cluster:Cluster",
        "gcp:compute/network:Network",
        "kubernetes:helm.sh/v3:Release",
        "kubernetes:core/v1:Namespace",
    ],
)
def test_a_recovery_refuses_it_or_takes_no_harm(token: str, kind: str) -> None:
    recovered(resource(token), kind)
    said = refusals(token, lambda it: recovered(it, kind))
    assert said
    assert not any("\n" in it for it in said)


@pytest.mark.parametrize("resources", [7, "x", {"a": 7}, [None], [[]], ["x"], [{}], [{"urn": "x"}]])
def test_what_is_no_list_of_resources_is_refused(
    resources: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_pulumi", lambda *_: {"deployment": {"resources": resources}})
    with pytest.raises(VerbError, match=r"^--stack: \"lab\": the state is not as .* nearest: "):
        selected_stack("lab")


@pytest.mark.parametrize("exported", [None, [], 7, {}, {"deployment": None}, {"deployment": []}])
def test_a_stack_of_which_nothing_is_exported_has_no_cluster(
    exported: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_pulumi", lambda *_: exported)
    with pytest.raises(VerbError, match=r"has no cluster; nearest: "):
        selected_stack("lab")


def test_what_is_wrong_is_said_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    one = resource(NODE_POOL)
    one["inputs"]["nodeConfig"] = ["x"]
    state = {"deployment": {"resources": [one]}}
    monkeypatch.setattr(module, "_pulumi", lambda *_: state)
    place = r"resources\[0\] \(gcp:container/nodePool:NodePool, it\)\.inputs\.nodeConfig"
    with pytest.raises(VerbError, match=rf"{place} is no mapping; nearest: `pulumi up`"):
        selected_stack("lab")
