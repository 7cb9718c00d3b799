"""What a team is given that nothing of the stack uses. No Pulumi import."""

from collections.abc import Iterator

from stacks.parts.teams.plan import privileged_namespaces
from stacks.plan import Plan


def advice(plan: Plan) -> Iterator[str]:
    """Folders of a node are for pods that speak RDMA by gIB; the pools of a cluster that exists
    already may be another stack's."""
    if plan.nccl_stacks or not plan.stack.cluster.is_made:
        return
    for name in privileged_namespaces(plan.teams.values()):
        yield (
            f"stack.teams.{name}.pod_security: privileged, which is for pods that speak RDMA by "
            "gIB, and no pool of the stack has that: unless another stack's in the cluster does, "
            "its pods may mount two folders of their node for nothing; nearest: baseline"
        )
