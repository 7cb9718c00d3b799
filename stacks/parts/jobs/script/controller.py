"""JobSet's controller, where something needs it."""

from components.jobset_controller import WEBHOOK_PORT, JobSetController, JobSetControllerArgs
from stacks.parts.cluster.build import webhook_access
from stacks.parts.cluster.config import Operator
from stacks.site import Site, helm_chart


def build(site: Site) -> list[JobSetController]:
    """On the CPU nodes, as Kueue: all JobSets wait for its webhook."""
    if not site.plan.needs_job_sets or Operator.JOBSET in site.project.adopted.operators:
        return []
    reachable = webhook_access(site, "jobset", WEBHOOK_PORT)
    made = JobSetController(
        "jobset",
        JobSetControllerArgs(
            chart=helm_chart(site.plan, "jobset"),
            node_selector=None if site.plan.autopilot else site.nodes.cpu,
            labels=site.labels,
        ),
        opts=site.after(*site.nodes.needed, *reachable),
    )
    return [made]
