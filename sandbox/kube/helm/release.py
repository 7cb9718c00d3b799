"""A Helm release as an object of its own: name and namespace beside chart, version and values.

Not simulated: values files, hooks, rollbacks and a release's history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kube.errors import KubeError
from kube.names import chart_name, is_label_1123
from kube.objects import JsonObject, name_of
from kube.text import nearest
from sandbox.kube.helm.chart import Chart
from sandbox.kube.helm.charts import CHARTS

Finding = tuple[str, str]
RELEASE = {"apiVersion": "helm.sh/v3", "kind": "Release"}
_NAME_LIMIT = 53
# How long Helm waits where a release does not say it.
_SECONDS = 300


def release_manifest(inputs: Mapping[str, Any]) -> JsonObject:
    """The object that stands for the inputs of a `helm.sh/v3:Release`."""
    placed = ("name", "namespace")
    metadata = {key: inputs[key] for key in placed if inputs.get(key) is not None}
    spec = {key: value for key, value in inputs.items() if key not in placed}
    return {**RELEASE, "metadata": metadata, "spec": spec}


def release_inputs(manifest: Mapping[str, Any]) -> JsonObject:
    """The inputs that `release_manifest` made the object of."""
    return {**manifest["metadata"], **manifest["spec"]}


def chart_of(release: Mapping[str, Any]) -> Chart:
    """The chart of a release that is installed."""
    return CHARTS[chart_name(release["spec"]["chart"])]


def refuse_hanging_uninstall(release: Mapping[str, Any]) -> None:
    """Raises KubeError where Helm would wait for the end of what Kubernetes makes again.

    Source: pulumi/pulumi-kubernetes provider/pkg/provider/helm_release.go:1237 (commit 94977969)
    and kubernetes/kubernetes pkg/controller/clusterroleaggregation, v1.35.4.
    """
    spec, roles = release["spec"], chart_of(release).gathered_roles
    if roles and (spec.get("atomic") or not spec.get("skipAwait")):
        names = ", ".join(f"{name_of(release)}-{role}" for role in roles)
        raise KubeError(
            f"release {name_of(release)} is not gone after {spec.get('timeout') or _SECONDS} s: "
            f"Helm waits for its ClusterRoles {names}, which clusterrole-aggregation-controller "
            "makes again; nearest: skipAwait, without atomic",
            reason="Conflict",
        )


def release_findings(manifest: Mapping[str, Any]) -> list[Finding]:
    spec = manifest["spec"]
    found = [*_name_findings(name_of(manifest)), *_source_findings(spec)]
    return found or list(
        chart_of(manifest).findings(str(spec["version"]), spec.get("values") or {})
    )


def _name_findings(name: str) -> Iterator[Finding]:
    # helm/helm pkg/chartutil/validate_name.go, v3.
    if len(name) > _NAME_LIMIT or not is_label_1123(name):
        yield "name", f'"{name}" must be at most {_NAME_LIMIT} lower-case letters, digits or -'


def _source_findings(spec: Mapping[str, Any]) -> Iterator[Finding]:
    named = str(spec.get("chart") or "")
    chart = CHARTS.get(chart_name(named))
    if chart is None:
        yield "chart", f'"{named}" is no chart that the sandbox knows{nearest(named, CHARTS)}'
        return
    address, _, digest = named.partition("@")
    source = (address, (spec.get("repositoryOpts") or {}).get("repo"))
    if source != (chart.source.name, chart.source.repository):
        wanted = chart.source.name
        if chart.source.repository:
            wanted += f" with repositoryOpts.repo {chart.source.repository}"
        yield "chart", f'"{named}" is not found in its repository; nearest: {wanted}'
    version = str(spec.get("version") or "")
    if version not in chart.versions:
        near = nearest(version, chart.versions)
        yield "version", f'"{version}" is no version of {chart.name} that the lock knows{near}'
    elif digest:
        yield from _digest_findings(chart.source.checked_digest(version), digest)


def _digest_findings(of_version: str | None, digest: str) -> Iterator[Finding]:
    """Helm compares a reference's digest with that of the version's tag (helm/helm
    pkg/registry/client.go, ValidateReference, v3.20.2)."""
    if digest != of_version:
        yield "chart", f"chart reference digest mismatch: {of_version} is not {digest}"
