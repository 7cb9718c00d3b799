"""Scripts that users bring: what works. What is refused of them is in tests/parts/refused."""

from __future__ import annotations

import pytest

from tests.conftest import changed
from tests.parts.preset_samples import ON_AUTOPILOT
from tests.unit.script_samples import JOB_SET, ON_RAY, QUEUES, RAY, STACK, plan_of

TRAIN = "jobs__train__"
BUCKET = {"data": {"mount_path": "/data"}}
SERVER = {"gpus": 2, "pool": "gpu", "replicas": 2, "requests": {"cpu": 18, "memory_gib": 30}}


def test_a_job_on_a_raycluster_has_the_secrets_that_its_pods_have() -> None:
    job = {**ON_RAY, "secrets": ["hub=token:HF_TOKEN", "ngc=NGC_API_KEY"]}
    cluster = {**RAY, "secrets": ["ngc", "hub=token:HF_TOKEN"]}
    assert plan_of(STACK, jobs={"tune": job}, ray={"small": cluster})


def test_where_it_runs_follows_from_whether_it_wants_gpus() -> None:
    plain = {"pool": None, "requests": {"cpu": 2, "memory_gib": 4}}
    on_cpus = plan_of(STACK, jobs__train={**JOB_SET, **plain}).scripts["train"]
    assert (on_cpus.host.name, on_cpus.gpus) == ("e2-standard-8", 0)
    one_gpu = plan_of(STACK, jobs__train={**JOB_SET, **plain, "gpus": 1}).scripts["train"]
    assert (one_gpu.host.name, one_gpu.gpus) == ("g2-standard-24", 1)
    assert plan_of(STACK).scripts["train"].gpus == 2
    autopilot = plan_of(STACK, **ON_AUTOPILOT, jobs__train={**JOB_SET, **plain}).scripts["train"]
    assert autopilot.pool is None


def test_on_a_pool_with_room_beside_ray_or_in_a_queue_with_it_all_is_well() -> None:
    small = changed(RAY, workers__gpu__requests={"cpu": 4, "memory_gib": 16}, workers__gpu__gpus=1)
    plan_of(STACK, ray={"r": small}, jobs__train__gpus=1, jobs__train__nodes=1)
    waiting = {TRAIN + "queue": "lq", "queues": QUEUES}
    plan_of(STACK, ray={"r": {**RAY, "autoscaling": {}}}, **waiting)
    both = {**QUEUES, "flavors": {"gpu": {"pool": "gpu"}, "cpu": {"pool": "cpu"}}}
    plan_of(STACK, ray={"r": {**RAY, "queue": "lq"}}, **{**waiting, "queues": both})


def test_a_server_that_fits_a_node_once_leaves_room_to_what_fits_beside_it() -> None:
    one = {"gpus": 1, "model": "Qwen/Qwen3-8B", "max_model_len": 4096}
    large = {**SERVER, **one, "requests": {"cpu": 13, "memory_gib": 30}}
    plan_of(STACK, servers={"s": large}, jobs__train__gpus=1)


def test_two_jobs_of_two_nodes_share_a_pool_where_a_queue_decides_or_both_have_room() -> None:
    queued = {**JOB_SET, "queue": "lq"}
    plan_of(STACK, jobs={"a": queued, "b": queued}, queues=QUEUES)
    plan_of(STACK, jobs={"a": JOB_SET, "b": {**JOB_SET, "nodes": 1}})
    half = {**JOB_SET, "gpus": 1}
    plan_of(STACK, jobs={"a": half, "b": half})
    plan_of(STACK, jobs={"a": JOB_SET, "b": JOB_SET}, pools__gpu__nodes=4)


def test_a_bucket_is_streamed_to_by_the_process_of_each_gpu() -> None:
    assert plan_of(STACK, buckets=BUCKET).buckets["data"].files_at_once == 2
    assert plan_of(STACK, buckets=BUCKET, jobs__train__mounts=[]).buckets["data"].files_at_once == 1


def test_kueue_leaves_a_job_the_time_that_its_image_may_take() -> None:
    queues = plan_of(STACK, jobs__train__queue="lq", queues=QUEUES).queues
    assert queues is not None
    assert queues.waiting["jobs.train.queue"] == 90


@pytest.mark.parametrize(
    "word",
    [
        "",
        # huggingface/transformers examples/pytorch/summarization/README.md @ fc4459fd.
        "summarize: ",
        "\t",
        "set -e\ncd /tmp\nrun\n",
        "a" * 16384,
    ],
)
def test_a_programs_words_and_variables_are_taken_as_they_are(word: str) -> None:
    values = {TRAIN + "command": ["bash", "-c", word], TRAIN + "environment": {"A": word}}
    script = plan_of(changed(STACK, **values)).scripts["train"].config
    assert script.command == ("bash", "-c", word)
    assert script.environment == {"A": word}
