"""Mistakes in what shares GPUs, one a line: servers, fine-tunings."""

from typing import Any

from tests.parts.refusals import Refused
from tests.parts.samples import BARE, RL, SERVE, SERVE_ALONE


def _server(gpus: int, **more: Any) -> dict[str, Any]:
    requests = {"cpu": 2, "memory_gib": 12, "ephemeral_storage_gib": 30}
    return {"model": "google/gemma-2-2b-it", "gpus": gpus, "requests": requests, **more}


_SECOND = {"machine_type": "g2-standard-12", "nodes": 1}
_QUEUED = {"mode": "queued"}
_ONLY_MORE: dict[str, Any] = {"flavors": {"more": {}}}
_LONG = "n" * 64
_NOBODY_PREEMPTS = {
    "queues__priorities": [
        {"name": "low", "value": 20, "preempts": False},
        {"name": "high", "value": 30, "preempts": False},
    ]
}

_OR_OPERATOR = "nearest: latest, or operator where NVIDIA's GPU Operator brings one"

FINE_TUNING = [
    Refused(
        {**SERVE, "servers": {}, "zone": "us-central1-b"},
        {"pools__gpu": {"machine_type": "a4-highgpu-8g", "nodes": 1, "capacity": {"mode": "spot"}}},
        "pools.gpu.machine_type",
        "has 9 further interfaces that no pod of this stack asks for; nearest: g2-standard-24",
    ),
    Refused(
        BARE,
        {"pools__gpu__nodes": 2, "servers": {"chat": _server(2), "code": _server(1, replicas=2)}},
        "servers.chat",
        "servers.code can be spread over 2 of its 2; nearest: a pool of its own",
    ),
    Refused(
        BARE,
        {
            "pools__gpu__capacity": {"mode": "queued"},
            "pools__gpu__autoscaling": {"min": 0, "max": 1},
            "servers": {"chat": _server(2)},
        },
        "servers.chat.pool",
        "nothing asks for without a queue; nearest: a queue in servers.chat.queue",
    ),
    Refused(
        {**SERVE, "jobs": {}},
        {
            "pools__gpu__capacity": _QUEUED,
            "pools__gpu__autoscaling": {"min": 0, "max": 3},
        },
        "pools.gpu.capacity.mode",
        "nearest: flex-start, or one of queues.admission_checks in each of its queues",
    ),
    Refused(SERVE, {"jobs__tune__pool": "cpu"}, "jobs.tune.pool", "with GPUs; nearest: gpu"),
    Refused(
        SERVE, {"jobs__tune__storage": "modles"}, "jobs.tune.storage", "is no bucket of this stack"
    ),
    Refused({**SERVE, "buckets": {}}, {}, "jobs.tune.storage", "the stack has no bucket"),
    Refused(
        {**SERVE, "queues": None, "servers": {}},
        {},
        "jobs.tune.queue",
        "a fine-tuning waits in a queue; nearest: queues, an empty block",
    ),
    Refused(SERVE, {"jobs__tune__queue": "lqq"}, "jobs.tune.queue", "nearest: lq"),
    Refused(SERVE, {"jobs__tune__priority": "lo"}, "jobs.tune.priority", "nearest: low"),
    Refused(
        SERVE,
        {"jobs__tune__workload_priority": "x"},
        "jobs.tune.workload_priority",
        "is not in queues.workload_priorities; nearest: leave it out",
    ),
    Refused(SERVE, {"jobs__tune__gpus": 4}, "jobs.tune.gpus", "than a node of g2-standard-24 has"),
    Refused(SERVE, {"jobs__tune__pods": 9}, "jobs.tune.pods", "do not fit beside one server on 3"),
    Refused(
        SERVE,
        {"jobs__gemma": SERVE["jobs"]["tune"], "jobs__tune": None},
        "jobs.gemma",
        'its Service is "gemma", which servers.gemma has one of already; nearest: another name',
    ),
    Refused(
        SERVE,
        {"jobs__tune__dataset_limit": 10_000_000},
        "jobs.tune.dataset_limit",
        "examples are more than the",
    ),
    Refused(
        SERVE,
        {"queues__frameworks": ["pod"]},
        "queues.frameworks",
        "without batch/job jobs.tune would wait in its queue for ever",
    ),
    Refused(
        SERVE,
        {"queues__cluster_queues__gpus__flavors": {"l4": {"gpus": 2}}},
        "jobs.tune.queue",
        "2 pods would wait for ever for what gpus never has: 4 of 2 GPUs; nearest: 1 pod",
    ),
    Refused(
        SERVE,
        {"pools__gpu__capacity": _QUEUED, "pools__gpu__autoscaling": {"min": 0, "max": 3}},
        "pools.gpu.capacity.mode",
        "or one of queues.admission_checks in each of its queues",
    ),
]

