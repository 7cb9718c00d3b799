"""What makes stacks of samples.py those of other machines."""

from typing import Any

# A script of two pods on machines whose RDMA interface is in a Falcon network.
FALCON: dict[str, Any] = {
    "project": "my-project",
    "region": "us-central1",
    "zone": "us-central1-a",
    "name": "hpc",
    "deletion_protection": False,
    "pools": {"h4d": {"machine_type": "h4d-standard-192", "nodes": 2}},
    "jobs": {
        "devices": {
            "type": "script",
            "pool": "h4d",
            "nodes": 2,
            "image": "rockylinux:8.9",
            "command": ["ibv_devinfo"],
            "requests": {"cpu": 180, "memory_gib": 600},
        }
    },
}
# A script of two pods on machines whose GPUs speak NVLink to each other.
NVLINK: dict[str, Any] = {
    "project": "my-project",
    "region": "us-central1",
    "zone": "us-central1-b",
    "name": "rack",
    "deletion_protection": False,
    "pools": {
        "gb200": {
            "machine_type": "a4x-highgpu-4g",
            "nodes": 2,
            "capacity": {"mode": "reservation", "name": "rack", "block": "rack-block-1"},
        }
    },
    "jobs": {
        "train": {
            "type": "script",
            "pool": "gb200",
            "nodes": 2,
            "image": "nvcr.io/nvidia/pytorch:25.09-py3",
            "command": [
                "torchrun",
                "--nnodes=$(NNODES)",
                "--node-rank=$(NODE_RANK)",
                "--master-addr=$(MASTER_ADDR)",
                "train.py",
            ],
            "requests": {"cpu": 120, "memory_gib": 700, "ephemeral_storage_gib": 200},
        }
    },
}
# TPU, whose hosts a workload policy then places; a chip is two devices.
IRONWOOD: dict[str, Any] = {
    "zone": "us-central1-c",
    "pools__tpu__machine_type": "tpu7x-standard-4t",
    "pools__tpu__topology": "2x2x4",
    "jobs__maxtext__ici": {"fsdp": 8, "tensor": 4},
}
