"""A Cloud Monitoring dashboard: Lustre throughput and capacity, and how busy GPUs or TPUs are."""

import json
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.dashboard_json import dashboard, gpu_charts, lustre_charts, tpu_charts
from components.lifecycle import child_of


@dataclass(frozen=True, kw_only=True)
class MonitoringDashboardArgs:
    project: pulumi.Input[str]
    title: str
    cluster_name: str
    zone: str
    tpus: bool = False
    lustre_instance: str | None = None
    labels: dict[str, str]


class MonitoringDashboard(pulumi.ComponentResource):
    dashboard_id: pulumi.Output[str]

    def __init__(
        self, name: str, args: MonitoringDashboardArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:monitoring_dashboard:MonitoringDashboard", name, None, opts)
        charts = (tpu_charts if args.tpus else gpu_charts)(args.cluster_name)
        if args.lustre_instance is not None:
            charts = (*lustre_charts(args.lustre_instance, args.zone), *charts)
        made = gcp.monitoring.Dashboard(
            f"{name}-dashboard",
            project=args.project,
            dashboard_json=json.dumps(dashboard(args.title, charts, args.labels), sort_keys=True),
            opts=child_of(self),
        )
        self.dashboard_id = made.id
        self.register_outputs({"dashboard_id": self.dashboard_id})
