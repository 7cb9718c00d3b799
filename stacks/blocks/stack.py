"""What every stack with a GKE cluster and Ray on GPUs has, and the rules between its parts."""

from collections.abc import Iterator
from functools import cached_property
from typing import Self

from pydantic import Field, model_validator

from catalog import Allocatable, Catalog, CatalogAdditions, MachineType
from components.labels import stack_labels
from stacks.blocks.block import Block
from stacks.blocks.cluster import Cluster, ClusterLocation
from stacks.blocks.network import Network
from stacks.blocks.pools import CpuPool, GpuPool
from stacks.blocks.ray import Ray
from stacks.problems import BrokenRulesError, Problem, problem_of
from stacks.rules.placement import (
    accelerator_problems,
    pool_problems,
    version_problems,
    zone_problems,
)
from stacks.rules.ranges import overlap_problems, size_problems
from stacks.rules.ray_fit import ray_problems, worker_gpus
from stacks.types import Labels, NamespaceName, ProjectId, Region, StackName, Zone

SECRETS = ("hugging_face_token", "wandb_api_key")


class Monitoring(Block, frozen=True):
    dashboard: bool = True


class RayStack(Block, frozen=True):
    """`secrets_set` says which secrets the config has; their values never come near a model.

    `deletion_protection` covers what holds data or is costly to get back: cluster, network, Lustre.
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
    catalog: CatalogAdditions = CatalogAdditions()
    network: Network = Network()
    cluster: Cluster = Cluster()
    cpu_pool: CpuPool = CpuPool()
    gpu_pool: GpuPool
    ray: Ray
    monitoring: Monitoring = Monitoring()

    @cached_property
    def facts(self) -> Catalog:
        return Catalog.load().extended(self.catalog)

    @cached_property
    def gpu_machine(self) -> MachineType:
        return self.facts.machine(self.gpu_pool.machine_type)

    @property
    def gpu_node(self) -> Allocatable:
        return self.facts.allocatable(self.gpu_pool.machine_type)

    @property
    def worker_gpus(self) -> int:
        return worker_gpus(self.ray, self.gpu_machine)

    @property
    def cluster_name(self) -> str:
        return self.name if self.cluster.name is None else self.cluster.name

    @property
    def ray_name(self) -> str:
        return self.name if self.ray.name is None else self.ray.name

    @property
    def location(self) -> str:
        """Where the control plane is."""
        return self.region if self.cluster.location is ClusterLocation.REGIONAL else self.zone

    def all_labels(self, stack: str) -> dict[str, str]:
        return stack_labels(self.labels, stack)

    def features(self) -> tuple[str, ...]:
        """What of GKE the stack uses, by the catalog's names."""
        return ("ray_operator",)

    def problems(self) -> Iterator[Problem]:
        """Every broken rule between fields; a subclass adds its own."""
        broken = problem_of("catalog", lambda: self.facts)
        yield from broken
        if broken:
            return
        facts = self.facts
        in_zone = zone_problems(facts, self.region, self.zone)
        yield from in_zone
        # Offers of a wrong zone would only repeat what is said about the zone.
        if self.zone in facts.zones:
            yield from pool_problems(facts, self.zone, "cpu_pool", self.cpu_pool)
            yield from pool_problems(facts, self.zone, "gpu_pool", self.gpu_pool)
        yield from accelerator_problems(facts, self.gpu_pool, self.cpu_pool)
        machine = self.gpu_pool.machine_type
        yield from version_problems(facts, self.cluster.version, self.features(), machine)
        yield from overlap_problems(self.network)
        yield from size_problems(self.network, [self.cpu_pool, self.gpu_pool])
        if machine in facts.machines and facts.allocatable(machine).accelerators:
            yield from ray_problems(self.ray, self.gpu_machine, self.gpu_node)

    @model_validator(mode="after")
    def _rules_between_fields(self) -> Self:
        if found := tuple(self.problems()):
            raise BrokenRulesError(found)
        return self
