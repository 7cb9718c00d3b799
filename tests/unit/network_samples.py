"""Networks of GKE, their parameters, and pods and nodes that have them, for tests."""

import json
from typing import Any

from kube.objects import Node
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import changed, make, pod, ref

API = "networking.gke.io/v1"
RESOURCE = "networking.gke.io.networks/"
RDMA = 4


def params(name: str = "rdma-0", **spec: Any) -> dict[str, Any]:
    base = {"vpc": "rdma", "vpcSubnet": f"sub-{name}", "deviceMode": "RDMA"}
    given = {key: value for key, value in (base | spec).items() if value is not None}
    return make("GKENetworkParamSet", name, API, spec=given)


def network(name: str = "rdma-0", **spec: Any) -> dict[str, Any]:
    reference = {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": name}
    return make("Network", name, API, spec={"type": "Device", "parametersRef": reference} | spec)


def interfaces(*names: str, default: str = "eth0") -> dict[str, str]:
    listed = [{"interfaceName": "eth0", "network": "default"}]
    listed += [
        {"interfaceName": f"eth{number}", "network": name}
        for number, name in enumerate(names, start=1)
    ]
    return {
        "networking.gke.io/default-interface": default,
        "networking.gke.io/interfaces": json.dumps(listed),
    }


def networked(name: str = "p", *networks: str, **fields: Any) -> dict[str, Any]:
    return changed(pod(name, **fields), interfaces(*networks), "metadata", "annotations")


def node(name: str = "n", networks: int = RDMA, **allocatable: str) -> Node:
    return Node(
        name=name,
        pool="p",
        allocatable={"cpu": "8", "memory": "16Gi"} | allocatable,
        networks=tuple(("rdma", f"sub-rdma-{index}") for index in range(networks)),
    )


def with_networks(kube: MemoryKube, count: int = RDMA) -> MemoryKube:
    for index in range(count):
        kube.apply(params(f"rdma-{index}"))
        kube.apply(network(f"rdma-{index}"))
    return kube


def cluster_ref(kind: str, name: str = "rdma-0") -> Any:
    return ref(kind, name, namespace="", api_version=API)