SERVERS = [
    Refused(
        {**BARE, "servers": {"chat": {"gpus": 2, "requests": {"cpu": 4, "memory_gib": 30}}}},
        {"pools__gpu": {"machine_type": "e2-standard-4", "nodes": 1}},
        "servers.chat.pool",
        "the stack has no pool with GPUs; nearest: one of g2-standard-24",
    ),
    Refused(
        SERVE, {"servers__gemma__pool": "gpux"}, "servers.gemma.pool", "with GPUs; nearest: gpu"
    ),
    Refused(
        SERVE, {"pools__more": _SECOND}, "servers.gemma.pool", "there are several; nearest: gpu, "
    ),
    Refused(
        SERVE, {"servers__gemma__gpus": 4}, "servers.gemma.gpus", "than a node of g2-standard-24"
    ),
    Refused(
        SERVE,
        {"servers__gemma__engine": "vllm", "pools__gpu__driver_version": "default"},
        "pools.gpu.driver_version",
        "has CUDA 13, which needs 580; nearest: latest",
    ),
    Refused(
        SERVE,
        {"pools__gpu__driver_version": "disabled"},
        "pools.gpu.driver_version",
        f"have no GPUs for servers.gemma, jobs.tune; {_OR_OPERATOR}",
    ),
    Refused(
        RL,
        {"pools__gpu__driver_version": "disabled"},
        "pools.gpu.driver_version",
        f"have no GPUs for ray.rl.workers.gpu; {_OR_OPERATOR}",
    ),
    Refused(
        SERVE,
        {"servers__gemma__image": "example.com/tgi:cu130", "pools__gpu__driver_version": "default"},
        "pools.gpu.driver_version",
        "example.com/tgi:cu130 has CUDA 13, which needs 580; nearest: latest",
    ),
    *(
        Refused(
            SERVE,
            {f"servers__gemma__{key}": value},
            f"servers.gemma.{key}",
            "Text Generation Inference decides by itself; nearest: leave it out",
        )
        for key, value in (("max_model_len", 4096), ("gpu_memory_utilization", 0.8))
    ),
    Refused(
        SERVE,
        {"servers__gemma__rollout": "surge"},
        "servers.gemma.rollout",
        "unless its priority class has preempts false; nearest: in-place",
    ),
    Refused(
        SERVE,
        {"servers__gemma__rollout": "surge", "servers__gemma__replicas": 3, **_NOBODY_PREEMPTS},
        "servers.gemma.rollout",
        "one server more, and ",
    ),
    Refused(
        SERVE,
        {"servers__gemma__rollout": "surge", **_NOBODY_PREEMPTS},
        "servers.gemma.rollout",
        "the new one stops others (jobs.tune) or waits behind them beside the one before; "
        "nearest: in-place",
    ),
    Refused(
        SERVE_ALONE,
        {
            "cluster": {"mode": "autopilot", "release_channel": "RAPID"},
            "pools": {
                "gpu": {
                    "machine_type": "g2-standard-24",
                    "nodes": 1,
                    "capacity": {"mode": "reservation", "name": "ours"},
                }
            },
            "servers__gemma__rollout": "surge",
        },
        "servers.gemma.rollout",
        "need 2 nodes of gpu, which has at most 1; nearest: in-place",
    ),
    Refused(
        SERVE_ALONE,
        {
            "servers__gemma__model": "Qwen/Qwen2.5-7B-Instruct",
            "servers__gemma__requests__ephemeral_storage_gib": 10,
        },
        "servers.gemma.requests.ephemeral_storage_gib",
        "do not hold the weights of Qwen/Qwen2.5-7B-Instruct, which a pod downloads, and 2 GiB "
        "beside them; nearest: 17",
    ),
    Refused(
        SERVE_ALONE,
        {
            "pools__gpu__machine_type": "g2-standard-48",
            "servers__gemma__model": "Qwen/Qwen2.5-32B-Instruct",
            "servers__gemma__requests__ephemeral_storage_gib": 80,
        },
        "servers.gemma.gpus",
        "; nearest: 4",
    ),
    Refused(
        SERVE_ALONE,
        {
            "servers__gemma__model": "Qwen/Qwen2.5-72B-Instruct",
            "servers__gemma__requests__ephemeral_storage_gib": 160,
        },
        "servers.gemma.model",
        "; nearest: GPUs with more memory",
    ),
    Refused(
        SERVE_ALONE,
        {"servers__gemma__rollout": "surge", "servers__gemma__replicas": 3},
        "servers.gemma.rollout",
        "4 servers, one more than there may be, need 4 nodes of gpu, which has at most 3; "
        "nearest: in-place",
    ),
    Refused(SERVE, {"servers__gemma__shards": 1}, "servers.gemma.shards", "nearest: 2"),
    Refused(
        {**SERVE, "servers": {_LONG: SERVE["servers"]["gemma"]}},
        {},
        f"servers.{_LONG}",
        "becomes part of a host name",
    ),
    Refused(
        SERVE,
        {"servers__gemma__autoscaling": {"min": 1, "max": 2}, "cluster": None},
        "cluster.release_channel",
        "a metric of their own, which servers.gemma.autoscaling does; nearest: RAPID",
    ),
    Refused(SERVE, {"servers__gemma__queue": "lk"}, "servers.gemma.queue", "nearest: lq"),
    Refused(
        SERVE,
        {
            "pools__more": _SECOND,
            "jobs__tune__pool": "gpu",
            "queues": {
                "flavors": {"l4": {"pool": "gpu"}, "more": {"pool": "more"}},
                "cluster_queues": {"gpus": {"flavors": {"l4": {}}}, "others": _ONLY_MORE},
                "local_queues": [
                    {"name": "lq", "cluster_queue": "gpus"},
                    {"name": "lo", "cluster_queue": "others"},
                ],
                "priorities": SERVE["queues"]["priorities"],
            },
            "servers__gemma__pool": "gpu",
            "servers__gemma__queue": "lo",
        },
        "servers.gemma.queue",
        '"lo" gives out more, and this runs on gpu, so it would wait for ever; nearest: one more '
        "of queues.flavors, with pool gpu",
    ),
    Refused(SERVE, {"servers__gemma__priority": "hig"}, "servers.gemma.priority", "nearest: high"),
    Refused(
        {**SERVE, "jobs": {}},
        {"queues__cluster_queues__gpus__flavors": {"l4": {"memory_gib": 20}}},
        "servers.gemma.queue",
        "1 pod would wait for ever for what gpus never has: 30 of 20 GiB of memory; nearest: a",
    ),
    Refused(
        SERVE,
        {"queues__frameworks": ["batch/job"]},
        "queues.frameworks",
        "without pod servers.gemma would wait in its queue for ever",
    ),
    Refused(
        SERVE,
        {"servers__gemma__engine": "vllm", "servers__gemma__max_model_len": 99_999},
        "servers.gemma.max_model_len",
        "99999 tokens are more than google/gemma-2-9b-it tells apart",
    ),
    Refused(
        {**BARE, "cluster": {"mode": "autopilot"}},
        {"servers": {"chat": {"gpus": 1, "requests": {"cpu": 4, "memory_gib": 30}}}},
        "servers.chat.gpus",
        "Autopilot gives such a pod the whole machine; nearest: 2",
    ),
]
