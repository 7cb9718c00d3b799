"""What follows from a RayCluster: its image, its workers, what they mount. No Pulumi import."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property

from catalog import Catalog, NcclStack, Sidecar
from catalog.versions import Release
from components.base.taints import NodeTaintArgs
from components.ray.cluster_manifest import AUTOSCALER_MEMORY_MIB, AUTOSCALER_MILLICORES
from stacks.parts.buckets.config import GcsFuseSidecar
from stacks.parts.buckets.plan import PlannedBucket, limits_of, sidecar_of, unlimited
from stacks.parts.cluster.config import RayOperator
from stacks.parts.images.plan import ImageUse
from stacks.parts.jobs.config import MaxTextTraining, RayJob, demands_of
from stacks.parts.jobs.on_ray import RayDemands
from stacks.parts.pools.nodes import Amounts, Host
from stacks.parts.pools.plan import PlannedPool, least_host
from stacks.parts.ray.config import StackRayCluster, Workers
from stacks.stack import LUSTRE

KUBERAY = "kuberay"
_AUTOSCALER = Amounts(AUTOSCALER_MILLICORES, AUTOSCALER_MEMORY_MIB)
# GKE's add-on puts a fluentbit beside Ray where it collects logs. What that asks for is published
# nowhere; this is what KubeRay's own sample gives one (ray-project/kuberay v1.4.2
# ray-operator/config/samples/ray-cluster.fluentbit.yaml).
_LOGS = Amounts(100, 128)
# Ray's own images, and mirrors of them, have their version in the tag (ray-project/kuberay
# ray-operator/config/samples, v1.4.2); others say which of their versions is Ray's.
_TAGGED = re.compile(
    r"(?:.*/)?(?:ray(?:-[a-z]+)*:|[^:]*:(?:[^@]*[-._])?ray-?v?)"
    r"(\d+\.\d+\.\d+)(?![\d.]).*"
)


def ray_in_tag(image: str) -> str | None:
    """The Ray that an image has, where its tag says so."""
    found = _TAGGED.fullmatch(image)
    return None if found is None else found[1]


class WhyNoToken(Enum):
    """Why a Ray cluster answers whoever reaches it."""

    ADDON = auto()
    OPERATOR_OF_OTHERS = auto()
    RAY = auto()


@dataclass(frozen=True, kw_only=True)
class PlannedWorkers:
    """A group of workers, one on each node, or slice, of its pools, which are alike; where they are
    `chosen` from Kueue puts all of them onto one."""

    name: str
    field: str
    config: Workers
    pools: Sequence[PlannedPool]
    chosen: bool = False

    @property
    def first(self) -> PlannedPool:
        return self.pools[0]

    @property
    def host(self) -> Host:
        return least_host(self.pools)

    @property
    def hosts(self) -> int:
        """The pods of one worker."""
        return 1 if self.first.topology is None else self.first.topology.hosts

    @property
    def count(self) -> int:
        """Workers that there are, or at most where the cluster scales."""
        if self.first.kind == "tpu":
            return sum(len(it.slices) for it in self.pools)
        nodes = [it.nodes for it in self.pools]
        return min(nodes) if self.chosen else sum(nodes)

    @property
    def gpus(self) -> int:
        """The GPUs of one worker: what the config says, else all of the machine's."""
        if self.first.kind != "gpu":
            return 0
        asked = self.config.gpus
        return self.first.accelerators if asked is None else asked

    @property
    def chips(self) -> int:
        """The TPU chips of one pod."""
        topology = self.first.topology
        return 0 if topology is None else topology.chips // topology.hosts

    @property
    def taints(self) -> list[NodeTaintArgs]:
        """Of any of its pools, each once."""
        return list(dict.fromkeys(one for it in self.pools for one in it.taints))

    @property
    def devices(self) -> tuple[str, ...]:
        """The interfaces that a GPU worker sees."""
        return ("eth0", *(it.device for it in self.first.interfaces))

    @property
    def queued(self) -> bool:
        """Whether machines come by a provisioning request of the stack's, for all workers at
        once."""
        return any(it.queued for it in self.pools) and not self.chosen


