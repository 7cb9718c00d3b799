"""Scripts that users bring: what is refused, and what would work."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.conftest import changed
from tests.parts.preset_samples import ON_AUTOPILOT
from tests.programs import lines_of, mistakes
from tests.unit.script_samples import B200, CHAT, JOB_SET, ON_RAY, QUEUES, RAY, STACK, plan_of

TRAIN = "jobs__train__"
BUCKET = {"data": {"mount_path": "/data"}}
SERVER = {"gpus": 2, "pool": "gpu", "replicas": 2, "requests": {"cpu": 18, "memory_gib": 30}}
HEAD = changed(RAY, head__pool="gpu", head__requests__cpu=20, workers__gpu__pools="cpu")


def lines(stack: dict[str, Any], **values: Any) -> tuple[str, ...]:
    return mistakes(changed(stack, **values))


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({TRAIN + "folder": "code"}, "jobs.train.folder: there is a file, too; nearest: leave one"),
        ({TRAIN + "image": None}, "jobs.train.image: missing; nearest: rayproject/ray"),
        ({TRAIN + "requests": None}, "jobs.train.requests: missing; nearest: {cpu: 1, memory_gib"),
        ({TRAIN + "command": []}, "jobs.train.command: "),
        ({TRAIN + "command": ["", "a"]}, r"jobs.train.command\[0\]: names no program; nearest: "),
        ({TRAIN + "command": [" "]}, r"jobs.train.command\[0\]: names no program; nearest: "),
        ({TRAIN + "command": ["run", "x" * 16385]}, "16385 characters .*; nearest: one of at most"),
        ({TRAIN + "command": ["run", "a\u200b"]}, r"U\+200B .* cannot be seen"),
        ({TRAIN + "file": "../train.py"}, 'jobs.train.file: "../train.py" is not a relative path'),
        ({TRAIN + "environment": {"NNODES": "1"}}, "environment.NNODES: each pod has its own"),
        ({TRAIN + "environment": {"SCRIPT_DIR": "1"}}, "environment.SCRIPT_DIR: each pod has its"),
        ({TRAIN + "environment": {"1A": "1"}}, '"1A" is not the name of a variable; nearest:'),
        ({TRAIN + "mounts": ["dat"], "buckets": BUCKET}, '"dat" is no bucket .*; nearest: data'),
        ({TRAIN + "mounts": ["dat"]}, r"mounts\[0\]: .*; nearest: leave it out"),
        ({TRAIN + "pool": "gup"}, '"gup" is no pool of this stack; nearest: gpu'),
        (
            {"pools__cpu": None, TRAIN + "pool": "cpus"},
            '"cpus" is no pool of this stack; nearest: cpu',
        ),
        ({TRAIN + "pool": None, TRAIN + "gpus": 3}, "gpus: 3 GPUs are more .*; nearest: 2"),
        (
            {
                TRAIN + "pool": None,
                TRAIN + "gpus": 2,
                "pools__l4": {"machine_type": "g2-standard-8", "nodes": 1},
            },
            "jobs.train.pool: missing, and there are several; nearest: gpu, l4",
        ),
        ({TRAIN + "pool": "cpu", TRAIN + "gpus": 1}, "e2-standard-8 has no GPUs; nearest: leave"),
        ({TRAIN + "nodes": 3}, "nodes: 3 are more than gpu can ever have; nearest: 2"),
        ({TRAIN + "requests__cpu": 24}, "requests.cpu: 24 CPUs are more .*; nearest: 23"),
        (
            {TRAIN + "requests__memory_gib": 85, "buckets": BUCKET},
            "85 GiB with the container that mounts buckets, 1 GiB, .*; nearest: 84",
        ),
        ({TRAIN + "shm_gib": 33}, "shm_gib: 33 GiB of shared memory count .*; nearest: 32"),
        ({TRAIN + "queue": "lq"}, 'queue: "lq": the stack has no queues; nearest: leave it out'),
        ({TRAIN + "priority": "hi"}, '"hi" is no priority class of this stack; nearest: leave'),
        (
            {TRAIN + "workload_priority": "hi", "queues": QUEUES},
            'workload_priority: "hi" is for what waits in a queue; nearest: leave it out',
        ),
        (
            {TRAIN + "queue": "lq", "queues": {}},
            "queues.frameworks: without jobset.x-k8s.io/jobset jobs.train would wait",
        ),
        (
            {TRAIN + "queue": "lq", "queues": {**QUEUES, "flavors": {"a": {"pool": "cpu"}}}},
            "cluster-queue has no flavor of gpu, .*; nearest: one of gpu in queues.flavors",
        ),
        (
            {
                TRAIN + "queue": "lq",
                "queues": {
                    **QUEUES,
                    "cluster_queues": {
                        "cluster-queue": {"flavors": {"default-flavor": {"gpus": 3}}}
                    },
                },
            },
            "queue: 2 pods would wait for ever .*: 4 of 3 GPUs; nearest: 1 pod, or a larger quota",
        ),
        (
            {"pools__gpu__capacity": {"mode": "queued"}},
            "pools.gpu.capacity.mode: queued machines come by a request, .*nearest: flex-start",
        ),
        ({"ray": {"r": RAY}}, "2 of gpu may never have room beside ray.r.workers.gpu; nearest: a"),
        (
            {"ray": {"r": RAY}, "pools__gpu__autoscaling": {"min": 0, "max": 3}},
            "jobs.train.nodes: .* nearest: 1, or a pool of its own",
        ),
        ({"ray": {"r": HEAD}}, "2 of gpu may never have room beside ray.r.head; nearest: 1, or a"),
        ({"servers": {"s": SERVER}}, "2 of gpu may never have room beside servers.s; nearest: a"),
        (
            {"servers": {"train": SERVER}},
            "which servers.train has one of already; nearest: another",
        ),
        (
            {"jobs__second": JOB_SET},
            "jobs.second.queue: missing, and jobs.train is on gpu, too, .* nearest: a queue",
        ),
        (
            {TRAIN + "server": "chat"},
            'jobs.train.server: "chat" is no server of this stack; nearest: leave it out',
        ),
        ({**CHAT, TRAIN + "server": "chet"}, "is no server of this stack; nearest: chat"),
        (
            {**CHAT, TRAIN + "server": "chat", TRAIN + "environment": {"SERVER_URL": "x"}},
            "jobs.train.environment.SERVER_URL: each pod has its own; nearest: leave it out",
        ),
        (
            {"jobs": {"a" * 46: JOB_SET}},
            "46 characters, and a JobSet name has at most 45; nearest: a",
        ),
    ],
)
def test_what_cannot_work_is_refused_with_what_would(values: dict[str, Any], line: str) -> None:
    found = lines(STACK, **values)
    assert any(re.search(line, one) for one in found), found


def test_what_a_job_has_of_its_raycluster_is_not_its_to_say() -> None:
    both = {**JOB_SET, "ray": "small"}
    found = lines(STACK, jobs={"train": both}, ray__small=RAY)
    assert [it.partition(":")[0].rpartition(".")[2] for it in found] == [
        "image",
        "requests",
        "nodes",
        "pool",
    ]
    assert found[0].endswith("the job has that of the RayCluster small; nearest: leave it out")


def test_a_job_on_a_raycluster_has_the_secrets_that_its_pods_have() -> None:
    job = {**ON_RAY, "secrets": ["hub=token:HF_TOKEN", "ngc=NGC_API_KEY"]}
    cluster = {**RAY, "secrets": ["ngc", "hub=token:HF_TOKEN"]}
    assert not lines_of(changed(STACK, jobs={"tune": job}, ray={"small": cluster}))
    (line,) = lines(STACK, jobs={"tune": job}, ray={"small": {**RAY, "secrets": ["ngc"]}})
    assert line.startswith("stack.jobs.tune.secrets[0]: pods of the RayCluster small do not have")
    assert "nearest: hub=token:HF_TOKEN in ray.small.secrets" in line
    (line,) = lines(STACK, ray={"small": {**RAY, "secrets": ["a=KEY", "b=KEY"]}})
    assert line.startswith("stack.ray.small.secrets[1]: b would give the variable KEY, which a giv")


def test_a_raycluster_that_is_not_there_is_refused() -> None:
    (line,) = lines(STACK, jobs={"tune": ON_RAY}, ray={"smal": RAY})
    assert line == 'stack.jobs.tune.ray: "small" is no RayCluster of this stack; nearest: smal'


def test_interfaces_go_to_one_pod_alone() -> None:
    (line,) = lines(B200, jobs__train__gpus=4)
    assert line.startswith("stack.jobs.train.gpus: 4 of the 8 GPUs of a4-highgpu-8g would leave")
    assert line.endswith("nearest: 8")


def test_pods_on_tpus_are_rays() -> None:
    tpu = {"machine_type": "ct6e-standard-4t", "topology": "4x4", "slices": 1}
    found = lines(STACK, zone="us-central1-b", pools__gpu=tpu)
    assert any("jobs.train.pool: pods of gpu are Ray's" in it for it in found)


def test_autopilot_gives_whole_machines() -> None:
    found = lines(STACK, **ON_AUTOPILOT, jobs__train__gpus=1)
    assert any("Autopilot gives such a pod the whole machine; nearest: 2" in it for it in found)


def test_autopilots_own_nodes_are_in_no_queue() -> None:
    found = lines(
        STACK, **ON_AUTOPILOT, jobs__train__pool=None, jobs__train__queue="lq", queues=QUEUES
    )
    assert any("has no flavor of those that Autopilot makes" in it for it in found)


def test_a_pod_that_writes_more_than_its_nodes_disk_is_refused() -> None:
    found = lines(STACK, jobs__train__pool="cpu", jobs__train__requests__ephemeral_storage_gib=90)
    assert any("requests.ephemeral_storage_gib: 90 GiB are more" in it for it in found)


def test_an_image_of_the_lock_that_the_boot_disk_does_not_hold_is_refused() -> None:
    image = plan_of(STACK).facts.image("nemo_rl").reference
    values = {"pool": "cpu", "image": image, "requests": {"cpu": 1, "memory_gib": 2}}
    found = lines(
        STACK,
        pools__cpu__disk={"size_gb": 60},
        jobs__train={**JOB_SET, **values},
    )
    assert any("pools.cpu.disk.size_gb: 60 GB do not hold the image" in it for it in found)


def test_a_cache_without_a_limit_of_its_own_is_refused() -> None:
    mount = {"file_cache_mib": 1024, "sidecar": {"ephemeral_storage_gib": 0}}
    found = lines(STACK, buckets={"data": {"mount_path": "/data", "mount": mount}})
    assert any("buckets.data.mount.file_cache_mib" in it and "jobs.train" in it for it in found)


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
