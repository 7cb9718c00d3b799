"""Operators that two stacks would both install in one cluster. No Pulumi import.

A Helm chart's definitions and webhooks have the same names in every namespace, so that the second
`up` meets what the first one has made. A stack installs what it uses and what its platform, or the
config of a cluster of others, does not have.
"""

from collections.abc import Iterator, Sequence

from stacks.names_beside import Neighbour
from stacks.parts.cluster.config import Operator
from stacks.parts.cluster.plan import runs_kuberay
from stacks.plan import Plan

Others = Sequence[tuple[Neighbour, Plan]]
_FIELDS = {
    Operator.KUEUE: "queues",
    Operator.KUBERAY: "cluster.ray_operator",
    Operator.JOBSET: "jobs",
}


def cluster_of(plan: Plan, here: str) -> str:
    """The same for all stacks that are in it; `here` is what Pulumi calls the stack."""
    cluster = plan.stack.cluster
    if cluster.existing is not None:
        return f"{cluster.existing.location}/{cluster.existing.name}"
    return cluster.stack.rpartition("/")[2] if cluster.stack else here


def installed_twice(plan: Plan, others: Others) -> Iterator[str]:
    """A line for each operator, told to either of the stacks in one cluster."""
    for other, theirs in others:
        both = _installs(plan, others) & _installs(theirs, others)
        for operator in sorted(both):
            yield (
                f"stack.{_FIELDS[operator]}: {operator} is in the cluster once, and {other.file} "
                f"would install it, too; nearest: {_nearest(plan, operator)}"
            )


def used(plan: Plan) -> set[Operator]:
    """What has to be in the cluster by its chart."""
    found = {
        Operator.KUEUE: plan.queues is not None,
        Operator.KUBERAY: runs_kuberay(plan.stack) and "ray_operator" not in plan.features,
        Operator.JOBSET: plan.needs_job_sets,
    }
    return {operator for operator, wanted in found.items() if wanted}


def _installs(plan: Plan, others: Others) -> set[Operator]:
    """Nothing is known of what a platform has whose file is not here."""
    cluster = plan.stack.cluster
    if cluster.stack is None:
        there = cluster.existing.operators if cluster.existing else ()
        return used(plan) - set(there)
    platforms = [it for one, it in others if one.stack == cluster.stack.rpartition("/")[2]]
    return used(plan) - used(platforms[0]) if platforms else set()


def _nearest(plan: Plan, operator: Operator) -> str:
    if plan.stack.cluster.existing is not None:
        return f"cluster.existing.operators: [{operator}], once its owner has installed it"
    if operator is Operator.KUBERAY:
        return "cluster.ray_operator: helm in the file of the platform, which installs it"
    return f"{_FIELDS[operator]} in the file of the platform, which installs it"
