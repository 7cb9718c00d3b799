"""A job in a team's namespace: its queue, its pods' account, and what it has of the stack."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from copy import deepcopy
from typing import Any, cast

from aistack.errors import VerbError
from aistack.exit_codes import ExitCode
from aistack.find import Found
from aistack.submit.parcel import Parcel, with_own_templates
from components.queues.labels import QUEUE_LABEL
from components.servers.engine import PORT
from kube.jobs import pod_groups
from kube.kinds import NETWORK_POLICY, RAY_JOB
from kube.objects import JsonObject, dig, maps
from kube.text import nearest
from stacks.parts.jobs.script import SERVER_VARIABLE
from stacks.parts.queues.config import StackQueues
from stacks.secret_references import SecretKey, named_secret
from stacks.stack import Stack

Values = Mapping[str, Any]


def for_team(
    team: str, values: Values, job: Values, asked: Collection[str] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Config and job by which the rules judge it as if it were in the stack's own namespace: in a
    queue that leads where the team's does, with the buckets and Secrets that are the team's.
    `asked` are fields that the user names, and not the job that it is like. Raises VerbError."""
    teams: Mapping[str, Any] = values.get("teams") or {}
    if team not in teams:
        near = nearest(team, teams) if teams else "; nearest: leave it out, for there are no teams"
        raise VerbError(f'--team: "{team}" is no team of this stack{near}', ExitCode.NOT_FOUND)
    _check(team, values, job, asked)
    one = teams[team] or {}
    judged = {key: it for key, it in job.items() if key != "queue"}
    judged["mounts"] = list(one.get("buckets") or {})
    if shared := _shared_secrets(one.get("secrets"), job):
        judged["secrets"] = [*shared, *(job.get("secrets") or ())]
    behind = one.get("queue")
    if behind is None:
        return dict(values), judged
    queues, door = _with_door(team, behind, values)
    return {**values, "queues": queues}, {**judged, "queue": door}


def moved(
    parcel: Parcel,
    team: str,
    account: str,
    there: Iterable[JsonObject] = (),
    secrets: Collection[SecretKey] = (),
) -> Parcel:
    """Into the team's namespace, whose own policies say who reaches its pods. Of the templates that
    its pods claim devices by, which are among what is `there`, the job brings its own. `secrets`
    are keys of Secrets of the team's namespace. Raises VerbError where it holds on to something
    else of the stack's namespace."""
    assert parcel.work.kind != RAY_JOB
    beside = [
        _moved(it, team, account, secrets) for it in parcel.beside if it.kind != NETWORK_POLICY
    ]
    work = _moved(parcel.work, team, account, secrets)
    return with_own_templates(Parcel(work, tuple(beside)), there)


def _check(team: str, values: Values, job: Values, asked: Collection[str]) -> None:
    if "ray" in job or job.get("type") != "script":
        raise VerbError(
            "--team: what runs on a RayCluster of the stack runs in that one's namespace; "
            "nearest: --image, --cpu and --memory, for pods of its own",
            ExitCode.USAGE,
        )
    if "queue" in asked and job["queue"] != team:
        raise VerbError(
            f'--queue: "{job["queue"]}" is no queue of the team {team}, whose config says where '
            "its jobs wait; nearest: leave it out",
            ExitCode.USAGE,
        )
    server, home = job.get("server"), _home(values)
    if server is not None:
        raise VerbError(
            f"server: {server} has that name, as {SERVER_VARIABLE} says it, in the stack's "
            "namespace alone; nearest: --set server=null "
            f"--env {SERVER_VARIABLE}=http://{server}.{home}:{PORT}",
            ExitCode.USAGE,
        )


def _shared_secrets(of_team: Any, job: Values) -> list[str]:
    """Those of the team's whose variables the job has from nowhere else."""
    own, environment = job.get("secrets") or [], job.get("environment") or {}
    # What is none is refused in the words of the config.
    if not isinstance(of_team, list) or not isinstance(own, list):
        return []
    references = [str(it) for it in cast("list[Any]", own)]
    said = {
        *environment,
        *(key for it in references if (key := named_secret(it).variable) is not None),
    }
    each = [str(it) for it in cast("list[Any]", of_team)]
    return [it for it in each if it not in references and named_secret(it).variable not in said]


def _with_door(team: str, behind: str, values: Values) -> tuple[dict[str, Any], str]:
    """The queues with a door in the stack's namespace that leads where the team's does, and its
    name."""
    queues, home = values["queues"], _home(values)
    doors = StackQueues.model_validate(queues).local_queues
    there = {it.name: it.cluster_queue for it in doors if it.namespace in (None, home)}
    names = [team, *(f"team-{it}" for it in range(len(there)))]
    name = next((it for it in there if there[it] == behind), None) or next(
        it for it in names if it not in there
    )
    added = [] if name in there else [{"name": name, "cluster_queue": behind}]
    shared = dict(queues.get("cluster_queues") or {})
    let_in = (shared.get(behind) or {}).get("namespaces")
    if let_in:
        shared[behind] = {**shared[behind], "namespaces": [*dict.fromkeys((*let_in, home))]}
    judged = {**queues, "local_queues": [*(it.model_dump() for it in doors), *added]}
    return {**judged, **({"cluster_queues": shared} if let_in else {})}, name


def _home(values: Values) -> str:
    return values.get("namespace", Stack.model_fields["namespace"].default)


def _moved(found: Found, team: str, account: str, secrets: Collection[SecretKey]) -> Found:
    obj = deepcopy(found.obj)
    metadata = obj["metadata"]
    metadata["namespace"] = team
    if QUEUE_LABEL in metadata["labels"]:
        metadata["labels"][QUEUE_LABEL] = team
    if "spec" in obj:
        for _, pod in pod_groups(found.kind, obj):
            _belong(pod, team, account, secrets)
    return Found(found.kind, obj)


def _belong(pod: JsonObject, team: str, account: str, secrets: Collection[SecretKey]) -> None:
    claims = [it["name"] for it in maps(pod.get("volumes")) if "persistentVolumeClaim" in it]
    if claims:
        raise VerbError(
            f"--team: {', '.join(claims)} is a claim of the stack's namespace, which pods of "
            f"{team} cannot mount; nearest: a bucket without a claim"
        )
    pod["serviceAccountName"] = account
    for container in (*maps(pod.get("initContainers")), *maps(pod["containers"])):
        # The stack's Secret is in the stack's namespace, and the team's may be called like it.
        container["env"] = [
            it
            for it in maps(container.get("env"))
            if (of := dig(it, "valueFrom", "secretKeyRef")) is None
            or (of["name"], of["key"]) in secrets
        ]
