"""What follows from a stack's config, derived once; rules and builders read it. No Pulumi."""

from dataclasses import replace
from functools import cached_property

from catalog import Catalog, GkeVersion, NcclStack
from components.base.labels import stack_labels
from components.base.naming import NameKind, cloud_name
from components.base.pod_security import BASELINE, PRIVILEGED
from components.cluster.kubeconfig import context_name
from stacks.hardened import Hardening, hardening_of
from stacks.parts.buckets.plan import PlannedBucket, with_key
from stacks.parts.cluster.config import ClusterLocation, Operator
from stacks.parts.cluster.plan import features_of, version_of
from stacks.parts.images.plan import ImageUse, PlannedImages, may_stream, planned_images
from stacks.parts.jobs.config import FineTuning, RayJob, VerlTraining
from stacks.parts.jobs.plan import (
    JOB_SETS,
    PlannedFineTuning,
    PlannedScript,
    planned_fine_tunings,
    planned_scripts,
)
from stacks.parts.jobs.script import Script
from stacks.parts.network.plan import InterfaceSet, interface_sets, ranges_of
from stacks.parts.pools.interface_modes import interface_modes
from stacks.parts.pools.nodes import Host
from stacks.parts.pools.plan import PlannedPool, autopilot_cpu_host, planned_pools
from stacks.parts.queues.plan import PlannedQueues, queued_minutes
from stacks.parts.queues.unqueued import unqueued
from stacks.parts.ray.config import StackRayCluster, Workers
from stacks.parts.ray.plan import PlannedRay, PlannedWorkers
from stacks.parts.servers.plan import PlannedServer, planned_servers
from stacks.parts.teams.plan import PlannedTeam
from stacks.stack import LUSTRE, Stack, mounts_of, only


