"""What is said of a job that runs and that a change stops."""

from typing import Any

import pulumi
import pytest

from catalog import Catalog, Way
from stacks.config import validate
from stacks.on_record import Record, Recorded
from stacks.planned_jobs import PlannedJob, planned_jobs
from stacks.refusal import NODE_POOL, of_work, renews_nodes
from stacks.running_work import Key, RunningWork, ended
from stacks.workloads import DEPLOYMENT, JOB, JOB_SET, JOBS, RAY_CLUSTER, RAY_JOB
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
    pools = planned("tpu-elastic").pools
    job = PlannedJob("training", "from the beginning", lambda: "261 USD", pools)
    return RunningWork(dict.fromkeys(declared, job), Record(found), set(declared))


def stopped(work: RunningWork, *gone: Key) -> list[str]:
    return [str(it) for it in work.stops(gone)]


@pytest.mark.parametrize(
    ("stack", "values", "resumes"),
    [
        ("b200-lustre", {}, "in /lustre/nemo_rl_qwen_72b_ds_cp/nemo-rl-grpo-test1, "),
        ("b200-lustre", {}, "every 2 steps"),
        ("b200-lustre", {"jobs__nemo-rl-grpo-test1__checkpoints__period": 5}, "every 5 steps"),
        ("verl-b200", {}, "checkpoints, where it writes one every 10 steps"),
        ("gcsfuse-checkpoint", {}, "every epoch"),
        ("tpu-elastic", {}, "/maxtext-elastic-8b/checkpoints, where it writes one every"),
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
    machine, region = config["pools"]["gpu"]["machine_type"], config["region"]
    spot = Catalog.load().machine_rate(machine, Way.SPOT, region)
    assert spot is not None
    assert planned("b200-lustre").hourly == f"{8 * spot.low:,.0f} USD"
    flex = {"mode": "flex-start"}, {"min": 0, "max": 2}
    hourly = planned("verl-h200", **dict(zip(CAPACITY, flex, strict=True))).hourly
    assert hourly == "what is not published"


ANEW = "It starts again from the beginning; an hour of its machines costs 261 USD"


def test_a_job_that_is_made_anew_is_named_once_with_its_cost() -> None:
    said: list[str] = []
    args = pulumi.ResourceHookArgs(urn="", id="", name=OBJECT, type=RAY_JOB)
    found = work((RAY_JOB, OBJECT))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pulumi.log, "warn", said.append)
        found.before(args)
        found.before(args)
    assert said == [f"jobs.training runs on 64 GPUs and is replaced. {ANEW}"]


@pytest.mark.parametrize(
    ("token", "spec", "devices"),
    [
        (RAY_JOB, None, "64 GPUs"),
        (JOB, {"parallelism": 3, "template": GPU}, "24 GPUs"),
        (JOB_SET, {"replicatedJobs": [{"template": {"spec": {"template": GPU}}}]}, "8 GPUs"),
    ],
)
def test_a_job_that_is_taken_out_is_named(token: str, spec: Any, devices: str) -> None:
    found = work(token=token, spec=spec)
    found.declared.add((RAY_CLUSTER, "ray"))
    assert stopped(found, *found.removed()) == [
        f"{OBJECT} runs on {devices} and is deleted, for it is taken out"
    ]
    found = work((token, OBJECT), token=token, spec=spec)
    assert (token, OBJECT) not in found.removed()


@pytest.mark.parametrize("token", JOBS)
@pytest.mark.parametrize("pool", ["v6e-16-0-pool", "v6e-16-7-pool"])
def test_a_job_that_stays_is_named_where_its_nodes_go(token: str, pool: str) -> None:
    found = work((token, OBJECT), token=token, spec={"template": GPU})
    (line,) = stopped(found, (NODE_POOL, pool))
    assert line.startswith("jobs.training runs")
    assert line.endswith(f"and loses the nodes of {pool}. {ANEW}")
    (line,) = stopped(found, (NODE_POOL, pool), (token, OBJECT))
    assert "is replaced" in line


def test_a_job_that_stays_is_named_where_its_nodes_are_made_anew() -> None:
    found, pool = work((RAY_JOB, OBJECT)), (NODE_POOL, "v6e-16-0-pool")
    (stop,) = found.stops([], [pool])
    loses = "and loses the nodes of v6e-16-0-pool, one after the other"
    assert str(stop) == f"jobs.training runs on 64 GPUs {loses}. {ANEW}"
    assert stop.agreement == "spec"
    (stop,) = found.stops([(RAY_JOB, OBJECT)], [pool])
    assert "is replaced" in str(stop)


@pytest.mark.parametrize(
    ("path", "renews"),
    [("machineType", True), ("diskSizeGb", True), ("diskType", True), ("labels", False)],
)
def test_nodes_are_made_anew_for_other_machines_and_disks(path: str, renews: bool) -> None:
    old, new = ({"nodeConfig": {path: it}} for it in ("one", "other"))
    assert renews_nodes(NODE_POOL, old, new) is renews
    assert not renews_nodes(RAY_JOB, old, new)


@pytest.mark.parametrize("pool", ["v6e-160-pool", "other-pool", "v6e-pool", "v6e-16-a-pool"])
def test_a_pool_of_others_stops_none(pool: str) -> None:
    assert stopped(work((RAY_JOB, OBJECT)), (NODE_POOL, pool)) == []


def test_a_ray_cluster_is_named_where_no_job_on_it_is() -> None:
    gone = (RAY_CLUSTER, "ray")
    assert stopped(work((RAY_JOB, OBJECT)), gone) == []
    ended = work((RAY_JOB, OBJECT), status={"jobDeploymentStatus": "Complete"})
    ended.declared.add(gone)
    assert stopped(ended, gone) == ["ray runs on 64 GPUs and is replaced"]


def test_a_server_is_named_and_needs_no_agreement() -> None:
    found = work(token=DEPLOYMENT, spec={"replicas": 2, "template": GPU})
    found.declared.add((DEPLOYMENT, OBJECT))
    (stop,) = found.stops([(DEPLOYMENT, OBJECT)])
    assert str(stop) == f"{OBJECT} runs on 16 GPUs and is replaced"
    assert stop.agreement is None


@pytest.mark.parametrize("word", ["spec", "removed"])
def test_one_word_agrees_to_it_whatever_stops_it(word: str) -> None:
    line = of_work("It runs", OBJECT, word, frozenset({"replaceWith"}))
    wanted = f"acknowledge: [{{resource: {OBJECT}, property: {word}}}] under stack"
    assert line is not None
    assert line.startswith("It runs. ")
    assert line.endswith(wanted)
    assert of_work("It runs", OBJECT, word, frozenset({word})) is None


ENDED = [
    (RAY_JOB, {"jobDeploymentStatus": "Complete"}),
    (RAY_JOB, {"jobDeploymentStatus": "Failed"}),
    (JOB, {"conditions": [{"type": "Complete", "status": "True"}]}),
    (JOB_SET, {"conditions": [{"type": "Completed", "status": "True"}]}),
    (JOB_SET, {"conditions": [{"type": "Failed", "status": "True"}]}),
]


@pytest.mark.parametrize(("token", "status"), ENDED)
def test_a_job_that_has_ended_stops_no_more(token: str, status: dict[str, Any]) -> None:
    assert stopped(work(token=token, status=status), (token, OBJECT)) == []


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
