"""What follows from jobs with pods of their own: fine-tunings and scripts. No Pulumi import."""

from collections.abc import Mapping
from dataclasses import dataclass

from catalog import Catalog, NcclStack, Sidecar
from stacks.parts.buckets.config import GcsFuseSidecar
from stacks.parts.buckets.plan import PlannedBucket, limits_of, sidecar_of
from stacks.parts.images.plan import ImageUse
from stacks.parts.jobs.fine_tune import FineTuning
from stacks.parts.jobs.script import Script, ScriptRequests
from stacks.parts.pools.nodes import Amounts, Host
from stacks.parts.pools.plan import PlannedPool, least_host
from stacks.parts.ray.config import PodSizes
from stacks.stack import LUSTRE, Stack, mounts_of, only
from stacks.types import Resources

# What Kueue calls JobSets (kubernetes-sigs/kueue pkg/controller/jobs/jobset, v0.19.2).
JOB_SETS = "jobset.x-k8s.io/jobset"
_MIB = 1024
# The pod's own copies of the weights, as they came and as they are merged; no share of a large disk
# that a queue would then count as taken.
_SCRATCH_GIB = 50


@dataclass(frozen=True, kw_only=True)
class PlannedFineTuning:
    """A fine-tuning with where it runs, waits and writes; without queues its queue is empty."""

    name: str
    config: FineTuning
    pool: PlannedPool
    bucket: PlannedBucket
    queue: str
    facts: Catalog

    @property
    def field(self) -> str:
        return f"jobs.{self.name}"

    @property
    def image(self) -> str:
        return self.config.image or self.facts.image("gemma_fine_tuning").reference

    @property
    def image_use(self) -> ImageUse:
        return ImageUse(field=f"{self.field}.image", reference=self.image, pools=[self.pool])

    @property
    def limits(self) -> GcsFuseSidecar:
        """Of the container that mounts the bucket."""
        return self.bucket.limits_for(1)

    @property
    def sidecar(self) -> Sidecar:
        """What GKE puts beside the container of each pod."""
        found = sidecar_of([self.bucket], self.limits, self.facts)
        # There is none without a bucket alone.
        assert found is not None
        return found

    @property
    def requests(self) -> Resources:
        return requests_of(self.config, self.pool.host, self.sidecar)


def planned_fine_tunings(
    stack: Stack,
    pools: Mapping[str, PlannedPool],
    buckets: Mapping[str, PlannedBucket],
    facts: Catalog,
) -> dict[str, PlannedFineTuning]:
    with_gpus = {name: it for name, it in pools.items() if it.kind == "gpu"}
    doors = () if stack.queues is None else stack.queues.local_queues
    own = [it.name for it in doors if it.namespace in (None, stack.namespace)]
    return {
        name: PlannedFineTuning(
            name=name,
            config=it,
            pool=pools[it.pool or only(with_gpus)],
            bucket=buckets[it.storage or only(buckets)],
            queue=it.queue or next(iter(own), ""),
            facts=facts,
        )
        for name, it in stack.jobs.items()
        if isinstance(it, FineTuning)
    }


