"""What a stack of parts tells its user when it is up.

Where there is one of a kind an output is its value, where there are several it has each by its
name.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import pulumi

from components.jobs.fine_tune import FineTuneJob
from components.jobs.script_job_set import ScriptJobSet
from components.monitoring.dashboard import MonitoringDashboard
from components.network.peering_removal import PeeringRemoval
from components.ray.cluster import RayCluster
from components.ray.manifest import DASHBOARD_PORT
from components.servers.engine import PORT
from components.servers.server import InferenceServer
from stacks import after_jobs
from stacks.machine_price import hourly_cost
from stacks.outputs import (
    DASHBOARD_URL,
    cleanup_note,
    control_plane_access,
    credentials_flag,
    forward_command,
    kms_grants,
    submit_command,
    team_note,
    with_token,
)
from stacks.parts.buckets.build import AnyBucket
from stacks.parts.cluster.config import Operator
from stacks.parts.jobs.build import Launched
from stacks.parts.lustre.build import Instance
from stacks.plan import Plan
from stacks.site import Site, Teams


def of(
    site: Site,
    *,
    lustre: "Instance | None",
    buckets: Mapping[str, AnyBucket],
    clusters: Mapping[str, RayCluster],
    jobs: "Mapping[str, Launched]",
    own_jobs: "Mapping[str, FineTuneJob | ScriptJobSet]",
    servers: "Mapping[str, InferenceServer]",
    teams: Teams,
    dashboard: MonitoringDashboard | None,
) -> dict[str, Any]:
    namespace = site.plan.stack.namespace
    ray_port = f"{DASHBOARD_PORT}:{DASHBOARD_PORT}"
    names = {**{key: it.job_name for key, it in jobs.items()}}
    names |= {key: it.job_name for key, it in own_jobs.items()}
    found = {
        **_of_cluster(site),
        "dashboard_id": None if dashboard is None else dashboard.dashboard_id,
        "lustre_mount_point": None if lustre is None else lustre.mount_point,
        "bucket_url": _one_or_all({key: it.url for key, it in buckets.items()}),
        "ray_dashboard_command": _one_or_all(
            {
                key: forward_command(namespace, it.head_service, ray_port)
                for key, it in clusters.items()
            }
        ),
        "ray_dashboard_url": DASHBOARD_URL if clusters else None,
        "job_submit_command": _submit_commands(site, clusters, jobs),
        "job_name": _one_or_all(names),
        "server_url": _one_or_all({key: it.url for key, it in servers.items()}),
        "server_command": _one_or_all(
            {
                key: forward_command(namespace, it.service_name, f"{PORT}:{PORT}")
                for key, it in servers.items()
            }
        ),
        "team_service_accounts": dict(teams.service_accounts) or None,
        "teams": {name: team_note(it) for name, it in site.plan.teams.items()} or None,
        "machines_hourly_cost": _hourly_cost(site.plan),
        "machines_after_jobs": _after_jobs(site.plan),
        "queue_command": None
        if site.plan.queues is None
        else f"kubectl --namespace={namespace} get workloads",
    }
    return {name: value for name, value in found.items() if value is not None}


def _of_cluster(site: Site) -> dict[str, Any]:
    stack, gke = site.plan.stack, site.gke
    lustre = None if stack.lustre is None else stack.lustre.made
    lost = [] if lustre is None else [f"on the Lustre instance {lustre.name}"]
    lost += [
        f"in the bucket {it.name}" for it in site.plan.buckets.values() if it.config.force_destroy
    ]
    kept = [
        f"gs://{it.name}"
        for it in site.plan.buckets.values()
        if it.config.existing is None and not it.config.force_destroy
    ]
    abandons = stack.makes_peering and stack.network.peering_on_destroy is PeeringRemoval.ABANDON
    return {
        "project": stack.project,
        "operators": _installed(site),
        "cluster_name": gke.cluster_name,
        "cluster_location": gke.location,
        "kubeconfig": gke.kubeconfig,
        "namespaces": _namespaces(site),
        "kubeconfig_command": pulumi.Output.concat(
            "gcloud container clusters get-credentials ",
            gke.cluster_name,
            " --location=",
            gke.location,
            f" --project={stack.project}{credentials_flag(gke.reached)}",
        ),
        "cleanup_note": cleanup_note(
            pulumi.get_stack(),
            protected=stack.deletion_protection,
            lost=lost,
            kept=kept,
            abandons_peering=abandons,
        ),
        "control_plane_access": control_plane_access(gke.reached, stack.cluster.authorized_networks)
        if stack.cluster.is_made
        else "as the cluster's owner has it",
        "kms_grants": kms_grants(site.plan, stack.project) or None,
    }


def _hourly_cost(plan: Plan) -> "pulumi.Output[str] | None":
    """Prices are read while the engine is waited for. Autopilot's machines are those that pods ask
    for."""
    if plan.autopilot or not plan.pools:
        return None
    loop = asyncio.get_event_loop()
    cost = loop.run_in_executor(None, hourly_cost, plan.pools.values(), plan.facts)
    return pulumi.Output.from_input(cost)


def _after_jobs(plan: Plan) -> "pulumi.Output[list[str]] | None":
    """Prices are read while the engine is waited for."""
    if not after_jobs.staying(plan) and not after_jobs.idle_pools(plan):
        return None
    return pulumi.Output.from_input(
        asyncio.to_thread(after_jobs.sentences, plan, pulumi.get_stack())
    )


def _installed(site: Site) -> list[str]:
    """What is in the cluster by its Helm chart, which other stacks on it do not install."""
    found = [*site.project.adopted.operators]
    found += [Operator.KUBERAY.value] if site.operators else []
    found += [Operator.KUEUE.value] if site.plan.queues is not None else []
    found += [Operator.JOBSET.value] if site.plan.needs_job_sets else []
    return sorted({str(it) for it in found})


def _namespaces(site: Site) -> list[str]:
    """Where work of the stack is, its own first."""
    plan = site.plan
    further = () if plan.queues is None else plan.queues.config.namespaces
    return list(dict.fromkeys((plan.stack.namespace, *plan.teams, *further)))


def _submit_commands(
    site: Site, clusters: Mapping[str, RayCluster], jobs: "Mapping[str, Launched]"
) -> Any:
    """The job's own, or where a cluster has none something to try."""
    found: dict[str, Any] = {key: it.submit for key, it in jobs.items()}
    for name, ray in site.plan.ray.items():
        if not ray.jobs and name in clusters:
            gpus = ray.accelerated.first.kind == "gpu"
            before = with_token(ray, site.plan.stack.namespace)
            found[name] = (
                submit_command("nvidia-smi", "{}", gpus=1, before=before)
                if gpus
                else submit_command("python3", "{}", before=before)
            )
    return _one_or_all(found)


def _one_or_all(values: Mapping[str, Any]) -> Any:
    if len(values) < 2:
        return next(iter(values.values()), None)
    return dict(values)
