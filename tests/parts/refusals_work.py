"""Mistakes in single values of what runs on a stack, one a line."""

from tests.parts.preset_samples import B200, CLASSIFIER, ELASTIC, MIXED, TPU, VERL
from tests.parts.refusals import Refused

_RL = "jobs__nemo-rl-grpo-test1"
_RL_FIELD = "jobs.nemo-rl-grpo-test1"
_RAY = "ray__ray-a4-gpu-spot"
_RAY_FIELD = "ray.ray-a4-gpu-spot"
_IMAGES = "jobs__pytorch-image-classifier"
_IMAGES_FIELD = "jobs.pytorch-image-classifier"
_LLAMA = "jobs__maxtext-llama3-8b"
_LLAMA_FIELD = "jobs.maxtext-llama3-8b"
_ELASTIC_JOB = "jobs__maxtext-elastic-8b"
_ELASTIC_JOB_FIELD = "jobs.maxtext-elastic-8b"

WORK = [
    Refused(
        B200,
        {f"{_RAY}__head__requests__memory": 1},
        f"{_RAY_FIELD}.head.requests.memory",
        "nearest: memory_gib",
    ),
    Refused(
        B200,
        {f"{_RAY}__head__limits": {"cpu": 4, "memory_gib": 48}},
        f"{_RAY_FIELD}.head.limits.cpu",
        "4 CPUs are below the request; nearest: 12",
    ),
    Refused(
        B200,
        {f"{_RAY}__head__limits": {"cpu": 12, "memory_gib": 32}},
        f"{_RAY_FIELD}.head.limits.memory_gib",
        "32 GiB are below the request; nearest: 48",
    ),
    Refused(
        B200,
        {f"{_RAY}__image": "nvcr.io/nvidia/nemo-rl:latest"},
        f"{_RAY_FIELD}.image",
        "not an image with a fixed tag or digest; nearest: one like registry/name:1.2.3",
    ),
    Refused(B200, {f"{_RAY}__version": "2"}, f"{_RAY_FIELD}.version", "nearest: one like 2.54.0"),
    Refused(
        B200,
        {f"{_RL}__checkpoints__metric": "accuracy"},
        f"{_RL_FIELD}.checkpoints.metric",
        "nearest: val:accuracy",
    ),
    Refused(
        B200,
        {f"{_RL}__checkpoints__metric": "val:$(id)"},
        f"{_RL_FIELD}.checkpoints.metric",
        "nearest: one like val:accuracy",
    ),
    Refused(
        B200,
        {f"{_RL}__checkpoints__metric": "val:${oc.env:HF_TOKEN}"},
        f"{_RL_FIELD}.checkpoints.metric",
        "nearest: one like val:accuracy",
    ),
    Refused(
        B200,
        {f"{_RL}__checkpoints__directory": "/tmp/x"},
        f"{_RL_FIELD}.checkpoints.directory",
        "is not a relative path; nearest: one like runs/first",
    ),
    Refused(B200, {f"{_RL}__dataset": "DeepScale"}, f"{_RL_FIELD}.dataset", "nearest: DeepScaler"),
    Refused(
        B200,
        {f"{_RL}__model": "Qwen"},
        f"{_RL_FIELD}.model",
        "nearest: Qwen/Qwen3-8B, Qwen/Qwen3-32B",
    ),
    Refused(
        CLASSIFIER,
        {f"{_IMAGES}__data": "/data"},
        f"{_IMAGES_FIELD}.data",
        "or generated; nearest: one like generated",
    ),
    Refused(
        CLASSIFIER,
        {f"{_IMAGES}__data": "data/../.."},
        f"{_IMAGES_FIELD}.data",
        "nearest: one like generated",
    ),
    Refused(
        CLASSIFIER, {f"{_IMAGES}__max_failures": -2}, f"{_IMAGES_FIELD}.max_failures", "nearest: -1"
    ),
    Refused(
        CLASSIFIER,
        {f"{_IMAGES}__run_name": "a/b"},
        f"{_IMAGES_FIELD}.run_name",
        "nearest: one like first-run",
    ),
    Refused(
        CLASSIFIER,
        {f"{_IMAGES}__learning_rate": 0},
        f"{_IMAGES_FIELD}.learning_rate",
        "0 is less than 1e-12; nearest: 1e-12",
    ),
    Refused(
        CLASSIFIER,
        {f"{_IMAGES}__epoch": 1},
        f"{_IMAGES_FIELD}.epoch",
        "there is no such key; nearest: epochs",
    ),
    Refused(
        TPU,
        {f"{_LLAMA}__checkpoints_to_keep": 0},
        f"{_LLAMA_FIELD}.checkpoints_to_keep",
        "nearest: 1",
    ),
    Refused(TPU, {f"{_LLAMA}__ici__fsdp": -2}, f"{_LLAMA_FIELD}.ici.fsdp", "nearest: -1"),
    Refused(
        TPU,
        {f"{_LLAMA}__run_name": "a/b"},
        f"{_LLAMA_FIELD}.run_name",
        "nearest: one like first-run",
    ),
    Refused(
        TPU,
        {f"{_LLAMA}__model": "llama3-9b"},
        f"{_LLAMA_FIELD}.model",
        "nearest: llama3-8b, llama3-70b, llama3.1-8b",
    ),
    Refused(
        TPU,
        {f"{_LLAMA}__directory": "/data"},
        f"{_LLAMA_FIELD}.directory",
        "nearest: one like runs/first",
    ),
    Refused(
        ELASTIC,
        {f"{_ELASTIC_JOB}__elastic__min_slices": 0},
        f"{_ELASTIC_JOB_FIELD}.elastic.min_slices",
        "nearest: 1",
    ),
    Refused(
        ELASTIC,
        {f"{_ELASTIC_JOB}__elastic__max_failures": -2},
        f"{_ELASTIC_JOB_FIELD}.elastic.max_failures",
        "nearest: -1",
    ),
    Refused(
        MIXED,
        {"queues__cluster_queues__cluster-queue__flavors__default-flavor__gpus": -1},
        "queues.cluster_queues.cluster-queue.flavors.default-flavor.gpus",
        "-1 is less than 0; nearest: 0",
    ),
    Refused(
        MIXED,
        {"queues__priorities__0__value": 1000000001},
        "queues.priorities[0].value",
        "nearest: 1000000000",
    ),
    Refused(
        MIXED,
        {"queues__flavors": {}},
        "queues.flavors",
        "an empty block, where at least one is wanted; nearest: leave it out",
    ),
    Refused(
        MIXED,
        {"queues__cluster_queues": {}},
        "queues.cluster_queues",
        "an empty block, where at least one is wanted; nearest: leave it out",
    ),
    Refused(
        MIXED,
        {"queues__cluster_queues__cluster-queue__preemption": {"within_queue": "Any"}},
        "queues.cluster_queues.cluster-queue.preemption.within_queue",
        "nearest: LowerOrNewerEqualPriority, LowerPriority, Never",
    ),
    Refused(
        MIXED,
        {"queues__admission_checks": {"dws": {"retries": 337}}},
        "queues.admission_checks.dws.retries",
        "337 is more than a week has time for; nearest: 336",
    ),
    Refused(
        VERL,
        {
            "ray__b200-ray-cluster__workers__gpu-worker-group__limits": {
                "cpu": 220,
                "memory_gib": 2800,
                "ephemeral_storage_gib": 9,
            }
        },
        "ray.b200-ray-cluster.workers.gpu-worker-group.limits.ephemeral_storage_gib",
        "9 GiB are below the request; nearest: 1000",
    ),
]
