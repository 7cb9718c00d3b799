"""Stacks of parts that are right, from which tests start."""

from typing import Any

_BUCKET = {"force_destroy": True, "hierarchical_namespace": False}
_SMALL = {"cpu": 1, "memory_gib": 4, "ephemeral_storage_gib": 20}


def _of(region: str, zone: str, **values: Any) -> dict[str, Any]:
    return {
        "project": "my-project",
        "region": region,
        "zone": f"{region}-{zone}",
        "deletion_protection": False,
        **values,
    }


# The smallest useful stack: the preset `dev` as parts.
DEV = _of(
    "us-central1",
    "a",
    name="dev",
    cluster={"location": "zonal"},
    pools={
        "cpu": {"machine_type": "e2-standard-4", "nodes": 1},
        "gpu": {
            "machine_type": "g2-standard-8",
            "nodes": 1,
            "autoscaling": {"min": 0, "max": 1},
            "capacity": {"mode": "spot"},
        },
    },
    buckets={
        "bucket": {**_BUCKET, "mount_path": "/mnt/bucket", "mount": {"uid": 1000, "gid": 100}}
    },
    ray={
        "dev": {
            "head": {"requests": _SMALL},
            "workers": {
                "gpu": {
                    "requests": {"cpu": 4, "memory_gib": 16, "ephemeral_storage_gib": 20},
                    "pools": "gpu",
                }
            },
            "queue": "lq",
            "autoscaling": {"idle_seconds": 300},
        }
    },
    queues={
        "flavors": {"l4": {}, "cpu": {"pool": "cpu"}},
        "cluster_queues": {"gpus": {}},
        "local_queues": [{"name": "lq", "cluster_queue": "gpus"}],
    },
)

# One machine of L4s, and nothing that runs on it.
BARE = _of(
    "us-central1", "a", name="bare", pools={"gpu": {"machine_type": "g2-standard-24", "nodes": 1}}
)

HARDENED = {
    **BARE,
    "hardened": True,
    "cmek": "projects/my-keys/locations/us-central1/keyRings/ring/cryptoKeys/key",
    "namespace": "work",
}

# NeMo RL on B200s with Managed Lustre.
RL = _of(
    "us-east1",
    "b",
    name="rl",
    pools={
        "cpu": {"machine_type": "e2-standard-16", "nodes": 2, "disk": {"size_gb": 200}},
        "gpu": {
            "machine_type": "a4-highgpu-8g",
            "nodes": 8,
            "compact_placement": True,
            "interfaces": "own",
            "capacity": {"mode": "spot"},
        },
    },
    lustre={"name": "rl-lustre", "capacity_gib": 9000, "throughput_mbps_per_tib": 1000},
    ray={
        "rl": {
            "head": {"requests": {"cpu": 12, "memory_gib": 48}},
            "workers": {"gpu": {"requests": {"cpu": 100, "memory_gib": 1000}}},
        }
    },
    jobs={
        "grpo": {
            "type": "nemo-rl",
            "model": "Qwen/Qwen2.5-72B-Instruct",
            "converter": "Qwen2ForCausalLM",
            "dataset": "DeepScaler",
            "max_steps": 20,
            "prompts_per_step": 32,
            "generations_per_prompt": 8,
            "train_global_batch_size": 256,
            "checkpoints": {"directory": "first", "period": 2, "keep": 2},
        }
    },
)

# verl on reserved B200s with a bucket.
VERL = _of(
    "us-central1",
    "b",
    name="verl",
    pools={
        "cpu": {
            "machine_type": "c2-standard-16",
            "nodes": 1,
            "autoscaling": {"min": 1, "max": 5},
            "disk": {"size_gb": 200},
        },
        "gpu": {
            "machine_type": "a4-highgpu-8g",
            "nodes": 2,
            "autoscaling": {"min": 2, "max": 10},
            "interfaces": "own",
            "capacity": {"mode": "reservation", "name": "mine"},
        },
    },
    buckets={"data": _BUCKET},
    ray={
        "verl": {
            "head": {"requests": {"cpu": 12, "memory_gib": 32, "ephemeral_storage_gib": 9}},
            "workers": {
                "gpu": {
                    "requests": {"cpu": 220, "memory_gib": 2800, "ephemeral_storage_gib": 1000},
                    "shm_gib": 250,
                }
            },
        }
    },
    jobs={"grpo": {"type": "verl"}},
)

# The same on Autopilot.
AUTOPILOT = {
    **VERL,
    "name": "autopilot",
    "cluster": {"mode": "autopilot"},
    "pools": {
        "gpu": {
            "machine_type": "a4-highgpu-8g",
            "nodes": 2,
            "interfaces": "own",
            "capacity": {"mode": "reservation", "name": "mine"},
        }
    },
}

