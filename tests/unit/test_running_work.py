"""What is said of a job that runs and that a change stops."""

from typing import Any

import pulumi
import pytest

from catalog import Catalog
from stacks.config import validate
from stacks.on_record import Record, Recorded
from stacks.planned_jobs import PlannedJob, planned_jobs
from stacks.refusal import of_job
from stacks.running_work import RunningWork, ended
from stacks.workloads import JOB, JOB_SET, JOBS, RAY_CLUSTER, RAY_JOB
from tests.conftest import changed, stack_config
from tests.review.test_running import GPU, RAY

OBJECT = "training-job"
CAPACITY = ("pools__gpu__capacity", "pools__gpu__autoscaling")


def planned(stack: str, **values: Any) -> PlannedJob:
    """The only job of a preset."""
    config = changed(stack_config(stack), **values)
    (found,) = planned_jobs(
        validate(config, secrets_set=frozenset({"hugging_face_token"}))
    ).values()
    return found


def work(
    *declared: tuple[str, str], token: str = RAY_JOB, spec: Any = None, status: Any = None
) -> RunningWork:
    """Of a record with one job, and a RayCluster with 64 GPUs."""
    cluster = {"metadata": {"name": "ours"}, "spec": RAY}
    spec = spec or {"clusterSelector": {"ray.io/cluster": "ours"}}
    found = {
        f"urn:pulumi:s::p::{RAY_CLUSTER}::ray": {"type": RAY_CLUSTER, "outputs": cluster},
        f"urn:pulumi:s::p::{token}::{OBJECT}": {
            "type": token,
            "outputs": {"spec": spec, "status": status or {}},
        },
    }
    job = PlannedJob("training", "from the beginning", "261 USD")
    return RunningWork(dict.fromkeys(declared, job), Record(found), set(declared))


@pytest.mark.parametrize(
    ("stack", "values", "resumes"),
    [
        ("b200-lustre", {}, "in /lustre/nemo_rl_qwen_72b_ds_cp/nemo-rl-grpo-test1, "),
        ("b200-lustre", {}, "every 2 steps"),
        ("b200-lustre", {"jobs__nemo-rl-grpo-test1__checkpoints__period": 5}, "every 5 steps"),
        ("verl-b200", {}, "checkpoints, where it writes one every 10 steps"),
        ("gcsfuse-checkpoint", {}, "every epoch"),
        ("tpu-elastic", {}, "/maxtext-elastic-8b, where it writes one every"),
    ],
)
def test_a_training_goes_on_from_where_its_config_has_it_write(
    stack: str, values: dict[str, Any], resumes: str
) -> None:
    found = planned(stack, **values).resumes
    assert found.startswith("from the last checkpoint in /")
    assert resumes in found


def test_an_hour_costs_as_much_as_its_machines() -> None:
    config = stack_config("b200-lustre")
    price = Catalog.load().machine_price(config["pools"]["gpu"]["machine_type"])
    spot = price.within(config["region"]).spot
    assert spot is not None
    assert planned("b200-lustre").hourly == f"{8 * spot.low:,.0f} USD"
    flex = {"mode": "flex-start"}, {"min": 0, "max": 8}
    hourly = planned("b200-lustre", **dict(zip(CAPACITY, flex, strict=True))).hourly
    assert hourly == "what is not published"


def test_a_job_that_is_made_anew_is_named_with_its_cost() -> None:
    said: list[str] = []
    args = pulumi.ResourceHookArgs(urn="", id="", name=OBJECT, type=RAY_JOB)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pulumi.log, "warn", said.append)
        work((RAY_JOB, OBJECT)).before_create(args)
    assert said == [
        "jobs.training runs on 64 GPUs and is replaced. It starts again from the beginning; "
        "an hour of its machines costs 261 USD"
    ]


@pytest.mark.parametrize(
    ("token", "spec", "devices"),
    [
        (RAY_JOB, None, "64 GPUs"),
        (JOB, {"parallelism": 3, "template": GPU}, "24 GPUs"),
        (JOB_SET, {"replicatedJobs": [{"template": {"spec": {"template": GPU}}}]}, "8 GPUs"),
    ],
)
def test_a_job_that_is_taken_out_is_named(token: str, spec: Any, devices: str) -> None:
    assert list(work(token=token, spec=spec).removed()) == [
        f"{OBJECT} runs on {devices} and is deleted, for it is taken out"
    ]
    assert list(work((token, OBJECT), token=token, spec=spec).removed()) == []


def test_what_is_no_job_stops_no_work() -> None:
    assert work().stopped((RAY_CLUSTER, "ray")) is None
    assert list(work((RAY_JOB, OBJECT)).removed()) == []


@pytest.mark.parametrize(("planned", "word"), [(True, "spec"), (False, "removed")])
def test_one_word_agrees_to_it_whatever_stops_it(planned: bool, word: str) -> None:
    line = of_job("It runs", OBJECT, frozenset({"replaceWith"}), planned=planned)
    wanted = f"acknowledge: [{{resource: {OBJECT}, property: {word}}}] under stack"
    assert line is not None
    assert line.startswith("It runs. ")
    assert line.endswith(wanted)
    assert of_job("It runs", OBJECT, frozenset({word}), planned=planned) is None


ENDED = [
    (RAY_JOB, {"jobDeploymentStatus": "Complete"}),
    (RAY_JOB, {"jobDeploymentStatus": "Failed"}),
    (JOB, {"conditions": [{"type": "Complete", "status": "True"}]}),
    (JOB_SET, {"conditions": [{"type": "Completed", "status": "True"}]}),
    (JOB_SET, {"conditions": [{"type": "Failed", "status": "True"}]}),
]


@pytest.mark.parametrize(("token", "status"), ENDED)
def test_a_job_that_has_ended_stops_no_more(token: str, status: dict[str, Any]) -> None:
    assert list(work(token=token, status=status).removed()) == []


@pytest.mark.parametrize("token", JOBS)
@pytest.mark.parametrize(
    "status",
    [
        {},
        {"jobDeploymentStatus": "Running"},
        {"conditions": [{"type": "Suspended", "status": "True"}]},
        {"conditions": [{"type": "Complete", "status": "False"}]},
    ],
)
def test_one_that_runs_or_waits_has_not(token: str, status: dict[str, Any]) -> None:
    assert not ended(Recorded("", token, OBJECT, {"status": status}))
