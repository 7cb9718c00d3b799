"""Mistakes in jobs that run on Ray, one a line."""

from tests.parts.refusals import Refused
from tests.parts.samples import CLASSIFIER, DEV, RL, TPU, VERL

JOBS = [
    Refused({**VERL, "ray": {}}, {}, "jobs.grpo.ray", "the stack has no RayCluster"),
    Refused(
        VERL,
        {"jobs__grpo__rollout": {"gpu_memory_utilization": 0.9}},
        "jobs.grpo.rollout.gpu_memory_utilization",
        "160.5 of vLLM's share; nearest: 0.87",
    ),
    Refused(VERL, {"jobs__grpo__ray": "verk"}, "jobs.grpo.ray", "nearest: verl"),
    Refused(
        VERL,
        {"ray__more": VERL["ray"]["verl"]},
        "jobs.grpo.ray",
        "missing, and there are several; nearest: verl, more",
    ),
    Refused(
        VERL,
        {"jobs__more": {"type": "verl"}},
        "jobs.more.ray",
        "verl is prepared for jobs.grpo, with its model and its code; nearest: a RayCluster",
    ),
    Refused(
        VERL,
        {
            "ray__more": VERL["ray"]["verl"],
            "jobs__grpo__ray": "verl",
            "jobs__more": {**VERL["jobs"]["grpo"], "ray": "more"},
        },
        "jobs.more.checkpoints.directory",
        "as those of jobs.grpo: each would go on from the other's and write over them; nearest: "
        "more-2",
    ),
    Refused(
        CLASSIFIER,
        {"jobs__more": CLASSIFIER["jobs"]["images"]},
        "jobs.more.run_name",
        "as those of jobs.images: each would go on",
    ),
    Refused(
        VERL,
        {"jobs__more": {"type": "image-classifier"}},
        "jobs.more.ray",
        "verl is in the image of jobs.grpo; nearest: a RayCluster for each",
    ),
    Refused(
        VERL,
        {"ray__verl__mounts": []},
        "jobs.grpo.storage",
        "verl mounts neither Lustre nor a bucket",
    ),
    Refused(
        VERL,
        {"jobs__grpo__storage": "dada"},
        "jobs.grpo.storage",
        '"dada" is not among what verl mounts; nearest: data',
    ),
    Refused(
        DEV,
        {"jobs__grpo": {"type": "maxtext", "model": "llama3-8b"}, "ray__dev__queue": None},
        "jobs.grpo.ray",
        "workers of dev are on g2-standard-8, without TPUs",
    ),
    Refused(
        TPU,
        {"jobs": {"grpo": {"type": "verl"}}},
        "jobs.grpo.ray",
        "workers of tpu are on ct6e-standard-4t, without GPUs",
    ),
    Refused(RL, {"jobs__grpo__socket_interface": "eth99"}, "jobs.grpo.socket_interface", "eth0"),
    Refused(
        RL,
        {"jobs__grpo__parallelism__tensor": 3},
        "jobs.grpo.parallelism.tensor",
        "do not divide the",
    ),
    Refused(
        RL,
        {"jobs__grpo__train_global_batch_size": 100},
        "jobs.grpo.train_global_batch_size",
        "100 does not divide the 256 samples of a step",
    ),
    Refused(RL, {"jobs__grpo__wandb": True}, "jobs.grpo.wandb", "needs the key of Weights"),
    Refused(
        RL,
        {"pools__cpu__disk__size_gb": 60},
        "pools.cpu.disk.size_gb",
        "60 GB do not hold the image",
    ),
    Refused(VERL, {"jobs__grpo__train_batch_size": 9000}, "jobs.grpo.train_batch_size", "gsm8k"),
    Refused(
        VERL,
        {"jobs__grpo__actor__mini_batch_size": 512},
        "jobs.grpo.actor.mini_batch_size",
        "512 prompts are more than a step has; nearest: 256",
    ),
    Refused(
        VERL,
        {"jobs__grpo__checkpoints__directory": "gsm8k"},
        "jobs.grpo.checkpoints.directory",
        'its folder on the bucket, "gsm8k", is not apart from',
    ),
    Refused(
        VERL,
        {"buckets__data__mount": {"streaming_writes": False}},
        "buckets.data.mount.streaming_writes",
        "to the sidecar's disk first, and the pod is evicted; nearest: true",
    ),
    Refused(
        VERL,
        {"jobs__grpo__preparation": {"memory_gib": 500}},
        "jobs.grpo.preparation.memory_gib",
        "500 is more than is left to it on a c2-standard-16",
    ),
    # It mounts its own bucket, and not what else Ray mounts.
    Refused(
        VERL,
        {
            "buckets__more": {"mount_path": "/more"},
            "ray__verl__workers__gpu__requests__cpu": 200,
            "jobs__grpo__storage": "data",
            "jobs__grpo__preparation": {"memory_gib": 56},
        },
        "jobs.grpo.preparation.memory_gib",
        "56 is more than is left to it on a c2-standard-16; nearest: 55",
    ),
    Refused(
        VERL, {"pools__cpu__disk__size_gb": 60}, "pools.cpu.disk.size_gb", "do not hold the image"
    ),
    Refused(
        TPU,
        {"jobs__maxtext__ici": {"fsdp": 3, "tensor": 4}},
        "jobs.maxtext.ici.fsdp",
        "does not make the 16 chips of a slice",
    ),
    Refused(
        TPU,
        {"jobs__maxtext__checkpoint_period": 500},
        "jobs.maxtext.checkpoint_period",
        "500 steps are never reached in 100; nearest: 100",
    ),
    Refused(
        TPU, {"jobs__maxtext__finished_runs": ["maxtext"]}, "jobs.maxtext.run_name", "maxtext-2"
    ),
    Refused(
        TPU,
        {"jobs__maxtext__per_device_batch_size": 4096},
        "jobs.maxtext.per_device_batch_size",
        "llama3-8b needs",
    ),
]
