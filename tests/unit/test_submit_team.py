"""Jobs that users submit into a team's namespace: its queue, and what is refused there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from aistack.errors import VerbError
from aistack.find import Found
from aistack.stack import Config
from aistack.submit.parcel import Parcel
from aistack.submit.preflight import Checked, checked
from aistack.submit.request import Request
from aistack.submit.team import for_team
from aistack.submit.team_limits import check_limits, short_of
from kube.jobs import pod_groups
from kube.kinds import JOB_SET, RESOURCE_CLAIM_TEMPLATE
from stacks.config import validate
from stacks.tokens import SECRETS
from tests.conftest import changed, stack_config

ALL_SECRETS = frozenset(SECRETS)
LAB = stack_config("lab")
JOB = {"type": "script", "image": "python:3.12-slim", "command": ["true"]}
SMALL = {"image": "python:3.12-slim", "requests": {"cpu": 1, "memory_gib": 2}}


def submitted(script: Path, config: Mapping[str, Any], team: str, **fields: Any) -> Checked:
    request = Request(name="mine", files=[script], team=team, fields={**SMALL, **fields})
    return checked(request, Config(config, ALL_SECRETS), (), "lab")


# The stack's own server waits in the queue `research` here.
LEADS_ELSEWHERE = {
    "queues__local_queues": [
        {"name": "serving", "cluster_queue": "research"},
        {"name": "research", "cluster_queue": "research"},
    ]
}
# As the rules of teams advise where nobody else waits.
TO_ITSELF = {
    "queues__local_queues": [{"name": "research", "cluster_queue": "research"}],
    "queues__cluster_queues__serving__namespaces": ["serving"],
    "servers": {},
}


@pytest.mark.parametrize("values", [LEADS_ELSEWHERE, TO_ITSELF], ids=["elsewhere", "to itself"])
def test_a_teams_job_waits_in_its_queue_whatever_doors_the_stack_has(
    script: Path, values: dict[str, Any]
) -> None:
    found = submitted(script, changed(LAB, **values), "serving", pool="l4", gpus=1)
    assert (found.parcel.namespace, found.parcel.queue) == ("serving", "serving")


def test_doors_of_a_stack_that_names_none_stay() -> None:
    queues = {"flavors": {"l4": {}}, "cluster_queues": {"cluster-queue": {}}}
    config = {"queues": queues, "teams": {"audio": {"queue": "cluster-queue"}}}
    values, job = for_team("audio", config, JOB)
    doors = [(it["name"], it["cluster_queue"]) for it in values["queues"]["local_queues"]]
    assert doors == [("lq", "cluster-queue")]
    assert job["queue"] == "lq"


def test_a_job_of_a_team_without_a_queue_waits_in_none() -> None:
    _, job = for_team("audio", {"teams": {"audio": {}}}, {**JOB, "queue": "research"})
    assert "queue" not in job


def test_a_queue_that_is_not_the_teams_is_refused_where_the_user_names_it() -> None:
    with pytest.raises(VerbError, match='--queue: "research" is no queue of the team serving'):
        for_team("serving", LAB, {**JOB, "queue": "research"}, asked=["image", "queue"])
    _, job = for_team("serving", LAB, {**JOB, "queue": "research"}, asked=["image"])
    assert job["queue"] == "serving"
    _, job = for_team("serving", LAB, {**JOB, "queue": "serving"}, asked=["queue"])
    assert job["queue"] == "serving"


def test_a_server_that_the_teams_pods_do_not_find_by_its_name_is_refused() -> None:
    with pytest.raises(VerbError) as refused:
        for_team("research", LAB, {**JOB, "server": "chat"})
    assert str(refused.value) == (
        "server: chat has that name, as SERVER_URL says it, in the stack's namespace alone; "
        "nearest: --set server=null --env SERVER_URL=http://chat.default:8000"
    )
    whole_name = {"SERVER_URL": "http://chat.default:8000"}
    _, job = for_team("research", LAB, {**JOB, "server": None, "environment": whole_name})
    assert validate(changed(LAB, jobs={"mine": {**job, **SMALL}}), secrets_set=ALL_SECRETS)


# Nothing of its pods is looked at for a quota.
EMPTY = Parcel(Found(JOB_SET, {"spec": {"replicatedJobs": []}}), ())


def refusal(config: Mapping[str, Any], parcel: Parcel = EMPTY, **fields: Any) -> list[str]:
    """What the namespace of the team research refuses of the job."""
    values, job = for_team("research", config, {**JOB, **SMALL, **fields})
    plan = validate({**values, "jobs": {"mine": job}}, secrets_set=ALL_SECRETS)
    try:
        check_limits(parcel, plan.teams["research"], plan.scripts["mine"])
    except VerbError as error:
        return str(error).splitlines()[1:]
    return []


CLASSES = {
    "queues__priorities": [{"name": "low", "value": 0, "preempts": False}],
    "queues__workload_priorities": [{"name": "soon", "value": 5}],
}


def test_a_priority_that_the_team_was_not_given_is_refused() -> None:
    asked: dict[str, Any] = {"priority": "low", "workload_priority": "soon"}
    assert refusal(changed(LAB, **CLASSES), **asked) == [
        'jobs.mine.workload_priority: "soon" is none of teams.research.priorities, and '
        "Kubernetes refuses it; nearest: low"
    ]
    assert not refusal(changed(LAB, **CLASSES, teams__research__priorities=["soon"]), **asked)


def test_pods_that_mount_folders_of_a_node_are_refused_where_baseline_holds(script: Path) -> None:
    fields = {"pool": "h200", "gpus": 8}
    with pytest.raises(VerbError) as refused:
        submitted(script, LAB, "research", **fields)
    assert (
        "jobs.mine.gpus: for RDMA pods with 8 GPUs mount folders of their node (nvidia, gib), "
        "which teams.research.pod_security, baseline, refuses; nearest: "
        "teams.research.pod_security: privileged in the stack's config"
    ) in str(refused.value)
    privileged = changed(LAB, teams__research__pod_security="privileged")
    parcel = submitted(script, privileged, "research", **fields).parcel
    assert parcel.namespace == "research"
    # Those of the stack are in the stack's namespace.
    (template,) = (it.obj for it in parcel.beside if it.kind == RESOURCE_CLAIM_TEMPLATE)
    assert template["metadata"]["name"] == "mine-eight-mrdma"
    assert template["metadata"]["namespace"] == "research"
    ((_, pod),) = pod_groups(parcel.work.kind, parcel.work.obj)
    claims = [{"name": "mrdma", "resourceClaimTemplateName": "mine-eight-mrdma"}]
    assert pod["resourceClaims"] == claims


# The GPUs of a team with a quota are none of a queue's.
LEFT = {"queues__cluster_queues__research__flavors__l4": {"gpus": 0}}
# A quota, the job's fields, and what is refused of it; the container that mounts a bucket asks for
# more.
QUOTAS: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "all that there is": (
        {"cpu": 2, "memory_gib": 4, "gpus": 2, "pods": 2},
        {"pool": "l4", "gpus": 1, "nodes": 2},
        [],
    ),
    "more nodes than GPUs are for": (
        {"gpus": 1},
        {"pool": "l4", "gpus": 1, "nodes": 2},
        [
            "nodes: 2 x 1 GPUs are more than the 1 of teams.research.quota.gpus, past which "
            "Kubernetes refuses pods; nearest: 1"
        ],
    ),
    "more of several": (
        {"cpu": 1.5, "memory_gib": 3, "pods": 1},
        {"nodes": 2},
        [
            "nodes: 2 x 1 CPUs are more than the 1.5 of teams.research.quota.cpu, past which "
            "Kubernetes refuses pods; nearest: 1",
            "nodes: 2 x 2 GiB are more than the 3 of teams.research.quota.memory_gib, past which "
            "Kubernetes refuses pods; nearest: 1",
            "nodes: 2 x 1 pods are more than the 1 of teams.research.quota.pods, past which "
            "Kubernetes refuses pods; nearest: 1",
        ],
    ),
    "a pod that is too large": (
        {"cpu": 0.5},
        {},
        [
            "requests.cpu: 1 x 1 CPUs are more than the 0.5 of teams.research.quota.cpu, past "
            "which Kubernetes refuses pods; nearest: 0.5"
        ],
    ),
    "none at all": (
        {"gpus": 0},
        {"pool": "l4", "gpus": 2},
        [
            "gpus: 1 x 2 GPUs are more than the 0 of teams.research.quota.gpus, past which "
            "Kubernetes refuses pods; nearest: 2 there, in the stack's config"
        ],
    ),
}


@pytest.mark.parametrize("name", QUOTAS)
def test_what_no_room_of_the_teams_quota_is_enough_for_is_refused(name: str) -> None:
    quota, fields, told = QUOTAS[name]
    config = changed(LAB, servers={}, teams__research={"quota": quota}, **LEFT)
    assert refusal(config, **fields) == [f"jobs.mine.{it}" for it in told]


def test_what_others_of_the_team_have_is_waited_for() -> None:
    quota = {"cpu": 3, "memory_gib": 8, "gpus": 2, "pods": 4}
    config = changed(LAB, servers={}, teams__research={"quota": quota}, **LEFT)
    job = {**JOB, **SMALL, "pool": "l4", "gpus": 1, "nodes": 2}
    values, judged = for_team("research", config, job)
    plan = validate({**values, "jobs": {"mine": judged}}, secrets_set=ALL_SECRETS)

    def short(**used: str) -> list[str]:
        return [*short_of(plan.teams["research"], plan.scripts["mine"], used)]

    assert short() == []
    had = {"requests.cpu": "1", "requests.memory": "3Gi", "pods": "2"}
    assert short(**had, **{"requests.nvidia.com/gpu": "0"}) == []
    had = {"requests.cpu": "2500m", "requests.memory": "4097Mi", "pods": "4"}
    assert short(**had, **{"requests.nvidia.com/gpu": "1"}) == [
        "of the team's quota 0.5 of 3 CPUs are free, and its pods ask for 2",
        "of the team's quota 3.99902344 of 8 GiB are free, and its pods ask for 4",
        "of the team's quota 1 of 2 GPUs are free, and its pods ask for 2",
        "of the team's quota 0 of 4 pods are free, and its pods ask for 2",
    ]


def test_what_mounts_a_bucket_counts_in_the_quota() -> None:
    team = {"quota": {"cpu": 1, "memory_gib": 2}, "buckets": {"data": "objectUser"}}
    cpu, memory = refusal(changed(LAB, teams__research=team))
    assert "jobs.mine.requests.cpu: 1 x 1.25 CPUs" in cpu
    assert cpu.endswith("nearest: 0.75")
    assert "jobs.mine.requests.memory_gib: 1 x 3 GiB" in memory
    assert memory.endswith("nearest: 1")
