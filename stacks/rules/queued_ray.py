"""A Ray cluster that waits in a queue: Kueue admits its head and its workers together."""

from collections.abc import Iterator, Mapping

from stacks.blocks.kueue import Kueue
from stacks.problems import Problem
from stacks.quotas import FlavorNodes

_HEAD = "cpu_pool"


def head_problems(
    kueue: Kueue, nodes: Mapping[str, FlavorNodes], queue: str, where: str
) -> Iterator[Problem]:
    """The head's nodes are the CPU pool's, so its queue has to give those out, too."""
    door = next(
        (it for it in kueue.local_queues if it.name == queue and (it.namespace or where) == where),
        None,
    )
    if door is None or door.cluster_queue not in kueue.cluster_queues:
        return
    flavors = [it for it in kueue.shares(door.cluster_queue) if it in nodes]
    pools = [nodes[it].field for it in flavors]
    if _HEAD not in pools:
        yield Problem(
            "ray.queue",
            f'"{queue}" gives out {", ".join(pools)} alone, and Ray\'s head runs on {_HEAD}, so it '
            f"would wait for ever; nearest: one more of kueue.flavors, with pool {_HEAD}",
        )
