"""A chart in a namespace of its own, with a disruption budget by which its pods are waited for.

Helm itself waits for nothing: a release that it waited for it would wait for at the end, too
(pulumi/pulumi-kubernetes provider/pkg/provider/helm_release.go:1237, commit 94977969 of
2026-07-01), and that may last for ever. Of a chart's ClusterRoles with an aggregationRule, as
Kueue's has them (kubernetes-sigs/kueue charts/kueue/templates/rbac, v0.19.2), Kubernetes'
controller writes the rules anew while Helm deletes what they are gathered from, and what it writes
makes a role that is gone again (kubernetes/kubernetes pkg/controller/clusterroleaggregation,
v1.35.4).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

import pulumi
import pulumi_kubernetes as k8s

from catalog.catalog import Catalog
from catalog.table import FactError

from .arguments import refuse
from .lifecycle import fixed_name, object_name
from .namespace import with_pod_security
from .naming import NameKind, check_name
from .pod_manifest import EVICT_UNHEALTHY

# A new node for the pod, and its image.
_MINUTES = 15


@dataclass(frozen=True, kw_only=True)
class HelmChartArgs:
    """`chart` is a name in `repository`, or without one the address in an OCI registry. With a
    `digest` Helm pulls what has it, and fails where the version's tag is of another one
    (helm/helm v3.20.2 pkg/registry/client.go, ValidateReference; the provider's Helm is that or
    newer: pulumi/pulumi-kubernetes v4.32.0 provider/go.mod)."""

    chart: str
    version: str
    repository: str | None = None
    digest: str | None = None

    def check(self) -> None:
        if self.digest is not None and self.repository is not None:
            refuse(
                "digest",
                self.digest,
                f"is compared with no chart in {self.repository} by Helm",
                "leave it out, or an address of an OCI registry",
            )

    @property
    def pulled(self) -> str:
        """What Helm is asked for."""
        return self.chart if self.digest is None else f"{self.chart}@{self.digest}"


def helm_chart(facts: Catalog, component: str, version: str | None = None) -> HelmChartArgs:
    """The chart of a component in the catalog, at `version` or the one that it names.

    Raises FactError when either is not known.
    """
    chart = facts.component(component).chart
    if chart is None:
        raise FactError(f"{component} has no chart")
    release = facts.release(component, version)
    return HelmChartArgs(
        chart=chart.name,
        repository=chart.repository,
        version=release,
        digest=chart.checked_digest(release),
    )


@dataclass(frozen=True, kw_only=True)
class InstalledChart:
    """`release` is what the chart's objects come and go with, `ready` is there once its pods are.
    Whoever needs the chart waits for both."""

    release: k8s.helm.v3.Release
    ready: pulumi.CustomResource


class ReleaseArgs(TypedDict):
    """`namespace` is made for the release, and `pod_security` is the most that its pods may ask of
    their node. `restricted` is for none of them: the chart's version can be the config's."""

    release_name: str
    namespace: str
    pod_security: str
    labels: pulumi.Input[dict[str, str]]
    values: Mapping[str, Any]


def install_chart(
    parent: pulumi.Resource, name: str, chart: HelmChartArgs, **args: Unpack[ReleaseArgs]
) -> InstalledChart:
    """The release, whose one pod has the labels that charts give by custom: the chart's name and
    the release's."""
    release = install_release(parent, name, chart, **args)
    ready = _healthy(parent, name, chart, release, args["labels"])
    return InstalledChart(release=release, ready=ready)


def install_release(
    parent: pulumi.Resource, name: str, chart: HelmChartArgs, **args: Unpack[ReleaseArgs]
) -> k8s.helm.v3.Release:
    """The same of a chart whose pods nobody waits for: there are as many as there are nodes."""
    made = k8s.core.v1.Namespace(
        f"{name}-namespace",
        metadata={
            "name": check_name(NameKind.NAMESPACE, args["namespace"]),
            "labels": with_pod_security(args["labels"], args["pod_security"]),
        },
        opts=fixed_name(parent),
    )
    repository = None
    if chart.repository is not None:
        repository = k8s.helm.v3.RepositoryOptsArgs(repo=chart.repository)
    return k8s.helm.v3.Release(
        f"{name}-release",
        name=args["release_name"],
        namespace=object_name(made),
        chart=chart.pulled,
        version=chart.version,
        repository_opts=repository,
        values=args["values"],
        skip_await=True,
        # It would wait after all; an install that failed is mended by the next one.
        atomic=False,
        timeout=60 * _MINUTES,
        opts=fixed_name(parent, minutes=_MINUTES + 1),
    )


def _healthy(
    parent: pulumi.Resource,
    name: str,
    chart: HelmChartArgs,
    release: k8s.helm.v3.Release,
    labels: pulumi.Input[dict[str, str]],
) -> pulumi.CustomResource:
    """A budget lets the one pod go, for a node has to be drained, and counts the healthy ones
    (kubernetes/kubernetes pkg/controller/disruption, v1.35.4).

    A Service would not do: the provider takes one without any endpoint for ready, and a pod has no
    endpoint before it has a node (pulumi/pulumi-kubernetes provider/pkg/await/service.go,
    94977969).
    """
    options = fixed_name(parent, minutes=_MINUTES)
    options.depends_on = [release]
    selector: dict[str, Any] = {
        "app.kubernetes.io/name": chart.chart.rpartition("/")[2],
        "app.kubernetes.io/instance": release.name,
    }
    return k8s.policy.v1.PodDisruptionBudget(
        f"{name}-budget",
        metadata={
            "name": release.name,
            "namespace": release.namespace,
            "labels": labels,
            "annotations": {"pulumi.com/waitFor": "jsonpath={.status.currentHealthy}=1"},
        },
        spec={
            "max_unavailable": 1,
            "unhealthy_pod_eviction_policy": EVICT_UNHEALTHY,
            "selector": {"match_labels": selector},
        },
        opts=options,
    )
