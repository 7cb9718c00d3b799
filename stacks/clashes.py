"""What two stacks would both have, in one cluster or in one bucket, and nobody says so. No Pulumi
import.

Any other name that is taken is refused by who has it: Google answers 409, and the API server that
the object exists (pulumi/pulumi-kubernetes provider/pkg/await/await.go, Creation, 94977969).
"""

from collections.abc import Iterator

from stacks.checks import references_of
from stacks.installed_twice import Others, cluster_of, installed_twice, used
from stacks.names_beside import Beside, Neighbour
from stacks.object_names import derived_names
from stacks.plan import Plan
from stacks.planned_jobs import planned_jobs
from stacks.stack import Stack


def clashes(plan: Plan, beside: Beside) -> Iterator[str]:
    """A line for each field and each operator."""
    here = cluster_of(plan, beside.stack)
    every = [(it, found) for it in beside.others if (found := _plan_of(it)) is not None]
    others = [(it, found) for it, found in every if cluster_of(found, it.stack) == here]
    yield from _checkpoints(plan, every)
    yield from dict(_objects(plan, others)).values()
    yield from installed_twice(plan, others)


def _objects(plan: Plan, others: Others) -> Iterator[tuple[str, str]]:
    """Lines by their fields."""
    for other, theirs in others:
        if theirs.stack.namespace != plan.stack.namespace:
            continue
        fields = {(it.kind, it.name): it.field for it in derived_names(theirs)}
        for one in derived_names(plan):
            if (one.kind, one.name) in fields:
                yield (
                    one.field,
                    f'stack.{one.field}: its {one.kind} is "{one.name}", which {other.file} has '
                    f"one of in the same namespace (stack.{fields[one.kind, one.name]}); nearest: "
                    "another name",
                )


def _checkpoints(plan: Plan, others: Others) -> Iterator[str]:
    """Of a bucket or an instance that both mount."""
    taken = {
        job.place: (other.file, job.name)
        for other, theirs in others
        for job in planned_jobs(theirs).values()
        if job.place is not None
    }
    for job in planned_jobs(plan).values():
        if job.written is not None and job.place in taken:
            file, name = taken[job.place]
            yield (
                f"stack.jobs.{job.name}.{job.written.key}: jobs.{name} of {file} has its "
                f"checkpoints in {job.place}, too, and each would go on from the other's; nearest: "
                f"{job.name}-{plan.stack.name}, or that job taken out of {file} where it has ended"
            )


def _plan_of(other: Neighbour) -> Plan | None:
    """What is wrong in the file of another stack is its own to report."""
    try:
        stack = Stack.model_validate(dict(other.raw))
        if next(references_of(stack), None) is not None:
            return None
        plan = Plan(stack)
        # A plan is read as it is asked.
        list(derived_names(plan))
        used(plan)
        planned_jobs(plan)
    except ValueError:
        return None
    return plan
