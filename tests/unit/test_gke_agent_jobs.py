"""Which pods of Jobs the agent has end; that kwok ends them is for a real control plane."""

from __future__ import annotations

from typing import Any, cast

import pytest

from kube.objects import JsonObject, Ref, name_of
from sandbox.gke.agent.jobs import ENDS_AFTER, end_job_pods
from sandbox.gke.agent.live import Live
from sandbox.kube.store import Store
from sandbox.live_kube.api import Api

LABEL = "kueue.x-k8s.io/queue-name"


class Recorder:
    """The API server's objects, and what is written to it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.ended: list[str] = []

    def get(self, ref: Ref) -> JsonObject | None:
        return self._store.find(ref)

    def patch(self, obj: JsonObject, change: JsonObject) -> JsonObject:
        assert ENDS_AFTER in change["metadata"]["annotations"]
        self.ended.append(name_of(obj))
        return obj

    def put(self, obj: JsonObject) -> None:
        """Nobody looks at it again."""


def obj(kind: str, api_version: str, name: str, **parts: Any) -> JsonObject:
    metadata = {"name": name, "namespace": "llm", "labels": parts.pop("labels", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}


@pytest.mark.parametrize(
    ("kind", "api_version"), [("JobSet", "jobset.x-k8s.io/v1alpha2"), ("RayJob", "ray.io/v1")]
)
@pytest.mark.parametrize(("queue", "ended"), [({}, ["pod"]), ({LABEL: "lq"}, [])])
def test_pods_end_unless_what_their_job_belongs_to_is_in_a_queue(
    kind: str, api_version: str, queue: dict[str, str], ended: list[str]
) -> None:
    store = Store({})
    above = store.add(obj(kind, api_version, "run", labels=queue))
    job = store.add(obj("Job", "batch/v1", "job"), owner=above)
    store.add(obj("Pod", "v1", "pod", status={"phase": "Running"}), owner=job)
    found = Recorder(store)
    end_job_pods(cast(Api, found), cast(Live, found), store)
    assert found.ended == ended
