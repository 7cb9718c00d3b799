"""What `preview` and `up` say of MaxText jobs that no rule refuses, and the output that names the
machines which stay after jobs. The sentences are read here; no engine shows them."""

from typing import Any

import pytest

from catalog import Catalog
from stacks import after_jobs
from stacks.config import validate
from stacks.parts.jobs.maxtext import MaxTextTraining
from stacks.parts.jobs.maxtext_advice import advice
from stacks.parts.jobs.maxtext_steps import lustre_seconds
from stacks.plan import Plan
from tests.conftest import changed, stack_config
from tests.parts.claim_samples import CLAIMED
from tests.parts.existing_samples import ON_NETWORK
from tests.parts.samples import CLASSIFIER, DEV, SERVE, SERVE_ALONE, TPU, VERL

JOB = "jobs__maxtext"
# An exclusion, so that upgrades are no subject.
KEPT = changed(
    TPU,
    cluster__maintenance={
        "start": "2026-01-03T02:00:00Z",
        "end": "2026-01-04T02:00:00Z",
        "exclusions": [{"name": "training", "start": "2026-01-01T00:00:00Z"}],
    },
)
# A script of two pods on GPUs that nothing else uses.
SCRIPT = changed(
    SERVE_ALONE,
    servers=None,
    pools__gpu__nodes=2,
    jobs={
        "train": {
            "type": "script",
            "pool": "gpu",
            "nodes": 2,
            "image": "python:3.12.8-slim",
            "command": ["python3", "-V"],
            "requests": {"cpu": 4, "memory_gib": 8},
        }
    },
)


def told(stack: dict[str, Any], **values: Any) -> list[str]:
    return list(advice(validate(changed(stack, **values))))


def job(**values: Any) -> MaxTextTraining:
    return MaxTextTraining.model_validate({"type": "maxtext", "model": "llama3-8b", **values})


@pytest.mark.parametrize("stack", ["tpu-elastic", "tpu-multislice"])
def test_of_the_presets_there_is_nothing_to_say(stack: str) -> None:
    assert told(stack_config(stack)) == []


def test_memory_that_only_a_compiler_can_vouch_for_is_named_with_a_batch_that_is_likely() -> None:
    assert told(KEPT, **{f"{JOB}__per_device_batch_size": 8}) == []
    (line,) = told(KEPT, **{f"{JOB}__per_device_batch_size": 12})
    assert line.startswith("jobs.maxtext: at least 29.4 GiB of a chip that has 31.25")
    assert line.endswith(
        "nearest: per_device_batch_size 8, or `aistack fit`, which compiles the job"
    )


def test_checkpoints_that_come_faster_than_the_bucket_takes_them_are_named() -> None:
    (line,) = told(KEPT, **{f"{JOB}__checkpoint_period": 20})
    assert line.startswith(
        "jobs.maxtext.checkpoint_period: a checkpoint of 96 GB takes its storage 45 s"
    )
    assert line.endswith("nearest: 21")
    assert told(KEPT, **{f"{JOB}__checkpoint_period": 21}) == []


def test_of_lustre_the_speed_that_it_is_bought_for_counts() -> None:
    lustre = {"name": "fast", "capacity_gib": 72000, "throughput_mbps_per_tib": 125}
    on_lustre = {
        "lustre": lustre,
        "jobs__maxtext__storage": "lustre",
        "jobs__maxtext__checkpoint_period": 1,
    }
    lines = told(KEPT, **on_lustre)
    assert [it for it in lines if "a checkpoint of 96 GB takes its storage 11 s or more" in it]
    assert lustre_seconds(validate(ON_NETWORK), 10**12) is None


def test_of_a_tpu_whose_peak_nobody_knows_nothing_is_said_of_checkpoints() -> None:
    known = Catalog.load().machine("ct6e-standard-4t")
    facts = known.model_dump(mode="json", exclude_none=True, exclude={"name"})
    own = {**facts, "accelerator": {**facts["accelerator"], "type": "tpu-of-mine"}}
    often = {f"{JOB}__checkpoint_period": 1}
    assert told(KEPT, **often)
    assert told(KEPT, **often, catalog__machine_types={known.name: own}) == []


@pytest.mark.parametrize(
    ("steps", "period"), [(5, 5), (100, 25), (1_000, 100), (10_000, 250), (1_000_000, 250)]
)
def test_steps_between_checkpoints_are_a_tenth_of_the_training_within_bounds(
    steps: int, period: int
) -> None:
    assert job(steps=steps).saves_every == period
    assert job(steps=steps, checkpoint_period=2).saves_every == 2


def test_an_elastic_job_runs_again_after_its_last_failure_where_nothing_else_is_said() -> None:
    assert job().runs_again == 0
    assert job(elastic={}).runs_again == 3
    assert job(elastic={}, retries=0).runs_again == 0
    assert job(elastic={}, retries=7).runs_again == 7


