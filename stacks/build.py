"""A stack's parts in their order.

APIs -> VPC -> peering -> Lustre, Redis ------> volume, Secret -+
  |      |                                                      |
  |      +---> GKE -> pools -> interfaces, NCCL -> queues ------+-> Ray -> jobs
  |            ^                                                +-> servers, fine-tunings
  |            +-- networks of further interfaces               |
  +--> buckets ----------------------> account, grants ---------+
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi

from stacks import exports, site
from stacks.parts.buckets import build as buckets
from stacks.parts.cluster import build as cluster
from stacks.parts.dashboard import build as dashboard
from stacks.parts.jobs import build as jobs
from stacks.parts.jobs.script import build as scripts
from stacks.parts.jobs.script import controller
from stacks.parts.lustre import build as lustre
from stacks.parts.network import build as network
from stacks.parts.network import interfaces
from stacks.parts.pools import build as pools
from stacks.parts.queues import build as queues
from stacks.parts.ray import build as ray
from stacks.parts.redis import build as redis
from stacks.parts.servers import build as servers
from stacks.parts.teams import build as teams
from stacks.plan import Plan


def build(
    plan: Plan, secrets: Mapping[str, pulumi.Output[str]], folder: Path | None = None
) -> dict[str, Any]:
    """Registers the stack's resources and returns its outputs by name. What users bring lies in
    `folder`, by default the one that the program runs in."""
    of_users = scripts.brought(plan, folder or Path())
    project = site.project(plan)

    vpc = network.build(project)
    instance = lustre.build(project, vpc)
    state = redis.build(project, vpc)
    stored = buckets.build(project)
    between = interfaces.build(project)
    accounts = pools.identities(project)
    # Autopilot's nodes are in these networks, and go after their pods: with the cluster at last.
    held = between.made if plan.autopilot else ()
    gke = cluster.build(project, vpc, next(iter(accounts.values()), None), held)
    nodes = pools.build(project, vpc, gke, accounts, between)

    namespace = cluster.namespace(project, gke)
    here = site.Site(
        project=project,
        gke=gke,
        nodes=nodes,
        namespace=namespace,
        tokens=cluster.tokens(project, gke, secrets, namespace),
        operators=cluster.operators(project, gke, nodes),
    )
    sharing = teams.build(here, stored)
    job_sets = controller.build(here)
    around = ray.Surroundings(
        devices=interfaces.devices(here, between),
        lustre=lustre.volume(here, instance),
        buckets=buckets.mounts(here, stored),
        kept=redis.kept_state(here, state),
        queues=queues.build(here, sharing, job_sets),
        claims=ray.claim_templates(here),
    )
    clusters = ray.build(here, around)
    running = jobs.build(here, around, clusters, of_users)
    scripted = scripts.build(here, around, job_sets, of_users)
    tuned = servers.fine_tunings(here, around.queues, dict(around.buckets))
    serving = servers.build(here, around.queues)
    shown = dashboard.build(project)

    return exports.of(
        here,
        lustre=instance,
        buckets=stored,
        clusters=clusters,
        jobs=running,
        own_jobs={**tuned, **scripted},
        servers=serving,
        teams=sharing,
        dashboard=shown,
    )
