"""Parts of a RayCluster's args: its pods, its groups of workers, and what all pods mount."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi

from ..base.arguments import at_least, checked, within
from ..base.node_terms import selector_terms
from ..base.pod_holds import MountArgs, OnNodesArgs
from ..base.taints import NodeTaintArgs
from ..network.node_network import interface_annotations
from ..queues.provisioning_request import ProvisioningRequest
from .cluster_manifest import RayWorkers
from .manifest import Quantity, RayPod, RayVolume, Setup


@dataclass(frozen=True, kw_only=True)
class RaySetupArgs:
    """A bash script that runs in the pod's image before Ray does, and the directory it fills."""

    script: str
    arguments: Sequence[str]
    directory: str

    def as_setup(self) -> Setup:
        return Setup(script=self.script, arguments=self.arguments, directory=self.directory)


@dataclass(frozen=True, kw_only=True)
class RayPodArgs(OnNodesArgs):
    """`networks` are the further interfaces of the nodes, all of which the pod gets, and `taints`
    those of the nodes, in spite of which it comes onto them. With `any_of` the node is one that
    one of these selectors picks, too.

    `pools` are where the nodes come from, for pods that are to go before them: a job whose machines
    are replaced under it is lost.

    `claims` are by their names in the pod; with `rdma` they are on interfaces that speak it, and
    the GPUs are among them where they are `gpus_claimed`. `nccl` are
    NCCL's settings over those of its plugin's own script.
    `scratch` is a directory on the node's own disk. Without a CPU limit it may take what is idle.
    """

    cpu_request_millicores: int
    cpu_limit_millicores: int | None
    memory_request_gib: int
    memory_limit_gib: int
    shm_gib: int
    node_selector: pulumi.Input[dict[str, str]]
    any_of: Sequence[pulumi.Input[dict[str, str]]] = ()
    taints: Sequence[NodeTaintArgs] = ()
    gpus: int = 0
    gpus_claimed: bool = False
    tpus: int = 0
    ephemeral_storage_request_gib: int | None = None
    ephemeral_storage_limit_gib: int | None = None
    start_params: dict[str, str] = field(default_factory=dict[str, str])
    annotations: dict[str, str] = field(default_factory=dict[str, str])
    environment: dict[str, str] = field(default_factory=dict[str, str])
    rdma: bool = False
    nccl: dict[str, str] = field(default_factory=dict[str, str])
    scratch: str | None = None
    setup: RaySetupArgs | None = None
    provisioning_request: ProvisioningRequest | None = None

    def check(self) -> None:
        at_least("gpus", self.gpus, 0, "is no number of GPUs")
        interfaces = [(it.interface, it.name) for it in self.networks]
        checked("networks", interface_annotations, interfaces)
        requests = (
            ("cpu_request_millicores", "cpu_limit_millicores"),
            ("memory_request_gib", "memory_limit_gib"),
            ("ephemeral_storage_request_gib", "ephemeral_storage_limit_gib"),
            ("shm_gib", "memory_limit_gib"),
        )
        for name, limit in requests:
            within(name, getattr(self, name), getattr(self, limit), limit)

    @property
    def held(self) -> list[pulumi.Resource]:
        """What cannot go before the pods have."""
        request = self.provisioning_request
        return [*self.of_nodes, *([] if request is None else request.objects)]

    def as_pod(self) -> RayPod:
        annotations = dict(self.annotations)
        if self.networks:
            annotations |= interface_annotations((it.interface, it.name) for it in self.networks)
        return RayPod(
            requests=Quantity(
                millicores=self.cpu_request_millicores,
                memory_gib=self.memory_request_gib,
                ephemeral_storage_gib=self.ephemeral_storage_request_gib,
            ),
            limits=Quantity(
                millicores=self.cpu_limit_millicores,
                memory_gib=self.memory_limit_gib,
                ephemeral_storage_gib=self.ephemeral_storage_limit_gib,
            ),
            shm_gib=self.shm_gib,
            node_selector=self.node_selector,
            node_terms=pulumi.Output.all(*self.any_of).apply(selector_terms)
            if self.any_of
            else None,
            taints=self.taints,
            gpus=self.gpus,
            gpus_claimed=self.gpus_claimed,
            tpus=self.tpus,
            claims=self.templates,
            start_params=self.start_params,
            annotations=annotations,
            environment=self.environment,
            scratch=self.scratch,
            rdma=self.rdma or any(it.rdma for it in self.networks),
            nccl=self.nccl,
            setup=None if self.setup is None else self.setup.as_setup(),
            provisioning_request=None
            if self.provisioning_request is None
            else self.provisioning_request.request_name,
        )


@dataclass(frozen=True, kw_only=True)
class RayWorkersArgs:
    """`count` workers of one kind, each of `hosts` pods. Where the cluster scales, `count` is the
    most there are and `least` the fewest."""

    pod: RayPodArgs
    count: int
    hosts: int = 1
    least: int = 0

    def check(self) -> None:
        at_least("count", self.count, 0, "is no number of workers")
        at_least("hosts", self.hosts, 1, "is no number of hosts, of which a worker has a pod each")
        at_least("least", self.least, 0, "is no number of workers")
        within("least", self.least, self.count, "count")

    def as_workers(self) -> RayWorkers:
        return RayWorkers(
            pod=self.pod.as_pod(), count=self.count, hosts=self.hosts, least=self.least
        )


@dataclass(frozen=True, kw_only=True)
class RayVolumeArgs(MountArgs):
    """A volume or a bucket, at `mount_path` of every pod."""

    mount_path: str

    def as_volume(self) -> RayVolume:
        return RayVolume(
            name=self.name,
            mount_path=self.mount_path,
            claim_name=self.claimed,
            bucket=None if self.bucket is None else self.bucket.as_mount(),
        )
