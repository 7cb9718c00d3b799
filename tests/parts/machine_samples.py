"""What makes stacks of samples.py those of other machines."""

from typing import Any

# TPU, whose hosts a workload policy then places; a chip is two devices.
IRONWOOD: dict[str, Any] = {
    "zone": "us-central1-c",
    "pools__tpu__machine_type": "tpu7x-standard-4t",
    "pools__tpu__topology": "2x2x4",
    "jobs__maxtext__ici": {"fsdp": 8, "tensor": 4},
}
