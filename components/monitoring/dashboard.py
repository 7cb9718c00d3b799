"""A Cloud Monitoring dashboard: Lustre throughput and capacity, and how busy GPUs or TPUs are.

Metric names: Lustre's are those of Managed Lustre's monitoring page; an accelerator's duty cycle
and memory, slices and node pools are GKE system metrics (Cloud Monitoring documentation, "Google
Kubernetes Engine metrics"), and DCGM's come through managed Prometheus.
"""

import json
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_gcp as gcp

from ..base.component import Component
from ..base.lifecycle import fixed_name
from ..base.tokens import formerly
from ..project.apis import ProjectArgs

_COLUMNS = 48
_TILE_HEIGHT = 16
_LUSTRE = "lustre.googleapis.com/instance"
_ACCELERATOR = "kubernetes.io/container/accelerator"
_MULTISLICE = "kubernetes.io/container/multislice/network"
_POOL = "kubernetes.io/node_pool"
_DCGM = "prometheus.googleapis.com"


@dataclass(frozen=True, kw_only=True)
class Series:
    """One line, or one line for each value of `by`, of a chart."""

    legend: str
    metric: str
    resource: str
    where: dict[str, str]
    aligner: str
    reducer: str = "REDUCE_SUM"
    by: tuple[str, ...] = ()

    def as_data_set(self) -> dict[str, Any]:
        conditions = [f'metric.type="{self.metric}"', f'resource.type="{self.resource}"']
        conditions += [f'{key}="{value}"' for key, value in self.where.items()]
        return {
            "legendTemplate": self.legend,
            "plotType": "LINE",
            "timeSeriesQuery": {
                "timeSeriesFilter": {
                    "filter": " AND ".join(conditions),
                    "aggregation": {
                        "alignmentPeriod": "60s",
                        "perSeriesAligner": self.aligner,
                        "crossSeriesReducer": self.reducer,
                        "groupByFields": list(self.by),
                    },
                }
            },
        }


@dataclass(frozen=True, kw_only=True)
class Chart:
    title: str
    unit: str
    series: tuple[Series, ...]

    def as_widget(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "xyChart": {
                "chartOptions": {"mode": "COLOR"},
                "dataSets": [one.as_data_set() for one in self.series],
                "yAxis": {"label": self.unit, "scale": "LINEAR"},
            },
        }


def dashboard(title: str, charts: tuple[Chart, ...], labels: dict[str, str]) -> dict[str, Any]:
    """A dashboard of charts, two in a row.

    It has no zeros and no empty lists: Google gives none back, and the provider would show each as
    a difference for ever (GoogleCloudPlatform/magic-modules #18515 of 2026-08-04,
    chainguard-dev/terraform-infra-common modules/dashboard/main.tf, 09c052eb).
    """
    width = _COLUMNS // 2
    tiles = [
        {
            "xPos": index % 2 * width,
            "yPos": index // 2 * _TILE_HEIGHT,
            "width": width,
            "height": _TILE_HEIGHT,
            "widget": chart.as_widget(),
        }
        for index, chart in enumerate(charts)
    ]
    return _without_zeros(
        {
            "displayName": title,
            "labels": labels,
            "mosaicLayout": {"columns": _COLUMNS, "tiles": tiles},
        }
    )


def _without_zeros(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_zeros(it) for key, it in value.items() if it not in (0, [])}
    return [_without_zeros(it) for it in value] if isinstance(value, list) else value


def lustre_charts(instance: str, zone: str) -> tuple[Chart, ...]:
    """Throughput and space of a Managed Lustre instance."""

    def series(legend: str, metric: str, aligner: str, component: str = "") -> Series:
        where = {"resource.label.instance_id": instance, "resource.label.location": zone}
        if component:
            where["metric.label.component"] = component
        return Series(
            legend=legend,
            metric=f"{_LUSTRE}/{metric}",
            resource="lustre.googleapis.com/Instance",
            where=where,
            aligner=aligner,
            reducer="REDUCE_SUM",
        )

    return (
        Chart(
            title="Lustre throughput",
            unit="bytes/s",
            series=(
                series("read", "read_bytes_total", "ALIGN_RATE"),
                series("write", "write_bytes_total", "ALIGN_RATE"),
            ),
        ),
        Chart(
            title="Lustre capacity",
            unit="bytes",
            # Data lives on the object storage targets; the metadata targets' space is not for it.
            series=(
                series("capacity", "capacity_bytes", "ALIGN_MEAN", component="ost"),
                series("free", "free_bytes", "ALIGN_MEAN", component="ost"),
            ),
        ),
    )


