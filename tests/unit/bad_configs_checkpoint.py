"""Mistakes in the configs of checkpoint trainings and of the smallest stack, one a line, and how
the message about each ends."""

from typing import Any

Bad = list[tuple[dict[str, Any], str, str]]

# (what is set in gcsfuse-checkpoint, by path; the field that is named; the end of the message)
BAD_CHECKPOINT: Bad = [
    *(
        (
            {"ray__operator": both},
            "stack.ray.operator",
            "is not who runs KubeRay: one of them, never both; nearest: addon, helm",
        )
        for both in ("both", ["addon", "helm"], True)
    ),
    (
        {"bucket__mount__implicit_dir": True},
        "stack.bucket.mount.implicit_dir",
        "there is no such key; nearest: implicit_dirs, only_dir",
    ),
    (
        {"bucket__mount__log_severity": "warn"},
        "stack.bucket.mount.log_severity",
        "not one of them; nearest: warning",
    ),
    (
        {"bucket__mount__file_cache_mib": 10240},
        "stack.bucket.mount.file_cache_mib",
        "10240 MiB do not fit the sidecar's 10 GiB of disk, which holds the cache; nearest: 10239",
    ),
    (
        {"bucket__mount__file_cache_mib": -1},
        "stack.bucket.mount.file_cache_mib",
        "writes more than its 10 GiB of disk; nearest: 0, or 10239",
    ),
    (
        {"ray__worker__requests__ephemeral_storage_gib": None},
        "stack.ray.worker.requests.ephemeral_storage_gib",
        "which is then the bucket's sidecar's alone; nearest: 13",
    ),
    (
        {"ray__head__requests__ephemeral_storage_gib": 12},
        "stack.ray.head.requests.ephemeral_storage_gib",
        "12 GiB are less than the 13 that the pod writes to its node's disk; nearest: 13",
    ),
    (
        {"bucket__mount__metadata_prefetch": True},
        "stack.bucket.mount.metadata_prefetch",
        "believed for 0 seconds (metadata_ttl_s); nearest: false",
    ),
    ({"bucket__role": "objectOwner"}, "stack.bucket.role", "nearest: objectUser"),
    (
        {"bucket__mount__sidecar": {"memory_gib": 25}},
        "stack.ray.worker.requests.memory_gib",
        "16 GiB are more than a node of g2-standard-8 leaves to pods; nearest: 1",
    ),
    (
        {"ray__queue": "lq"},
        "stack.ray.queue",
        '"lq": the stack has no queues; nearest: leave it out',
    ),
    ({"job__data": "/data"}, "stack.job.data", "or generated; nearest: one like generated"),
    ({"job__data": "data/../.."}, "stack.job.data", "nearest: one like generated"),
    ({"job__max_failures": -2}, "stack.job.max_failures", "nearest: -1"),
    ({"job__run_name": "a/b"}, "stack.job.run_name", "nearest: one like first-run"),
    ({"job__learning_rate": 0}, "stack.job.learning_rate", "0 is less than 1e-12; nearest: 1e-12"),
    ({"job__epoch": 1}, "stack.job.epoch", "there is no such key; nearest: epochs"),
]

# The same for dev.
BAD_QUEUED_RAY: Bad = [
    (
        {"kueue__version": "0.17.8"},
        "stack.kueue.version",
        "Kueue 0.17.8 refuses a Ray cluster that scales, in the queue lq; "
        "nearest: 0.19.2, or leave out ray.autoscaling",
    ),
    (
        {"ray__autoscaling": None, "ray__queue": "lp"},
        "stack.ray.queue",
        "namespace default; nearest: lq",
    ),
    (
        {"ray__autoscaling": None, "ray__queue": "lq", "kueue__frameworks": ["pod"]},
        "stack.kueue.frameworks",
        "without ray.io/raycluster ray would wait in its queue for ever; "
        "nearest: ray.io/raycluster beside the others",
    ),
    (
        {"ray__autoscaling__min_workers": 2},
        "stack.ray.autoscaling.min_workers",
        "2 are more workers than the nodes have room for; nearest: 1",
    ),
    (
        {"kueue__cluster_queues__gpus__flavors__l4__gpus": 2},
        "stack.kueue.cluster_queues.gpus.flavors.l4.gpus",
        "2 GPUs are more than the 1 that gpu_pool can ever have (1 x g2-standard-8); nearest: 1",
    ),
]
