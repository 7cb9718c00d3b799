"""The monitoring dashboard of what the stack has."""

from components.base.labels import own_labels
from components.monitoring.dashboard import MonitoringDashboard, MonitoringDashboardArgs
from stacks.site import Project


def build(project: Project) -> MonitoringDashboard | None:
    plan = project.plan
    stack, existing = plan.stack, project.adopted.cluster
    if not stack.monitoring.dashboard:
        return None
    tpus = bool(plan.tpu_pools) and not plan.gpu_pools
    lustre = None if stack.lustre is None else stack.lustre.instance_name
    shown = "TPUs" if tpus else "GPUs"
    shown = shown if lustre is None else f"Lustre and {shown}"
    return MonitoringDashboard(
        "monitoring",
        MonitoringDashboardArgs(
            project=stack.project,
            apis=project.apis,
            title=f"{stack.name}: {shown}",
            cluster_name=plan.cluster_name if existing is None else existing.name,
            zone=stack.zone,
            tpus=tpus,
            lustre_instance=lustre,
            # Those that never go: the provider shows no label that a dashboard loses
            # (hashicorp/terraform-provider-google-beta resource_monitoring_dashboard.go,
            # removeComputedKeys, 93c65b2d60).
            labels=own_labels(project.labels),
        ),
        opts=project.opts,
    )
