"""What the parts of a stack share while they are built."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Union

import pulumi
import pulumi_gcp as gcp

from components.base.component import Component
from components.base.existing_facts import ClusterFacts
from components.base.tokens import is_component
from components.buckets.bucket import Bucket
from components.buckets.existing import ExistingBucket
from components.cluster.cluster import BINARY_AUTHORIZATION, GkeCluster
from components.cluster.existing import ExistingCluster
from components.cluster.token_secret import TokenSecret
from components.images.mirror import ImageMirror
from components.lustre.existing import ExistingLustre
from components.lustre.instance import LustreInstance
from components.monitoring.dashboard import MonitoringDashboard
from components.network.existing import ExistingNetwork
from components.network.network import ClusterNetwork
from components.network.node_network import NodeNetwork
from components.network.private_service_access import PrivateServiceAccess
from components.network.resource_claim_template import PodClaimArgs, ResourceClaimTemplate
from components.pools.node_service_account import IMAGE_STREAMING, NodeServiceAccount
from components.project.apis import ProjectApis, ProjectApisArgs
from components.redis.instance import RedisInstance
from stacks.on_record import Record
from stacks.plan import Plan
from stacks.stack import Stack
from stacks.tokens import VARIABLES

_NODE_POOL = "gcp:container/nodePool:NodePool"
Cluster = Union[GkeCluster, "ExistingCluster"]
Selector = pulumi.Input[dict[str, str]]


@dataclass(frozen=True, kw_only=True)
class Adopted:
    """What was read of the parts that exist already; None, and no key, where the stack makes the
    part itself or has none. `operators` are in the cluster by their Helm charts."""

    network: "ExistingNetwork | None" = None
    cluster: "ClusterFacts | None" = None
    operators: tuple[str, ...] = ()
    lustre: "ExistingLustre | None" = None
    buckets: Mapping[str, "ExistingBucket"] = field(default_factory=dict)

    @property
    def network_project(self) -> str | None:
        """Whose the network is."""
        if self.network is not None:
            return self.network.found.project
        return None if self.cluster is None else self.cluster.network_id.split("/")[1]


@dataclass(frozen=True, kw_only=True)
class Project:
    """The Google Cloud project: one provider, the APIs that the parts need, the labels, what exists
    already, and the engine's record of the last run, if it is to be had."""

    plan: Plan
    provider: gcp.Provider
    opts: pulumi.ResourceOptions
    apis: ProjectApis
    labels: dict[str, str]
    adopted: Adopted
    record: "Record | None" = None

    @cached_property
    def number(self) -> pulumi.Output[str]:
        """By which IAM names the workload pool, known once the API that knows it is on."""
        return gcp.organizations.get_project_output(
            project_id=self.apis.project_with("cloudresourcemanager"),
            opts=pulumi.InvokeOutputOptions(provider=self.provider),
        ).number

    @property
    def network_project(self) -> pulumi.Input[str]:
        """Where firewall rules of the cluster's network go; a Shared VPC's host has its APIs on."""
        host = self.adopted.network_project
        if host is None or host == self.plan.stack.project:
            return self.apis.project_with("compute")
        return host

    @property
    def lustre_legacy_port(self) -> bool:
        """Whether nodes of the cluster speak to Lustre on the older port."""
        cluster = self.adopted.cluster
        return self.plan.lustre_legacy_port if cluster is None else cluster.lustre_legacy_port


@dataclass(frozen=True, kw_only=True)
class Ground:
    """The network that the cluster stands on; `made` is empty, `services` and `subnetwork` None,
    where it exists already. The ranges are names of the subnetwork's secondary ones. `peered_id` is
    the network's, known once Google's services can be in it."""

    network_id: pulumi.Output[str]
    peered_id: pulumi.Output[str]
    subnetwork_id: pulumi.Output[str]
    pods_range: str
    services_range: str
    made: Sequence[pulumi.Resource] = ()
    services: PrivateServiceAccess | None = None
    subnetwork: gcp.compute.Subnetwork | None = None


