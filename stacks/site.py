"""What the parts of a stack share while they are built."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import pulumi
import pulumi_gcp as gcp

from components.apis import ProjectApis, ProjectApisArgs
from components.gke_cluster import GkeCluster
from components.helm_chart import HelmChartArgs
from components.network import ClusterNetwork
from components.token_secret import TokenSecret
from stacks.plan import Plan

_SERVICES = ("compute", "container", "iam", "cloudresourcemanager", "monitoring")
Selector = pulumi.Input[dict[str, str]]


@dataclass(frozen=True, kw_only=True)
class Project:
    """The Google Cloud project: one provider, the APIs that the parts need, the labels."""

    plan: Plan
    provider: gcp.Provider
    opts: pulumi.ResourceOptions
    apis: ProjectApis
    labels: dict[str, str]

    @cached_property
    def number(self) -> pulumi.Output[str]:
        """By which IAM names the workload pool, known once the API that knows it is on."""
        return gcp.organizations.get_project_output(
            project_id=self.apis.project_with("cloudresourcemanager"),
            opts=pulumi.InvokeOutputOptions(provider=self.provider),
        ).number


@dataclass(frozen=True, kw_only=True)
class Nodes:
    """Pools by their names: how pods select their nodes, and what the nodes are made from.

    `needed` is what all pods wait for, though no value of theirs names it: images come in through
    the NAT, and names are resolved by DNS pods on the CPU pool. `cpu` selects nodes for single
    pods.
    """

    cpu: Selector
    selectors: Mapping[str, Selector]
    only: Mapping[str, Selector]
    machines: Mapping[str, Sequence[pulumi.Resource]]
    needed: Sequence[pulumi.Resource]


@dataclass(frozen=True, kw_only=True)
class Site:
    """Where workloads go; `inside` are the options of objects in the cluster."""

    project: Project
    network: ClusterNetwork
    gke: GkeCluster
    nodes: Nodes
    namespace: pulumi.Input[str]
    tokens: TokenSecret | None
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

    @property
    def secret_name(self) -> pulumi.Input[str] | None:
        return None if self.tokens is None else self.tokens.secret_name

    @property
    def secret_keys(self) -> Sequence[str]:
        return [] if self.tokens is None else self.tokens.keys


def project(plan: Plan) -> Project:
    stack = plan.stack
    provider = gcp.Provider("google", project=stack.project, region=stack.region, zone=stack.zone)
    opts = pulumi.ResourceOptions(providers=[provider])
    services = (
        *_SERVICES,
        *(("lustre", "servicenetworking") if stack.lustre is not None else ()),
        *(("storage",) if stack.buckets else ()),
    )
    apis = ProjectApis("apis", ProjectApisArgs(project=stack.project, services=services), opts=opts)
    labels = plan.labels(pulumi.get_stack())
    return Project(plan=plan, provider=provider, opts=opts, apis=apis, labels=labels)


def helm_chart(plan: Plan, component: str, version: str | None = None) -> HelmChartArgs:
    """The chart of a component in the version lock, at `version` or the lock's."""
    chart = plan.facts.component(component).chart
    # Whatever the lock lets a stack install has one.
    assert chart is not None
    release = plan.facts.release(component, version)
    return HelmChartArgs(chart=chart.name, repository=chart.repository, version=release)
