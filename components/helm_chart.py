"""A chart in a namespace of its own, which is there once everything in the chart is ready."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.custom_object import object_name
from components.lifecycle import fixed_name
from components.naming import NameKind, check_name

# A new node for the controller, and its image.
_MINUTES = 15


@dataclass(frozen=True, kw_only=True)
class HelmChartArgs:
    """`chart` is a name in `repository`, or without one the address in an OCI registry."""

    chart: str
    version: str
    repository: str | None = None


def install_chart(
    parent: pulumi.Resource,
    name: str,
    chart: HelmChartArgs,
    *,
    release_name: str,
    namespace: str,
    labels: pulumi.Input[dict[str, str]],
    values: Mapping[str, Any],
) -> k8s.helm.v3.Release:
    """The release, in a namespace that is made for it; Helm waits until the pods are ready."""
    made = k8s.core.v1.Namespace(
        f"{name}-namespace",
        metadata={"name": check_name(NameKind.NAMESPACE, namespace), "labels": labels},
        opts=fixed_name(parent),
    )
    repository = None
    if chart.repository is not None:
        repository = k8s.helm.v3.RepositoryOptsArgs(repo=chart.repository)
    return k8s.helm.v3.Release(
        f"{name}-release",
        name=release_name,
        namespace=object_name(made),
        chart=chart.chart,
        version=chart.version,
        repository_opts=repository,
        values=values,
        skip_await=False,
        # A first install that failed is taken away, so that the next can begin anew.
        atomic=True,
        timeout=60 * _MINUTES,
        opts=fixed_name(parent, minutes=_MINUTES + 1),
    )
