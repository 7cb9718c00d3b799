"""Where pods can claim GPUs with the interfaces beside them. No Pulumi import.

Sources: GKE documentation, "Prepare GKE infrastructure for DRA workloads" (no Autopilot, GKE's own
driver and device plug-in off), read 2026-11-24; llm-d/llm-d docs/infra-providers/gke, which has
both drivers on A3 Ultra; kubernetes-sigs/kueue v0.19.2 pkg/dra/claims.go; GoogleCloudPlatform/
cluster-autoscaler pkg/cloudprovider/gke/dynamicresources/network.go:102, 7d25050 (no PCIe root of
a machine that does not exist yet).
"""

from collections.abc import Iterator

from stacks.beside import beside_problems
from stacks.parts.jobs.config import FineTuning
from stacks.parts.pools.plan import PlannedPool
from stacks.plan import Plan
from stacks.problems import Problem


def gpu_claim_problems(plan: Plan) -> Iterator[Problem]:
    claimed = [it for it in plan.gpu_pools.values() if it.gpus_claimed]
    for pool in claimed:
        if (why := _why_not(plan, pool)) is not None:
            yield Problem(f"{pool.field}.gpus_by", f"{why}; nearest: device-plugin")
        elif pool.config.autoscaling is not None:
            yield Problem(
                f"{pool.field}.autoscaling",
                f"{_ADDS_NONE}; nearest: leave it out, and the pool has its {pool.nodes} "
                f"machine{'' if pool.nodes == 1 else 's'} at all times",
            )
        why = "a DaemonSet of the stack installs the latest driver"
        yield from beside_problems(pool.field, pool.config, ("driver_version",), why)
    if claimed:
        yield from _queue_problems(plan)
        yield from _team_problems(plan, claimed[0])


def _why_not(plan: Plan, pool: PlannedPool) -> str | None:
    """The first reason why pods cannot claim the pool's GPUs."""
    if plan.autopilot:
        return "Autopilot has no nodes whose GPUs pods could claim"
    if not plan.stack.cluster.is_made:
        return (
            "NVIDIA's driver for claims is in a cluster once, and the stack does not know whether "
            "the existing one has it"
        )
    if not pool.managed or pool.machine.rdma_nics < pool.accelerators:
        return (
            f"pods of {pool.machine.name} with interfaces {pool.interface_mode} have no interface "
            "to claim beside each GPU"
        )
    if pool.queued:
        return "queued machines come by a request, which counts no claims"
    if pool.waits:
        return (
            f"{pool.config.capacity.mode} machines come when pods are pending for them, and "
            f"{_ADDS_NONE}"
        )
    return None


_ADDS_NONE = (
    "the cluster autoscaler adds no machine for a claim: it knows no PCIe root of one that does "
    "not exist yet"
)


def _queue_problems(plan: Plan) -> Iterator[Problem]:
    """Kueue counts what pods ask a device plug-in for."""
    for name, pool in ({} if plan.queues is None else plan.queues.flavors).items():
        if pool.gpus_claimed:
            yield Problem(
                f"queues.flavors.{name}.pool",
                f"Kueue counts no claims, by which pods have the GPUs of {pool.name}, and would "
                f"give them out without end; nearest: another pool, or {pool.field}.gpus_by "
                "device-plugin",
            )
    for name, job in plan.stack.jobs.items():
        if isinstance(job, FineTuning) and plan.fine_tunings[name].pool.gpus_claimed:
            pool = plan.fine_tunings[name].pool
            yield Problem(
                f"jobs.{name}.pool",
                f"a fine-tuning is in a queue, and Kueue counts no claims, by which pods have the "
                f"GPUs of {pool.name}; nearest: a pool with gpus_by device-plugin",
            )


def _team_problems(plan: Plan, pool: PlannedPool) -> Iterator[Problem]:
    """Members of teams may write claims, which neither a ResourceQuota of GPUs nor Kueue counts."""
    near = f"nearest: {pool.field}.gpus_by device-plugin"
    for name, team in plan.stack.teams.items():
        if team.quota is not None and team.quota.gpus is not None:
            yield Problem(
                f"teams.{name}.quota.gpus",
                f"{team.quota.gpus} are counted of what pods ask a device plug-in for, and those "
                f"of {pool.name} claim theirs past it; {near}",
            )
        if team.queue is not None:
            yield Problem(
                f"teams.{name}.queue",
                f"Kueue counts no claims, and pods of {name} would claim the GPUs of {pool.name} "
                f"past the queue {team.queue}; {near}",
            )
