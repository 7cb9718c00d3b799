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
    """Nodes of Autopilot let no privileged pod of a stack in, which would install one. On Standard
    GKE's device plug-in waits for a driver, and the node has no GPUs until one is there
    (GoogleCloudPlatform/container-engine-accelerators issues 402 and 407: "GPU driver auto
    installation is disabled. Waiting for GPU driver libraries to be available."); NVIDIA's operator
    has none for Container-Optimized OS 121 (NVIDIA/gpu-operator issue 1623)."""
    for pool in plan.gpu_pools.values():
        driver = pool.config.driver_version
        if driver.is_gkes:
            continue
        field, nearest = f"{pool.field}.driver_version", f"nearest: {GpuDriver.LATEST.value}"
        if plan.autopilot:
            yield Problem(field, f"Autopilot lets nobody install a driver of their own; {nearest}")
        elif driver is GpuDriver.DISABLED and (work := ", ".join(_work_on_gpus(plan, pool))):
            yield Problem(
                field,
                "nothing in the stack installs a driver, and nodes without one have no GPUs for "
                f"{work}; {nearest}, or {GpuDriver.OPERATOR.value} where NVIDIA's GPU Operator "
                "brings one",
            )


def _work_on_gpus(plan: Plan, pool: PlannedPool) -> Iterator[str]:
    """What asks for GPUs of the pool."""
    groups = [one for it in plan.ray.values() for one in it.groups.values()]
    for group in (it for it in groups if it.gpus):
        if any(it.name == pool.name for it in group.pools):
            yield group.field
    for script in (it for it in plan.scripts.values() if it.gpus):
        if any(it.name == pool.name for it in script.pools):
            yield script.field
    for one in (*plan.servers.values(), *plan.fine_tunings.values()):
        if one.pool.name == pool.name:
            yield one.field


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
