"""On Autopilot: how pods ask for nodes."""

import pulumi

from components.pools.gpu_compute_class import GpuComputeClass, GpuComputeClassArgs
from components.pools.tpu_compute_class import TpuComputeClass, TpuComputeClassArgs
from stacks.parts.pools import node_labels
from stacks.parts.pools.capacity_args import capacity_of
from stacks.parts.pools.node_labels import MACHINE_FAMILY, PERFORMANCE, class_name
from stacks.parts.pools.plan import AUTOPILOT_CPU_FAMILY, PlannedPool
from stacks.site import Cluster, Ground, Nodes, Project, Selector, once_there

_CPU_SELECTOR = {**PERFORMANCE, MACHINE_FAMILY: AUTOPILOT_CPU_FAMILY}


def asked_for(project: Project, ground: Ground, gke: Cluster) -> Nodes:
    selectors = {name: _asked_for(project, gke, pool) for name, pool in project.plan.pools.items()}
    return Nodes(
        cpu=_CPU_SELECTOR,
        selectors=selectors,
        only=selectors,
        machines={name: [] for name in selectors},
        needed=list(ground.made),
    )


def _asked_for(project: Project, gke: Cluster, pool: PlannedPool) -> Selector:
    # The rules refuse pools without accelerators on Autopilot, and TPUs without a topology.
    accelerator, topology = pool.machine.accelerator, pool.topology
    labels = node_labels.only(project.plan, pool)
    assert accelerator is not None
    if pool.kind == "gpu":
        made = _gpu_class(project, gke, pool) if pool.managed else None
        return labels if made is None else once_there(made, labels)
    assert topology is not None

    made = TpuComputeClass(
        pool.name,
        TpuComputeClassArgs(
            class_name=class_name(project.plan, pool),
            zone=pool.zone,
            machine_type=pool.machine.name,
            accelerator=accelerator.type,
            topology=topology.name,
            chips=accelerator.count,
            dranet=bool(project.plan.claims(pool)),
            capacity=capacity_of(pool.config.capacity),
            labels=project.labels,
        ),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes]),
    )
    return once_there(made.class_name, labels)


def _gpu_class(project: Project, gke: Cluster, pool: PlannedPool) -> pulumi.Output[str]:

    accelerator = pool.machine.accelerator
    assert accelerator is not None
    made = GpuComputeClass(
        pool.name,
        GpuComputeClassArgs(
            class_name=class_name(project.plan, pool),
            zone=pool.zone,
            machine_type=pool.machine.name,
            accelerator=accelerator.type,
            gpus=accelerator.count,
            driver=pool.config.driver_version.value,
            capacity=capacity_of(pool.config.capacity),
            labels=project.labels,
        ),
        opts=pulumi.ResourceOptions(providers=[gke.kubernetes]),
    )
    return made.class_name
