"""The addresses that a stack takes. No Pulumi import."""

from stacks.stack import Stack


def ranges_of(stack: Stack, *, interfaces: bool, slices: bool) -> dict[str, str]:
    """By their fields below `network`; those of a network that exists already are its own.
    `interfaces` and `slices` are whether nodes have further ones, and whether there are TPU slices
    that networks connect."""
    network = stack.network
    found = network.ranges()
    if not stack.makes_network:
        found = {"control_plane": network.control_plane} if stack.cluster.is_made else {}
    if stack.makes_lustre or stack.makes_peering or lets_lustre_in(stack):
        found["peering"] = network.peering
    if interfaces:
        found["accelerators.range"] = network.accelerators.range
    if slices:
        found |= {f"dcn[{at}].range": one.range for at, one in enumerate(network.dcn)}
    return found


def lets_lustre_in(stack: Stack) -> bool:
    """Whether the stack itself lets in the servers of an instance that exists already."""
    there = stack.lustre is not None and stack.lustre.existing is not None
    return there and not stack.makes_network and "peering" in stack.network.model_fields_set
