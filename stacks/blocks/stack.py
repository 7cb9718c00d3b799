"""What every stack with a GKE cluster has, and the rules between its parts."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import ClassVar, Self

from pydantic import Field, model_validator

from catalog import (
    Allocatable,
    Catalog,
    CatalogAdditions,
    Interface,
    MachineType,
    NcclStack,
    Sidecar,
)
from components.labels import stack_labels
from stacks.blocks.block import Block
from stacks.blocks.cluster import AutopilotCluster, Cluster, ClusterLocation, StandardCluster
from stacks.blocks.nccl_test import NcclTest
from stacks.blocks.network import Network
from stacks.blocks.pools import NodePool, Nodes
from stacks.blocks.ray import Ray
from stacks.problems import BrokenRulesError, Problem, problem_of
from stacks.rules.capacity import capacity_problems
from stacks.rules.placement import (
    accelerator_problems,
    pool_problems,
    version_problems,
    zone_problems,
)
from stacks.rules.ranges import overlap_problems, size_problems
from stacks.rules.ray_fit import Host, ray_problems, worker_gpus
from stacks.rules.rdma import nccl_test_problems, range_problems
from stacks.types import Labels, NamespaceName, ProjectId, Region, StackName, Zone

SECRETS = ("hugging_face_token", "wandb_api_key")


class Monitoring(Block, frozen=True):
    dashboard: bool = True


class RayStack(Block, frozen=True):
    """A cluster of either mode with GPU nodes and Ray on them.

    `secrets_set` says which secrets the config has; their values never come near a model.
    `deletion_protection` covers what holds data or is costly to get back: cluster, networks,
    Lustre, bucket. `nccl_test` makes Ray wait until two nodes have proved their network.
    """

    # The version lock's image that Ray runs in, unless the config names one.
    image: ClassVar[str]

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
    cluster: Cluster = StandardCluster()
    ray: Ray
    nccl_test: NcclTest | None = None
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
    def gpu_hosts(self) -> Nodes:
        """The nodes with GPUs, whoever makes them."""

    @cached_property
    def gpu_machine(self) -> MachineType:
        return self.facts.machine(self.gpu_hosts.machine_type)

    @property
    def gpu_node(self) -> Allocatable:
        return self._left_on(self.gpu_hosts)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The further interfaces of a GPU node."""
        return self.gpu_machine.additional_interfaces

    @property
    def nccl(self) -> NcclStack | None:
        return self.facts.nccl(self.gpu_machine.name)

    @property
    def worker_gpus(self) -> int:
        return worker_gpus(self.ray, self.gpu_machine)

    @property
    def head_host(self) -> Host | None:
        """The node under Ray's head when it is not one of the workers'."""
        return None

    @property
    def ray_image(self) -> str:
        return self.ray.image or self.facts.image(self.image).reference

    @property
    def ray_version(self) -> str:
        known = self.facts.image(self.image).ray_version
        # Every image that Ray runs in says so in the lock.
        assert known is not None
        return self.ray.version or known

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
        found = ["ray_operator"]
        if self.gpu_hosts.capacity.mode in ("flex-start", "queued"):
            found.append("flex_start")
        if self.interfaces:
            found.append("multi_network_autopilot" if self.autopilot else "multi_network")
        if self.nccl is not None:
            found.append(self.nccl.feature)
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
        yield from accelerator_problems(
            self.facts, self.gpu_field, self.gpu_hosts, self.pools.get("cpu_pool")
        )
        yield from size_problems(self.network, list(self.pools.values()))
        if not self.knows_gpu_machine:
            return
        yield from version_problems(
            self.facts, self.cluster.version, self.features(), self.gpu_machine.name
        )
        yield from overlap_problems(self.network, accelerators=bool(self.interfaces))
        yield from self._rdma_problems()
        if self.gpu_node.accelerators:
            gpu = Host(self.gpu_machine, self.gpu_node)
            yield from ray_problems(self.ray, gpu, self.head_host, sidecar=self.sidecar)

    @property
    def knows_gpu_machine(self) -> bool:
        return self.gpu_hosts.machine_type in self.facts.machines

    @property
    def sidecar(self) -> Sidecar | None:
        """What GKE puts beside the container of every Ray pod."""
        return None

    @property
    def gpu_field(self) -> str:
        return "gpu_nodes" if self.autopilot else "gpu_pool"

    def host_of(self, pool: Nodes) -> Host:
        return Host(self.facts.machine(pool.machine_type), self._left_on(pool))

    def _left_on(self, pool: Nodes) -> Allocatable:
        if isinstance(pool, NodePool):
            return self.facts.allocatable(pool.machine_type, pool.disk.size_gb)
        return self.facts.allocatable(pool.machine_type)

    def _place_problems(self) -> Iterator[Problem]:
        yield from zone_problems(self.facts, self.region, self.zone)
        # Offers of a wrong zone would only repeat what is said about the zone.
        if self.zone not in self.facts.zones:
            return
        for field, pool in (self.pools or {self.gpu_field: self.gpu_hosts}).items():
            yield from pool_problems(self.facts, self.zone, field, pool)
            yield from capacity_problems(self.facts, self.zone, field, pool)

    def _rdma_problems(self) -> Iterator[Problem]:
        hosts = self.gpu_hosts
        most = hosts.bounds.max if isinstance(hosts, NodePool) else hosts.nodes
        yield from range_problems(self.network.accelerators, self.gpu_machine, most)
        if self.nccl is not None and self.zone in self.facts.zones:
            yield from problem_of("zone", lambda: self.facts.roce_profile(self.zone))
        if self.nccl_test is not None:
            yield from nccl_test_problems(self.gpu_machine, hosts.nodes)

    @model_validator(mode="after")
    def _rules_between_fields(self) -> Self:
        if found := tuple(self.problems()):
            raise BrokenRulesError(found)
        return self
