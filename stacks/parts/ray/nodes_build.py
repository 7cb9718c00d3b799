"""Which nodes a group of Ray's workers comes onto."""

from collections.abc import Mapping
from dataclasses import replace

import pulumi

from components.base.pod_manifest import GPU
from stacks.parts.pools.plan import PlannedPool
from stacks.parts.ray.plan import PlannedRay, PlannedWorkers
from stacks.site import DeviceAccess, Selector, Site


def access_of(
    site: Site, devices: Mapping[str, DeviceAccess], ray: PlannedRay, group: PlannedWorkers
) -> DeviceAccess:
    """The nodes of a group, known once its network works; of one on several pools those that
    `any_pool` has. Of an elastic cluster in a queue it is the one pool that Kueue gives to workers
    who come later."""
    pool = group.first
    plain = DeviceAccess(networks=(), node_selector=site.nodes.selectors[pool.name])
    # Without GPUs Ray speaks TCP alone, and an interface goes to one pod of a node.
    found = plain if pool.kind == "cpu" else devices.get(pool.name, plain)
    found = found.of(group.gpus)
    if any_pool(site, group):
        rest = wider(found.node_selector, site.nodes.only[pool.name])
        return replace(found, node_selector=rest)
    more: list[Selector] = []
    if len(group.pools) == 1 and _is_one_of_several(site, ray, pool):
        more.append(site.nodes.only[pool.name])
    elastic = _elastic_pool(site, ray, group)
    if elastic is not None and pool.kind == "gpu":
        more.append(site.nodes.only[elastic])
    if not more:
        return found
    together = pulumi.Output.all(found.node_selector, *more)
    selector = together.apply(lambda it: {key: value for one in it for key, value in one.items()})
    return replace(found, node_selector=selector)


def wider(selector: Selector, only: Selector) -> Selector:
    """Without the labels that no other nodes have."""
    both = pulumi.Output.all(selector, only)
    return both.apply(lambda it: {key: value for key, value in it[0].items() if key not in it[1]})


def any_pool(site: Site, group: PlannedWorkers) -> list[Selector]:
    """Of a group on several pools each one's nodes, of which Kueue chooses a pool by their names
    where it has a queue. Slices are told apart by Ray's webhook, and Autopilot's machines are not
    there to be chosen from."""
    if len(group.pools) == 1 or group.first.kind == "tpu" or site.plan.autopilot:
        return []
    return [site.nodes.only[it.name] for it in group.pools]


def _is_one_of_several(site: Site, ray: PlannedRay, pool: PlannedPool) -> bool:
    """Whether nodes of another pool are taken for its: they have its accelerators' label, or
    Kueue gives them out, which looks at the names of pools alone."""
    accelerator, queued = pool.machine.accelerator, ray.config.queue is not None
    return accelerator is not None and any(
        it.name != pool.name and (queued or it.machine.accelerator.type == accelerator.type)
        for it in site.plan.accelerated.values()
        if it.machine.accelerator
    )


def _elastic_pool(site: Site, ray: PlannedRay, group: PlannedWorkers) -> str | None:
    """To a group of no pods Kueue gives the first flavor that its selector does not refuse, with
    quota or without, and workers who come later keep it (kubernetes-sigs/kueue v0.19.2
    pkg/scheduler/flavorassigner/flavorassigner.go, findFlavorForPodSets; tried 2026-11-22)."""
    queues, queue, pools = site.plan.queues, ray.config.queue, {it.name for it in group.pools}
    if queues is None or queue is None or ray.config.autoscaling is None:
        return None
    given = queues.given_out(queue).items()
    return next((pool for pool, quota in given if quota[GPU] and pool in pools), None)
