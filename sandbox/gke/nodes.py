"""The Kubernetes nodes that a simulated cluster has, or would have once its pools have scaled
up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from catalog import FactError, MachineType
from catalog.node_room import DEFAULT_DISK_GB, DEFAULT_PODS
from catalog.pool_nodes import most_nodes, wanted_nodes
from cli.errors import UserError
from kube.node_pools import additional_networks, is_dranet
from kube.objects import Node, Taint
from sandbox.cloud.kinds.cluster import unrecorded_pools
from sandbox.cloud.kinds.pool_capacity import is_queued, reservation_of
from sandbox.cloud.kinds.pools import POOL, attached, machine_of, pool_zones, topology_of
from sandbox.cloud.resource import Resource
from sandbox.cloud.view import View
from sandbox.gke.gpu_drivers import driver_of, is_without_driver
from sandbox.kube.claims import CHANNEL_CLASS, DEVICE_CLASSES, GPU_CLASS

# Labels of nodes whose GPUs pods claim: GKE's own device plug-in stays away, and NVIDIA's driver
# comes (GKE documentation, "Prepare GKE infrastructure for DRA workloads", read 2026-11-24).
WITHOUT_PLUGIN = "gke-no-default-nvidia-gpu-device-plugin"
GPUS_PRESENT = "nvidia.com/gpu.present"
_ARCHITECTURE = "kubernetes.io/arch"
_MOST = "amd64"

EFFECTS = {
    "NO_SCHEDULE": "NoSchedule",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
    "NO_EXECUTE": "NoExecute",
}


def nodes_of(cluster: Resource, cloud: View) -> list[Node]:
    """Every node up to the pools' largest sizes, less those of preempted pools and machines that
    are out of stock: the cluster autoscaler adds what pods wait for."""
    nodes: list[Node] = []
    for pool in cloud.find(POOL):
        if pool.id.startswith(f"{cluster.id}/") and pool.id not in cloud.preempted:
            nodes.extend(pool_nodes(pool, cluster, cloud))
    for pool in unrecorded_pools(cluster, cloud):
        nodes.extend(pool_nodes(pool, cluster, cloud))
    return nodes


def pool_nodes(pool: Resource, cluster: Resource, cloud: View) -> Iterator[Node]:
    try:
        machine = machine_of(pool.inputs, cloud)
    except FactError as error:
        # Of a sandbox that an earlier release made: what configs added was not kept then.
        raise UserError(f"node pool {pool['name']} is up, and {error}, or `reset`") from None
    zones = pool_zones(pool.inputs, cluster, cloud)
    labels = {
        **_labels(pool, machine, cloud),
        **_accelerator_labels(pool, machine, cloud),
        "topology.kubernetes.io/region": cloud.catalog.region_of(zones[0]),
    }
    taints = tuple(_taints(pool, machine, cluster, cloud))
    resources = _resources(pool, machine, cloud)
    gpus = {**_claimed_gpus(machine, labels), **_channels(machine, cloud)}
    networks = tuple(
        (network.rpartition("/")[2], subnetwork.rpartition("/")[2])
        for network, subnetwork in additional_networks(pool.inputs)
    )
    driver = driver_of(pool, machine, cluster, cloud)
    devices = devices_of(machine, attached(pool.inputs, machine)) if is_dranet(pool.inputs) else {}
    most, first = most_nodes(pool.inputs), wanted_nodes(pool.inputs)
    for number in range(min(most, cloud.short.get(pool.id, most))):
        zone = zones[number % len(zones)]
        name = f"gke-{cluster['name']}-{pool['name']}-{number}"
        yield Node(
            name=name,
            pool=pool["name"],
            labels={**labels, "topology.kubernetes.io/zone": zone, "kubernetes.io/hostname": name},
            taints=taints,
            allocatable=resources,
            networks=networks,
            devices={**devices, **gpus},
            driver=driver,
            comes=number >= first,
        )


def _claimed_gpus(machine: MachineType, labels: Mapping[str, str]) -> dict[str, int]:
    """GPUs that NVIDIA's driver has for pods to claim: its nodes are known by a label."""
    accelerator = machine.accelerator
    if accelerator is None or labels.get(GPUS_PRESENT) != "true":
        return {}
    return {GPU_CLASS: accelerator.count}


def _channels(machine: MachineType, cloud: View) -> dict[str, int]:
    """Of the NVLink domain that the machine is of, one for a pod."""
    return {} if cloud.catalog.nvlink_domain(machine.name) is None else {CHANNEL_CLASS: 1}


def devices_of(machine: MachineType, interfaces: int) -> dict[str, int]:
    """How many devices of each class DRANET makes of the first additional interfaces."""
    return Counter(
        DEVICE_CLASSES[interface.kind] for interface in machine.additional_interfaces[:interfaces]
    )