@dataclass(frozen=True, kw_only=True)
class Nodes:
    """Pools by their names: how pods select their nodes, and what the nodes are made from.

    `needed` is what all pods wait for, though no value of theirs names it: images come in through
    mirrors and the NAT, and names are resolved by DNS pods on the CPU pool. `cpu` selects nodes for
    single pods. `components` are the pools themselves, for those that wait for them.
    """

    cpu: Selector
    selectors: Mapping[str, Selector]
    only: Mapping[str, Selector]
    machines: Mapping[str, Sequence[gcp.container.NodePool]]
    needed: Sequence[pulumi.Resource]
    components: Mapping[str, Sequence[pulumi.Resource]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Interfaces:
    """Interfaces of each pool's nodes in attach order; `made` is the VPCs and subnetworks that they
    are in."""

    gpu: Mapping[str, Sequence[NodeNetwork]] = field(default_factory=dict)
    between_slices: Sequence[NodeNetwork] = ()
    made: Sequence[pulumi.Resource] = ()

    def of(self, pool: str) -> Sequence[NodeNetwork]:
        return self.gpu.get(pool, ())


@dataclass(frozen=True, kw_only=True)
class DeviceAccess:
    """What pods with device interfaces wait for: `node_selector` picks nodes once their network
    works. `claims` are what they claim of the node instead of asking for `networks`; `pairs` are
    templates by how many GPUs a pod has, where it claims them with the interfaces beside them."""

    networks: Sequence[NodeNetwork]
    node_selector: Selector
    rdma: bool = False
    claims: Mapping[str, PodClaimArgs] = field(default_factory=dict[str, PodClaimArgs])
    pairs: "Mapping[int, ResourceClaimTemplate]" = field(default_factory=dict)
    after: Sequence[pulumi.Resource] = ()

    @property
    def gpus_claimed(self) -> bool:
        return bool(self.pairs)

    def of(self, gpus: int) -> "DeviceAccess":
        """What a pod with so many GPUs has: the interfaces beside them, where it claims them."""
        if not self.pairs or not gpus:
            return self
        template = self.pairs[gpus]
        return replace(
            self,
            claims={"pairs": template.claim},
            after=[*self.after, template],
        )


@dataclass(frozen=True, kw_only=True)
class Teams:
    """By team the namespace, known once nothing gets past the quota there, and the service account
    of its pods, known once it has its rights on buckets."""

    namespaces: Mapping[str, pulumi.Output[str]] = field(default_factory=dict)
    service_accounts: Mapping[str, pulumi.Output[str]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Site:
    """Where workloads go; `inside` are the options of objects in the cluster."""

    project: Project
    gke: Cluster
    nodes: Nodes
    namespace: pulumi.Input[str]
    tokens: "TokenSecret | None"
    operators: Sequence[pulumi.Resource] = field(default=())

    @property
    def plan(self) -> Plan:
        return self.project.plan

    @property
    def labels(self) -> dict[str, str]:
        return self.project.labels

    @property
    def inside(self) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(providers=[self.gke.kubernetes])

    def after(self, *resources: pulumi.Resource) -> pulumi.ResourceOptions:
        """In the cluster, once these are there."""
        return pulumi.ResourceOptions(providers=[self.gke.kubernetes], depends_on=list(resources))

    def going_with_cluster(self, opts: pulumi.ResourceOptions) -> pulumi.ResourceOptions:
        """The options with the cluster as what the objects are deleted with, where the stack makes
        it: when both go, nobody waits for finalizers of the objects. When the objects go alone,
        they are deleted as any other."""
        if isinstance(self.gke, GkeCluster):
            opts.deleted_with = self.gke.cluster
        return opts

    def standing_pools(self, workload: str) -> list[pulumi.Resource]:
        """Node pools on record, for a component that is on record, too: it may have been on any of
        them, whatever it is to run on now. One that is made anew takes along what was on it, and
        the engine lets only what depends on the pool wait until that is gone (pulumi/pulumi
        pkg/resource/deploy/step_generator.go, v3.256.0)."""
        record = self.project.record
        if record is None or not any(
            it.name == workload and is_component(it.type) for it in record.resources
        ):
            return []
        return [
            pool
            for pools in self.nodes.machines.values()
            for pool in pools
            if record.get(_NODE_POOL, pool.pulumi_resource_name) is not None
        ]

    @property
    def secret_name(self) -> pulumi.Input[str] | None:
        return None if self.tokens is None else self.tokens.secret_name

    @property
    def secret_keys(self) -> Sequence[str]:
        """Those that programs look for: pods that call no server have no key for it."""
        keys = [] if self.tokens is None else self.tokens.keys
        return [it for it in keys if it in VARIABLES.values()]


def google(stack: Stack) -> gcp.Provider:
    return gcp.Provider("google", project=stack.project, region=stack.region, zone=stack.zone)


def project(plan: Plan, provider: gcp.Provider, adopted: Adopted, record: Record | None) -> Project:
    stack = plan.stack
    opts = pulumi.ResourceOptions(providers=[provider])
    apis = ProjectApis(
        "apis", ProjectApisArgs(project=stack.project, services=_apis(plan)), opts=opts
    )
    labels = plan.labels(pulumi.get_stack())
    return Project(
        plan=plan,
        provider=provider,
        opts=opts,
        apis=apis,
        labels=labels,
        adopted=adopted,
        record=record,
    )


def _apis(plan: Plan) -> list[str]:
    """APIs of what the stack is made of; those of the first components are on in any case."""
    stack, images = plan.stack, plan.images
    needed: list[type[Component]] = [
        *(ClusterNetwork, GkeCluster, NodeServiceAccount, MonitoringDashboard),
        *([PrivateServiceAccess] if stack.makes_peering else []),
        *([LustreInstance] if stack.makes_lustre else []),
        *([RedisInstance] if stack.redis is not None else []),
        *([Bucket] if stack.buckets else []),
        *([ImageMirror] if images.mirrors or images.named else []),
    ]
    return [
        *(api for it in needed for api in it.required_apis()),
        *([BINARY_AUTHORIZATION] if plan.hardening.binary_authorization else []),
        *([IMAGE_STREAMING] if images.streamed else []),
    ]


def beside(project: Project, gke: Cluster) -> pulumi.ResourceOptions:
    """Of Google's and beside the cluster, for what goes before it. `destroy` goes level by level,
    by the longest way from a resource to what needs nothing, and waits for the whole of each
    (pulumi/pulumi pkg/resource/deploy/step_generator.go, ScheduleDeletes, v3.256.0). Waiting for
    the objects' provider, it is in a level with objects and pools, and takes no time of its own."""
    return pulumi.ResourceOptions(providers=[project.provider], depends_on=[gke.kubernetes])


def once_there(name: pulumi.Output[str], labels: dict[str, str]) -> Selector:
    """A node selector that is known once what makes the nodes exists; `name` is its name."""
    return name.apply(lambda _: labels)
