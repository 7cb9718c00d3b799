"""Cloud KMS keys, as resources name them. The simulated project has those keys that its file lists,
each with the services that may use it: what a key itself is, and who made it, is not simulated."""

from catalog.customer_keys import customer_keys
from sandbox.cloud.kinds.pools import POOL
from sandbox.cloud.resource import Inputs
from sandbox.cloud.view import View
from sandbox.errors import CloudError

_CLUSTER = "gcp:container/cluster:Cluster"


def check_keys(token: str, olds: Inputs | None, news: Inputs, cloud: View) -> None:
    """Raises CloudError for a key that is new to the resource and outside the region of what it
    encrypts, or that the service's identity may not use; `olds` are None for a new resource.

    Regions: GKE documentation, "Encrypt secrets at the application layer"; Cloud Storage
    documentation, "Customer-managed encryption keys"; Managed Lustre documentation,
    "Customer-managed encryption keys for Managed Lustre"; read 2026-11-27."""
    table = customer_keys()
    before = set() if olds is None else set(table.given(token, olds))
    for key, api in table.given(token, news):
        if (key, api) in before:
            continue
        region = _region(token, news, cloud)
        if f"/locations/{region}/" not in key:
            raise CloudError(
                "INVALID_ARGUMENT",
                f"Cloud KMS key {key} is not in {region}, where what it encrypts is",
            )
        if api not in cloud.reservations.keys.get(key, frozenset()):
            service = table.services[api]
            raise CloudError(service.code, service.denied.format(key=key))


def _region(token: str, inputs: Inputs, cloud: View) -> str:
    """Of what the key encrypts, which says a region or a zone."""
    if token == POOL:
        inputs = cloud.require(_CLUSTER, inputs["cluster"], "cluster").inputs
    place = str(inputs.get("location") or inputs.get("region"))
    return "-".join(place.lower().split("-")[:2])
