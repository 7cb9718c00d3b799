"""A test of the GPU network before Ray starts has a network and nodes to test. No Pulumi import."""

from collections.abc import Iterator

from stacks.parts.ray.plan import PlannedWorkers
from stacks.plan import Plan
from stacks.problems import Problem


def nccl_rules(plan: Plan) -> Iterator[Problem]:
    """There is a network to test, and two nodes to test it between before Ray asks for any."""
    for ray in plan.ray.values():
        if ray.config.nccl_test is None:
            continue
        field, group = f"{ray.field}.nccl_test", ray.accelerated
        machine = group.first.machine
        if group.queued:
            yield Problem(
                field,
                "queued machines come when Ray's pods ask for them, too late for a test before; "
                "nearest: leave it out",
            )
        elif len(group.pools) > 1:
            yield from _tested_problems(plan, field, group)
        if not group.first.rdma:
            yield Problem(
                field, f"{machine.name} has no RDMA interfaces to test; nearest: leave it out"
            )
        elif group.count < 2:
            yield Problem(
                field, "the test runs between two nodes, and there is one; nearest: nodes 2"
            )


def _tested_problems(plan: Plan, field: str, group: PlannedWorkers) -> Iterator[Problem]:
    """The test knows nodes by their GPUs, and is over before Kueue chooses any."""
    accelerator, used = group.first.machine.accelerator, [it.name for it in group.pools]
    if group.chosen:
        yield Problem(
            field,
            f"it would be of any of {', '.join(used)}, of which Kueue takes one; nearest: leave it "
            "out",
        )
    if plan.autopilot or accelerator is None:
        return
    for pool in plan.gpu_pools.values():
        same = pool.machine.accelerator
        if pool.name not in used and same is not None and same.type == accelerator.type:
            yield Problem(
                field,
                f"the test comes onto any nodes with the GPUs of {', '.join(used)}, so those of "
                f"{pool.name}, too; nearest: leave it out",
            )
