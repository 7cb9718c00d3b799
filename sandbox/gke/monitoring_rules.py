"""PodMonitoring of Google's managed Prometheus and AutoscalingMetric of GKE: what they read.

Sources: GoogleCloudPlatform/prometheus-engine pkg/operator/apis/monitoring/v1 (pod_types.go); GKE
documentation, "Expose custom metrics for autoscaling" (read 2026-11-21).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.kube.field_rules import Fields, ListOf, object_findings
from sandbox.kube.names import name_findings
from sandbox.kube.objects import maps, name_of

Finding = tuple[str, str]
_ENDPOINT = Fields(
    {
        "authorization": "any",
        "basicAuth": "any",
        "interval": "string",
        "metricRelabeling": ListOf("any"),
        "oauth2": "any",
        "params": "any",
        "path": "string",
        "port": "any",
        "proxyUrl": "string",
        "scheme": "http|https",
        "timeout": "string",
        "tls": "any",
    },
    frozenset({"port"}),
)
_SELECTOR = Fields({"matchExpressions": ListOf("any"), "matchLabels": "strings"})
_POD_MONITORING = Fields(
    {
        "endpoints": ListOf(_ENDPOINT),
        "filterRunning": "boolean",
        "limits": "any",
        "selector": _SELECTOR,
        "targetLabels": Fields({"fromPod": ListOf("any"), "metadata": ListOf("string")}),
    },
    frozenset({"endpoints", "selector"}),
)
# Of Prometheus' kinds only gauges.
_GAUGE = Fields(
    {"filter": "any", "loadBalancing": "any", "name": "string", "prometheusMetricName": "string"},
    frozenset({"name"}),
)
_CONTAINER = Fields(
    {
        "endpoint": Fields({"path": "string", "port": "integer"}),
        "metrics": ListOf(Fields({"gauge": _GAUGE}, frozenset({"gauge"}))),
    },
    frozenset({"endpoint", "metrics"}),
)
_METRIC = Fields(
    {"pod": Fields({"containers": ListOf(_CONTAINER), "selector": _SELECTOR})}, frozenset({"pod"})
)
_SPECS = {
    "AutoscalingMetric": Fields({"metrics": ListOf(_METRIC)}, frozenset({"metrics"})),
    "PodMonitoring": _POD_MONITORING,
}


def monitoring_findings(manifest: Mapping[str, Any]) -> list[Finding]:
    kind = manifest["kind"]
    found = [*name_findings(kind, name_of(manifest)), *object_findings(manifest, _SPECS[kind])]
    if kind == "PodMonitoring" and not found:
        found += _endpoint_findings(manifest["spec"])
    return found


def _endpoint_findings(spec: Mapping[str, Any]) -> Iterator[Finding]:
    if not spec["endpoints"]:
        yield "spec.endpoints", "must have at least 1 item"
    for index, endpoint in enumerate(maps(spec["endpoints"])):
        if not isinstance(endpoint["port"], str | int) or not endpoint["port"]:
            yield f"spec.endpoints[{index}].port", "must be the name or number of a port"
