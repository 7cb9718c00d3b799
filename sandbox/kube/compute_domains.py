"""ComputeDomains: the template of the claim to a channel, which NVIDIA's controller makes.

Source: kubernetes-sigs/dra-driver-nvidia-gpu cmd/compute-domain-controller (computedomain.go,
resourceclaimtemplate.go), 3fe94879 (read 2026-11-24). Left out: the daemons of IMEX that come
beside pods with a channel, and the status, which they fill.
"""

from __future__ import annotations

from collections.abc import Sequence

from kube.objects import JsonObject, Node, name_of, namespace_of
from sandbox.kube.claims import API, CHANNEL_CLASS
from sandbox.kube.store import Store

KIND = "ComputeDomain"
_DRIVER = "compute-domain.nvidia.com"


def channel_template(domain: JsonObject) -> JsonObject:
    """One channel; the driver knows by the claim which domain it is of."""
    spec, uid = domain["spec"], domain["metadata"].get("uid") or name_of(domain)
    request = {
        "name": "channel",
        "exactly": {
            "deviceClassName": CHANNEL_CLASS,
            "allocationMode": "ExactCount",
            "count": 1,
        },
    }
    parameters = {
        "apiVersion": "resource.nvidia.com/v1beta1",
        "kind": "ComputeDomainChannelConfig",
        "domainID": uid,
        "allocationMode": spec["channel"].get("allocationMode") or "Single",
    }
    config = {
        "requests": ["channel"],
        "opaque": {"driver": _DRIVER, "parameters": parameters},
    }
    return {
        "apiVersion": API,
        "kind": "ResourceClaimTemplate",
        "metadata": {
            "name": spec["channel"]["resourceClaimTemplate"]["name"],
            "namespace": namespace_of(domain),
        },
        "spec": {"spec": {"devices": {"requests": [request], "config": [config]}}},
    }


def run_compute_domains(store: Store, nodes: Sequence[Node]) -> None:
    """A template goes with its domain."""
    del nodes
    for domain in store.all(KIND):
        wanted = channel_template(domain)
        name = name_of(wanted)
        if store.get(API, "ResourceClaimTemplate", namespace_of(domain), name) is None:
            store.add(wanted, owner=domain)
