"""Quotas from nodes: what each queue has of each flavor of nodes. Pure.

Amounts are in millicores of CPU, MiB of memory and of ephemeral storage, and numbers of GPUs.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from stacks.parts.queues.config import Amounts, StackQueues
from stacks.rules.ray_fit import Host

GPU = "nvidia.com/gpu"
# The fields of a config's amounts, each with Kubernetes' name and the field's unit in ours.
RESOURCES = {
    "cpu": ("cpu", 1000),
    "memory_gib": ("memory", 1024),
    "gpus": (GPU, 1),
    "ephemeral_storage_gib": ("ephemeral-storage", 1024),
}
AMOUNT_NAMES = {
    "cpu": "CPUs",
    "memory_gib": "GiB of memory",
    "gpus": "GPUs",
    "ephemeral_storage_gib": "GiB of ephemeral storage",
}
Quota = dict[str, int]


@dataclass(frozen=True)
class FlavorNodes:
    """The nodes that a flavor can ever have: `count` of one kind, of the pool `field`."""

    field: str
    host: Host
    count: int

    @property
    def capacity(self) -> Quota:
        node = self.host.node
        each = {
            "cpu": node.cpu_millicores,
            "memory": node.memory_mib,
            GPU: node.accelerators,
            "ephemeral-storage": node.ephemeral_storage_mib,
        }
        return {resource: amount * self.count for resource, amount in each.items()}


def stated(amounts: Amounts) -> Quota:
    """What the config says of each resource."""
    found: Quota = {}
    for field, (resource, unit) in RESOURCES.items():
        amount = getattr(amounts, field)
        if amount is not None:
            found[resource] = round(amount * unit)
    return found


def quotas(kueue: StackQueues, nodes: Mapping[str, FlavorNodes]) -> dict[str, dict[str, Quota]]:
    """Each queue's quota of each of its flavors, by resource: what it says, else an even share of
    what the queues that say how much leave of the flavor's nodes."""
    found: dict[str, dict[str, Quota]] = {
        queue: {flavor: {} for flavor in kueue.shares(queue)} for queue in kueue.cluster_queues
    }
    for flavor, has in nodes.items():
        said = {
            queue: stated(kueue.shares(queue)[flavor])
            for queue in kueue.cluster_queues
            if flavor in found[queue]
        }
        for resource, capacity in has.capacity.items():
            left = max(0, capacity - sum(it.get(resource, 0) for it in said.values()))
            sharing = sum(resource not in it for it in said.values())
            for queue, own in said.items():
                found[queue][flavor][resource] = (
                    own[resource] if resource in own else left // sharing
                )
    return found


def shown(amount: int, unit: int) -> str:
    """Never more than there is: rounded down to what the config's unit can say."""
    if unit == 1000:
        return f"{amount / 1000:.12g}"
    return str(amount // unit)
