"""NVIDIA's driver on the nodes runs the CUDA of every image there. No Pulumi import.

A program whose CUDA is newer than the driver ends at once (rapidsai/deployment issue #656 of
2026-02-04; vllm-project/vllm pull request #33992). On Standard clusters the pool has the driver. On
Autopilot the pod asks for it by a node label, or a ComputeClass does, and what asks for none gets
"default" (GoogleCloudPlatform/cluster-autoscaler pkg/cloudprovider/gke/labels/system_labels.go,
SystemLabelsForGPU, 7d25050 of 2026-08-21).
"""

from collections.abc import Iterator

from catalog import GpuDriver
from stacks.parts.pools.plan import PlannedPool
from stacks.plan import Plan
from stacks.problems import Problem


def driver_problems(plan: Plan) -> Iterator[Problem]:
    yield from _without_driver(plan)
    for pool in plan.gpu_pools.values():
        yield from _too_old(plan, pool)


def _without_driver(plan: Plan) -> Iterator[Problem]:
    """Nodes of Autopilot let no privileged pod of a stack in, which would install one."""
    for pool in plan.gpu_pools.values() if plan.autopilot else ():
        if pool.config.driver_version is GpuDriver.DISABLED:
            yield Problem(
                f"{pool.field}.driver_version",
                "Autopilot lets nobody install a driver of their own; "
                f"nearest: {GpuDriver.LATEST.value}",
            )


def _too_old(plan: Plan, pool: PlannedPool) -> Iterator[Problem]:
    """Of the images of a pool the one that needs the newest driver."""
    drivers, images = plan.facts.gpu_drivers, dict[int, str]()
    for use in plan.image_uses:
        cuda = plan.facts.cuda_of(use.reference)
        if cuda is not None and any(it.name == pool.name for it in use.pools):
            images.setdefault(cuda, use.reference)
    accelerator = pool.machine.accelerator
    if not images or accelerator is None:
        return
    cuda = max(images)
    chosen, needed = pool.config.driver_version, drivers.needed(cuda)
    installed = drivers.least_installed(chosen, plan.gke_version, accelerator.type)
    if needed is None or installed is None or installed >= needed:
        return
    yield Problem(
        f"{pool.field}.driver_version",
        f'"{chosen.value}" is NVIDIA driver {installed}, as far as Google says, and {images[cuda]} '
        f"has CUDA {cuda}, which needs {needed}; nearest: {GpuDriver.LATEST.value}",
    )
