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
# TPU, whose hosts a workload policy then places; a chip is two devices.
IRONWOOD: dict[str, Any] = {
    "zone": "us-central1-c",
    "pools__tpu__machine_type": "tpu7x-standard-4t",
    "pools__tpu__topology": "2x2x4",
    "jobs__maxtext__ici": {"fsdp": 8, "tensor": 4},
}