def _resources(pool: Resource, machine: MachineType, cloud: View) -> dict[str, str]:
    config = pool["nodeConfig"] or {}
    features = config.get("advancedMachineFeatures") or {}
    most_pods = int(pool["maxPodsPerNode"] or DEFAULT_PODS)
    free = cloud.catalog.allocatable(
        machine.name,
        int(config.get("diskSizeGb") or DEFAULT_DISK_GB),
        int(features.get("threadsPerCore") or 2),
        max_pods=most_pods,
        image_streaming=bool((config.get("gcfsConfig") or {}).get("enabled")),
    )
    resources = {
        "cpu": f"{free.cpu_millicores}m",
        "memory": f"{free.memory_mib}Mi",
        "ephemeral-storage": f"{free.ephemeral_storage_mib}Mi",
        "pods": str(most_pods),
    }
    labels = config.get("labels") or {}
    claimed, operated = (labels.get(it) == "true" for it in (GPUS_PRESENT, WITHOUT_PLUGIN))
    # Where nobody claims them, whoever keeps GKE's plug-in off brings driver and plug-in: NVIDIA's
    # GPU Operator (GKE documentation, "Manage the GPU Stack with the NVIDIA GPU Operator").
    waits = claimed or (is_without_driver(pool) and not operated)
    if machine.accelerator is not None and not waits:
        resources[machine.accelerator.resource] = str(machine.accelerator.count)
    return resources


def _architecture(machine: MachineType, cloud: View) -> str:
    domain = cloud.catalog.nvlink_domain(machine.name)
    return _MOST if domain is None else domain.architecture


def _labels(pool: Resource, machine: MachineType, cloud: View) -> dict[str, str]:
    config = pool["nodeConfig"] or {}
    labels = {
        **(config.get("labels") or {}),
        _ARCHITECTURE: _architecture(machine, cloud),
        "kubernetes.io/os": "linux",
        "cloud.google.com/gke-nodepool": pool["name"],
        "cloud.google.com/machine-family": machine.family,
        "node.kubernetes.io/instance-type": machine.name,
    }
    if config.get("spot"):
        labels["cloud.google.com/gke-spot"] = "true"
    if config.get("flexStart"):
        labels["cloud.google.com/gke-flex-start"] = "true"
    if is_queued(pool.inputs):
        labels["cloud.google.com/gke-queued"] = "true"
    if reservation := reservation_of(pool.inputs):
        labels["cloud.google.com/reservation-name"] = reservation.name
    if (config.get("workloadMetadataConfig") or {}).get("mode") == "GKE_METADATA":
        labels["iam.gke.io/gke-metadata-server-enabled"] = "true"
    return labels


def _accelerator_labels(pool: Resource, machine: MachineType, cloud: View) -> dict[str, str]:
    if machine.accelerator is None:
        return {}
    count = {"cloud.google.com/gke-accelerator-count": str(machine.accelerator.count)}
    if machine.accelerator.kind == "gpu":
        return {**count, "cloud.google.com/gke-accelerator": machine.accelerator.type}
    topology = topology_of(pool.inputs, machine, cloud)
    return {
        **count,
        "cloud.google.com/gke-tpu-accelerator": machine.accelerator.type,
        **({"cloud.google.com/gke-tpu-topology": topology.name} if topology else {}),
    }


def _taints(
    pool: Resource, machine: MachineType, cluster: Resource, cloud: View
) -> Iterator[Taint]:
    given = (pool["nodeConfig"] or {}).get("taints") or []
    for taint in given:
        yield Taint(key=taint["key"], value=taint["value"], effect=EFFECTS[taint["effect"]])
    accelerator = machine.accelerator
    named = accelerator is not None and accelerator.resource in {one["key"] for one in given}
    if accelerator is not None and not named and _tainted_by_gke(pool, machine, cluster, cloud):
        yield Taint(key=accelerator.resource, value="present", effect="NoSchedule")
    # GKE documentation, "Prepare an Arm workload for deployment", read 2026-11-23.
    if (architecture := _architecture(machine, cloud)) != _MOST:
        yield Taint(key=_ARCHITECTURE, value=architecture, effect="NoSchedule")
    if is_queued(pool.inputs):
        yield Taint(key="cloud.google.com/gke-queued", value="true", effect="NoSchedule")


def _tainted_by_gke(pool: Resource, machine: MachineType, cluster: Resource, cloud: View) -> bool:
    """Nodes with TPUs always, and those with GPUs where there are others when the pool is made.

    GKE documentation, "Run GPUs in Standard node pools". Pools are stored in the order in which
    they were made; one that is not is Autopilot's own.
    """
    if machine.accelerator is None or machine.accelerator.kind != "gpu":
        return True
    for other in cloud.find(POOL):
        if other.id == pool.id:
            return False
        plain = machine_of(other.inputs, cloud).accelerator is None
        if plain and other.id.startswith(f"{cluster.id}/"):
            return True
    return True
