"""Parts of a RayCluster's args: its pods, its groups of workers, and what all pods mount."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi

from components.bucket_mount import BucketMountArgs
from components.node_network import NodeNetwork, interface_annotations
from components.node_taints import NodeTaintArgs
from components.node_terms import selector_terms
from components.ray_cluster_manifest import RayWorkers
from components.ray_manifest import Quantity, RayPod, RayVolume, Setup


@dataclass(frozen=True, kw_only=True)
class RaySetupArgs:
    """A bash script that runs in the pod's image before Ray does, and the directory it fills."""

    script: str
    arguments: Sequence[str]
    directory: str

    def as_setup(self) -> Setup:
        return Setup(script=self.script, arguments=self.arguments, directory=self.directory)


@dataclass(frozen=True, kw_only=True)
class RayPodArgs:
    """`networks` are the further interfaces of the nodes, all of which the pod gets, and `taints`
    those of the nodes, in spite of which it comes onto them. With `any_of` the node is one that
    one of these selectors picks, too.

    `claims` are names of claims with the templates that they are made from; with `rdma` they are on
    interfaces that speak it, and the GPUs are among them where they are `gpus_claimed`. `nccl` are
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
    claims: dict[str, pulumi.Input[str]] = field(default_factory=dict[str, pulumi.Input[str]])
    ephemeral_storage_request_gib: int | None = None
    ephemeral_storage_limit_gib: int | None = None
    start_params: dict[str, str] = field(default_factory=dict[str, str])
    annotations: dict[str, str] = field(default_factory=dict[str, str])
    environment: dict[str, str] = field(default_factory=dict[str, str])
    networks: Sequence[NodeNetwork] = ()
    rdma: bool = False
    nccl: dict[str, str] = field(default_factory=dict[str, str])
    scratch: str | None = None
    setup: RaySetupArgs | None = None
    provisioning_request: pulumi.Input[str] | None = None

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
            claims=self.claims,
            start_params=self.start_params,
            annotations=annotations,
            environment=self.environment,
            scratch=self.scratch,
            rdma=self.rdma or any(it.rdma for it in self.networks),
            nccl=self.nccl,
            setup=None if self.setup is None else self.setup.as_setup(),
            provisioning_request=self.provisioning_request,
        )


@dataclass(frozen=True, kw_only=True)
class RayWorkersArgs:
    """`count` workers of one kind, each of `hosts` pods. Where the cluster scales, `count` is the
    most there are and `least` the fewest."""

    pod: RayPodArgs
    count: int
    hosts: int = 1
    least: int = 0

    def __post_init__(self) -> None:
        """Raises ValueError for numbers that KubeRay would make no cluster of."""
        if self.count < 0:
            raise ValueError(f"count: {self.count} workers there cannot be; nearest: 0")
        if self.hosts < 1:
            raise ValueError(
                f"hosts: a worker has a pod on each of its hosts, and {self.hosts} are none; "
                "nearest: 1"
            )
        if not 0 <= self.least <= self.count:
            raise ValueError(
                f"least: {self.least} is not between 0 and count, which is {self.count}; "
                f"nearest: {min(max(self.least, 0), self.count)}"
            )

    def as_workers(self) -> RayWorkers:
        return RayWorkers(
            pod=self.pod.as_pod(), count=self.count, hosts=self.hosts, least=self.least
        )


@dataclass(frozen=True, kw_only=True)
class RayVolumeArgs:
    """A claim's volume or a bucket, at `mount_path` of every pod. One of `claim_name` and `bucket`
    is given."""

    name: str
    mount_path: str
    claim_name: pulumi.Input[str] | None = None
    bucket: BucketMountArgs | None = None

    def __post_init__(self) -> None:
        """Raises ValueError where it is both, or neither."""
        if (self.claim_name is None) == (self.bucket is None):
            given = "neither" if self.bucket is None else "both"
            raise ValueError(
                f'claim_name and bucket: the volume "{self.name}" has {given}, and mounts what one '
                "of them names; nearest: claim_name alone"
            )

    def as_volume(self) -> RayVolume:
        return RayVolume(
            name=self.name,
            mount_path=self.mount_path,
            claim_name=self.claim_name,
            bucket=None if self.bucket is None else self.bucket.as_mount(),
        )
