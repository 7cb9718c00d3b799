"""RayClusters on their pools, with what their pods mount."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pulumi

from components.base.pod_manifest import PodSecretArgs
from components.base.static_volume import VolumeMount
from components.base.taints import NodeTaintArgs
from components.nccl.gib import nccl_environment
from components.nccl.gpu_claim_driver import GpuClaimDriver
from components.network.resource_claim_template import ResourceClaimTemplate
from components.queues.provisioning_request import ProvisioningRequest, ProvisioningRequestArgs
from components.ray.cluster import (
    RayCluster,
    RayClusterArgs,
    RayPodArgs,
    RaySetupArgs,
    RayVolumeArgs,
    RayWorkersArgs,
)
from components.ray.cluster_manifest import RayAutoscaling
from stacks.parts.buckets.build import MountedBucket, annotations
from stacks.parts.images.driver_path import driver_environment
from stacks.parts.jobs.maxtext import worker_environment
from stacks.parts.jobs.verl_build import setup_of
from stacks.parts.pools.config import Queued
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.pools.staying import staying
from stacks.parts.queues.build import Queues
from stacks.parts.ray.config import PodSizes
from stacks.parts.ray.nodes_build import access_of, any_pool
from stacks.parts.ray.plan import PlannedRay, PlannedWorkers
from stacks.parts.redis.build import KeptState
from stacks.site import DeviceAccess, Selector, Site
from stacks.stack import LUSTRE, LUSTRE_VOLUME


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What RayClusters find in the cluster: by pool the access to devices, what there is to mount,
    where heads keep their state, and the queues; `nvlink` is the driver of domains that jobs of
    several machines are in."""

    devices: Mapping[str, DeviceAccess]
    lustre: VolumeMount | None
    buckets: Mapping[str, MountedBucket]
    kept: "KeptState | None"
    queues: Queues
    claims: "Mapping[int, ResourceClaimTemplate]"
    nvlink: "GpuClaimDriver | None" = None


def build(site: Site, around: Surroundings) -> dict[str, RayCluster]:
    return {name: _cluster(site, around, ray) for name, ray in site.plan.ray.items()}


def _cluster(site: Site, around: Surroundings, ray: PlannedRay) -> RayCluster:
    access = {
        name: access_of(site, around.devices, ray, group) for name, group in ray.groups.items()
    }
    mounted = [it for key, it in around.buckets.items() if key in ray.buckets]
    lustre = around.lustre if ray.lustre else None
    kept = around.kept if ray.config.head.redis else None
    setup, head = _setup(site, ray), ray.head_pool
    args = RayClusterArgs(
        namespace=site.namespace,
        cluster_name=ray.name,
        ray_version=ray.version,
        image=site.plan.images.of(ray.image),
        head=replace(
            # A job's driver is on the head, which so outlives the machines with accelerators.
            _pod(
                ray.config.head,
                site.nodes.cpu if head is None else site.nodes.selectors[head.name],
                taints=() if head is None else head.taints,
            ),
            start_params={"num-cpus": "0"} if ray.demands.head_runs_nothing else {},
            annotations={
                **_staying(site, ray, [] if head is None else [head]),
                **annotations(ray.limits(head=True)),
            },
            scratch=ray.demands.scratch[0],
            setup=setup,
        ),
        workers={
            name: RayWorkersArgs(
                pod=_worker(site, around, ray, group, access[name], setup),
                count=group.count,
                hosts=group.hosts,
                least=group.config.min_workers if ray.config.autoscaling else 0,
            )
            for name, group in ray.groups.items()
        },
        volumes=_volumes(site, lustre, mounted),
        autoscaling=None
        if ray.config.autoscaling is None
        else RayAutoscaling(idle_seconds=ray.config.autoscaling.idle_seconds),
        queue=around.queues.queue(ray.config.queue),
        secret_name=site.secret_name,
        secret_keys=site.secret_keys,
        secrets=[PodSecretArgs(**it._asdict()) for it in ray.config.named_secrets],
        service_account=mounted[0].account_name if mounted else None,
        head_is_enough=ray.head_is_enough,
        asks_for_token=ray.asks_for_token,
        operator_is_pod=ray.operator_is_pod,
        fault_tolerance=None if kept is None else kept.options,
        labels=site.labels,
    )
    after = [
        *site.nodes.needed,
        *site.standing_pools(ray.name),
        *dict.fromkeys(one for it in access.values() for one in it.after),
        # With or without a queue: Kueue looks at each RayCluster that is made, and has to be there.
        *around.queues.made,
        *site.operators,
    ]
    options = site.after(*after)
    for name, group in ray.groups.items():
        if group.queued:
            args = _on_request(site, ray, args, name, options)
    return RayCluster(ray.name, args, opts=options)