def test_an_elastic_job_that_is_not_run_again_is_told_its_life() -> None:
    elastic = {f"{JOB}__elastic": {"max_failures": 2}}
    assert told(KEPT, **elastic) == []
    (line,) = told(KEPT, **elastic, **{f"{JOB}__retries": 0})
    assert line.startswith("jobs.maxtext.retries: the job fails for good with loss 3 of a slice")
    endless = {f"{JOB}__elastic": {"max_failures": -1}}
    assert told(KEPT, **endless, **{f"{JOB}__retries": 0}) == []


def test_a_job_on_spot_slices_that_the_first_loss_ends_is_named() -> None:
    spot = {"pools__tpu__capacity": {"mode": "spot"}}
    assert told(KEPT) == []
    (line,) = told(KEPT, **spot)
    assert line.startswith("jobs.maxtext.retries: the slices are spot machines")
    assert line.endswith("nearest: retries 3, or elastic")
    assert told(KEPT, **spot, **{f"{JOB}__retries": 3}) == []
    assert told(KEPT, **spot, **{f"{JOB}__elastic": {}}) == []


def test_an_upgrade_that_would_end_a_job_is_named_where_neither_exclusion_nor_elastic_is() -> None:
    (line,) = told(TPU)
    assert line.startswith("jobs.maxtext: GKE may upgrade the nodes of a slice while the job runs")
    assert told(TPU, **{f"{JOB}__elastic": {}}) == []
    minor = {"name": "a", "start": "2026-01-01T00:00:00Z", "scope": "NO_MINOR_UPGRADES"}
    assert told(KEPT, cluster__maintenance__exclusions=[minor]) == [line]


def staying(plan: Plan) -> list[str]:
    return after_jobs.sentences(plan, "any")


def test_machines_that_stay_after_jobs_are_named_with_their_cost_and_what_gives_them_back() -> None:
    (line,) = staying(validate(TPU))
    assert line.startswith(
        "ray.tpu: 8 x ct6e-standard-4t stay when jobs.maxtext has ended or failed, for 86 USD an "
        "hour"
    )
    assert line.endswith(
        "nearest: `pulumi destroy --stack any` then, or `pulumi up --stack any` with "
        "cluster.ray_operator: addon and without jobs.maxtext, ray.tpu, pools.tpu"
    )


def test_gpus_stay_as_well_and_of_a_cluster_without_jobs_nothing_is_said() -> None:
    # A RayCluster without jobs is there to be used.
    assert staying(validate(DEV)) == []
    (line,) = staying(validate(VERL))
    assert "stay when jobs.grpo has ended or failed" in line


def test_of_workers_that_ray_scales_the_fewest_stay_and_the_fewest_nodes_of_a_pool() -> None:
    scales = changed(CLASSIFIER, ray__classifier__autoscaling={})
    (line,) = staying(validate(scales))
    assert line.startswith("ray.classifier: 4 x g2-standard-8 stay when jobs.images has ended")
    scales = changed(scales, pools__gpu__autoscaling={"min": 0, "max": 4})
    assert staying(validate(scales)) == []
    scales = changed(scales, ray__classifier__workers__gpu__min_workers=1)
    (line,) = staying(validate(scales))
    assert line.startswith("ray.classifier: 1 x g2-standard-8 stay when jobs.images has ended")


def test_a_pool_that_does_not_scale_stays_after_a_script_and_is_named_with_its_cost() -> None:
    (line,) = staying(validate(SCRIPT))
    assert line == (
        "pools.gpu: 2 x g2-standard-24 stay when jobs.train has ended or failed, for 4.00 USD an "
        "hour; nearest: `pulumi destroy --stack any` then, or pools.gpu.autoscaling with min 0"
    )
    # The fewest nodes of a pool that scales stay, and of one from 0 none does.
    scales = {"pools__gpu__autoscaling": {"min": 1, "max": 2}}
    (line,) = staying(validate(changed(SCRIPT, **scales)))
    assert "1 x g2-standard-24 stay" in line
    for values in ({"autoscaling": {"min": 0, "max": 2}}, {"capacity": {"mode": "spot"}}):
        pool = {**SCRIPT["pools"]["gpu"], **values}
        assert staying(validate(changed(SCRIPT, pools__gpu=pool))) == []


def test_of_a_pool_whose_pods_never_wait_for_machines_the_job_and_the_pool_are_given_back() -> None:
    alone = changed(CLAIMED, ray=None, servers=None)
    (line,) = staying(validate(alone))
    assert line.startswith("pools.gpu: 1 x a4-highgpu-8g stay when jobs.tune has ended or failed")
    assert line.endswith("`pulumi up --stack any` without jobs.tune, pools.gpu")


def test_a_pool_that_a_server_has_too_is_the_servers() -> None:
    token = frozenset({"hugging_face_token"})
    assert staying(validate(SERVE, secrets_set=token)) == []
    (line,) = staying(validate(changed(SERVE, servers=None), secrets_set=token))
    assert line.startswith("pools.gpu: 3 x g2-standard-24 stay when jobs.tune has ended or failed")
