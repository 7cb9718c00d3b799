"""What goes together in a pool, and with the cluster's mode. No Pulumi import."""

from collections.abc import Iterator, Mapping

from catalog import Catalog, MachineType
from components.node_taints import check_node_labels, check_node_taints
from stacks.parts.pools.capacity import Queued
from stacks.parts.pools.capacity_rules import capacity_problems
from stacks.parts.pools.config import Pool
from stacks.parts.pools.placement_rules import pool_problems, zone_problems
from stacks.parts.pools.plan import PlannedPool, slices_of
from stacks.parts.pools.slice_rules import slice_problems
from stacks.plan import Plan
from stacks.problems import Problem, problem_of
from stacks.stack import Stack

# Other ways are not documented for pods that ask for interfaces.
_AUTOPILOT_GPUS = ("on-demand", "spot", "reservation")
_OF_PODS = ("autoscaling", "disk", "max_pods_per_node", "labels", "taints", "driver_version")
_OF_GPUS = ("driver_version", "compact_placement")
_OF_TPUS = ("topology", "slices", "threads_per_core", "libtpu_flags")


def references(stack: Stack, facts: Catalog) -> Iterator[Problem]:
    """Machines and topologies that the catalog has, of which all else is derived."""
    for name, pool in stack.pools.items():
        field = f"pools.{name}"
        unknown = problem_of(
            f"{field}.machine_type", lambda it=pool: facts.machine(it.machine_type)
        )
        yield from unknown
        if not unknown:
            yield from _shape_problems(field, pool, facts)


def place_problems(plan: Plan) -> Iterator[Problem]:
    """Zones are in the region, and have the machines in the way that they are asked for."""
    stack, facts = plan.stack, plan.facts
    yield from zone_problems(facts, stack.region, stack.zone)
    for pool in plan.pools.values():
        if pool.config.zone is not None:
            yield from zone_problems(facts, stack.region, pool.zone, f"{pool.field}.zone")
        # Offers of a wrong zone would only repeat what is said about the zone.
        if pool.zone in facts.zones:
            yield from pool_problems(facts, pool.zone, pool.field, pool.as_nodes)
            yield from capacity_problems(facts, pool.zone, pool.field, pool.as_nodes)


def mode_problems(plan: Plan) -> Iterator[Problem]:
    """Autopilot makes nodes itself; TPU slices come one by one."""
    for pool in plan.pools.values():
        if pool.kind == "tpu" and isinstance(pool.config.capacity, Queued):
            yield Problem(
                f"{pool.field}.capacity.mode",
                "queued slices come by a provisioning request each, which Ray's pods here do not "
                "make; nearest: flex-start",
            )
        if plan.autopilot:
            yield from _autopilot_problems(pool)


def node_problems(plan: Plan) -> Iterator[Problem]:
    """Labels and taints that GKE takes, and nodes without for what tolerates none."""
    for pool in plan.pools.values():
        labels = pool.config.labels
        yield from problem_of(f"{pool.field}.labels", lambda it=labels: check_node_labels(it))
        yield from problem_of(f"{pool.field}.taints", lambda it=pool: check_node_taints(it.taints))
    own = plan.cpu_pool
    if own is not None and own.keeps_away:
        yield Problem(
            f"{own.field}.taints",
            "the cluster's own pods (DNS, metrics, Kueue) tolerate none, and there are no other "
            "nodes for them; nearest: leave it out, or one more pool without",
        )


RULES = (place_problems, mode_problems, node_problems)


def _shape_problems(field: str, pool: Pool, facts: Catalog) -> Iterator[Problem]:
    machine = facts.machine(pool.machine_type)
    kind = "cpu" if machine.accelerator is None else machine.accelerator.kind
    foreign = (*(() if kind == "gpu" else _OF_GPUS), *(() if kind == "tpu" else _OF_TPUS))
    for key in foreign:
        if key in pool.model_fields_set:
            yield Problem(
                f"{field}.{key}",
                f"{machine.name} has {_what(machine)}, and takes none; nearest: leave it out",
            )
    if kind != "tpu":
        if pool.nodes is None:
            yield Problem(f"{field}.nodes", "missing; nearest: 1")
        return
    for key in ("nodes", "autoscaling"):
        if key in pool.model_fields_set:
            yield Problem(
                f"{field}.{key}",
                f"a slice of {machine.name} has the nodes of its topology; nearest: leave it out, "
                "and say in slices how many there are",
            )
    missing = [key for key in ("topology", "slices") if getattr(pool, key) is None]
    for key in missing:
        near = "1" if key == "slices" else ", ".join(list(facts.topologies(machine.name))[:3])
        yield Problem(f"{field}.{key}", f"missing; nearest: {near or 'another machine_type'}")
    if not missing:
        yield from slice_problems(facts, field, slices_of(pool))


def _autopilot_problems(pool: PlannedPool) -> Iterator[Problem]:
    config, mode = pool.config, pool.config.capacity.mode
    if pool.kind == "cpu":
        yield Problem(
            pool.field,
            "Autopilot makes nodes without accelerators as pods ask for them; nearest: leave it "
            "out",
        )
        return
    for key in (*_OF_PODS, "compact_placement", "threads_per_core"):
        if key in config.model_fields_set:
            yield Problem(
                f"{pool.field}.{key}", "Autopilot decides it for its nodes; nearest: leave it out"
            )
    if pool.kind == "gpu" and mode not in _AUTOPILOT_GPUS:
        ways = [it for it in _AUTOPILOT_GPUS if it in pool.machine.capacity_modes]
        yield Problem(
            f"{pool.field}.capacity.mode",
            f"{mode} cannot be asked for by pods with interfaces on Autopilot; "
            f"nearest: {', '.join(ways)}",
        )
    if pool.kind == "tpu" and mode == "any-reservation":
        yield Problem(
            f"{pool.field}.capacity.mode",
            "Autopilot takes TPUs only from a reservation that is named; nearest: reservation",
        )


def _what(machine: MachineType) -> str:
    kinds: Mapping[str | None, str] = {None: "no accelerators", "gpu": "GPUs", "tpu": "TPUs"}
    return kinds[None if machine.accelerator is None else machine.accelerator.kind]
