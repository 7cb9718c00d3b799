"""ProvisioningRequest: accepted and provisioned by the rules of the in-memory Kubernetes."""

from __future__ import annotations

from sandbox.cloud.cloud import Cloud
from sandbox.cloud.resource import Resource
from sandbox.gke.agent.live import Live
from sandbox.gke.agent.statuses import send_statuses
from sandbox.gke.nodes import nodes_of
from sandbox.gke.provisioning_requests import run_provisioning_requests
from sandbox.gke.provisioning_rules import API, KIND
from sandbox.kube.store import Store
from sandbox.live_kube.api import Api, Kind

REQUEST: Kind = (API, KIND)


def keep_requests(
    api: Api, live: Live, store: Store, cluster: Resource, cloud: Cloud, now: str
) -> None:
    """Afterwards the store holds the requests' machines, too."""
    run_provisioning_requests(store, nodes_of(cluster, cloud))
    send_statuses(api, live, store, (REQUEST,), now)
