"""Where programs of GPU pods find NVIDIA's driver, whatever their image. No Pulumi import.

GKE mounts it at /usr/local/nvidia in every container that asks for GPUs (GoogleCloudPlatform/
container-engine-accelerators cmd/nvidia_gpu/README.md, -container-path). Images that are built on
most of NVIDIA's look there; without that PyTorch sees no GPU and computes on (keras-team/kinetic
issue 269 of 2026-06-12, scverse/scvi-tools pull request 3799 of 2026-05-06, vllm-project/vllm issue
17187).
"""

from components.nccl.gib import DRIVER_PATH
from stacks.plan import Plan


def driver_environment(plan: Plan, image: str, gpus: int) -> dict[str, str]:
    """For every process of a pod; `image` is as the config has it. A pod's variable takes the place
    of its image's own, which no manifest can add to, so images that are known to look there keep
    theirs."""
    if not gpus or not plan.stack.images.driver_path or plan.facts.finds_driver(image):
        return {}
    return dict(DRIVER_PATH)
