"""Templates of claims to channels of NVLink domains: NVIDIA's controller is no process here."""

from __future__ import annotations

from kube.objects import name_of, namespace_of
from sandbox.gke.agent.live import Live
from sandbox.kube.claims import API
from sandbox.kube.compute_domains import KIND, channel_template
from sandbox.kube.registry import NVIDIA_GROUP
from sandbox.kube.store import Store
from sandbox.live_kube.api import Api, ApiError, Kind

_DOMAIN: Kind = (f"{NVIDIA_GROUP}/v1beta1", KIND)
TEMPLATE: Kind = (API, "ResourceClaimTemplate")
_NOT_SERVED = 404


def keep_domains(api: Api, live: Live, store: Store) -> None:
    """Asked for when pods wait, for the kind comes with a chart and cannot be watched before."""
    named = {
        claim.get("resourceClaimTemplateName")
        for pod in store.all("Pod")
        for claim in pod["spec"].get("resourceClaims") or ()
    }
    there = {(namespace_of(it), name_of(it)) for it in live.objects(TEMPLATE)}
    if named <= {name for _, name in there}:
        return
    try:
        domains, _ = api.list(_DOMAIN)
    except ApiError as error:
        if error.status == _NOT_SERVED:
            return
        raise
    for domain in domains:
        wanted = channel_template(domain)
        if (namespace_of(wanted), name_of(wanted)) not in there:
            owner = {"apiVersion": _DOMAIN[0], "kind": KIND, "name": name_of(domain)}
            owned = {**owner, "uid": domain["metadata"]["uid"], "controller": True}
            wanted["metadata"]["ownerReferences"] = [owned]
            live.put(api.apply(wanted))