def _setup(site: Site, ray: PlannedRay) -> RaySetupArgs | None:
    if not ray.jobs:
        return None

    return setup_of(site.plan, ray)


def _pod(
    pod: PodSizes, nodes: Selector, *, gpus: int = 0, taints: Sequence[NodeTaintArgs] = ()
) -> RayPodArgs:
    return RayPodArgs(
        cpu_request_millicores=pod.requests.millicores,
        cpu_limit_millicores=pod.ceiling.millicores,
        memory_request_gib=pod.requests.memory_gib,
        memory_limit_gib=pod.ceiling.memory_gib,
        shm_gib=pod.shared_memory_gib,
        node_selector=nodes,
        taints=taints,
        gpus=gpus,
        ephemeral_storage_request_gib=pod.requests.ephemeral_storage_gib,
        ephemeral_storage_limit_gib=pod.ceiling.ephemeral_storage_gib,
    )


def _staying(site: Site, ray: PlannedRay, pools: Sequence[PlannedPool]) -> dict[str, str]:
    return staying(site, "RayCluster", f"{ray.name}-cluster", pools)


def _worker(
    site: Site,
    around: Surroundings,
    ray: PlannedRay,
    group: PlannedWorkers,
    access: DeviceAccess,
    setup: RaySetupArgs | None,
) -> RayPodArgs:
    common = replace(
        _pod(group.config, access.node_selector, gpus=group.gpus, taints=group.taints),
        any_of=any_pool(site, group),
        pools=[one for it in group.pools for one in site.nodes.machines[it.name]],
        annotations={
            **_staying(site, ray, group.pools),
            **annotations(ray.limits(head=False)),
        },
        environment=driver_environment(site.plan, ray.image, group.gpus),
        networks=access.networks,
        claims=dict(access.claims),
        gpus_claimed=access.gpus_claimed,
        # KubeRay reads it of what pods ask a device plug-in for.
        start_params={"num-gpus": str(group.gpus)} if access.gpus_claimed else {},
        rdma=access.rdma,
        scratch=ray.demands.scratch[1],
        setup=setup,
    )
    if group.first.kind == "tpu":
        return _tpu_worker(site, around, group, common)
    nccl = group.first.nccl(site.plan.facts)
    if nccl is None:
        return common
    # The pods', for jobs that bring none of it: scripts, and what is submitted by hand.
    environment = nccl_environment(nccl.variables)
    return replace(common, environment=environment, nccl=nccl.settings)


def _tpu_worker(
    site: Site, around: Surroundings, group: PlannedWorkers, common: RayPodArgs
) -> RayPodArgs:
    """Nothing else runs on a host: without a limit the worker has all its cores."""

    number = site.plan.claims(group.first)
    template = around.claims.get(number)
    devices = [f"eth{place}" for place in range(1, number + 1)]
    limits = group.config.limits
    return replace(
        common,
        tpus=group.chips,
        claims={} if template is None else {"netdev": template.claim},
        cpu_limit_millicores=None if limits is None else limits.millicores,
        environment=worker_environment(group.first.flags, devices),
    )


def _volumes(
    site: Site, lustre: VolumeMount | None, mounted: Sequence[MountedBucket]
) -> list[RayVolumeArgs]:
    found: list[RayVolumeArgs] = []
    if lustre is not None:
        path = site.plan.mount_path(LUSTRE)
        found.append(RayVolumeArgs(name=LUSTRE_VOLUME, mount_path=path, volume=lustre))
    found += [
        RayVolumeArgs(
            name=it.planned.volume,
            mount_path=it.planned.config.mount_path,
            volume=it.claim,
            bucket=it.args if it.claim is None else None,
        )
        for it in mounted
    ]
    return found


def _on_request(
    site: Site, ray: PlannedRay, args: RayClusterArgs, name: str, opts: pulumi.ResourceOptions
) -> RayClusterArgs:
    """Pods of the pool wait for their machines, which come for all of them at once."""

    group = ray.groups[name]
    capacity = group.first.config.capacity
    machines = ProvisioningRequest(
        f"{ray.name}-machines",
        ProvisioningRequestArgs(
            namespace=args.namespace,
            request_name=args.cluster_name,
            pods=group.count * group.hosts,
            template=args.worker_template(name),
            max_run_seconds=capacity.max_run_hours * 3600 if isinstance(capacity, Queued) else None,
            pools=site.nodes.machines[group.first.name],
            labels=args.labels,
        ),
        opts=opts,
    )
    waiting = args.workers[name]
    pod = replace(waiting.pod, provisioning_request=machines)
    return replace(args, workers={**args.workers, name: replace(waiting, pod=pod)})
