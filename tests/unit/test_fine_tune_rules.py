"""The rules of a fine-tune job: each refuses what could never run, and what it offers does."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog import Catalog, Sidecar
from stacks.parts.buckets.config import GcsFuseSidecar
from stacks.parts.buckets.plan import sized_sidecar
from stacks.parts.jobs.fine_tune import FineTuning
from stacks.parts.jobs.fine_tune_rules import fine_tune_problems
from stacks.parts.jobs.plan import requests_of
from stacks.parts.pools.nodes import Amounts, Host
from stacks.parts.servers.config import ModelServer
from stacks.problems import Problem
from tests.conftest import changed

FACTS = Catalog.load()
BASE = {"type": "fine-tune"}
SERVER = ModelServer()
MOUNT_MEMORY = "bucket.mount.sidecar.memory_gib"
JOBS = st.fixed_dictionaries(
    {
        "type": st.just("fine-tune"),
        "pods": st.integers(1, 12),
        "gpus": st.integers(1, 5),
        "shm_gib": st.integers(1, 100),
        "dataset_limit": st.none() | st.integers(1, 90000),
        "epochs": st.integers(1, 3),
        "gradient_accumulation_steps": st.integers(1, 40),
        "checkpoint_save_steps": st.integers(1, 4000),
        "requests": st.none()
        | st.fixed_dictionaries(
            {
                "cpu": st.integers(1, 60),
                "memory_gib": st.integers(1, 250),
                "ephemeral_storage_gib": st.integers(1, 60),
            }
        ),
    }
)
MACHINES = st.sampled_from(["g2-standard-8", "g2-standard-24", "g2-standard-48"])


def host(machine: str = "g2-standard-24") -> Host:
    return Host(FACTS.machine(machine), FACTS.allocatable(machine))


def sidecar(memory_gib: int = 35) -> Sidecar:
    return sized_sidecar(GcsFuseSidecar(memory_gib=memory_gib), FACTS.gcsfuse_sidecar)


def problems(
    config: dict[str, Any],
    machine: str = "g2-standard-24",
    nodes: int = 3,
    server: ModelServer | None = SERVER,
    mount_gib: int = 35,
) -> list[Problem]:
    job, beside = FineTuning.model_validate(config), sidecar(mount_gib)
    return list(fine_tune_problems(job, host(machine), nodes=nodes, sidecar=beside, server=server))


def test_the_scenarios_job_fits_beside_the_scenarios_server() -> None:
    assert problems(BASE) == []


def test_a_job_has_all_nodes_where_there_is_no_server() -> None:
    assert problems({**BASE, "pods": 3}, server=None) == []
    (found,) = problems({**BASE, "pods": 4}, server=None)
    assert "do not fit on 3 nodes" in found.message


def test_gpus_are_not_all_that_a_server_takes_of_a_node() -> None:
    half = {**BASE, "pods": 1, "gpus": 2}
    large = {"cpu": 4, "memory_gib": 120, "ephemeral_storage_gib": 4}
    (found,) = problems(
        {**half, "requests": large},
        "g2-standard-48",
        nodes=1,
        mount_gib=10,
        server=SERVER.model_copy(
            update={"requests": SERVER.requests.model_copy(update={"memory_gib": 60})}
        ),
    )
    assert found.field == "job.pods"
    assert found.message.endswith("nearest: 2 nodes")


@pytest.mark.parametrize(("gpus", "pods"), [(1, 2), (2, 1)])
def test_without_requests_a_pod_gets_the_share_of_a_node_that_its_gpus_are(
    gpus: int, pods: int
) -> None:
    job, beside = FineTuning.model_validate({**BASE, "gpus": gpus}), sidecar(10)
    asked = requests_of(job, host(), beside)
    assert Amounts.of_node(host()).holds(Amounts.of_pod(asked, gpus, beside)) == pods
    larger = asked.model_copy(update={"memory_gib": asked.memory_gib + 1})
    assert Amounts.of_node(host()).holds(Amounts.of_pod(larger, gpus, beside)) < pods


def test_what_the_config_asks_for_is_what_is_asked_for() -> None:
    job = FineTuning.model_validate({**BASE, "requests": {"cpu": 3, "memory_gib": 9}})
    assert requests_of(job, host(), sidecar()) == job.requests


def test_fine_tune_py_gets_the_scenarios_variables() -> None:
    assert FineTuning.model_validate(BASE).environment("/model-data") == {
        "EXPERIMENT": "finetune-experiment",
        "MODEL_NAME": "google/gemma-2-2b",
        "NEW_MODEL": "gemma-ft",
        "MODEL_PATH": "/model-data/model-gemma2/experiment",
        "DATASET_NAME": "b-mc2/sql-create-context",
        "DATASET_LIMIT": "5000",
        "EPOCHS": "1",
        "GRADIENT_ACCUMULATION_STEPS": "2",
        "CHECKPOINT_SAVE_STEPS": "10",
    }


def test_no_limit_is_all_of_the_dataset() -> None:
    job = FineTuning.model_validate({**BASE, "dataset_limit": None})
    assert job.environment("/m")["DATASET_LIMIT"] == "-1"
    assert problems({**BASE, "dataset_limit": None, "checkpoint_save_steps": 9822}) == []


def kind(problem: Problem) -> tuple[str, str]:
    return problem.field, re.sub(r"\d+", "0", problem.message)


@settings(max_examples=300)
@given(
    config=JOBS,
    machine=MACHINES,
    nodes=st.integers(1, 4),
    mount_gib=st.integers(0, 120),
)
def test_whatever_is_wrong_the_value_offered_for_a_field_is_right_for_that_rule(
    config: dict[str, Any], machine: str, nodes: int, mount_gib: int
) -> None:
    for found in problems(config, machine, nodes, mount_gib=mount_gib):
        offered = found.message.rpartition("; nearest: ")[2]
        path = found.field.removeprefix("job.").replace(".", "__")
        if wanted := re.search(r"(\d+) nodes$", offered):
            after = problems(config, machine, int(wanted[1]), mount_gib=mount_gib)
            assert "job.pods" not in [it.field for it in after]
            if offered == wanted[0]:
                continue
            offered = offered.partition(",")[0]
        if found.field == MOUNT_MEMORY:
            after = problems(config, machine, nodes, mount_gib=int(offered))
        else:
            value = int(offered) if offered.isdigit() else offered
            after = problems(changed(config, **{path: value}), machine, nodes, mount_gib=mount_gib)
        assert kind(found) not in [kind(it) for it in after]
