"""Queues as `status` shows those of a real Kueue: quota, who runs, who waits and why."""

from typing import Any

import pytest

from kube.objects import JsonObject
from sandbox.kube.queue_view import QueueView, queue_views
from sandbox.kube.store import Store
from tests.unit.kueue_samples import (
    KUEUE,
    changed,
    cluster_queue,
    fine_tune,
    in_llm,
    local_queue,
    make,
    quota,
    release,
)
from tests.unit.memory_kube_samples import pod

LACKS = "couldn't assign flavors to pod set main: insufficient unused quota"


def condition(kind: str, *, met: bool, message: str = "") -> JsonObject:
    return {"type": kind, "status": "True" if met else "False", "message": message}


def workload(name: str, status: JsonObject) -> JsonObject:
    made = in_llm(make("Workload", name, KUEUE, spec={"queueName": "lq", "priority": 20}))
    return {**made, "status": status}


@pytest.fixture
def store() -> Store:
    """A queue in a cohort that has borrowed a GPU; one workload has quota and one waits."""
    used = {"name": "nvidia.com/gpu", "total": "3", "borrowed": "1"}
    status = {
        "conditions": [condition("Active", met=True)],
        "flavorsUsage": [{"name": "l4", "resources": [used]}],
    }
    queue = cluster_queue(quotas=[quota("nvidia.com/gpu", "2")], cohortName="team")
    made = Store({})
    made.add(release())
    made.add({**queue, "status": status})
    made.add(local_queue())
    job = made.add(fine_tune())
    admission = {"admission": {"clusterQueue": "cluster-queue"}}
    reserved = {"conditions": [condition("QuotaReserved", met=True)]}
    made.add(workload("runs", admission | reserved), owner=job)
    lacking = {"conditions": [condition("QuotaReserved", met=False, message=LACKS)]}
    made.add(workload("waits", lacking))
    return made


def only(store: Store) -> QueueView:
    (found,) = queue_views(store)
    return found


def test_a_queue_is_shown_with_its_quota_and_what_is_used_and_borrowed(store: Store) -> None:
    found = only(store)
    assert (found.name, found.cohort, found.inactive) == ("cluster-queue", "team", "")
    (one,) = found.quotas
    assert (one.flavor, one.quota, one.used, one.borrowed) == ("l4", "2", "3", "1")


def test_who_runs_and_who_waits_are_shown_with_the_reason(store: Store) -> None:
    found = only(store)
    assert [(it.name, it.priority, it.reason) for it in found.admitted] == [("llm/runs", 20, "")]
    assert [(it.name, it.reason) for it in found.waiting] == [("llm/waits", LACKS)]


def test_a_queue_that_admits_nothing_says_why(store: Store) -> None:
    why = "Can't admit new workloads: references missing ResourceFlavor(s): l4."
    (queue,) = store.all("ClusterQueue")
    store.patch(queue, status={"conditions": [condition("Active", met=False, message=why)]})
    assert only(store).inactive == why


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (
            {"phase": "Pending"},
            "admitted, but 1 of 1 pods are not ready: Kueue stops it after 30m",
        ),
        ({"phase": "Succeeded"}, ""),
    ],
)
def test_what_is_admitted_and_never_ready_is_shown_with_what_comes_of_it(
    store: Store, status: dict[str, Any], reason: str
) -> None:
    (job,) = store.all("Job")
    made = changed(pod("finetune-0"), "llm", "metadata", "namespace")
    store.add({**made, "status": status}, owner=job)
    assert [it.reason for it in only(store).admitted] == [reason]
