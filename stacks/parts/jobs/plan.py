"""What follows from jobs that are no Ray's. No Pulumi import."""

from collections.abc import Mapping
from dataclasses import dataclass

from catalog import Catalog, Sidecar
from stacks.parts.buckets.gcsfuse import GcsFuseSidecar
from stacks.parts.buckets.mount_rules import sized_sidecar, with_prefetch
from stacks.parts.buckets.plan import PlannedBucket
from stacks.parts.jobs.config import FineTuning
from stacks.parts.jobs.fine_tune_job import FineTuneJob
from stacks.parts.jobs.fine_tune_pod_rules import requests_of
from stacks.parts.named import named
from stacks.parts.pools.plan import PlannedPool
from stacks.resources import Resources
from stacks.stack import Stack, only


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
    def job(self) -> FineTuneJob:
        return named(FineTuneJob, self.config, self.name, queue=self.queue)

    @property
    def image(self) -> str:
        return self.config.image or self.facts.image("gemma_fine_tuning").reference

    @property
    def limits(self) -> GcsFuseSidecar:
        """Of the container that mounts the bucket."""
        return self.bucket.limits_for(1)

    @property
    def sidecar(self) -> Sidecar:
        """What GKE puts beside the container of each pod."""
        sized = sized_sidecar(self.limits, self.facts.gcsfuse_sidecar)
        if not self.bucket.config.mount.metadata_prefetch:
            return sized
        return with_prefetch(sized, self.facts.gcsfuse_prefetch)

    @property
    def requests(self) -> Resources:
        return requests_of(self.job, self.pool.host, self.sidecar)


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
