"""Services: the addresses they get."""

from collections.abc import Sequence

from kube.objects import JsonObject, Node, dig
from sandbox.kube.store import Store


def address_services(store: Store, nodes: Sequence[Node]) -> None:
    del nodes
    taken = {dig(service, "spec", "clusterIP") for service in store.all("Service")}
    for service in store.all("Service"):
        spec = service["spec"]
        if not spec.get("clusterIP") and spec["type"] != "ExternalName":
            # GKE's range for services of clusters that ask for none: 34.118.224.0/20.
            free = (f"34.118.{224 + n // 256}.{n % 256}" for n in range(2, 4095))
            address = next(ip for ip in free if ip not in taken)
            taken.add(address)
            service = store.patch(service, spec={**spec, "clusterIP": address})
        store.patch(service, status={"loadBalancer": _balancer(service)})


def _balancer(service: JsonObject) -> JsonObject:
    if service["spec"]["type"] != "LoadBalancer":
        return {}
    last = service["spec"]["clusterIP"].rpartition(".")[2]
    # 203.0.113.0/24 is kept for documentation: the address can be nobody's.
    return {"ingress": [{"ip": f"203.0.113.{last}"}]}
