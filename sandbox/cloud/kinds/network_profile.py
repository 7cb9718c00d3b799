"""The network profiles of RDMA: which networks have one, and what it takes away from them."""

from __future__ import annotations

import re

from catalog import Catalog, FactError
from sandbox.cloud.resource import Inputs, Resource
from sandbox.errors import CloudError

# VPC documentation, "RDMA network profiles": the one MTU of a network with a profile.
RDMA_MTU = 8896
_ROCE, _FALCON = "-vpc-roce", "-vpc-falcon"
# By the kind of interfaces that such a network takes.
PROFILES = {"rdma": "RoCE", "irdma": "Falcon"}
# A full or partial URL, or the bare name.
_REFERENCE = re.compile(
    r"(?:(?:https://\w+\.googleapis\.com/compute/\w+/)?(?:projects/[^/]+/)?global/networkProfiles/)?"
    r"(?P<name>[^/]+)"
)


def profile_zone(network: Resource) -> str | None:
    """The zone of the network's profile; None for an ordinary network."""
    name = _profile_name(network.inputs)
    return name.removesuffix(_ROCE).removesuffix(_FALCON) if name else None


def takes(network: Resource) -> str:
    """The kind of interfaces that are in such a network."""
    name = _profile_name(network.inputs)
    if name is None:
        return "gvnic"
    return "irdma" if name.endswith(_FALCON) else "rdma"


def check_profile(inputs: Inputs, catalog: Catalog) -> None:
    """Refuse a new network whose profile does not exist or does not allow what it asks for."""
    name = _profile_name(inputs)
    if name is None:
        return
    try:
        if name.endswith(_FALCON):
            catalog.falcon_profile(name.removesuffix(_FALCON))
        elif catalog.roce_profile(name.removesuffix(_ROCE)) != name:
            raise FactError(f'"{name}" is a zone; nearest: {name}{_ROCE}')
    except FactError as error:
        raise CloudError(
            "NOT_FOUND", f'network profile "{inputs["networkProfile"]}" was not found: {error}'
        ) from None
    if inputs.get("mtu") not in (None, RDMA_MTU):
        raise CloudError(
            "INVALID_ARGUMENT",
            f"mtu {inputs['mtu']} is not supported by network profile {name}; nearest: {RDMA_MTU}",
        )
    # VPC documentation, "RDMA network profiles", supported features, read 2026-11-23.
    if inputs.get("autoCreateSubnetworks") is not False:
        raise CloudError(
            "INVALID_ARGUMENT",
            f"network profile {name} does not support auto mode subnets; nearest: "
            "autoCreateSubnetworks false",
        )


def refuse_on_rdma(network: Resource, feature: str) -> None:
    """Refuse what a network with the profile cannot have (VPC documentation, "RDMA network
    profiles", supported features, and "Cloud NGFW for RoCE VPC networks", read 2026-11-23)."""
    name = _profile_name(network.inputs)
    if name is not None:
        raise CloudError(
            "INVALID_ARGUMENT",
            f"network {network.id} with network profile {name} does not support {feature}",
        )


def _profile_name(inputs: Inputs) -> str | None:
    reference = inputs.get("networkProfile")
    if reference is None:
        return None
    found = _REFERENCE.fullmatch(reference)
    return found["name"] if found else reference
