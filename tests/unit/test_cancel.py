"""What `cancel` does with a job that has ended: it takes away what was submitted, and no more."""

from __future__ import annotations

import pytest

from aistack.cancel import cancel
from aistack.cluster import Cluster
from aistack.find import Found
from aistack.job import MANAGER
from components.base.labels import MANAGED_BY, STACK
from kube.kinds import JOB_SET, Kind


class _Cluster(Cluster):
    """Remembers what is deleted."""

    def __init__(self) -> None:
        self.deleted: list[tuple[Kind, str, str]] = []

    def delete(self, kind: Kind, namespace: str, name: str) -> bool:
        self.deleted.append((kind, namespace, name))
        return True


def job_set(labels: dict[str, str], ended: str | None) -> Found:
    conditions = [] if ended is None else [{"type": ended, "status": "True"}]
    metadata = {"name": "mine", "namespace": "default", "uid": "1", "labels": labels}
    metadata["creationTimestamp"] = "2026-11-23T12:00:00Z"
    status = {"conditions": conditions}
    spec = {"replicatedJobs": []}
    return Found(JOB_SET, {"metadata": metadata, "spec": spec, "status": status})


SUBMITTED = {MANAGED_BY: MANAGER, STACK: "lab"}
OF_THE_STACK = {MANAGED_BY: "pulumi", STACK: "lab"}


@pytest.mark.parametrize("ended", ["Completed", "Failed"])
def test_a_submitted_job_that_has_ended_is_taken_away(ended: str) -> None:
    cluster = _Cluster()
    said = cancel(cluster, job_set(SUBMITTED, ended))
    assert said == ("JobSet default/mine had ended; it is taken away, with what belongs to it")
    assert cluster.deleted == [(JOB_SET, "default", "mine")]


@pytest.mark.parametrize("labels", [OF_THE_STACK, {}])
def test_what_others_keep_stays_when_it_has_ended(labels: dict[str, str]) -> None:
    cluster = _Cluster()
    said = cancel(cluster, job_set(labels, "Completed"))
    assert said == "JobSet default/mine has succeeded already; nothing was stopped"
    assert cluster.deleted == []


@pytest.mark.parametrize("labels", [SUBMITTED, OF_THE_STACK, {}])
def test_a_job_that_runs_is_stopped_whose_it_may_be(labels: dict[str, str]) -> None:
    cluster = _Cluster()
    said = cancel(cluster, job_set(labels, None))
    assert said.startswith("JobSet default/mine is stopped, and its pods go")
    assert ("`pulumi up --refresh`" in said) == (labels == OF_THE_STACK)
    assert cluster.deleted == [(JOB_SET, "default", "mine")]
