"""Services with a load balancer: an address for each, and a finalizer until it may go.

Source: kubernetes/cloud-provider v0.35.4 controllers/service/controller.go and
service/helpers/helper.go, LoadBalancerCleanupFinalizer. Google's side of it, forwarding rules and
their like, is not simulated.
"""

from __future__ import annotations

from kube.objects import JsonObject, dig
from sandbox.gke.agent.live import Live
from sandbox.live_kube.api import Api, Kind

SERVICE: Kind = ("v1", "Service")
FINALIZER = "service.kubernetes.io/load-balancer-cleanup"
# A range for documentation (RFC 5737).
_ADDRESS = "198.51.100."


def keep_load_balancers(api: Api, live: Live) -> None:
    for service in live.objects(SERVICE):
        if dig(service, "spec", "type") != "LoadBalancer" and FINALIZER not in _held_by(service):
            continue
        if service["metadata"].get("deletionTimestamp"):
            _let_go(api, service)
        else:
            _hold(api, live, service)


def _hold(api: Api, live: Live, service: JsonObject) -> None:
    held = _held_by(service)
    if FINALIZER not in held:
        live.put(api.patch(service, _with_finalizers(service, [*held, FINALIZER])))
    elif not dig(service, "status", "loadBalancer", "ingress"):
        address = f"{_ADDRESS}{1 + int(service['metadata']['uid'][:4], 16) % 254}"
        status = {"loadBalancer": {"ingress": [{"ip": address}]}}
        live.put(api.patch(service, {"status": status}, "status"))


def _let_go(api: Api, service: JsonObject) -> None:
    held = _held_by(service)
    if FINALIZER in held:
        api.patch(service, _with_finalizers(service, [it for it in held if it != FINALIZER]))


def _with_finalizers(service: JsonObject, wanted: list[str]) -> JsonObject:
    version = service["metadata"]["resourceVersion"]
    return {"metadata": {"finalizers": wanted, "resourceVersion": version}}


def _held_by(service: JsonObject) -> list[str]:
    return service["metadata"].get("finalizers") or []