class Plan:
    """Everything is derived when first asked for. A config with references that lead nowhere has
    no plan: `stacks.checks` finds those first."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack

    @cached_property
    def facts(self) -> Catalog:
        return Catalog.load().extended(self.stack.catalog)

    # The cluster

    @property
    def autopilot(self) -> bool:
        return self.stack.cluster.autopilot

    @property
    def cluster_name(self) -> str:
        return self.stack.cluster.name or self.stack.name

    @property
    def prefix(self) -> str:
        """What names begin with that a cluster has once, where others may be in it."""
        return "" if self.stack.cluster.is_made else f"{self.stack.name}-"

    @property
    def location(self) -> str:
        """Where the control plane is."""
        regional = self.stack.cluster.location is ClusterLocation.REGIONAL
        return self.stack.region if regional else self.stack.zone

    @property
    def kubectl(self) -> str:
        """With the cluster's context, as its own command of gcloud writes it; a cluster that only
        another stack's outputs name is whichever is the current one."""
        cluster = self.stack.cluster
        if cluster.stack is not None:
            return "kubectl"
        there = cluster.existing
        name, place = (
            (self.cluster_name, self.location) if there is None else (there.name, there.location)
        )
        return f"kubectl --context={context_name(self.stack.project, place, name)}"

    @cached_property
    def gke_version(self) -> GkeVersion | None:
        return version_of(self.stack.cluster, self.pools, self.facts, self.features)

    @cached_property
    def features(self) -> tuple[str, ...]:
        claims = any(map(self.claims, self.pools.values()))
        nccl, networks = self.nccl_stacks, self.multi_networking
        return features_of(self.stack, self.pools, nccl, networks=networks, claims=claims)

    @property
    def lustre_legacy_port(self) -> bool:
        """Whether nodes of the version asked for speak to Lustre on the older port; instance and
        firewall are on it then."""
        version = self.gke_version
        minimum = self.facts.feature("lustre_default_port").minimum_gke
        return self.stack.lustre is not None and version is not None and not version.meets(minimum)

    @property
    def own_between_slices(self) -> bool:
        """Whether networks of the stack's own connect TPU slices."""
        return any(not it.managed and self.claims(it) for it in self.tpu_pools.values())

    @property
    def multi_networking(self) -> bool:
        """Whether nodes of the stack have further interfaces in networks of its own."""
        return bool(self.interface_sets) or self.own_between_slices

    @property
    def account_kinds(self) -> list[str]:
        """The kinds of nodes, each of which is an account of the stack's; the first is also the own
        one of a cluster that is made."""
        made = self.stack.cluster.is_made
        if self.autopilot:
            return ["auto"] if made else []
        kinds = [*(["cpu"] if made else []), *(it.kind for it in self.pools.values())]
        return list(dict.fromkeys(kinds))

    def node_account(self, kind: str) -> str:
        name = cloud_name(NameKind.SERVICE_ACCOUNT, self.stack.name, kind)
        return f"{name}@{self.stack.project}.iam.gserviceaccount.com"

    def labels(self, stack: str) -> dict[str, str]:
        return stack_labels(self.stack.labels, stack)

    @property
    def account_name(self) -> str:
        """The Kubernetes service account that pods run as which use buckets."""
        return self.stack.service_account or self.stack.name

    @property
    def tokens_name(self) -> str:
        """The Secret that pods have their tokens from."""
        return f"{self.stack.name}-tokens"

    @property
    def redis_secret_name(self) -> str:
        """The Secret that Ray's heads have the password of Redis from."""
        return f"{self.stack.name}-redis"

    # Nodes

    @cached_property
    def pools(self) -> dict[str, PlannedPool]:
        machines = [self.facts.machine(it.machine_type) for it in self.stack.pools.values()]
        accelerated = any(it.accelerator is not None for it in machines)
        return planned_pools(
            self.stack.pools,
            self.facts,
            interface_modes(self.stack, self.facts),
            zone=self.stack.zone,
            autopilot=self.autopilot,
            streaming=may_stream(self.stack, accelerated=accelerated),
            placed=self._placed_pools,
            prefix=self.prefix,
        )

    @property
    def _placed_pools(self) -> frozenset[str]:
        """Pools onto whose nodes Kueue assigns pods by a topology."""
        queues = self.stack.queues
        placed = () if queues is None else queues.flavors.values()
        return frozenset(it.pool or self.default_pool for it in placed if it.topology is not None)

    @cached_property
    def default_pool(self) -> str:
        """The pool of flavors that name none: the first with GPUs, else with TPUs, else of all."""

        def rank(name: str) -> int:
            has = self.facts.machine(self.stack.pools[name].machine_type).accelerator
            return 2 if has is None else int(has.kind != "gpu")

        return min(self.stack.pools, key=rank, default="")

    @property
    def gpu_pools(self) -> dict[str, PlannedPool]:
        return {name: it for name, it in self.pools.items() if it.kind == "gpu"}

    @property
    def tpu_pools(self) -> dict[str, PlannedPool]:
        return {name: it for name, it in self.pools.items() if it.kind == "tpu"}

    @property
    def accelerated(self) -> dict[str, PlannedPool]:
        return {name: it for name, it in self.pools.items() if it.kind != "cpu"}

    @cached_property
    def cpu_pool(self) -> PlannedPool | None:
        """Where the cluster's own pods run, which tolerate no taints of a pool; Autopilot makes
        such nodes itself."""
        cpus = [it for it in self.pools.values() if it.kind == "cpu"]
        return min(cpus, key=lambda it: (it.keeps_away, not it.under_single_pods), default=None)

    @cached_property
    def cpu_host(self) -> Host:
        """The node under single pods."""
        return self.cpu_pool.host if self.cpu_pool else autopilot_cpu_host(self.facts)

    @cached_property
    def interface_sets(self) -> tuple[InterfaceSet, ...]:
        return interface_sets(self.pools.values())

    @property
    def nccl_stacks(self) -> list[NcclStack]:
        """What NCCL needs on the machines with RDMA interfaces, each once."""
        pools = [it for it in self.gpu_pools.values() if it.rdma]
        found = [self.facts.nccl(it.machine.name) for it in pools]
        return list({it.feature: it for it in found if it is not None}.values())

    @cached_property
    def hardening(self) -> Hardening:
        return hardening_of(self.stack)

    @property
    def pod_security(self) -> str:
        """What the stack's namespaces let pods ask of their node. Those that speak RDMA mount
        folders of it, and whoever submits to the stack makes such pods, too."""
        return PRIVILEGED if self.nccl_stacks else BASELINE

    def claims(self, pool: PlannedPool) -> int:
        """Interfaces that a pod claims which has a node alone."""
        return pool.claims(len(self.stack.network.dcn))

    @property
    def ranges(self) -> dict[str, str]:
        """Every range that the stack uses, by its field below `network`."""
        own, slices = bool(self.interface_sets), self.own_between_slices
        return ranges_of(self.stack, interfaces=own, slices=slices)

    # Storage

    @cached_property
    def buckets(self) -> dict[str, PlannedBucket]:
        prepared = {
            self.storage_of(it) for it in self.ray_jobs.values() if isinstance(it, VerlTraining)
        }
        return {
            key: replace(
                self._plain_bucket(key),
                files_at_once=max(
                    (
                        it.files_at_once
                        for it in (*self.ray.values(), *self.scripts.values())
                        if key in it.buckets
                    ),
                    default=1,
                ),
                claimed=key in prepared,
                on_large_hosts=self._on_large_hosts(key),
            )
            for key in self.stack.buckets
        }

    def _on_large_hosts(self, bucket: str) -> bool:
        """Whether all that mount the bucket let Cloud Storage FUSE have its own number of streams
        on large machines."""
        clusters = [it.on_large_hosts for it in self.ray.values() if bucket in it.buckets]
        others = any(bucket in it.buckets for it in self.scripts.values())
        tunings = any(
            (it.storage or only(self.stack.buckets)) == bucket
            for it in self.stack.jobs.values()
            if isinstance(it, FineTuning)
        )
        return bool(clusters) and all(clusters) and not others and not tunings

    # What runs

    @cached_property
    def ray(self) -> dict[str, PlannedRay]:
        return {name: self._ray(name, it) for name, it in self.stack.ray.items()}

    @property
    def ray_jobs(self) -> dict[str, RayJob]:
        return {
            name: it
            for name, it in self.stack.jobs.items()
            if not isinstance(it, FineTuning) and not (isinstance(it, Script) and it.ray is None)
        }

    def cluster_of(self, job: RayJob) -> str:
        """The RayCluster that a job runs on."""
        return job.ray or only(self.stack.ray)

    def storage_of(self, job: RayJob) -> str | None:
        """What of its RayCluster's mounts has the job's data: verl prepares a bucket, other
        trainings write where ranks write fastest. A script knows itself where it writes."""
        if isinstance(job, Script):
            return None
        mounts = self.ray[self.cluster_of(job)].mounts
        if job.storage is not None:
            return job.storage
        buckets = [it for it in mounts if it != LUSTRE]
        first = [*buckets, *mounts] if isinstance(job, VerlTraining) else mounts
        return first[0] if first else None

    def mount_path(self, mount: str) -> str:
        if mount == LUSTRE and self.stack.lustre is not None:
            return self.stack.lustre.mount_path
        return self.stack.buckets[mount].mount_path

    @cached_property
    def fine_tunings(self) -> dict[str, PlannedFineTuning]:
        return planned_fine_tunings(self.stack, self.pools, self.buckets, self.facts)

    @cached_property
    def scripts(self) -> dict[str, PlannedScript]:
        """Scripts that are JobSets of their own."""
        buckets = {key: self._plain_bucket(key) for key in self.stack.buckets}
        here = (self.cpu_pool, self.cpu_host)
        return planned_scripts(self.stack, self.pools, here, buckets, self.facts)

    @property
    def needs_job_sets(self) -> bool:
        """Whether somebody looks for JobSets."""
        queues = self.stack.queues
        return bool(self.scripts) or (queues is not None and JOB_SETS in queues.frameworks)

    @cached_property
    def servers(self) -> dict[str, PlannedServer]:
        return planned_servers(self.stack, self.pools, self.facts)

    @cached_property
    def image_uses(self) -> list[ImageUse]:
        """Images of all pods, by the references of config and catalog."""
        pods = [*self.ray.values(), *self.servers.values(), *self.fine_tunings.values()]
        return [it.image_use for it in (*pods, *self.scripts.values())]

    @cached_property
    def images(self) -> PlannedImages:
        """Where the images of all pods come from."""
        uses = self.image_uses
        return planned_images(self.stack, uses, self.facts, accelerated=bool(self.accelerated))

    @cached_property
    def queues(self) -> PlannedQueues | None:
        stack = self.stack
        if stack.queues is None:
            return None
        return PlannedQueues(
            stack.queues,
            self.pools,
            default_pool=self.default_pool,
            namespace=stack.namespace,
            waiting=queued_minutes(stack.ray, stack.servers, stack.jobs),
            teams=tuple(stack.teams),
            unqueued=unqueued(self.pools.values(), self.ray.values(), self.servers.values()),
        )

    @cached_property
    def teams(self) -> dict[str, PlannedTeam]:
        given = frozenset[str]() if self.queues is None else self.queues.accelerators
        queues = self.stack.queues
        free = () if queues is None else tuple(queues.ordinary)
        return {name: PlannedTeam(name, it, given, free) for name, it in self.stack.teams.items()}

    def _ray(self, name: str, cluster: StackRayCluster) -> PlannedRay:
        jobs = [job for job in self.ray_jobs.values() if self.cluster_of(job) == name]
        mounts = mounts_of(self.stack, cluster.mounts)
        head = self.pools[cluster.head.pool] if cluster.head.pool else self.cpu_pool
        return PlannedRay(
            name,
            cluster,
            jobs,
            head,
            self.cpu_host if head is None else head.host,
            {key: self._workers(name, key, it) for key, it in cluster.workers.items()},
            {key: self._plain_bucket(key) for key in self.stack.buckets if key in mounts},
            LUSTRE in mounts,
            self.stack.cluster.ray_operator,
            self.stack.cluster.existing is not None
            and Operator.KUBERAY in self.stack.cluster.existing.operators,
            self.autopilot,
            self.facts,
        )

    def _plain_bucket(self, key: str) -> PlannedBucket:
        """Before it is known who writes to it."""
        bucket, stack = self.stack.buckets[key], self.stack
        name = bucket.existing or bucket.name or f"{with_key(stack.name, key)}-{stack.project}"
        return PlannedBucket(key=key, config=bucket, name=name, facts=self.facts)

    def _workers(self, cluster: str, name: str, workers: Workers) -> PlannedWorkers:
        pools = workers.pools or tuple(self.accelerated) or tuple(self.pools)
        return PlannedWorkers(
            name=name,
            field=f"ray.{cluster}.workers.{name}",
            config=workers,
            pools=[self.pools[it] for it in pools],
            chosen=self.stack.ray[cluster].queue is not None and len(pools) > 1,
        )
