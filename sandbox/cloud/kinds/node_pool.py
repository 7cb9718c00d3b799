"""GKE node pools and the nodes that they bring."""

from __future__ import annotations

from typing import Any

from catalog import FactError, MachineType
from sandbox.cloud.kind import Kind, check_name
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.kinds.iam import ServiceAccount
from sandbox.cloud.kinds.pool_capacity import check_capacity
from sandbox.cloud.kinds.pool_disks import check_secondary_disks
from sandbox.cloud.kinds.pool_domains import check_domain
from sandbox.cloud.kinds.pool_networks import check_additional_networks
from sandbox.cloud.kinds.pool_scheduling import check_scheduling
from sandbox.cloud.kinds.pool_tpus import check_tpus
from sandbox.cloud.kinds.pools import POOL, bounds, machine_of, pool_region, pool_zones
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError


class NodePool(Kind):
    token = POOL
    api = "container.googleapis.com"
    # hashicorp/terraform-provider-google-beta, node_config.go:420 (93c65b2d60, 2026-08-21).
    kept = ("nodeConfig.labels",)

    def admit(self, inputs: Inputs, cloud: View) -> None:
        check_name("node pool", inputs["name"], 40)
        cluster = cluster_of(inputs, cloud)
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
        del resource
        cluster = cluster_of(news, cloud)
        self._check_shape(news, cluster, self._check_machine(news, cluster, cloud), cloud)

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        cluster = cluster_of(inputs, cloud)
        return {
            "version": inputs.get("version") or cluster.outputs["masterVersion"],
            "instanceGroupUrls": [
                f"zones/{zone}/instanceGroupManagers/gke-{cluster['name']}-{inputs['name']}"
                for zone in pool_zones(inputs, cluster, cloud)
            ],
        }

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
        "Choose a valid number of Local SSD disks"). Where they come with the machine GKE takes 0
        for that number and gives the number back, which replaces the pool at a refresh.
        """
        config = node.get("ephemeralStorageLocalSsdConfig")
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
        if email not in (None, "default") and email not in emails:
            raise CloudError("INVALID_ARGUMENT", f'service account "{email}" does not exist')

    def _check_threads(self, node: Inputs) -> None:
        threads = (node.get("advancedMachineFeatures") or {}).get("threadsPerCore")
        if threads not in (None, 1, 2):
            raise CloudError(
                "INVALID_ARGUMENT", f"a core has 1 or 2 threads, not {threads}; nearest: 2"
            )

    def _check_autoscaling(self, inputs: Inputs) -> None:
        low, high = bounds(inputs)
        if low > high:
            raise CloudError(
                "INVALID_ARGUMENT", f"autoscaling minimum {low} is above maximum {high}"
            )


def cluster_of(inputs: Inputs, cloud: View) -> Resource:
    return cloud.require(Cluster.token, inputs["cluster"], "cluster")
