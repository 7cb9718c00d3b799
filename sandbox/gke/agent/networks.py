"""Network and GKENetworkParamSet: their conditions, and who holds whom.

A parameter set has a finalizer for as long as a Network refers to it (pkg/controller/
gkenetworkparamset of kubernetes/cloud-provider-gcp). That a Network is
not deleted while pods use it, a webhook sees to.
"""

from __future__ import annotations

from sandbox.gke.agent.live import Live
from sandbox.gke.agent.statuses import send_statuses
from sandbox.gke.network_conditions import check_networks
from sandbox.gke.networks import GNP_FINALIZER, GROUP, PARAMS_KIND, users_of
from sandbox.kube.store import Store
from sandbox.live_kube.api import Api, Kind

NETWORK: Kind = (f"{GROUP}/v1", "Network")
PARAMS: Kind = (f"{GROUP}/v1", PARAMS_KIND)


def keep_networks(api: Api, live: Live, store: Store, now: str) -> None:
    """Afterwards the store holds the conditions, too, which say what nodes offer."""
    _hold_params(api, live, store)
    check_networks(store, [])
    send_statuses(api, live, store, (PARAMS, NETWORK), now)


def _hold_params(api: Api, live: Live, store: Store) -> None:
    for params in live.objects(PARAMS):
        metadata = params["metadata"]
        finalizers: list[str] = metadata.get("finalizers") or []
        if not metadata.get("deletionTimestamp"):
            wanted = finalizers if GNP_FINALIZER in finalizers else [*finalizers, GNP_FINALIZER]
        elif users_of(store, params):
            wanted = finalizers
        else:
            wanted = [each for each in finalizers if each != GNP_FINALIZER]
        if wanted != finalizers:
            version = metadata["resourceVersion"]
            change = {"metadata": {"finalizers": wanted, "resourceVersion": version}}
            changed = api.patch(params, change)
            if not metadata.get("deletionTimestamp"):
                live.put(changed)
