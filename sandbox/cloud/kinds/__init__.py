"""Every Google Cloud resource type that the sandbox simulates: those that the stacks use."""

from __future__ import annotations

from collections.abc import Mapping

from sandbox.cloud.kind import Kind
from sandbox.cloud.kinds.artifact import Repository, RepositoryIamMember
from sandbox.cloud.kinds.bucket import Bucket, BucketIamMember
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.kinds.disk_image import DiskImage
from sandbox.cloud.kinds.firewall import Firewall
from sandbox.cloud.kinds.iam import ProjectIamMember, ServiceAccount
from sandbox.cloud.kinds.lustre import LustreInstance
from sandbox.cloud.kinds.monitoring import Dashboard
from sandbox.cloud.kinds.network import Network, Router, RouterNat, Subnetwork
from sandbox.cloud.kinds.node_pool import NodePool
from sandbox.cloud.kinds.peering import GlobalAddress, ServiceConnection
from sandbox.cloud.kinds.redis import RedisInstance
from sandbox.cloud.kinds.resource_policy import ResourcePolicy
from sandbox.cloud.kinds.service import Service

KINDS: Mapping[str, Kind] = {
    kind.token: kind
    for kind in (
        Bucket(),
        BucketIamMember(),
        Cluster(),
        Dashboard(),
        DiskImage(),
        Firewall(),
        GlobalAddress(),
        LustreInstance(),
        Network(),
        NodePool(),
        ProjectIamMember(),
        RedisInstance(),
        Repository(),
        RepositoryIamMember(),
        ResourcePolicy(),
        Router(),
        RouterNat(),
        Service(),
        ServiceAccount(),
        ServiceConnection(),
        Subnetwork(),
    )
}
