"""GKE node pools and the nodes that they bring."""

from __future__ import annotations

from typing import Any

from catalog import FactError, MachineType
from catalog.own_disks import OwnDisksTable
from catalog.pool_nodes import bounds, most_nodes, wanted_nodes
from catalog.table import load_table
from sandbox.cloud.kind import Kind, birth_digest, check_name
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.kinds.iam import ServiceAccount
from sandbox.cloud.kinds.pool_capacity import check_capacity, stockout_of
from sandbox.cloud.kinds.pool_disks import check_secondary_disks
from sandbox.cloud.kinds.pool_domains import check_domain
from sandbox.cloud.kinds.pool_networks import check_additional_networks
from sandbox.cloud.kinds.pool_scheduling import check_scheduling
from sandbox.cloud.kinds.pool_tpus import check_tpus
from sandbox.cloud.kinds.pools import POOL, machine_of, pool_region, pool_zones
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError, HalfMadeError
from sandbox.faults import Stockout

_DISKS = "ephemeralStorageLocalSsdConfig"
RUNNING = "RUNNING"


class NodePool(Kind):
    token = POOL
    api = "container.googleapis.com"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        check_name("node pool", inputs["name"], 40)
        cluster = cluster_of(inputs, cloud)
        # gke-labs/kube-agents issue 920.
        if cluster["enableAutopilot"]:
            raise CloudError(
                "INVALID_ARGUMENT", "Autopilot clusters do not support mutating node pools"
            )
        node = inputs.get("nodeConfig") or {}
        machine = self._check_machine(inputs, cluster, cloud)
        self._check_accelerators(node, machine)
        self._check_local_ssds(node, machine)
        self._check_account(node, cloud)
        self._check_shape(inputs, cluster, machine, cloud)

    def change(self, resource: Resource, news: Inputs, cloud: View) -> None:
        cluster = cluster_of(news, cloud)
        machine = self._check_machine(news, cluster, cloud)
        self._check_shape(news, cluster, machine, cloud)

    def after_create(self, resource: Resource, cloud: View) -> None:
        rule = _stockout(resource.inputs, cloud)
        if rule is not None and rule.machines < most_nodes(resource.inputs):
            cloud.short[resource.id] = rule.machines

    def after_change(self, olds: Inputs, resource: Resource, cloud: View) -> None:
        """Machines that are there stay."""
        if (rule := _stockout(resource.inputs, cloud)) is None:
            return
        there = max(cloud.short.pop(resource.id, most_nodes(olds)), rule.machines)
        if there < most_nodes(resource.inputs):
            cloud.short[resource.id] = there

    def after_delete(self, resource: Resource, cloud: View) -> None:
        cloud.short.pop(resource.id, None)

    # hashicorp/terraform-provider-google-beta resource_container_node_pool.go:939-960 and :2165
    # (93c65b2d60, 2026-08-21): after an operation that failed the provider looks whether the pool
    # is there ("GCE_STOCKOUT"), reads it into the state and fails with the pool's status. What the
    # operation said is lost.

    def half_made(self, resource: Resource, cloud: View) -> HalfMadeError | None:
        if (status := status_of(resource, cloud)) == RUNNING:
            return None
        message = f'NodePool {resource["name"]} was created in the error state "{status}"'
        return HalfMadeError(resource.id, message, read=True)

    def create_minutes(self, inputs: Inputs, cloud: View) -> float | None:
        rule = _stockout(inputs, cloud)
        short = rule is not None and rule.machines < wanted_nodes(inputs)
        return rule.minutes if rule is not None and short else None

    # The same, nodePoolUpdate (:1870): the size is set where it differs from the provider's state,
    # and GKE has it whatever becomes of the machines. GKE's words: akka/akka-core #32992 of
    # 2026-09-16, 35 minutes after it began.

    def sent(self, state: Inputs, news: Inputs, there: Inputs) -> Inputs:
        if "nodeCount" not in there or news.get("nodeCount") != state.get("nodeCount"):
            return news
        return {**news, "nodeCount": there["nodeCount"]}

    def change_minutes(self, olds: Inputs, news: Inputs, cloud: View) -> float | None:
        rule = _stockout(news, cloud)
        return rule.minutes if rule is not None and _grows_past(rule, olds, news) else None

    def half_changed(self, olds: Inputs, resource: Resource, cloud: View) -> HalfMadeError | None:
        rule, asked = _stockout(resource.inputs, cloud), wanted_nodes(resource.inputs)
        if rule is None or not _grows_past(rule, olds, resource.inputs):
            return None
        come = cloud.short.get(resource.id, asked)
        message = (
            "Error waiting for updating GKE node pool size: Google Compute Engine: Not all "
            f"instances running in IGM after {rule.minutes:.0f}m. Expected {asked}, running "
            f"{come}, transitioning {asked - come}. Current errors: [GCE_STOCKOUT]: The zone "
            f"{rule.zone} does not have enough resources available to fulfill the request"
        )
        return HalfMadeError(resource.id, message, read=False)

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        cluster = cluster_of(inputs, cloud)
        return {
            "version": inputs.get("version") or cluster.outputs["masterVersion"],
            "instanceGroupUrls": [
                f"zones/{zone}/instanceGroupManagers/"
                f"gke-{cluster['name']}-{inputs['name']}-{birth_digest(cloud, resource_id, 8)}-grp"
                for zone in pool_zones(inputs, cluster, cloud)
            ],
        }

    def unasked(self, inputs: Inputs, cloud: View) -> dict[str, Any]:
        """Local SSDs that come with the machine type."""
        del cloud
        node = inputs.get("nodeConfig") or {}
        own = load_table(OwnDisksTable, "own_disks").count_of(str(node.get("machineType")))
        if not own or node.get(_DISKS):
            return {}
        return {"nodeConfig": {_DISKS: {"localSsdCount": own}}}

    def slots(self, inputs: Inputs) -> str | None:
        return self.identify(inputs).rsplit("/nodePools/", 1)[0]

    def _check_shape(
        self, inputs: Inputs, cluster: Resource, machine: MachineType, cloud: View
    ) -> None:
        pool_id = self.identify(inputs)
        self._check_autoscaling(inputs)
        self._check_threads(inputs.get("nodeConfig") or {})
        check_scheduling(inputs.get("nodeConfig") or {})
        check_tpus(inputs, machine, pool_region(pool_id), cloud)
        check_domain(inputs, machine, pool_region(pool_id), cloud)
        check_secondary_disks(inputs.get("nodeConfig") or {}, cluster["project"], cloud)
        check_capacity(pool_id, inputs, cluster, machine, cloud)
        check_additional_networks(pool_id, inputs, cluster, machine, cloud)

    def _check_machine(self, inputs: Inputs, cluster: Resource, cloud: View) -> MachineType:
        try:
            machine = machine_of(inputs, cloud)
            zones = pool_zones(inputs, cluster, cloud)
            missing = [zone for zone in zones if not cloud.catalog.offers(zone, machine.name)]
        except FactError as error:
            raise CloudError("INVALID_ARGUMENT", str(error)) from None
        if missing:
            raise CloudError(
                "INVALID_ARGUMENT",
                f"machine type {machine.name} does not exist in zone {missing[0]}",
            )
        return machine

    def _check_accelerators(self, node: Inputs, machine: MachineType) -> None:
        accelerators = node.get("guestAccelerators") or []
        gpu = (
            machine.accelerator
            if machine.accelerator and machine.accelerator.kind == "gpu"
            else None
        )
        for wanted in accelerators:
            if gpu is None or (wanted["type"], wanted["count"]) != (gpu.type, gpu.count):
                have = f"{gpu.count} x {gpu.type}" if gpu else "no GPU"
                raise CloudError(
                    "INVALID_ARGUMENT",
                    f"{wanted['count']} x {wanted['type']} does not fit {machine.name}: {have}",
                )

    def _check_local_ssds(self, node: Inputs, machine: MachineType) -> None:
        """A machine type with local SSDs has one number of them (Compute Engine documentation,
        "Choose a valid number of Local SSD disks", read 2026-11-21). Where they come with the
        machine GKE takes 0 for that number and gives the number back, which replaces the pool at a
        refresh.
        """
        config = node.get(_DISKS)
        if config is None or machine.local_ssd is None:
            return
        wanted, count = config.get("localSsdCount"), machine.local_ssd.count
        if wanted != count:
            raise CloudError(
                "INVALID_ARGUMENT", f"{machine.name} has {count} local SSDs, not {wanted}"
            )

    def _check_account(self, node: Inputs, cloud: View) -> None:
        email = node.get("serviceAccount")
        emails = {account.outputs["email"] for account in cloud.find(ServiceAccount.token)}
        # midl-dev/tezos-on-gke issue 45.
        if email not in (None, "default") and email not in emails:
            raise CloudError("INVALID_ARGUMENT", f'service account "{email}" does not exist')

    def _check_threads(self, node: Inputs) -> None:
        threads = (node.get("advancedMachineFeatures") or {}).get("threadsPerCore")
        # GoogleCloudPlatform/cluster-toolkit modules/compute/gke-node-pool/variables.tf:218,
        # 10470803.
        if threads not in (None, 1, 2):
            raise CloudError(
                "INVALID_ARGUMENT", f"a core has 1 or 2 threads, not {threads}; nearest: 2"
            )

    def _check_autoscaling(self, inputs: Inputs) -> None:
        low, high = bounds(inputs)
        # hashicorp/terraform-provider-google-beta resource_container_node_pool.go:342-367,
        # 93c65b2d.
        if low > high:
            raise CloudError(
                "INVALID_ARGUMENT", f"autoscaling minimum {low} is above maximum {high}"
            )


