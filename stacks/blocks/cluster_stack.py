"""What every stack with a GKE cluster has, and the rules between its parts."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cached_property
from typing import Self

from pydantic import Field, ValidationInfo, model_validator

from catalog import (
    Allocatable,
    Catalog,
    CatalogAdditions,
    GkeVersion,
    Interface,
    ReleaseChannel,
    Sidecar,
)
from components.labels import stack_labels
from stacks.autopilot_nodes import AUTOPILOT_CPU_FAMILY
from stacks.blocks.acknowledge import Acknowledge
from stacks.blocks.block import Block
from stacks.blocks.capacity import FlexStart, Queued
from stacks.blocks.cluster import AutopilotCluster, Cluster, ClusterLocation, StandardCluster
from stacks.blocks.network import Network
from stacks.blocks.pools import NodePool, Nodes
from stacks.problems import BrokenRulesError, Problem, problem_of
from stacks.rules.capacity import capacity_problems
from stacks.rules.cluster import cluster_problems
from stacks.rules.placement import pool_problems, version_problems, zone_problems
from stacks.rules.ranges import overlap_problems, size_problems
from stacks.rules.ray_fit import Host
from stacks.types import Labels, NamespaceName, ProjectId, Region, StackName, Zone

SECRETS = ("hugging_face_token", "wandb_api_key")


class Monitoring(Block, frozen=True):
    """What shows how a stack does."""

    dashboard: bool = True
    """Make a Cloud Monitoring dashboard."""


class ClusterStack(Block, frozen=True):
    """A cluster of either mode, its network and its nodes.

    `secrets_set` says which secrets the config has; their values never come near a model.
    `deletion_protection` covers what holds data or is costly to get back: cluster, networks,
    Lustre, bucket.
    """

    kind: str
    project: ProjectId
    region: Region
    zone: Zone
    secrets_set: frozenset[str] = frozenset()
    name: StackName
    namespace: NamespaceName = "default"
    labels: Labels = Field(default_factory=dict)
    deletion_protection: bool = True
    acknowledge: tuple[Acknowledge, ...] = ()
    catalog: CatalogAdditions = CatalogAdditions()
    network: Network = Network()
    cluster: Cluster = StandardCluster()
    monitoring: Monitoring = Monitoring()

    @cached_property
    def facts(self) -> Catalog:
        return Catalog.load().extended(self.catalog)

    @property
    def autopilot(self) -> bool:
        return isinstance(self.cluster, AutopilotCluster)

    @property
    @abstractmethod
    def pools(self) -> dict[str, NodePool]:
        """The pools that the stack makes, by their field's name; Autopilot makes its own."""

    @property
    @abstractmethod
    def accelerated(self) -> dict[str, Nodes]:
        """The nodes with accelerators by their field's name, whoever makes them."""

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The further interfaces of a node with accelerators."""
        return ()

    @property
    def multi_networking(self) -> bool:
        """Whether pods can have further interfaces."""
        return bool(self.interfaces)

    def ranges(self) -> dict[str, str]:
        """Every range of nodes' networks, by its field below `network`."""
        return self.network.ranges()

    @property
    def cluster_name(self) -> str:
        return self.name if self.cluster.name is None else self.cluster.name

    @property
    def gke_version(self) -> GkeVersion | None:
        """The config's, else the lock's where something has a minimum; None: the channel's default.

        What that default is changes by the week, so that nobody could say what it has. The rapid
        channel is ahead of the others, and soon without their versions.
        """
        if self.cluster.version is not None:
            return self.cluster.version
        if self.cluster.release_channel is ReleaseChannel.RAPID:
            return None
        machines = [it.machine_type for it in {**self.pools, **self.accelerated}.values()]
        minimums = (self.facts.minimum_gke(*self.features(), machine=it) for it in machines)
        return self.facts.versions.gke.version if any(minimums) else None

    @property
    def location(self) -> str:
        """Where the control plane is."""
        return self.region if self.cluster.location is ClusterLocation.REGIONAL else self.zone

    def all_labels(self, stack: str) -> dict[str, str]:
        return stack_labels(self.labels, stack)

    def features(self) -> tuple[str, ...]:
        """What of GKE the stack uses, by the catalog's names."""
        found: list[str] = []
        if any(isinstance(it.capacity, FlexStart | Queued) for it in self.pools.values()):
            found.append("flex_start")
        if self.multi_networking:
            found.append("multi_network_autopilot" if self.autopilot else "multi_network")
        return tuple(found)

    def problems(self) -> Iterator[Problem]:
        """Every broken rule between fields."""
        broken = problem_of("catalog", lambda: self.facts) or tuple(self.mode_rules())
        yield from broken or self.rules()

    def mode_rules(self) -> Iterable[Problem]:
        """Whether the blocks that the cluster's mode needs are there; no rule works without."""
        return ()

    def rules(self) -> Iterator[Problem]:
        """Rules between blocks that are all there; a subclass adds its own."""
        yield from self._place_problems()
        yield from size_problems(self.network, list(self.pools.values()))
        if not self.knows_machines:
            return
        for nodes in self.accelerated.values():
            yield from version_problems(
                self.facts, self.gke_version, self.features(), nodes.machine_type
            )
        yield from overlap_problems(self.ranges())

    @property
    def knows_machines(self) -> bool:
        pools = {**self.pools, **self.accelerated}
        return all(it.machine_type in self.facts.machines for it in pools.values())

    @property
    def ray_addon(self) -> bool:
        """Whether GKE runs KubeRay."""
        return False

    @property
    def tokens_name(self) -> str:
        """The Secret that pods have their tokens from."""
        return f"{self.name}-tokens"

    @property
    def sidecar(self) -> Sidecar | None:
        """What GKE puts beside the container of every pod of the stack's workloads."""
        return None

    @property
    def head_sidecar(self) -> Sidecar | None:
        """The same beside Ray's head."""
        return self.sidecar

    @property
    def cpu_host(self) -> Host:
        """The node under single pods: the CPU pool's, or the largest that Autopilot has."""
        if not self.autopilot:
            return self.host_of(self.pools["cpu_pool"])
        known = self.facts.machines.values()
        family = [it for it in known if it.family == AUTOPILOT_CPU_FAMILY]
        largest = max(family, key=lambda it: it.vcpus)
        return self.host_of(Nodes(machine_type=largest.name, nodes=1))

    def host_of(self, pool: Nodes) -> Host:
        return Host(self.facts.machine(pool.machine_type), self.left_on(pool))

    def left_on(self, pool: Nodes) -> Allocatable:
        """What a node leaves to pods."""
        if isinstance(pool, NodePool):
            return self.facts.allocatable(pool.machine_type, pool.disk.size_gb)
        return self.facts.allocatable(pool.machine_type)

    def _place_problems(self) -> Iterator[Problem]:
        yield from zone_problems(self.facts, self.region, self.zone)
        # Offers of a wrong zone would only repeat what is said about the zone.
        if self.zone not in self.facts.zones:
            return
        for field, pool in {**self.pools, **self.accelerated}.items():
            yield from pool_problems(self.facts, self.zone, field, pool)
            yield from capacity_problems(self.facts, self.zone, field, pool)

    @model_validator(mode="after")
    def _rules_between_fields(self, info: ValidationInfo) -> Self:
        now = (info.context or {}).get("now") or datetime.now(UTC)
        if found := (*self.problems(), *cluster_problems(self.cluster, now)):
            raise BrokenRulesError(found)
        return self
