"""The names that a stack takes and that no other stack can have too. No Pulumi import.

All but a user's own are made of the stack's name and of keys, so that different pairs of them can
make one name: stack `a` with the bucket `b-c`, and stack `a-b` with the bucket `c`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from components.naming import NameKind, network_name
from stacks.plan import Plan


@dataclass(frozen=True)
class TakenName:
    """`place` is where there is one of the kind with a name: nothing for the whole project."""

    kind: str
    place: str
    name: str


@dataclass(frozen=True)
class Field:
    """`limit` is that of the names that it takes; where the path ends in a key, `key` is it."""

    path: str
    limit: NameKind
    key: str = ""


OF_STACK = Field("name", NameKind.STACK)


def names_of(plan: Plan, here: str) -> dict[TakenName, Field]:
    """Each with the field that gives it another name. `here` is what Pulumi calls the stack, for
    stacks on its cluster know it by that."""
    stack = plan.stack
    found: dict[TakenName, Field] = {}
    for key, bucket in plan.buckets.items():
        if bucket.config.existing is None:
            where = Field(f"buckets.{key}.name", NameKind.BUCKET)
            found[TakenName("bucket", "", bucket.name)] = where
    if stack.cluster.is_made:
        where = Field("cluster.name", NameKind.CLUSTER)
        found[TakenName("cluster", plan.location, plan.cluster_name)] = where
    lustre = None if stack.lustre is None else stack.lustre.made
    if lustre is not None:
        # Instances have a zone, but a firewall rule has the instance's name in the whole project.
        where = Field("lustre.name", NameKind.LUSTRE)
        found[TakenName("Lustre instance", "", lustre.name)] = where
    for name in _networks(plan):
        found[TakenName("network", "", name)] = OF_STACK
    if stack.redis is not None:
        where = Field("redis.name", NameKind.REDIS)
        found[TakenName("Redis instance", stack.region, stack.redis.name or stack.name)] = where
    for mirror in plan.images.made:
        found[TakenName("repository", mirror.location, mirror.repository)] = OF_STACK
    cluster = cluster_of(plan, here)
    for key, name in _pools(plan):
        # In a cluster of its own a pool's name has its key alone.
        made = stack.cluster.is_made
        where = Field(f"pools.{key}", NameKind.NODE_POOL, key) if made else OF_STACK
        found[TakenName("node pool", cluster, name)] = where
    return found


def _networks(plan: Plan) -> Iterator[str]:
    name = plan.stack.name
    if plan.stack.makes_network:
        yield network_name(name)
    for one in plan.interface_sets:
        if any(it.kind != "gvnic" for it in one.interfaces):
            yield network_name(f"{name}{one.suffix}", "rdma")
        for it in one.interfaces:
            if it.kind == "gvnic":
                yield network_name(name, f"{it.name}{one.suffix}")
    if plan.own_between_slices:
        for each in plan.stack.network.dcn:
            yield network_name(name, each.name)


def _pools(plan: Plan) -> Iterator[tuple[str, str]]:
    if plan.autopilot:
        return
    for key, pool in plan.pools.items():
        slices = map(pool.slice_name, pool.slices)
        for name in slices if pool.kind == "tpu" else (pool.pool_name,):
            yield key, name


def cluster_of(plan: Plan, here: str) -> str:
    """The same for all stacks that have pools in it."""
    cluster = plan.stack.cluster
    if cluster.existing is not None:
        return f"{cluster.existing.location}/{cluster.existing.name}"
    return cluster.stack.rpartition("/")[2] if cluster.stack else here