def requests_of(job: FineTuning, host: Host, sidecar: Sidecar) -> Resources:
    """What the config says, else the share of a node that the GPUs are, less the sidecar's."""
    if job.requests is not None:
        return job.requests
    left = share_of(job, host) - Amounts.of_sidecar(sidecar)
    return Resources(
        cpu=max(1, left.cpu_millicores // 1000),
        memory_gib=max(1, left.memory_mib // _MIB),
        ephemeral_storage_gib=max(1, min(_SCRATCH_GIB, left.ephemeral_storage_mib // _MIB)),
    )


def share_of(job: FineTuning, host: Host) -> Amounts:
    """Of a node, for the GPUs of a pod."""
    node = Amounts.of_node(host)
    parts = max(1, node.gpus)
    return Amounts(
        cpu_millicores=node.cpu_millicores * job.gpus // parts,
        memory_mib=node.memory_mib * job.gpus // parts,
        ephemeral_storage_mib=node.ephemeral_storage_mib * job.gpus // parts,
        gpus=job.gpus,
    )


@dataclass(frozen=True, kw_only=True)
class PlannedScript:
    """A script with its pools, of which it is on one, and what its pods mount. There are none where
    Autopilot makes its nodes; `pool` is the first, which the others are alike."""

    name: str
    config: Script
    pools: tuple[PlannedPool, ...]
    host: Host
    buckets: Mapping[str, PlannedBucket]
    lustre: bool
    facts: Catalog

    @property
    def pool(self) -> PlannedPool | None:
        return next(iter(self.pools), None)

    @property
    def field(self) -> str:
        return f"jobs.{self.name}"

    @property
    def image(self) -> str:
        # The references refuse a script without.
        assert self.config.image is not None
        return self.config.image

    @property
    def image_use(self) -> ImageUse:
        return ImageUse(field=f"{self.field}.image", reference=self.image, pools=self.pools)

    @property
    def requests(self) -> ScriptRequests:
        # The references refuse a script without.
        assert self.config.requests is not None
        return self.config.requests

    @property
    def gpus(self) -> int:
        """Of a pod: what the config says, else all of the machine's."""
        if self.config.gpus is not None:
            return self.config.gpus
        return 0 if self.pool is None else self.pool.accelerators

    @property
    def shm_gib(self) -> int:
        """Shared memory, 0 for what the container runtime gives: 64 MiB, which PyTorch's loaders
        and NCCL between the GPUs of a pod use up (pytorch/pytorch issue 108861). Where the config
        says nothing a pod with GPUs has half of its memory, as a machine has in Linux (kernel
        documentation, filesystems/tmpfs, size). What is not written takes none."""
        if self.config.shm_gib is not None:
            return self.config.shm_gib
        return max(1, self.requests.memory_gib // 2) if self.gpus else 0

    @property
    def files_at_once(self) -> int:
        """How many files a pod writes to a bucket at once: the process of each GPU its own."""
        return max(1, self.gpus)

    @property
    def limits(self) -> GcsFuseSidecar | None:
        """Of the container that mounts the buckets."""
        return limits_of([(it, self.files_at_once) for it in self.buckets.values()])

    @property
    def sidecar(self) -> Sidecar | None:
        """What GKE puts beside the container of each pod."""
        return sidecar_of(list(self.buckets.values()), self.limits, self.facts)

    @property
    def nccl(self) -> NcclStack | None:
        return self.pool.nccl(self.facts) if self.pool is not None and self.gpus else None

    @property
    def as_pod(self) -> PodSizes:
        """The pod as rules take it that know no scripts."""
        return PodSizes(requests=self.requests, shm_gib=self.config.shm_gib)

    @property
    def counted(self) -> Amounts:
        """What a queue counts of a pod, which GKE's sidecar is not in."""
        return Amounts.of_pod(self.requests, self.gpus)

    @property
    def on_node(self) -> Amounts:
        return Amounts.of_pod(self.requests, self.gpus, self.sidecar)


def planned_scripts(
    stack: Stack,
    pools: Mapping[str, PlannedPool],
    single_pods: tuple[PlannedPool | None, Host],
    buckets: Mapping[str, PlannedBucket],
    facts: Catalog,
) -> dict[str, PlannedScript]:
    """Of those that name no RayCluster; `single_pods` is where a script without GPUs runs."""
    with_gpus = {name: it for name, it in pools.items() if it.kind == "gpu"}
    found: dict[str, PlannedScript] = {}
    for name, script in stack.jobs.items():
        if not isinstance(script, Script) or script.ray is not None:
            continue
        asked = script.pool or (only(with_gpus) if script.gpus and not script.pools else None)
        single, host = single_pods
        used = [pools[it] for it in ([asked] if asked else script.pools)]
        if used:
            host = least_host(used)
        mounts = mounts_of(stack, script.mounts)
        found[name] = PlannedScript(
            name=name,
            config=script,
            pools=tuple(used or ([] if single is None else [single])),
            host=host,
            buckets={key: it for key, it in buckets.items() if key in mounts},
            lustre=LUSTRE in mounts,
            facts=facts,
        )
    return found
