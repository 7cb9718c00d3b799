"""A stack as a list of parts: any legal combination of them is one. No Pulumi import."""

from pydantic import Field

from catalog import CatalogAdditions
from stacks.blocks.acknowledge import Acknowledge
from stacks.blocks.block import Block
from stacks.blocks.cluster_stack import Monitoring
from stacks.blocks.kueue import Kueue
from stacks.blocks.lustre import Lustre
from stacks.parts.buckets.config import StackBucket
from stacks.parts.cluster.config import StackCluster
from stacks.parts.jobs.config import Job
from stacks.parts.network.config import StackNetwork
from stacks.parts.pools.config import Pool
from stacks.parts.ray.config import StackRayCluster
from stacks.parts.servers.config import ModelServer
from stacks.types import (
    BucketKey,
    Labels,
    NamespaceName,
    ObjectName,
    PoolKey,
    ProjectId,
    RayClusterName,
    RayJobName,
    Region,
    StackName,
    Zone,
)


class Stack(Block, frozen=True):
    """Every part is optional but `pools`, the nodes to run on.

    `secrets_set` says which secrets the config has; their values never come near a model.
    `deletion_protection` covers what holds data or is costly to get back: cluster, networks,
    Lustre, buckets. Pods that use buckets run as `service_account`, a Kubernetes service account,
    by default of the stack's name.
    """

    project: ProjectId
    region: Region
    zone: Zone
    name: StackName
    secrets_set: frozenset[str] = frozenset()
    namespace: NamespaceName = "default"
    service_account: ObjectName | None = None
    labels: Labels = Field(default_factory=dict)
    deletion_protection: bool = True
    acknowledge: tuple[Acknowledge, ...] = ()
    monitoring: Monitoring = Monitoring()
    catalog: CatalogAdditions = CatalogAdditions()
    network: StackNetwork = StackNetwork()
    cluster: StackCluster = StackCluster()
    pools: dict[PoolKey, Pool] = Field(min_length=1)
    lustre: Lustre | None = None
    buckets: dict[BucketKey, StackBucket] = Field(default_factory=dict)
    queues: Kueue | None = None
    ray: dict[RayClusterName, StackRayCluster] = Field(default_factory=dict)
    jobs: dict[RayJobName, Job] = Field(default_factory=dict)
    servers: dict[ObjectName, ModelServer] = Field(default_factory=dict)