# MaxText on two slices of TPU v6e.
TPU = _of(
    "us-central1",
    "b",
    name="tpu",
    cluster={"location": "zonal"},
    pools={
        "cpu": {"machine_type": "n1-standard-16", "nodes": 1},
        "tpu": {"machine_type": "ct6e-standard-4t", "topology": "4x4", "slices": 2},
    },
    buckets={
        "data": {
            **_BUCKET,
            "mount": {"uid": 1000, "gid": 1000, "directory_mode": "775", "file_mode": "664"},
        }
    },
    ray={
        "tpu": {
            "head": {"requests": {"cpu": 8, "memory_gib": 16}},
            "workers": {"tpu": {"requests": {"cpu": 8, "memory_gib": 186}}},
        }
    },
    jobs={
        "maxtext": {
            "type": "maxtext",
            "model": "llama3-8b",
            "steps": 100,
            "per_device_batch_size": 4,
            "ici": {"fsdp": 4, "tensor": 4},
        }
    },
)

# A server and a fine-tuning share L4s, by Kueue.
SERVE = _of(
    "us-central1",
    "a",
    name="serve",
    namespace="llm",
    cluster={"release_channel": "RAPID"},
    pools={
        "cpu": {"machine_type": "e2-standard-4", "nodes": 2},
        "gpu": {"machine_type": "g2-standard-24", "nodes": 3},
    },
    buckets={
        "models": {
            **_BUCKET,
            "mount_path": "/model-data",
            "mount": {"sidecar": {"memory_gib": 35}},
        }
    },
    queues={
        "flavors": {"l4": {}},
        "cluster_queues": {"gpus": {}},
        "local_queues": [{"name": "lq", "cluster_queue": "gpus"}],
        "priorities": [{"name": "low", "value": 20}, {"name": "high", "value": 30}],
    },
    servers={
        "gemma": {
            "engine": "tgi",
            "model": "google/gemma-2-9b-it",
            "gpus": 2,
            "requests": {"cpu": 4, "memory_gib": 30, "ephemeral_storage_gib": 30},
            "priority": "high",
            "queue": "lq",
        }
    },
    jobs={
        "tune": {
            "type": "fine-tune",
            "pods": 2,
            "gpus": 2,
            "model": "google/gemma-2-2b",
            "priority": "low",
        }
    },
)

# The server alone, without a queue.
SERVE_ALONE = {
    **{key: it for key, it in SERVE.items() if key not in ("queues", "jobs")},
    "servers": {
        "gemma": {
            key: it
            for key, it in SERVE["servers"]["gemma"].items()
            if key not in ("priority", "queue")
        }
    },
}

# An image classifier that goes on after a loss.
CLASSIFIER = _of(
    "us-east4",
    "c",
    name="classifier",
    cluster={"location": "zonal", "release_channel": "RAPID", "ray_operator": "helm"},
    pools={"gpu": {"machine_type": "g2-standard-8", "nodes": 4}},
    buckets={
        "data": {
            **_BUCKET,
            "mount_path": "/mnt/cluster_storage",
            "mount": {
                "uid": 1000,
                "gid": 100,
                "sidecar": {"cpu": 0, "memory_gib": 5, "ephemeral_storage_gib": 10},
                "file_cache_mib": 4096,
            },
        }
    },
    ray={
        "classifier": {
            "head": {"requests": {"cpu": 2, "memory_gib": 6, "ephemeral_storage_gib": 20}},
            "workers": {
                "gpu": {"requests": {"cpu": 4, "memory_gib": 16, "ephemeral_storage_gib": 20}}
            },
        }
    },
    jobs={
        "images": {
            "type": "image-classifier",
            "run_name": "first",
            "epochs": 10,
            "checkpoints_to_keep": 3,
        }
    },
)

# A Ray head that outlives its own loss.
KEPT = _of(
    "us-central1",
    "a",
    name="kept",
    pools={"gpu": {"machine_type": "g2-standard-8", "nodes": 1}},
    redis={},
    ray={
        "app": {
            "head": {"requests": {"cpu": 1, "memory_gib": 4}, "redis": True},
            "workers": {"gpu": {"requests": {"cpu": 4, "memory_gib": 16}}},
        }
    },
)

_B200 = {"machine_type": "a4-highgpu-8g", "interfaces": "own", "capacity": {"mode": "spot"}}
# Machines with RDMA in two zones, which networks of one zone do not join.
TWO_ZONES = _of(
    "us-west3",
    "b",
    name="zones",
    pools={
        "first": {**_B200, "nodes": 2},
        "second": {**_B200, "nodes": 3, "zone": "us-west3-c"},
    },
)

# RL with a name at NVIDIA's registry.
_NGC = {"username": "$oauthtoken", "secret_version": "projects/my-project/secrets/ngc/versions/1"}
MIRRORED = {**RL, "name": "mirrored", "images": {"credentials": {"nvcr.io": _NGC}}}

SAMPLES = {
    it["name"]: it
    for it in (DEV, BARE, RL, VERL, AUTOPILOT, TPU, SERVE, CLASSIFIER, KEPT, MIRRORED, TWO_ZONES)
}
