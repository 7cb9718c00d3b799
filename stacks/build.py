"""A stack's parts in their order.

APIs -> VPC -> peering -> Lustre, Redis ------> volume, Secret -+
  |      |                                                      |
  |      +---> GKE -> pools -> interfaces, NCCL -> queues ------+-> Ray -> jobs
  |            ^                                                +-> servers, fine-tunings
  |            +-- networks of further interfaces               |
  +--> buckets ----------------------> account, grants ---------+
  +--> mirrors, grants on images --------------------------------+
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pulumi

from components.base.static_volume import VolumeMount
from stacks import adoption, exports, site
from stacks.on_record import Record
from stacks.parts.buckets import build as buckets
from stacks.parts.cluster import build as cluster
from stacks.parts.dashboard import build as dashboard
from stacks.parts.images import build as images
from stacks.parts.jobs import build as jobs
from stacks.parts.jobs import script_build as scripts
from stacks.parts.lustre import build as lustre
from stacks.parts.network import build as network
from stacks.parts.network import claims_build, interfaces
from stacks.parts.network import domain_build as domains
from stacks.parts.network import interface_claims_build as interface_claims
from stacks.parts.pools import build as pools
from stacks.parts.pools import order
from stacks.parts.pools.order import Component
from stacks.parts.queues import build as queues
from stacks.parts.ray import build as ray
from stacks.parts.redis import build as redis
from stacks.parts.servers import build as servers
from stacks.parts.teams import build as teams
from stacks.plan import Plan


def build(
    plan: Plan,
    secrets: Mapping[str, pulumi.Output[str]],
    folder: Path | None = None,
    record: "Record | None" = None,
    adopted: site.Adopted | None = None,
) -> dict[str, Any]:
    """Registers the stack's resources and returns its outputs by name. What users bring lies in
    `folder`, by default the one that the program runs in; `record` is what the last run left, and
    `adopted` the parts that exist already, where Google is not to be asked for them."""
    stack = plan.stack
    of_users = scripts.brought(plan, folder or Path()) if stack.jobs else {}
    provider = site.google(stack)
    existing = adopted or adoption.read(plan, provider, record)
    project = site.project(plan, provider, existing, record)

    vpc = network.build(project)
    instance = lustre.build(project, vpc) if stack.lustre else None
    state = redis.build(project, vpc) if stack.redis else None
    stored = buckets.build(project)
    between = interfaces.build(project) if plan.multi_networking else site.Interfaces()
    accounts = pools.identities(project)
    # Autopilot's nodes are in these networks, and go after their pods: with the cluster at last.
    held = between.made if plan.autopilot else ()
    gke = cluster.build(project, vpc, next(iter(accounts.values()), None), held)
    nodes = pools.build(project, vpc, gke, accounts, between)
    readable = images.build(project, accounts)
    nodes = replace(nodes, needed=[*nodes.needed, *readable])
    if plan.images.preloads:
        images.preload(project, gke, readable)

    here = site.Site(
        project=project,
        gke=gke,
        nodes=nodes,
        namespace=stack.namespace,
        tokens=None,
        operators=cluster.operators(project, gke, nodes),
    )
    job_sets = scripts.controllers(here) if plan.needs_job_sets else []
    shared = queues.shared(here, job_sets)
    # Work in a namespace has finalizers that these take off: a namespace comes after and goes
    # before them.
    served = [*here.operators, *job_sets, *shared.made]
    namespace = cluster.namespace(project, gke, served)
    here = replace(
        here, namespace=namespace, tokens=cluster.tokens(project, gke, secrets, namespace)
    )
    sharing = teams.build(here, stored, served) if plan.teams else site.Teams()
    volume = lustre.volume(here, instance) if instance else None
    mounted = buckets.mounts(here, stored)
    kept = redis.kept_state(here, state) if state else None
    queued = queues.build(here, sharing, shared, served)
    if any(it.late for it in plan.pools.values()):
        ready = _ready(here, volume, mounted, kept, queued, job_sets)
        late = pools.build_late(project, gke, accounts, between, nodes, ready)
        here = replace(here, nodes=late)
    claimed = None
    if any(it.gpus_claimed for it in plan.gpu_pools.values()):
        claimed = claims_build.build(here)
    around = ray.Surroundings(
        devices=interfaces.devices(here, between, interface_claims.rdma_claims(here), claimed)
        if plan.interface_sets or any(it.managed for it in plan.gpu_pools.values())
        else {},
        lustre=volume,
        buckets=mounted,
        kept=kept,
        queues=queued,
        claims=interface_claims.claim_templates(here) if plan.tpu_pools else {},
        nvlink=domains.driver(here)
        if any(it.domain is not None for it in plan.gpu_pools.values())
        else None,
    )
    clusters = ray.build(here, around)
    running = jobs.build(here, around, clusters, of_users) if plan.ray_jobs else {}
    scripted = scripts.build(here, around, job_sets, of_users) if plan.scripts else {}
    tuned = jobs.fine_tunings(here, around.queues, around.buckets) if plan.fine_tunings else {}
    serving = servers.build(here, around.queues, around.devices) if plan.servers else {}
    shown = dashboard.build(project) if stack.monitoring.dashboard else None

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


def _ready(
    here: site.Site,
    volume: "VolumeMount | None",
    mounted: "Mapping[str, buckets.MountedBucket]",
    kept: "redis.KeptState | None",
    queued: queues.Queues,
    job_sets: Sequence[pulumi.Resource],
) -> "dict[Component, Sequence[pulumi.Resource]]":
    """What a pool that is just in time may wait for, by component."""

    return {
        order.KUBERAY: here.operators,
        order.JOB_SETS: job_sets,
        order.QUEUES: queued.made,
        order.VOLUME: [] if volume is None else [volume.claim],
        order.REDIS: [] if kept is None else [kept.password],
        **{order.of_bucket(it.planned): [it.last] for it in mounted.values()},
    }
