"""Scripts that users bring: what works. What is refused of them is in tests/parts/refused."""

from __future__ import annotations

import pytest

from tests.conftest import changed
from tests.parts.preset_samples import ON_AUTOPILOT
from tests.unit.script_samples import JOB_SET, QUEUES, STACK, plan_of

TRAIN = "jobs__train__"
BUCKET = {"data": {"mount_path": "/data"}}


def test_where_it_runs_follows_from_whether_it_wants_gpus() -> None:
    plain = {"pool": None, "requests": {"cpu": 2, "memory_gib": 4}}
    on_cpus = plan_of(STACK, jobs__train={**JOB_SET, **plain}).scripts["train"]
    assert (on_cpus.host.name, on_cpus.gpus) == ("e2-standard-8", 0)
    one_gpu = plan_of(STACK, jobs__train={**JOB_SET, **plain, "gpus": 1}).scripts["train"]
    assert (one_gpu.host.name, one_gpu.gpus) == ("g2-standard-24", 1)
    assert plan_of(STACK).scripts["train"].gpus == 2
    autopilot = plan_of(STACK, **ON_AUTOPILOT, jobs__train={**JOB_SET, **plain}).scripts["train"]
    assert autopilot.pool is None


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