def _grows_past(rule: Stockout, olds: Inputs, news: Inputs) -> bool:
    """Whether an update asks for machines that do not come. The autoscaler asks for those of a pool
    with bounds, when a pod is pending."""
    fixed = "autoscaling" not in news or not news["autoscaling"]
    return fixed and wanted_nodes(news) > max(wanted_nodes(olds), rule.machines)


def status_of(pool: Resource, cloud: View) -> str:
    """Of GKE's API, NodePool.status: partly usable with some of the machines that it is to have at
    all times, and in an error with none (cloud.google.com, REST v1beta1 NodePool)."""
    come = cloud.short.get(pool.id)
    if come is None or come >= wanted_nodes(pool.inputs):
        return RUNNING
    return "RUNNING_WITH_ERROR" if come else "ERROR"


def pool_states(cluster: Resource, cloud: View) -> dict[str, str]:
    """By the name of each pool that lacks machines what is wrong with it; of the others none."""
    return {
        pool["name"]: _state(pool, cloud)
        for pool in cloud.find(POOL)
        if pool.id.startswith(f"{cluster.id}/") and pool.id in cloud.short
    }


def _state(pool: Resource, cloud: View) -> str:
    machine = machine_of(pool.inputs, cloud).name
    most, status = most_nodes(pool.inputs), status_of(pool, cloud)
    error = "" if status == RUNNING else f"{status}: "
    return f"{error}{cloud.short[pool.id]} of {most} came, {machine} is out of stock"


def is_in_stock(pool: Resource, cloud: View) -> bool:
    """Whether the machines that the pool waits for are there in this run."""
    return _stockout(pool.inputs, cloud) is None


def _stockout(inputs: Inputs, cloud: View) -> Stockout | None:
    return stockout_of(inputs, cluster_of(inputs, cloud), machine_of(inputs, cloud), cloud)


def cluster_of(inputs: Inputs, cloud: View) -> Resource:
    place = NodePool().identify(inputs).rsplit("/nodePools/", 1)[0]
    if (found := cloud.get(place)) is not None:
        return found
    return cloud.require(Cluster.token, inputs["cluster"], "cluster", inputs.get("project"))
