"""Arguments that cannot be meant, each refused when the component is built: by its class and name,
the argument, why, and the nearest that works."""

from dataclasses import replace
from typing import Any

import pulumi
import pytest

from components.base.capacity import CapacityArgs, ReservationArgs
from components.buckets.bucket import Bucket
from components.cluster.cluster import GkeCluster
from components.lustre.instance import LustreInstance
from components.network.network import ClusterNetwork, ClusterNetworkArgs
from components.network.peering_removal import PeeringRemoval
from components.network.private_service_access import PrivateServiceAccess, PrivateServiceAccessArgs
from components.network.resource_claim_template import (
    ResourceClaimTemplate,
    ResourceClaimTemplateArgs,
)
from components.pools.node_pool import GpuArgs, NodeBoundsArgs, NodePool
from components.pools.tpu_slice_pool import TpuSlicePool
from components.queues.local_queues import LocalQueueArgs, LocalQueues, LocalQueuesArgs
from components.queues.manifest import (
    ClusterQueueArgs,
    FlavorQuotasArgs,
    ResourceGroupArgs,
    ResourceQuotaArgs,
)
from components.queues.queues import KueueQueues, KueueQueuesArgs, ResourceFlavorArgs
from components.ray.cluster import RayCluster, RayVolumeArgs, RayWorkersArgs
from tests.conftest import Register, inside
from tests.unit.test_bucket import ARGS as BUCKET
from tests.unit.test_gke_cluster import ARGS as CLUSTER
from tests.unit.test_lustre_instance import ARGS as LUSTRE
from tests.unit.test_node_pool import CPU, GPU
from tests.unit.test_ray_cluster import ARGS as RAY
from tests.unit.test_ray_cluster import POD
from tests.unit.test_tpu_slice_pool import SLICE

NETWORK = ClusterNetworkArgs(
    project="p",
    region="us-east1",
    base_name="demo",
    mtu=8896,
    subnet_range="10.0.0.0/20",
    pods_range="10.8.0.0/16",
    services_range="10.9.0.0/20",
)
ACCESS = PrivateServiceAccessArgs(
    project="p",
    base_name="demo",
    network_id="n",
    address_range="10.10.0.0/20",
    removal=PeeringRemoval.REMOVE,
    labels={},
)
CLAIM = ResourceClaimTemplateArgs(namespace="rl", template_name="one", count=1, labels={})
QUEUES = KueueQueuesArgs(
    flavors=[ResourceFlavorArgs(name="l4")],
    cluster_queues=[
        ClusterQueueArgs(
            name="all",
            groups=[
                ResourceGroupArgs(
                    flavors=[
                        FlavorQuotasArgs(
                            flavor="l4-spot",
                            resources=[ResourceQuotaArgs(resource="cpu", nominal=1)],
                        )
                    ]
                )
            ],
        )
    ],
    labels={},
)
DOORS = LocalQueuesArgs(
    queues="queues",
    local_queues=[LocalQueueArgs(name="lq", namespace="llm", cluster_queue="al")],
    cluster_queues={"all": "all"},
    labels={},
)
L4 = GpuArgs(type="nvidia-l4", count=1, driver="LATEST")


def workers(**pod: Any) -> Any:
    return {"gpu": RayWorkersArgs(pod=replace(POD, **pod), count=1)}


def queue_of_two_sizes() -> list[ClusterQueueArgs]:
    quotas = [ResourceQuotaArgs(resource=it, nominal=1) for it in ("cpu", "memory")]
    flavors = [
        FlavorQuotasArgs(flavor="l4", resources=quotas),
        FlavorQuotasArgs(flavor="l4", resources=quotas[:1]),
    ]
    return [ClusterQueueArgs(name="all", groups=[ResourceGroupArgs(flavors=flavors)])]


