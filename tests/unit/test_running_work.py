"""What is said of a job that runs and that a change stops."""

from typing import Any

import pulumi
import pytest

from catalog import Catalog, Way
from cli.project import stack_names
from stacks.config import validate
from stacks.on_record import Record, Recorded
from stacks.planned_jobs import PlannedJob, planned_jobs, stores
from stacks.refusal import CLUSTER, LUSTRE, NODE_POOL, drops_nodes, renews_nodes
from stacks.running_work import DATA, Key, RunningWork, ended, of
from stacks.workloads import DEPLOYMENT, JOB, JOB_SET, JOBS, RAY_CLUSTER, RAY_JOB
from tests.conftest import changed, stack_config
from tests.programs import WITH_TOKEN, registered
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
    job = PlannedJob("training", "from the beginning", lambda _: "261 USD", pools)
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
    assert planned("b200-lustre").hourly({}) == f"{8 * spot.low:,.0f} USD"
    flex = {"mode": "flex-start"}, {"min": 0, "max": 2}
    without_price = dict(zip(CAPACITY, flex, strict=True))
    for standing in ({}, pools_of("verl-h200", **without_price)):
        assert planned("verl-h200", **without_price).hourly(standing) == (
            "an unknown sum, of 2 x a3-ultragpu-8g (16 H200); one a3-ultragpu-8g costs 50.87 USD "
            "an hour on spot, 59.36 in calendar mode, 84.81 on demand"
        )


@pytest.mark.parametrize(
    "change",
    [
        {"pools__gpu__nodes": 4},
        {"pools__gpu__capacity": {"mode": "reservation", "name": "r"}},
    ],
)
def test_an_hour_of_what_runs_costs_what_its_own_machines_do(change: dict[str, Any]) -> None:
    """And not as many or such as come in their place."""
    standing = pools_of("b200-lustre")
    before, after = planned("b200-lustre"), planned("b200-lustre", **change)
    assert after.hourly(standing) == before.hourly({})


@pytest.mark.parametrize("stack", stack_names())
def test_an_hour_costs_the_same_of_the_machines_that_stand_as_planned(stack: str) -> None:
    config = validate(stack_config(stack), secrets_set=WITH_TOKEN)
    standing = pools_of(stack)
    for job in planned_jobs(config).values():
        assert job.hourly(standing) == job.hourly({})


def pools_of(stack: str, **values: Any) -> dict[str, dict[str, Any]]:
    """The NodePools of a preset, as they are registered."""
    config = changed(stack_config(stack), **values)
    found = registered(validate(config, secrets_set=WITH_TOKEN), stack="test")
    return {it.name: it.inputs for it in found.resources if it.type == NODE_POOL}


@pytest.mark.parametrize("stack", stack_names())
def test_what_holds_the_data_of_jobs_is_known_by_the_names_that_it_has(stack: str) -> None:
    plan = validate(stack_config(stack), secrets_set=WITH_TOKEN)
    made = registered(plan, stack="test").resources
    assert stores(plan) == {(it.type, it.name) for it in made if it.type in DATA}


BEGINS = "It begins at the beginning: its checkpoints"
LUSTRE_JOB = (RAY_JOB, "nemo-rl-grpo-test1-job")
DIRECTORY = "jobs__nemo-rl-grpo-test1__checkpoints__directory"
GROUP = "ray__ray-a4-gpu-spot__workers__gpu-worker-group"
OLD_FOLDER = "/lustre/nemo_rl_qwen_72b_ds_cp/nemo-rl-grpo-test1"


def again(change: dict[str, Any], *gone: Key) -> str:
    """What is said of the job of b200-lustre, which is replaced with these."""
    config = stack_config("b200-lustre")
    made = registered(validate(config, secrets_set=WITH_TOKEN), stack="test")
    record = Record({it.urn: {"type": it.type, "outputs": it.inputs} for it in made.resources})
    found = of(validate(changed(config, **change), secrets_set=WITH_TOKEN), record)
    found.declared.update((it.type, it.name) for it in made.resources)
    found.gone.update(gone)
    (stop,) = found.stops([LUSTRE_JOB])
    return str(stop)


def test_a_training_with_its_folder_goes_on_from_it() -> None:
    assert f"It starts again from the last checkpoint in {OLD_FOLDER}, " in again({})
    assert "It starts again" in again({"jobs__nemo-rl-grpo-test1__max_steps": 77})


@pytest.mark.parametrize(
    ("change", "gone", "told"),
    [
        ({}, [(LUSTRE, "lustre-instance")], f"{BEGINS} go with lustre-instance; "),
        ({DIRECTORY: "elsewhere"}, [], f"{BEGINS} are in {OLD_FOLDER}; "),
        (
            {DIRECTORY: "elsewhere"},
            [(LUSTRE, "lustre-instance")],
            f"{BEGINS} go with lustre-instance; ",
        ),
        (
            {
                "lustre": None,
                "buckets": {"data": {"mount_path": "/data"}},
                "ray__ray-a4-gpu-spot__mounts": ["data"],
                "ray__ray-a4-gpu-spot__head__requests__ephemeral_storage_gib": 1,
                f"{GROUP}__requests__ephemeral_storage_gib": 1,
            },
            [],
            f"{BEGINS} go with lustre-instance; ",
        ),
        ({"lustre__mount_path": "/other"}, [], f"{BEGINS} are in {OLD_FOLDER}; "),
    ],
)
def test_a_training_without_its_checkpoints_begins_at_the_beginning(
    change: dict[str, Any], gone: list[Key], told: str
) -> None:
    said = again(change, *gone)
    assert told in said
    assert "starts again" not in said


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
    found = work((RAY_JOB, OBJECT))
    old, new = ({"nodeConfig": {"diskSizeGb": it}} for it in (100, 200))
    found.before(
        pulumi.ResourceHookArgs(
            urn="", id="", name="v6e-16-0-pool", type=NODE_POOL, old_inputs=old, new_inputs=new
        )
    )
    (stop,) = found.stops([], found.renewed)
    loses = "and loses the nodes of v6e-16-0-pool, one after the other"
    assert str(stop) == f"jobs.training runs on 64 GPUs {loses}. {ANEW}"
    assert stop.agreement == "replaced"
    (stop,) = found.stops([(RAY_JOB, OBJECT)], found.renewed)
    assert "is replaced" in str(stop)


