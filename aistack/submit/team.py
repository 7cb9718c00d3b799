"""A job in a team's namespace: its queue, its pods' account, and what it has of the stack."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from aistack.errors import VerbError
from aistack.exit_codes import ExitCode
from aistack.find import Found
from aistack.job import pod_groups
from aistack.kinds import NETWORK_POLICY, RAY_JOB
from aistack.submit.parcel import Parcel
from components.queue_labels import QUEUE_LABEL
from sandbox.kube.objects import JsonObject, maps
from sandbox.kube.text import nearest

Values = Mapping[str, Any]


def for_team(team: str, values: Values, job: Values) -> tuple[dict[str, Any], dict[str, Any]]:
    """Config and job by which the rules judge it as if it were in the stack's own namespace: in a
    queue that leads where the team's does, with the buckets that are the team's. Raises
    VerbError."""
    teams: Mapping[str, Any] = values.get("teams") or {}
    if team not in teams:
        near = nearest(team, teams) if teams else "; nearest: leave it out, for there are no teams"
        raise VerbError(f'--team: "{team}" is no team of this stack{near}', ExitCode.NOT_FOUND)
    if "ray" in job or job.get("type") != "script":
        raise VerbError(
            "--team: what runs on a RayCluster of the stack runs in that one's namespace; "
            "nearest: --image, --cpu and --memory, for pods of its own",
            ExitCode.USAGE,
        )
    one = teams[team] or {}
    judged = {**job, "mounts": list(one.get("buckets") or {})}
    behind = one.get("queue")
    if behind is None:
        return dict(values), judged
    queues = values["queues"]
    doors = [*(queues.get("local_queues") or []), {"name": team, "cluster_queue": behind}]
    own = {it["name"]: it for it in reversed(doors) if it.get("namespace") is None}
    name = next(it["name"] for it in own.values() if it["cluster_queue"] == behind)
    with_door = {
        **queues,
        "local_queues": [it for it in doors if it.get("namespace")] + [*own.values()],
    }
    return {**values, "queues": with_door}, {**judged, "queue": name}


def moved(parcel: Parcel, team: str, account: str) -> Parcel:
    """Into the team's namespace, whose own policies say who reaches its pods. Raises VerbError
    where the job holds on to something of the stack's namespace."""
    assert parcel.work.kind != RAY_JOB
    beside = [_moved(it, team, account) for it in parcel.beside if it.kind != NETWORK_POLICY]
    return Parcel(_moved(parcel.work, team, account), tuple(beside))


def _moved(found: Found, team: str, account: str) -> Found:
    obj = deepcopy(found.obj)
    metadata = obj["metadata"]
    metadata["namespace"] = team
    if QUEUE_LABEL in metadata["labels"]:
        metadata["labels"][QUEUE_LABEL] = team
    if "spec" in obj:
        for _, pod in pod_groups(found.kind, obj):
            _belong(pod, team, account)
    return Found(found.kind, obj)


def _belong(pod: JsonObject, team: str, account: str) -> None:
    claims = [it["name"] for it in maps(pod.get("volumes")) if "persistentVolumeClaim" in it]
    if claims:
        raise VerbError(
            f"--team: {', '.join(claims)} is a claim of the stack's namespace, which pods of "
            f"{team} cannot mount; nearest: a bucket without a claim"
        )
    pod["serviceAccountName"] = account
    for container in (*maps(pod.get("initContainers")), *maps(pod["containers"])):
        # The stack's Secret is in the stack's namespace.
        container["env"] = [
            it for it in maps(container.get("env")) if "secretKeyRef" not in it.get("valueFrom", {})
        ]
