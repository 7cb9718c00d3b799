"""The RoCE network profile: which networks have it, and what it takes away from them."""

from __future__ import annotations

import re

from catalog import Catalog, FactError
from sandbox.cloud.resource import Inputs, Resource
from sandbox.errors import CloudError

# VPC documentation, "RDMA network profiles": the one MTU of a network with the profile.
ROCE_MTU = 8896
_SUFFIX = "-vpc-roce"
# A full or partial URL, or the bare name.
_REFERENCE = re.compile(
    r"(?:(?:https://\w+\.googleapis\.com/compute/\w+/)?(?:projects/[^/]+/)?global/networkProfiles/)?"
    r"(?P<name>[^/]+)"
)


def roce_zone(network: Resource) -> str | None:
    """The zone of the network's RoCE profile; None for an ordinary network."""
    name = _profile_name(network.inputs)
    return name.removesuffix(_SUFFIX) if name else None


def check_profile(inputs: Inputs, catalog: Catalog) -> None:
    """Refuse a new network whose profile does not exist or does not allow what it asks for."""
    name = _profile_name(inputs)
    if name is None:
        return
    try:
        if catalog.roce_profile(name.removesuffix(_SUFFIX)) != name:
            raise FactError(f'"{name}" is a zone; nearest: {name}{_SUFFIX}')
    except FactError as error:
        raise CloudError(
            "NOT_FOUND", f'network profile "{inputs["networkProfile"]}" was not found: {error}'
        ) from None
    if inputs.get("mtu") not in (None, ROCE_MTU):
        raise CloudError(
            "INVALID_ARGUMENT",
            f"mtu {inputs['mtu']} is not supported by network profile {name}; nearest: {ROCE_MTU}",
        )
    if inputs.get("autoCreateSubnetworks") is not False:
        raise CloudError(
            "INVALID_ARGUMENT",
            f"network profile {name} does not support auto mode subnets; nearest: "
            "autoCreateSubnetworks false",
        )


def refuse_on_roce(network: Resource, feature: str) -> None:
    """Refuse what a network with the profile cannot have."""
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