def gpu_charts(cluster: str) -> tuple[Chart, ...]:
    """How busy a cluster's GPUs are: by GKE's own metric, and by NVIDIA's."""
    return (
        _of_pods("GPU duty cycle", "%", "duty_cycle", cluster),
        Chart(
            title="GPU memory in use (DCGM)",
            unit="MiB",
            series=(
                Series(
                    legend="${metric.labels.Hostname}",
                    metric=f"{_DCGM}/DCGM_FI_DEV_FB_USED/gauge",
                    resource="prometheus_target",
                    where={"resource.label.cluster": cluster},
                    aligner="ALIGN_MEAN",
                    by=("metric.label.Hostname",),
                ),
            ),
        ),
    )


def tpu_charts(cluster: str) -> tuple[Chart, ...]:
    """How busy a cluster's TPUs are, how long slices wait for each other, and which are there."""
    return (
        _of_pods("TPU duty cycle", "%", "duty_cycle", cluster),
        _of_pods("TPU memory in use", "bytes", "memory_used", cluster),
        _between_slices("Transfers between slices, 99th percentile", "dcn_transfer", cluster),
        _between_slices("Collectives, 99th percentile", "collective_end_to_end", cluster),
        # The share of each minute in which it is so.
        _of_pools("Slices that are whole", "multi_host/available", "ALIGN_FRACTION_TRUE", cluster),
        _of_pools("Interruptions", "interruption_count", "ALIGN_MAX", cluster),
    )


def _between_slices(title: str, what: str, cluster: str) -> Chart:
    """Microseconds that traffic between slices takes, one line a pod."""
    series = Series(
        legend="${resource.labels.pod_name}",
        metric=f"{_MULTISLICE}/{what}_latencies",
        resource="k8s_container",
        where={"resource.label.cluster_name": cluster},
        aligner="ALIGN_PERCENTILE_99",
        reducer="REDUCE_MAX",
        by=("resource.label.pod_name",),
    )
    return Chart(title=title, unit="us", series=(series,))


def _of_pools(title: str, metric: str, aligner: str, cluster: str) -> Chart:
    """A metric of node pools, one line a pool."""
    series = Series(
        legend="${resource.labels.node_pool_name}",
        metric=f"{_POOL}/{metric}",
        resource="k8s_node_pool",
        where={"resource.label.cluster_name": cluster},
        aligner=aligner,
        by=("resource.label.node_pool_name",),
    )
    return Chart(title=title, unit="1", series=(series,))


def _of_pods(title: str, unit: str, metric: str, cluster: str) -> Chart:
    """An accelerator metric of GKE's, one line a pod."""
    series = Series(
        legend="${resource.labels.pod_name}",
        metric=f"{_ACCELERATOR}/{metric}",
        resource="k8s_container",
        where={"resource.label.cluster_name": cluster},
        aligner="ALIGN_MEAN",
        reducer="REDUCE_MEAN",
        by=("resource.label.pod_name",),
    )
    return Chart(title=title, unit=unit, series=(series,))


@dataclass(frozen=True, kw_only=True)
class MonitoringDashboardArgs(ProjectArgs):
    title: str
    cluster_name: str
    zone: str
    tpus: bool = False
    lustre_instance: str | None = None
    labels: dict[str, str]


class MonitoringDashboard(Component, apis=("monitoring",)):
    dashboard_id: pulumi.Output[str]

    def __init__(
        self, name: str, args: MonitoringDashboardArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:MonitoringDashboard",
            name,
            args,
            formerly("monitoring_dashboard:MonitoringDashboard", opts),
        )
        charts = (tpu_charts if args.tpus else gpu_charts)(args.cluster_name)
        if args.lustre_instance is not None:
            charts = (*lustre_charts(args.lustre_instance, args.zone), *charts)
        made = gcp.monitoring.Dashboard(
            f"{name}-dashboard",
            project=args.project_with("monitoring"),
            dashboard_json=json.dumps(dashboard(args.title, charts, args.labels), sort_keys=True),
            opts=fixed_name(self),
        )
        self.dashboard_id = made.id
        self.register_outputs({"dashboard_id": self.dashboard_id})
