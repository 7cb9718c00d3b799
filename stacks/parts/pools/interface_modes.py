"""Whose networks the further interfaces of each pool's nodes are in. No Pulumi import."""

from catalog import Catalog, MachineType, ReleaseChannel
from stacks.parts.pools.config import Pool
from stacks.parts.pools.plan import InterfaceMode, kind_of
from stacks.stack import Stack


def interface_modes(stack: Stack, facts: Catalog) -> dict[str, InterfaceMode]:
    """What the config says of each pool, else what there is for its machine. All GPUs of a cluster
    are alike in it, for their own ways exclude each other."""
    found: dict[str, InterfaceMode] = {
        name: it.interfaces or _default(stack, it, facts) for name, it in stack.pools.items()
    }
    gpus = [it for it in stack.pools if kind_of(_machine(stack.pools[it], facts)) == "gpu"]
    if any(found[it] == "own" for it in gpus):
        for name in gpus:
            if stack.pools[name].interfaces is None and found[name] == "managed":
                found[name] = "own"
    return found


def can_be_managed(stack: Stack, machine: MachineType, facts: Catalog) -> bool:
    """Whether GKE makes the networks for such machines in the cluster, as far as the config says
    which GKE it has."""
    if stack.cluster.autopilot:
        return kind_of(machine) == "tpu" and bool(machine.additional_interfaces)
    cluster = stack.cluster
    newest = cluster.release_channel is ReleaseChannel.RAPID or not cluster.is_made
    default = None if newest else facts.versions.gke.version
    return facts.feature("dranet").is_had(machine.name, cluster.version or default)


def _default(stack: Stack, pool: Pool, facts: Catalog) -> InterfaceMode:
    machine = _machine(pool, facts)
    if not machine.additional_interfaces:
        return "none"
    if kind_of(machine) == "tpu":
        return _between_slices(stack)
    # Of a cluster that exists already the config does not say which GKE it has.
    managed = stack.cluster.is_made and can_be_managed(stack, machine, facts)
    return "managed" if managed else "own"


def _between_slices(stack: Stack) -> InterfaceMode:
    """`network.dcn` has networks unless the config empties it."""
    if stack.cluster.autopilot:
        return "managed"
    return "own" if stack.network.dcn else "none"


def _machine(pool: Pool, facts: Catalog) -> MachineType:
    return facts.machine(pool.machine_type)
