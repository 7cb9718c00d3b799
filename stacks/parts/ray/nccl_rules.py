"""A test of the GPU network has a network, two machines and a training to run before. No Pulumi
import."""

from collections.abc import Iterator

from stacks.parts.jobs.config import NemoRlJob, VerlTraining
from stacks.plan import Plan
from stacks.problems import Problem


def nccl_rules(plan: Plan) -> Iterator[Problem]:
    for ray in plan.ray.values():
        if ray.config.nccl_test is None:
            continue
        field, group = f"{ray.field}.nccl_test", ray.accelerated
        if not group.first.rdma:
            yield Problem(
                field,
                f"{group.first.machine.name} has no RDMA interfaces to test; nearest: leave it out",
            )
        elif group.count < 2:
            yield Problem(
                field,
                "the test runs between two nodes, and there is one; nearest: nodes 2, or leave it "
                "out",
            )
        elif ray.jobs and not any(isinstance(it, NemoRlJob | VerlTraining) for it in ray.jobs):
            yield Problem(
                field,
                "the test runs before a training that takes all GPUs, and of the jobs on "
                f"{ray.name} none is of type nemo-rl or verl; nearest: leave it out",
            )
