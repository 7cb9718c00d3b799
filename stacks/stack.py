"""A stack as a list of parts: any legal combination of them is one. No Pulumi import."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from catalog import CatalogAdditions
from stacks.acknowledge import Acknowledge
from stacks.parts.buckets.config import StackBucket
from stacks.parts.cluster.config import StackCluster
from stacks.parts.images.config import StackImages
from stacks.parts.jobs.config import Job
from stacks.parts.lustre.config import StackLustre
from stacks.parts.network.config import StackNetwork
from stacks.parts.pools.config import Pool
from stacks.parts.queues.config import StackQueues
from stacks.parts.ray.config import StackRayCluster
from stacks.parts.redis.config import StackRedis
from stacks.parts.servers.config import ModelServer
from stacks.parts.teams.config import StackTeam, TeamName
from stacks.types import (
    AccountName,
    Block,
    BucketKey,
    KmsKeyName,
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

_Part = TypeVar("_Part")
# The name of the Lustre volume among what pods mount.
LUSTRE = "lustre"
# What pods call its volume.
LUSTRE_VOLUME = "lustre-storage"


class Monitoring(Block, frozen=True):
    """What is made beside a stack to watch it."""

    dashboard: bool = True
    """Make a Cloud Monitoring dashboard."""


class Stack(Block, frozen=True):
    """Every part is optional but `pools`, the nodes to run on.

    `secrets_set` says which secrets the config has; their values never come near a model.
    """

    project: SkipJsonSchema[ProjectId]
    region: SkipJsonSchema[Region]
    zone: SkipJsonSchema[Zone]
    name: StackName
    """Base of the cloud names, of one stack of the project alone."""
    secrets_set: SkipJsonSchema[frozenset[str]] = frozenset()
    namespace: NamespaceName = "default"
    """Kubernetes namespace of what runs; any but `default` is made."""
    service_account: AccountName | None = None
    """Kubernetes service account of pods that use buckets; by default the stack's name."""
    labels: Labels = Field(default_factory=dict)
    """Your labels on all that takes labels."""
    deletion_protection: bool = True
    """Protect cluster, networks, Lustre, Redis and buckets; the guard then answers to
    `acknowledge`."""
    hardened: bool = False
    """Close what costs money or effort to have closed."""
    cmek: KmsKeyName | None = None
    """A Cloud KMS key in the stack's region; by default Google's own keys."""
    acknowledge: tuple[Acknowledge, ...] = ()
    """Destructive changes that are agreed to."""
    monitoring: Monitoring = Monitoring()
    """What is made beside the stack to watch it."""
    catalog: CatalogAdditions = CatalogAdditions()
    """Machine types and zones that the catalog does not know."""
    network: StackNetwork = StackNetwork()
    """The address plan."""
    cluster: StackCluster = StackCluster()
    """The GKE cluster."""
    pools: dict[PoolKey, Pool] = Field(min_length=1)
    """Nodes, by a name of yours."""
    images: StackImages = StackImages()
    """Where pods get their images from."""
    lustre: StackLustre | None = None
    """A Managed Lustre instance."""
    redis: StackRedis | None = None
    """A Memorystore for Redis instance."""
    buckets: dict[BucketKey, StackBucket] = Field(default_factory=dict)
    """Buckets, by a name of yours."""
    queues: StackQueues | None = None
    """Kueue, and the queues that share the nodes."""
    ray: dict[RayClusterName, StackRayCluster] = Field(default_factory=dict)
    """RayClusters, by name."""
    jobs: dict[RayJobName, Job] = Field(default_factory=dict)
    """What runs on the cluster by itself, by name."""
    servers: dict[ObjectName, ModelServer] = Field(default_factory=dict)
    """Servers of models, by name."""
    teams: dict[TeamName, StackTeam] = Field(default_factory=dict)
    """Teams that share the cluster, by name."""

    def key_of(self, part: StackLustre | StackRedis | None) -> str | None:
        """The key that an instance made here is encrypted with; None is Google's."""
        return self.cmek if part is not None and part.cmek else None

    @property
    def makes_network(self) -> bool:
        """Whether the cluster's network is the stack's own."""
        return self.network.existing is None and self.cluster.is_made

    @property
    def makes_lustre(self) -> bool:
        return self.lustre is not None and self.lustre.existing is None

    @property
    def makes_peering(self) -> bool:
        """Whether the network that it makes has to have private service access."""
        return self.makes_network and (self.makes_lustre or self.redis is not None)

    @property
    def stands_on_others(self) -> bool:
        """Whether anything of it exists already."""
        lustre = self.lustre is not None and not self.makes_lustre
        buckets = any(it.existing is not None for it in self.buckets.values())
        disks = any(it.secondary_boot_disk is not None for it in self.pools.values())
        images = bool(self.images.repositories) or disks
        return not self.makes_network or lustre or buckets or images


def mounts_of(stack: Stack, asked: Sequence[str] | None) -> Sequence[str]:
    """What pods mount: what they ask for, else all that there is."""
    everything = (*([LUSTRE] if stack.lustre else []), *stack.buckets)
    return everything if asked is None else asked


def only(parts: Mapping[str, _Part]) -> str:
    """The name of the one that there is; `stacks.checks` refuses to leave it open among several."""
    return next(iter(parts))