@dataclass(frozen=True)
class PlannedRay:
    """A RayCluster with its `jobs`; `head_host` is a node under its head, which stands in
    `head_pool` where the stack makes pools."""

    name: str
    config: StackRayCluster
    jobs: Sequence[RayJob]
    head_pool: PlannedPool | None
    head_host: Host
    groups: Mapping[str, PlannedWorkers]
    buckets: Mapping[str, PlannedBucket]
    lustre: bool
    operator: RayOperator
    operator_of_others: bool
    autopilot: bool
    facts: Catalog

    @property
    def field(self) -> str:
        return f"ray.{self.name}"

    @property
    def operator_is_pod(self) -> bool:
        """Whether KubeRay is the chart's, in a namespace that this project has chosen."""
        return self.operator is RayOperator.HELM and not self.operator_of_others

    @cached_property
    def demands(self) -> RayDemands:
        return demands_of(self.jobs, (it.first.kind for it in self.groups.values()), self.facts)

    @property
    def head_is_enough(self) -> bool:
        """Whether the cluster counts as ready once its head is: workers on machines that come when
        pods are pending may take hours, as all of Autopilot's do. KubeRay itself submits a RayJob
        once all pods run (ray-project/kuberay ray-operator/controllers/ray/rayjob_controller.go,
        0057210ed)."""
        pools = (pool for group in self.groups.values() for pool in group.pools)
        pending = any(it.from_zero or it.autopilot for it in pools)
        return self.demands.head_is_enough or pending

    @property
    def image(self) -> str:
        return self.config.image or self.facts.image(self.demands.image).reference

    @property
    def image_use(self) -> ImageUse:
        head = [] if self.head_pool is None else [self.head_pool]
        pools = [one for it in self.groups.values() for one in it.pools]
        return ImageUse(field=f"{self.field}.image", reference=self.image, pools=[*head, *pools])

    @property
    def version(self) -> str:
        known = self.facts.image(self.demands.image).ray_version
        # Every image that Ray runs in says so in the lock.
        assert known is not None
        return self.config.version or known

    @property
    def says_its_ray(self) -> bool:
        """Whether the image is one whose Ray is known, and not the config's word alone."""
        image = self.image
        return ray_in_tag(image) is not None or "ray" in self.facts.software_of(image)

    @property
    def asks_for_token(self) -> bool:
        """Whether Ray answers who brings the cluster's token, alone."""
        return self.why_no_token is None

    @property
    def why_no_token(self) -> WhyNoToken | None:
        """None where Ray asks for one. What KubeRay that others run can do is not known; its
        definitions would drop the field without a word."""
        if self.operator is RayOperator.ADDON:
            return WhyNoToken.ADDON
        if self.operator_of_others:
            return WhyNoToken.OPERATOR_OF_OTHERS
        return None if self.kuberay.asks_for_token(self.version) else WhyNoToken.RAY

    @property
    def kuberay(self) -> Release:
        """The KubeRay that a stack installs."""
        return self.facts.component(KUBERAY).releases[self.facts.release(KUBERAY)]

    @property
    def mounts(self) -> tuple[str, ...]:
        """Names of what its pods mount."""
        return ((LUSTRE,) if self.lustre else ()) + tuple(self.buckets)

    @property
    def workers(self) -> int:
        """Those that its job is cut to."""
        return self.accelerated.count

    @property
    def gpus(self) -> int:
        """Those of its job."""
        return self.accelerated.count * self.accelerated.gpus

    @property
    def accelerated(self) -> PlannedWorkers:
        """The group whose size its job is cut to."""
        kinds = {it.first.kind: it for it in reversed(list(self.groups.values()))}
        return kinds.get("gpu") or kinds.get("tpu") or kinds["cpu"]

    @property
    def files_at_once(self) -> int:
        """How many files a worker writes to a bucket at once, at most."""
        gpus = max((it.gpus for it in self.groups.values()), default=0)
        on_tpus = [self._files_of_a_host(it) for it in self.jobs if isinstance(it, MaxTextTraining)]
        return max(1, gpus * self.demands.files_per_gpu, *on_tpus)

    def _files_of_a_host(self, job: MaxTextTraining) -> int:
        """Of a checkpoint, with the fewest slices that the job goes on with."""
        group = self.accelerated
        least = group.count if job.elastic is None else min(group.count, job.elastic.min_slices)
        return self.facts.maxtext.checkpoint_files(job.model, max(1, least) * group.hosts)

    @property
    def has_tpus(self) -> bool:
        return any(it.first.kind == "tpu" for it in self.groups.values())

    @property
    def on_large_hosts(self) -> bool:
        """Whether its workers are TPU hosts that Cloud Storage FUSE calls large, and sidecars have
        no limit."""
        large = self.facts.gcsfuse.large_machines
        return (
            not self.autopilot
            and self.has_tpus
            and all(it.first.machine.name in large for it in self.groups.values())
        )

    def limits(self, *, head: bool) -> GcsFuseSidecar | None:
        """Limits of the container that mounts the buckets. TPU hosts have nothing else to do, and
        Autopilot has every container limited."""
        mounted = list(self.buckets.values())
        if not self.autopilot and self.has_tpus:
            return unlimited(mounted)
        return limits_of([(it, 1 if head else self.files_at_once) for it in mounted])

    def sidecar(self, *, head: bool) -> Sidecar | None:
        """What GKE puts beside the container of a pod."""
        return sidecar_of(list(self.buckets.values()), self.limits(head=head), self.facts)

    def helpers(self, *, head: bool) -> Amounts:
        """What KubeRay and its add-on put beside the container of a pod."""
        logs = _LOGS if self.operator is RayOperator.ADDON else Amounts()
        return logs + _AUTOSCALER if head and self.config.autoscaling is not None else logs

    @property
    def nccl(self) -> NcclStack | None:
        return self.accelerated.first.nccl(self.facts)
