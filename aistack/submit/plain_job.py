"""A script on one node as a plain Job, which every cluster has, in place of a JobSet. Pure.

Source: kubernetes/kubernetes v1.35.4 pkg/apis/batch/types.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

from aistack.find import Found
from aistack.members import JOB_LABEL
from aistack.submit.parcel import Parcel
from components.jobs.job_set_manifest import NAME_LABEL, host_of_first
from kube.kinds import JOB, JOB_SET, NETWORK_POLICY
from kube.objects import JsonObject, maps, name_of

_SELF = "localhost"


def as_plain_job(parcel: Parcel) -> Parcel:
    """The same but for who looks after it. `parcel` has a JobSet of one pod."""
    assert parcel.work.kind == JOB_SET
    beside = tuple(
        Found(it.kind, _renamed(it.obj)) if it.kind == NETWORK_POLICY else it
        for it in parcel.beside
    )
    return replace(parcel, work=Found(JOB, _job(parcel.work.obj)), beside=beside)


def _job(job_set: JsonObject) -> JsonObject:
    spec = job_set["spec"]
    (only,) = maps(spec["replicatedJobs"])
    job = deepcopy(only["template"]["spec"])
    assert job["completions"] == 1
    first = host_of_first(name_of(job_set))
    for container in maps(job["template"]["spec"]["containers"]):
        for it in maps(container.get("env")):
            # The user's own may name it, too.
            if first in it.get("value", ""):
                it["value"] = it["value"].replace(first, _SELF)
    job["backoffLimit"] = spec["failurePolicy"]["maxRestarts"]
    # As a JobSet that starts again: a machine that goes away counts for nothing.
    for rule in job["podFailurePolicy"]["rules"]:
        rule["action"] = "Ignore"
    queued = {"suspend": True} if spec.get("suspend") else {}
    return {**job_set, "apiVersion": JOB.api_version, "kind": JOB.name, "spec": {**queued, **job}}


def _renamed(policy: Any) -> Any:
    """By the label that pods of a plain Job have."""
    if isinstance(policy, Mapping):
        return {JOB_LABEL if key == NAME_LABEL else key: _renamed(it) for key, it in policy.items()}
    return [_renamed(it) for it in policy] if isinstance(policy, list) else policy
