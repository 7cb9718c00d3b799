"""Which nodes a cluster has now and could have: the pools' sizes, what pods wait for, Autopilot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from catalog.pool_nodes import wanted_nodes
from kube.objects import Node, name_of, namespace_of
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.kinds.pools import POOL, machine_of, topology_of
from sandbox.cloud.resource import Resource
from sandbox.gke.agent.autoscaler import Pool, additions, candidates, unplaced
from sandbox.gke.agent.live import state_of
from sandbox.gke.agent.machines import without_networks
from sandbox.gke.agent.tpu_pods import replica_of
from sandbox.gke.autopilot import provisioner
from sandbox.gke.autopilot_nodes import node_for
from sandbox.gke.networks import with_networks
from sandbox.gke.nodes import nodes_of
from sandbox.gke.queued_machines import is_queued, standing
from sandbox.kube.store import Store


@dataclass(frozen=True)
class Plan:
    """The nodes that a cluster is to have, and why pods (namespace/name) wait all the same."""

    nodes: Sequence[Node]
    waiting: Mapping[str, str]


@dataclass(frozen=True)
class _Size:
    base: int
    whole: bool


def plan_nodes(store: Store, there: Sequence[Node], cluster: Resource, cloud: Cloud) -> Plan:
    """`there` are the nodes that the cluster has."""
    there = [without_networks(node) for node in there]
    possible = nodes_of(cluster, cloud)
    sizes = _sizes(cluster, cloud)
    names = {node.name for node in there}
    kept: list[Node] = []
    absent: dict[str, list[Node]] = {}
    numbers: dict[str, int] = {}
    for node in standing(store, possible):
        number = numbers[node.pool] = numbers.get(node.pool, 0) + 1
        if is_queued(node) or node.name in names or number <= sizes[node.pool].base:
            kept.append(node)
        else:
            absent.setdefault(node.pool, []).append(node)
    if cluster["enableAutopilot"]:
        pool_names = {node.name for node in possible}
        kept += [node for node in there if node.name not in pool_names]
    pools = [
        (with_networks(store, nodes), sizes[pool].whole and not _any_there(kept, pool))
        for pool, nodes in absent.items()
    ]
    return _with_additions(store, kept, pools, cluster, cloud)


def _with_additions(
    store: Store, kept: list[Node], pools: Sequence[Pool], cluster: Resource, cloud: Cloud
) -> Plan:
    nodes = with_networks(store, kept)
    pods = candidates(store)
    if all(pod.node for pod in pods):
        return Plan(nodes, {})
    nodes += additions(pods, nodes, pools)
    # Why none of the nodes that are not there would do, either.
    left = unplaced(pods, [*nodes, *(node for absent, _ in pools for node in absent)])
    if not cluster["enableAutopilot"]:
        return Plan(nodes, left)
    blocked = {pod.key for pod in pods if pod.blocked}
    taken = {node.name for node in nodes}
    made = _made_by_autopilot(store, left.keys() - blocked, taken, cluster, cloud)
    new = [node for node in made.values() if isinstance(node, Node)]
    refused = {key: why for key, why in made.items() if isinstance(why, str)}
    kept_back = {key: left[key] for key in blocked & left.keys()}
    return Plan(nodes + with_networks(store, new), {**kept_back, **refused})


def _made_by_autopilot(
    store: Store, keys: Set[str], taken: Set[str], cluster: Resource, cloud: Cloud
) -> dict[str, Node | str]:
    """A node of its own for each pod that finds no place on those that are there, whose names are
    taken."""
    state = cloud.kubernetes(cluster.id)
    state.clear()
    state |= state_of(store.all())
    provision = provisioner(cluster, cloud)
    pods = {f"{namespace_of(pod)}/{name_of(pod)}": pod for pod in store.all("Pod")}
    return {
        key: node_for(pods[key], replica_of(pods[key]), provision, taken) for key in sorted(keys)
    }


def _sizes(cluster: Resource, cloud: Cloud) -> dict[str, _Size]:
    return {
        pool["name"]: _Size(wanted_nodes(pool.inputs), _is_slice(pool, cloud))
        for pool in cloud.find(POOL)
        if pool.id.startswith(f"{cluster.id}/")
    }


def _is_slice(pool: Resource, cloud: Cloud) -> bool:
    """Whether the pool's nodes are one TPU slice of several hosts."""
    if not (pool["placementPolicy"] or {}).get("tpuTopology"):
        return False
    topology = topology_of(pool.inputs, machine_of(pool.inputs, cloud), cloud)
    return bool(topology and topology.multi_host)


def _any_there(nodes: Sequence[Node], pool: str) -> bool:
    return any(node.pool == pool for node in nodes)