def test_other_nodes_and_another_object_are_another_run_of_a_job() -> None:
    def run(*, uid: Any = "a", **pool: Any) -> str:
        found, pools = (
            work((RAY_JOB, OBJECT)),
            {"v6e-16-0-pool": pool, "cpu-pool": {"nodeCount": 1}},
        )
        there = {it.urn: {"type": it.type, "outputs": it.outputs} for it in found.record.resources}
        there[f"urn:pulumi:s::p::{RAY_JOB}::{OBJECT}"]["outputs"] = {"metadata": {"uid": uid}}
        for name, outputs in pools.items():
            urn = f"urn:pulumi:s::p::{NODE_POOL}::{name}"
            there[urn] = {"type": NODE_POOL, "outputs": outputs}
        found.record = Record(there)
        return found.runs()[OBJECT]

    scaled: dict[str, Any] = {"autoscaling": {"totalMaxNodeCount": 4}}
    told = [
        run(nodeCount=2),
        run(uid="b", nodeCount=2),
        run(nodeCount=1),
        run(nodeCount=2, instanceGroupUrls=["other"]),
        run(nodeCount=2, nodeConfig={"diskSizeGb": 200}),
        run(**scaled),
    ]
    assert len(set(told)) == len(told)
    assert run(nodeCount=2, nodeConfig={"labels": {"a": "b"}}) == told[0]
    assert run(nodeCount=3, **scaled) == run(**scaled)


CHANNELS = ({"releaseChannel": {"channel": it}} for it in ("REGULAR", "RAPID"))


@pytest.mark.parametrize(
    ("old", "new", "interrupted"),
    [
        (*CHANNELS, True),
        ({"minMasterVersion": "1.34"}, {"minMasterVersion": "1.35"}, True),
        ({"description": "one"}, {"description": "other"}, False),
    ],
)
def test_a_job_is_named_where_gke_upgrades_the_nodes_under_it(
    old: dict[str, Any], new: dict[str, Any], interrupted: bool
) -> None:
    found, standing = work((RAY_JOB, OBJECT)), "v6e-16-0-pool"
    there = {it.urn: {"type": it.type, "outputs": it.outputs} for it in found.record.resources}
    there[f"urn:pulumi:s::p::{NODE_POOL}::{standing}"] = {"type": NODE_POOL, "outputs": {}}
    found.record = Record(there)
    found.before(
        pulumi.ResourceHookArgs(
            urn="", id="", name="gke", type=CLUSTER, old_inputs=old, new_inputs=new
        )
    )
    stops = list(found.stops([]))
    what = f"is interrupted when GKE upgrades the nodes of {standing}, one after the other. {ANEW}"
    told = [f"jobs.training runs on 64 GPUs and {what}"] if interrupted else []
    assert [str(it) for it in stops] == told
    assert all(it.agreement is None for it in stops)


@pytest.mark.parametrize(
    ("path", "renews"),
    [
        ("machineType", True),
        ("diskSizeGb", True),
        ("diskType", True),
        ("imageType", True),
        ("labels", False),
    ],
)
def test_nodes_are_made_anew_for_other_machines_and_disks(path: str, renews: bool) -> None:
    old, new = ({"nodeConfig": {path: it}} for it in ("one", "other"))
    assert renews_nodes(NODE_POOL, old, new) is renews
    assert not renews_nodes(RAY_JOB, old, new)


@pytest.mark.parametrize(
    ("old", "new", "drops"),
    [
        ({"nodeCount": 4}, {"nodeCount": 2}, True),
        ({"nodeCount": 2}, {"nodeCount": 4}, False),
        ({"autoscaling": {"totalMaxNodeCount": 5}}, {"nodeCount": 1}, True),
        ({"autoscaling": {"totalMaxNodeCount": 8}, "initialNodeCount": 2}, {"nodeCount": 8}, False),
        ({"nodeCount": 4}, {"autoscaling": {"totalMaxNodeCount": 2}}, False),
    ],
)
def test_only_a_fixed_count_that_becomes_smaller_takes_nodes_away(
    old: dict[str, Any], new: dict[str, Any], drops: bool
) -> None:
    assert drops_nodes(NODE_POOL, old, new) is drops
    assert not drops_nodes(RAY_JOB, old, new)


def test_a_job_on_a_pool_that_gets_fewer_nodes_is_named_with_what_that_costs() -> None:
    found = work((RAY_JOB, OBJECT))
    old, new = {"nodeCount": 8}, {"nodeCount": 4}
    found.before(
        pulumi.ResourceHookArgs(
            urn="", id="", name="v6e-16-0-pool", type=NODE_POOL, old_inputs=old, new_inputs=new
        )
    )
    (stop,) = found.stops([], found.renewed, found.shrunk)
    assert "may lose nodes of v6e-16-0-pool, which get fewer" in str(stop)


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
