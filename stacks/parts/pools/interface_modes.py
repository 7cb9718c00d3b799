"""Whose networks the further interfaces of each pool's nodes are in. No Pulumi import."""

from collections.abc import Mapping, Set

from catalog import Catalog, MachineType, ReleaseChannel
from stacks.parts.pools.config import Pool
from stacks.parts.pools.plan import InterfaceMode, Kind, kind_of
from stacks.stack import Stack


def interface_modes(stack: Stack, facts: Catalog) -> dict[str, InterfaceMode]:
    """What the config says of each pool, else what there is for its machine. All GPUs of a cluster
    are alike in it, for their own ways exclude each other, and so are all TPUs, for slices meet in
    networks of one kind. Machines without either have their own where that is asked for, or where
    no others claim theirs of GKE's driver."""
    found: dict[str, InterfaceMode] = {
        name: it.interfaces or _default(stack, it, facts) for name, it in stack.pools.items()
    }
    kinds: dict[str, Kind] = {
        name: kind_of(_machine(it, facts)) for name, it in stack.pools.items()
    }
    said = {name for name, it in stack.pools.items() if it.interfaces is not None}
    for kind in ("gpu", "tpu"):
        if any(it == "own" and kinds[name] == kind for name, it in found.items()):
            found |= _turned(found, kinds, said, kind, "managed", "own")
    by_objects = {name for name in said if found[name] == "own" and kinds[name] == "cpu"}
    if by_objects:
        return found | _turned(found, kinds, said, "gpu", "managed", "own")
    if any(kinds[name] == "tpu" or it == "managed" for name, it in found.items() if it != "none"):
        return found | _turned(found, kinds, said, "cpu", "own", "none")
    return found


def _turned(
    found: Mapping[str, InterfaceMode],
    kinds: Mapping[str, Kind],
    said: Set[str],
    kind: Kind,
    before: InterfaceMode,
    after: InterfaceMode,
) -> dict[str, InterfaceMode]:
    """Those of a kind that the config says nothing of."""
    return {
        name: after
        for name, it in found.items()
        if it == before and kinds[name] == kind and name not in said
    }


def can_be_managed(stack: Stack, machine: MachineType, facts: Catalog) -> bool:
    """Whether GKE makes the networks for such machines in the cluster, as far as the config says
    which GKE it has."""
    cluster = stack.cluster
    if cluster.autopilot and kind_of(machine) == "tpu":
        # There is no other way between slices of it.
        return bool(machine.additional_interfaces)
    newest = cluster.release_channel is ReleaseChannel.RAPID or not cluster.is_made
    default = None if newest else facts.versions.gke.version
    feature = facts.feature("dranet_autopilot" if cluster.autopilot else "dranet")
    return feature.is_had(machine.name, cluster.version or default)


def _default(stack: Stack, pool: Pool, facts: Catalog) -> InterfaceMode:
    machine = _machine(pool, facts)
    if not machine.additional_interfaces:
        return "none"
    if kind_of(machine) == "tpu" and (said := _said_between_slices(stack)):
        return said
    # Of a cluster that exists already the config does not say which GKE it has.
    known = stack.cluster.is_made or stack.cluster.autopilot
    return "managed" if known and can_be_managed(stack, machine, facts) else "own"


def _said_between_slices(stack: Stack) -> InterfaceMode | None:
    """`network.dcn`, where the config has it. How many slices there are says nothing: a pool keeps
    its networks, so one slice would be made anew when another comes or goes."""
    if "dcn" in stack.network.model_fields_set and not stack.cluster.autopilot:
        return "own" if stack.network.dcn else "none"
    return None


def _machine(pool: Pool, facts: Catalog) -> MachineType:
    return facts.machine(pool.machine_type)
