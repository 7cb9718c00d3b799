"""A submitted job changes nothing that the stack's own work shares: what the stack derives from all
of its jobs together stays, and what a job needs of its own comes with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from aistack.errors import VerbError
from aistack.stack import Config
from aistack.submit.preflight import Checked, checked
from aistack.submit.request import Request
from cli.project import stack_names
from kube.jobs import pod_groups
from kube.kinds import COMPUTE_DOMAIN, RESOURCE_CLAIM_TEMPLATE
from kube.objects import maps, name_of
from stacks.config import validate
from stacks.tokens import SECRETS
from tests.conftest import changed, stack_config
from tests.parts.claim_samples import CLAIMED
from tests.parts.machine_samples import NVLINK
from tests.parts.samples import SAMPLES, TPU
from tests.unit.platform_samples import PLATFORM

ALL_SECRETS = frozenset(SECRETS)
SMALL = {"image": "python:3.12-slim", "requests": {"cpu": 1, "memory_gib": 2}}
KUEUE_MIXED = stack_config("kueue-mixed")


# A server takes two of the four GPUs of a queue, and a team's jobs wait in it, too.
SERVED = changed(
    PLATFORM,
    pools__gpu__nodes=3,
    jobs=None,
    queues={
        "frameworks": ["batch/job", "pod", "jobset.x-k8s.io/jobset"],
        "flavors": {"gpu": {"pool": "gpu"}},
        "cluster_queues": {"all": {"flavors": {"gpu": {"gpus": 4}}}},
        "local_queues": [{"name": "lq", "cluster_queue": "all"}],
    },
    servers={"chat": {"pool": "gpu", "queue": "lq", "gpus": 2}},
)


def submitted(
    script: Path, config: Mapping[str, Any], team: str | None = None, **fields: Any
) -> Checked:
    request = Request(
        name="mine",
        files=[script],
        team=team,
        fields={**SMALL, **fields},
        options={"queue": "--queue"},
    )
    ended = set(config.get("jobs") or {})
    return checked(request, Config(config, ALL_SECRETS), ended, "any")


TAKEN: dict[str, tuple[Mapping[str, Any], str | None, dict[str, Any]]] = {
    "a team's job where nothing else waits in a queue": (PLATFORM, "red", {"pool": "gpu"}),
    "a team's job on CPUs": (PLATFORM, "blue", {"pool": "cpu"}),
    "a team's job where Kueue is told to wait shortly": (
        changed(PLATFORM, queues__ready_minutes=10),
        "red",
        {"pool": "gpu"},
    ),
    "a job in the queue of a stack whose own jobs wait shortly": (
        KUEUE_MIXED,
        None,
        {"pool": "gpu", "queue": "lq"},
    ),
    "a job that mounts what a Ray cluster alone has mounted": (TPU, None, {"pool": "cpu"}),
    "a job with a number of GPUs that no other claims": (CLAIMED, None, {"pool": "gpu", "gpus": 3}),
    "a job on machines of an NVLink domain": (NVLINK, None, {"pool": "gb200", "nodes": 2}),
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_job_needs_no_change_of_what_others_share(script: Path, name: str) -> None:
    config, team, fields = TAKEN[name]
    parcel = submitted(script, config, team, **fields).parcel
    assert name_of(parcel.work.obj) == "mine"
    # Another job of the same shape has the same name for nothing.
    names = [(it.kind, name_of(it.obj)) for it in parcel.beside]
    assert all(name.startswith("mine") for _, name in names), names


def test_kueues_patience_is_told_where_it_is_less_than_pods_may_take(script: Path) -> None:
    assert submitted(script, PLATFORM, "red", pool="gpu").patience == 30
    longer = changed(PLATFORM, queues__ready_minutes=120)
    assert submitted(script, longer, "red", pool="gpu").patience is None
    assert submitted(script, PLATFORM, pool="gpu").patience is None


def test_a_template_of_claims_comes_under_a_name_of_the_jobs(script: Path) -> None:
    parcel = submitted(script, CLAIMED, pool="gpu", gpus=3).parcel
    (template,) = (it.obj for it in parcel.beside if it.kind == RESOURCE_CLAIM_TEMPLATE)
    ((_, pod),) = pod_groups(parcel.work.kind, parcel.work.obj)
    claimed = [it["resourceClaimTemplateName"] for it in maps(pod["resourceClaims"])]
    assert claimed == [name_of(template)]
    assert len(template["spec"]["spec"]["devices"]["constraints"]) == 3


def test_an_nvlink_domain_is_the_jobs_own(script: Path) -> None:
    parcel = submitted(script, NVLINK, pool="gb200", nodes=2).parcel
    (domain,) = (it.obj for it in parcel.beside if it.kind == COMPUTE_DOMAIN)
    ((_, pod),) = pod_groups(parcel.work.kind, parcel.work.obj)
    channel = domain["spec"]["channel"]["resourceClaimTemplate"]["name"]
    assert channel in json.dumps(pod["resourceClaims"])
    assert domain["spec"]["numNodes"] == 2


@pytest.mark.parametrize(
    ("team", "fields", "said"),
    [
        (None, {"queue": "lq", "nodes": 2, "gpus": 2}, "--queue: beside servers.chat"),
        ("red", {"nodes": 2, "gpus": 2}, "--team red: beside servers.chat"),
        (None, {"queue": "lq", "nodes": 1, "gpus": 2}, ""),
        (None, {"nodes": 2, "gpus": 2}, ""),
    ],
)
def test_a_queue_that_a_server_leaves_too_little_is_told_of_a_submitted_job(
    script: Path, team: str | None, fields: dict[str, Any], said: str
) -> None:
    found = submitted(script, SERVED, team, pool="gpu", **fields).never_beside
    assert len(found) == bool(said)
    assert all(line.startswith(f"{said} it never has quota of all") for line in found)
    assert all("6 of 4 GPUs of gpu" in line for line in found)


ALL = {**{name: stack_config(name) for name in stack_names()}, **SAMPLES}
OFTEN = {"kueue-mixed"}


def ways(config: Mapping[str, Any]) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """A team, and fields: each pool with and without its GPUs, in each queue and of each team."""
    plan = validate(config, secrets_set=ALL_SECRETS)
    doors = () if plan.queues is None else plan.queues.config.local_queues
    queues = [None, *dict.fromkeys(it.name for it in doors)]
    whose = [*((None, it) for it in queues), *((team, None) for team in plan.teams)]
    for pool in plan.pools.values():
        accelerator = pool.machine.accelerator
        counts = [None] if pool.kind != "gpu" or accelerator is None else [None, accelerator.count]
        for (team, queue), gpus in product(whose, counts):
            asked = {"pool": pool.name, "queue": queue, "gpus": gpus}
            yield team, {key: it for key, it in asked.items() if it is not None}


@pytest.mark.parametrize(
    "name", [it if it in OFTEN else pytest.param(it, marks=pytest.mark.thorough) for it in ALL]
)
def test_no_sum_over_jobs_changes_what_others_share(script: Path, name: str) -> None:
    wrong: list[str] = []
    for team, fields in ways(ALL[name]):
        try:
            parcel = submitted(script, ALL[name], team, **fields).parcel
        except VerbError as refused:
            said = str(refused)
            wrong += [f"{team} {fields}: {said}"] if "would have to change" in said else []
        else:
            beside = [name_of(it.obj) for it in parcel.beside]
            wrong += [f"{team} {fields}: {it}" for it in beside if not it.startswith("mine")]
    assert wrong == []
