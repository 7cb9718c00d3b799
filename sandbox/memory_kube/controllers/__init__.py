"""The controllers, in the order in which one reconcile runs them.

The one for provisioning requests comes before all others: it brings the nodes that those see.
"""

from sandbox.gke.network_conditions import check_networks
from sandbox.gke.provisioning_requests import run_provisioning_requests
from sandbox.kube.claims import make_claims
from sandbox.kube.compute_domains import run_compute_domains
from sandbox.memory_kube.controllers.autoscalers import run_autoscalers
from sandbox.memory_kube.controllers.helm import run_releases
from sandbox.memory_kube.controllers.job_set import run_job_sets
from sandbox.memory_kube.controllers.policies import run_disruption_budgets, run_quotas
from sandbox.memory_kube.controllers.queues import run_queues
from sandbox.memory_kube.controllers.ray_cluster import run_ray_clusters
from sandbox.memory_kube.controllers.ray_job import advance_ray_jobs, run_ray_jobs
from sandbox.memory_kube.controllers.services import address_services
from sandbox.memory_kube.controllers.workloads import (
    finish_job_pods,
    run_daemon_sets,
    run_deployments,
    run_jobs,
)

CONTROLLERS = (
    run_releases,
    check_networks,
    run_autoscalers,
    run_deployments,
    run_daemon_sets,
    run_job_sets,
    run_jobs,
    run_ray_jobs,
    run_ray_clusters,
    run_disruption_budgets,
    address_services,
    run_compute_domains,
    make_claims,
    run_queues,
    run_quotas,
)

__all__ = [
    "CONTROLLERS",
    "advance_ray_jobs",
    "finish_job_pods",
    "run_provisioning_requests",
]