@pytest.mark.parametrize(
    ("component", "args", "values", "message"),
    [
        (ClusterNetwork, NETWORK, {"base_name": "Demo"}, 'base_name: "Demo" .*; nearest: demo'),
        (
            ClusterNetwork,
            NETWORK,
            {"pods_range": "10.10.0.0"},
            'pods_range: "10.10.0.0" has no prefix .*; nearest: 10.10.0.0/20',
        ),
        (
            ClusterNetwork,
            NETWORK,
            {"pods_range": "10.0.8.0/21"},
            "pods_range: .* has addresses of subnet_range, 10.0.0.0/20; nearest: 10.0.16.0/21",
        ),
        (ClusterNetwork, NETWORK, {"mtu": 9000}, "mtu: 9000 .*; nearest: 8896"),
        (PrivateServiceAccess, ACCESS, {"address_range": "10.10.0.0"}, "address_range: .*/20"),
        (GkeCluster, CLUSTER, {"zone": "us-west1-a"}, "zone: .*; nearest: a zone of us-east1"),
        (GkeCluster, CLUSTER, {"release_channel": "regular"}, "release_channel: .*: REGULAR"),
        (
            GkeCluster,
            CLUSTER,
            {"lustre": False, "lustre_legacy_port": True},
            "lustre_legacy_port: True .*; nearest: lustre=True",
        ),
        (NodePool, GPU, {"gpu": replace(L4, type="L4")}, "gpu.type: .*; nearest: nvidia-l4"),
        (NodePool, GPU, {"gpu": replace(L4, count=0)}, "gpu.count: 0 .*; nearest: 1"),
        (NodePool, GPU, {"gpu": replace(L4, driver="latest")}, "gpu.driver: .*; nearest: LATEST"),
        (
            NodePool,
            CPU,
            {"bounds": NodeBoundsArgs(min=4, max=3)},
            "bounds.min: 4 is more than max, which is 3; nearest: 3",
        ),
        (NodePool, CPU, {"nodes": 9}, "nodes: 9 is more than bounds.max, .*; nearest: 3"),
        (NodePool, CPU, {"max_pods_per_node": 4}, "max_pods_per_node: 4 .*; nearest: 8"),
        (NodePool, CPU, {"zone": "europe-west4-a"}, "zone: .*; nearest: a zone of us-east1"),
        (
            NodePool,
            CPU,
            {"capacity": CapacityArgs(mode="preemptible")},
            "capacity.mode: .*; nearest: reservation",
        ),
        (
            NodePool,
            CPU,
            {
                "capacity": CapacityArgs(
                    mode="reservation", reservation=ReservationArgs(name="r", sub_block="s")
                )
            },
            "capacity.reservation.sub_block: .*; nearest: block with the block's name",
        ),
        (TpuSlicePool, SLICE, {"hosts": 3}, "hosts: 3 share the 16 chips .*; nearest: 2"),
        (TpuSlicePool, SLICE, {"topology": "4*4"}, "topology: .*; nearest: 4x4"),
        (LustreInstance, LUSTRE, {"capacity_gib": 1000}, "capacity_gib: 1000 .*; nearest: .*"),
        (LustreInstance, LUSTRE, {"legacy_port": True}, "port: 988 .*; nearest: 6988"),
        (LustreInstance, LUSTRE, {"port": 987}, "port: 987 .*; nearest: 988"),
        (Bucket, BUCKET, {"bucket_name": "A_b"}, 'bucket_name: "A_b" .*; nearest: a-b'),
        (Bucket, BUCKET, {"versioning": True}, "versioning: True .*; nearest: False"),
        (Bucket, BUCKET, {"soft_delete_days": 3}, "soft_delete_days: 3 .*; nearest: 7"),
        (ResourceClaimTemplate, CLAIM, {"count": 0}, "count: 0 .*; nearest: 1"),
        (
            RayCluster,
            RAY,
            {"workers": workers(memory_request_gib=2000)},
            r'workers\["gpu"\].pod.memory_request_gib: 2000 .*; nearest: 1000',
        ),
        (RayCluster, RAY, {"workers": {"GPU": workers()["gpu"]}}, "workers: .*; nearest: gpu"),
        (
            RayCluster,
            RAY,
            {"volumes": [RayVolumeArgs(name="data", mount_path="/data")]},
            r"volumes\[0\].volume: None .*; nearest: volume alone",
        ),
        (KueueQueues, QUEUES, {}, r'cluster_queues\[0\].groups: "l4-spot" .*; nearest: l4'),
        (
            KueueQueues,
            QUEUES,
            {"cluster_queues": queue_of_two_sizes()},
            r"cluster_queues\[0\].groups\[0\].flavors\[1\].resources: .*; nearest: cpu, memory",
        ),
        (LocalQueues, DOORS, {}, r'local_queues\[0\].cluster_queue: "al" .*; nearest: all'),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(
    register: Register, component: Any, args: Any, values: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{component.__name__} demo: {message}$"):
        register(lambda: component("demo", replace(args, **values), inside()))


@pytest.mark.parametrize(
    ("component", "args", "name"),
    [
        (ClusterNetwork, NETWORK, "base_name"),
        (GkeCluster, CLUSTER, "cluster_name"),
        (Bucket, BUCKET, "bucket_name"),
        (PrivateServiceAccess, ACCESS, "address_range"),
        (ResourceClaimTemplate, CLAIM, "template_name"),
    ],
)
def test_an_output_is_no_name_and_says_so(
    register: Register, component: Any, args: Any, name: str
) -> None:
    def program() -> None:
        component("demo", replace(args, **{name: pulumi.Output.from_input("x")}), inside())

    refusal = f"^{component.__name__} demo: {name}: an Output is known only .*: a plain value$"
    with pytest.raises(ValueError, match=refusal):
        register(program)


def test_what_is_no_name_may_be_an_output(register: Register) -> None:
    later = pulumi.Output.from_input

    def program() -> None:
        ranges = {it: later(getattr(NETWORK, it)) for it in ("subnet_range", "pods_range")}
        ClusterNetwork("demo", replace(NETWORK, mtu=later(1460), **ranges))
        Bucket("data", replace(BUCKET, location=later("us-east1"), labels={"a": later("b")}))

    made = register(program)
    assert made.named("data-bucket").inputs["location"] == "US-EAST1"
    assert made.named("demo-subnet").inputs["ipCidrRange"] == "10.0.0.0/20"
