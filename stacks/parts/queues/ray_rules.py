"""A Ray cluster that waits in a queue: Kueue admits its head and its workers together, or where it
scales each worker as it comes."""

from collections.abc import Iterator, Mapping, Sequence

from stacks.parts.queues.config import StackQueues
from stacks.parts.queues.quotas import GPU, FlavorNodes, quotas
from stacks.problems import Problem

# From this release on the feature gate ElasticJobsViaWorkloadSlices is on (kubernetes-sigs/kueue
# pkg/features/kube_features.go, v0.19.2).
_ELASTIC_FROM = (0, 18)


def head_problems(field: str, queue: str, pools: Sequence[str], head: str) -> Iterator[Problem]:
    """The nodes of the head are those of a pool of their own, so its queue has to give those out,
    too; `pools` are what it gives out."""
    if pools and head not in pools:
        yield Problem(
            f"{field}.queue",
            f'"{queue}" gives out {", ".join(pools)} alone, and Ray\'s head runs on {head}, so it '
            f"would wait for ever; nearest: one more of queues.flavors, with pool {head}",
        )


def gpu_pools_given_out(
    kueue: StackQueues, nodes: Mapping[str, FlavorNodes], queue: str, where: str
) -> list[str]:
    """Those of which a LocalQueue has GPUs, in the order that Kueue tries them."""
    has = quotas(kueue, nodes)
    given = _given_out(kueue, nodes, queue, where)
    return [nodes[it].field for of, it in given if has[of][it][GPU]]


def pools_given_out(
    kueue: StackQueues, nodes: Mapping[str, FlavorNodes], queue: str, where: str
) -> list[str]:
    """All of a LocalQueue, in the order that Kueue tries them."""
    return [nodes[it].field for _, it in _given_out(kueue, nodes, queue, where)]


def _given_out(
    kueue: StackQueues, nodes: Mapping[str, FlavorNodes], queue: str, where: str
) -> list[tuple[str, str]]:
    """The flavors of a LocalQueue in the order that Kueue tries them, each after its ClusterQueue;
    none without a queue."""
    return [
        (door.cluster_queue, flavor)
        for door in kueue.local_queues
        if door.name == queue and (door.namespace or where) == where
        if door.cluster_queue in kueue.cluster_queues
        for flavor in kueue.shares(door.cluster_queue)
        if flavor in nodes
    ]


def elastic_problems(field: str, queue: str, release: str, newest: str) -> Iterator[Problem]:
    """`release` is Kueue's, of which older ones refuse a cluster that scales."""
    numbers = release.split(".")[:2]
    # What is no release at all the queues' own rule says.
    if all(map(str.isdecimal, numbers)) and tuple(map(int, numbers)) < _ELASTIC_FROM:
        yield Problem(
            "queues.version",
            f"Kueue {release} refuses a Ray cluster that scales, in the queue {queue}; "
            f"nearest: {newest}, or leave out {field}.autoscaling",
        )


def placed_problems(field: str, kueue: StackQueues) -> Iterator[Problem]:
    """The feature gate ElasticJobsViaWorkloadSlicesWithTAS is off in all releases up to 0.19."""
    for name, flavor in kueue.flavors.items():
        if flavor.topology is not None:
            yield Problem(
                f"queues.flavors.{name}.topology",
                "Kueue finds no nodes for a Ray cluster that scales; "
                f"nearest: leave it out, or leave out {field}.autoscaling",
            )


def asked_twice_problems(field: str, kueue: StackQueues, *, queued: bool) -> Iterator[Problem]:
    """Ray's workers have a request of their own for the machines of a queued pool."""
    for name, queue in kueue.cluster_queues.items():
        if queued and queue.admission_checks:
            yield Problem(
                f"queues.cluster_queues.{name}.admission_checks",
                "the stack asks for its Ray workers' queued machines itself, and Kueue would ask "
                f"once more; nearest: leave it out, or leave out {field}.queue",
            )
