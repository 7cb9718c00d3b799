"""What goes together in a pool: its machine, its zone, the way to have it, its nodes or slices; and
with the cluster's mode. No Pulumi import.

Sources: GKE documentation ("About GPU, TPU and H4D consumption with flex-start", "Run a large-scale
workload with flex-start with queued provisioning", "Consuming reservations"), the preconditions of
GoogleCloudPlatform/cluster-toolkit modules/compute/gke-node-pool, read 2026-11-21.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial

from catalog import Catalog
from catalog.machines import MachineTable
from catalog.table import load_table, nearest_names
from components.base.taints import (
    NodeTaintArgs,
    check_node_label_key,
    check_node_label_value,
    check_node_labels,
    check_node_taint_key,
    check_node_taint_value,
    check_node_taints,
)
from stacks.beside import beside_problems
from stacks.parts.pools.config import CPU_POOL, Pool, SpecificReservation
from stacks.parts.pools.driver_rules import driver_problems
from stacks.parts.pools.gpu_claim_rules import gpu_claim_problems
from stacks.parts.pools.interface_rules import interface_mode_problems
from stacks.parts.pools.nvlink_rules import nvlink_problems
from stacks.parts.pools.plan import PlannedPool, kind_of
from stacks.parts.pools.when_rules import late_problems
from stacks.plan import Plan
from stacks.problems import Problem, problem_of, repeats
from stacks.stack import Stack

# Other ways are not documented for pods that ask for interfaces.
_AUTOPILOT_GPUS = ("on-demand", "spot", "reservation")
_OF_PODS = ("autoscaling", "disk", "max_pods_per_node", "labels", "taints")
_OF_TPUS = ("topology", "slices", "threads_per_core", "libtpu_flags")
_HAS = {"cpu": "no accelerators", "gpu": "GPUs", "tpu": "TPUs"}


def references(stack: Stack, facts: Catalog) -> Iterator[Problem]:
    """Machines and topologies that the catalog has, of which all else is derived."""
    for name, pool in stack.pools.items():
        field = f"pools.{name}"
        unknown = problem_of(f"{field}.machine_type", partial(_check_known, facts, pool))
        yield from unknown or _shape_problems(field, pool, facts)
    yield from _own_pool_problems(stack, facts)


def _own_pool_problems(stack: Stack, facts: Catalog) -> Iterator[Problem]:
    """A Standard cluster without nodes for single pods is given a pool of them, by its name."""
    machines = {name: facts.machines.get(it.machine_type) for name, it in stack.pools.items()}
    single = (it for it in machines.values() if it is not None and not it.additional_interfaces)
    own = machines.get(CPU_POOL)
    if own is None or stack.cluster.autopilot or any(kind_of(it) == "cpu" for it in single):
        return
    yield Problem(
        f"pools.{CPU_POOL}",
        f"the stack makes a pool of this name for the cluster's own pods, which {own.name} is not "
        "for; nearest: another name, or one more pool of machines without accelerators",
    )


def _check_known(facts: Catalog, pool: Pool) -> None:
    if pool.machine_type not in facts.machines:
        load_table(MachineTable, "machine_types").check_buildable(pool.machine_type)
    facts.machine(pool.machine_type)


def _shape_problems(field: str, pool: Pool, facts: Catalog) -> Iterator[Problem]:
    machine = facts.machine(pool.machine_type)
    kind = kind_of(machine)
    # What speaks RDMA is to stand close together.
    placed = kind == "gpu" or machine.nics_of("irdma") > 0
    foreign = (
        *(() if kind == "gpu" else ("driver_version", "gpus_by")),
        *(() if placed else ("compact_placement",)),
        *(() if kind == "tpu" else _OF_TPUS),
    )
    why = f"{machine.name} has {_HAS[kind]}, and takes none"
    yield from beside_problems(field, pool, foreign, why)
    if kind == "tpu":
        yield from _slice_problems(field, pool, facts)
    elif pool.nodes is None:
        yield Problem(f"{field}.nodes", "missing; nearest: 1")


def _slice_problems(field: str, pool: Pool, facts: Catalog) -> Iterator[Problem]:
    machine, shapes = pool.machine_type, list(facts.topologies(pool.machine_type))
    for key in ("nodes", "autoscaling"):
        if key in pool.model_fields_set:
            yield Problem(
                f"{field}.{key}",
                f"a slice of {machine} has the nodes of its topology; nearest: leave it out, "
                "and say in slices how many there are",
            )
    if not shapes:
        near = nearest_names(machine, [it for it in facts.machines if facts.topologies(it)])
        yield Problem(
            f"{field}.machine_type", f"the catalog knows no topology of {machine}; nearest: {near}"
        )
    elif pool.topology is None:
        yield Problem(f"{field}.topology", f"missing; nearest: {', '.join(shapes[:3])}")
    else:
        yield from problem_of(
            f"{field}.topology", partial(facts.check_ray_topology, machine, pool.topology)
        )
    if pool.slices is None:
        yield Problem(f"{field}.slices", "missing; nearest: 1")
    elif len(once := set(pool.slices)) < len(pool.slices):
        yield Problem(
            f"{field}.slices",
            f"{list(pool.slices)} names a slice twice; nearest: {sorted(once)}",
        )
    for place, name in repeats(it.name for it in pool.libtpu_flags or ()):
        yield Problem(
            f"{field}.libtpu_flags[{place}]",
            f"{name} is there twice, and only the last counts; nearest: leave it out",
        )


def place_problems(plan: Plan) -> Iterator[Problem]:
    """Zones are in the region, and have the machines in the way that they are asked for."""
    facts = plan.facts
    yield from _zone_problems(plan, "zone", plan.stack.zone)
    for pool in plan.pools.values():
        if pool.config.zone is not None:
            yield from _zone_problems(plan, f"{pool.field}.zone", pool.zone)
        # Offers of a wrong zone would only repeat what is said about the zone.
        if pool.zone in facts.zones:
            offer = partial(facts.check_offer, pool.zone, pool.machine.name)
            yield from problem_of(f"{pool.field}.machine_type", offer)
            yield from _capacity_problems(pool)
            if not plan.autopilot:
                yield from _size_problems(pool)
                yield from _placement_problems(pool)
    yield from _sub_block_problems(plan)


def _zone_problems(plan: Plan, field: str, zone: str) -> Iterator[Problem]:
    facts, region = plan.facts, plan.stack.region
    unknown = problem_of(field, partial(facts.zone, zone))
    if unknown or facts.region_of(zone) == region:
        yield from unknown
        return
    unknown = problem_of("region", partial(facts.zones_in, region))
    yield from unknown or [
        Problem(
            field,
            f'"{zone}" is not in the region {region}; nearest: '
            f"{', '.join(facts.zones_in(region))}, or the region {facts.region_of(zone)}",
        )
    ]


def _capacity_problems(pool: PlannedPool) -> Iterator[Problem]:
    machine, capacity = pool.machine, pool.config.capacity
    field = f"{pool.field}.capacity"
    if capacity.mode not in machine.capacity_modes:
        yield Problem(
            f"{field}.mode",
            f"{capacity.mode} is not to be had for {machine.name}; "
            f"nearest: {', '.join(machine.capacity_modes)}",
        )
    if not isinstance(capacity, SpecificReservation):
        return
    if capacity.sub_block is not None and capacity.block is None:
        yield Problem(
            f"{field}.sub_block",
            f"{capacity.sub_block} is in a block, and none is named; nearest: set {field}.block",
        )
    if capacity.zone not in (None, pool.zone):
        yield Problem(
            f"{field}.zone",
            f"the reservation {capacity.name} is in {capacity.zone}, and the nodes are in "
            f"{pool.zone}; nearest: gcp:zone {capacity.zone}, or a reservation in {pool.zone}",
        )
    if capacity.machine_type not in (None, machine.name):
        yield Problem(
            f"{field}.machine_type",
            f"the reservation {capacity.name} is for {capacity.machine_type}, and the nodes are "
            f"{machine.name}; nearest: {pool.field}.machine_type {capacity.machine_type}",
        )


def _size_problems(pool: PlannedPool) -> Iterator[Problem]:
    """The nodes boot from the disk, and the bounds hold them."""
    machine, disk, bounds, nodes = pool.machine, pool.config.disk, pool.bounds, pool.nodes
    if disk.type is not None and disk.type not in machine.boot_disk_types:
        yield Problem(
            f"{pool.field}.disk.type",
            f"{disk.type} does not boot {machine.name}; "
            f"nearest: {', '.join(machine.boot_disk_types)}",
        )
    if pool.from_zero and bounds.min > 0:
        most = max(bounds.max, nodes)
        yield Problem(
            f"{pool.field}.autoscaling",
            f"{pool.config.capacity.mode} machines come when pods wait for them, so the pool's "
            f"minimum of {bounds.min} cannot be kept; nearest: {{min: 0, max: {most}}}",
        )
        return
    if bounds.min > bounds.max:
        yield Problem(
            f"{pool.field}.autoscaling.min",
            f"{bounds.min} is more than the max of {bounds.max}; nearest: {bounds.max}",
        )
        return
    if nodes > bounds.max:
        yield _outside(f"{pool.field}.autoscaling.max", f"at most {bounds.max}", nodes)
    if nodes < bounds.min:
        yield _outside(f"{pool.field}.autoscaling.min", f"at least {bounds.min}", nodes)


def _outside(field: str, bound: str, nodes: int) -> Problem:
    return Problem(
        field, f"{bound} leaves out the {nodes} nodes that the workloads use; nearest: {nodes}"
    )


def _sub_block_problems(plan: Plan) -> Iterator[Problem]:
    """All pools on a sub-block together have no more machines than it."""
    on: dict[tuple[str | None, ...], list[PlannedPool]] = {}
    for pool in plan.pools.values():
        capacity = pool.config.capacity
        if isinstance(capacity, SpecificReservation) and capacity.sub_block is not None:
            key = (capacity.project, capacity.name, capacity.block, capacity.sub_block)
            on.setdefault(key, []).append(pool)
    for (*_, sub_block), pools in on.items():
        *others, last = pools
        room = last.machine.sub_block_machines
        wanted = sum(max(it.nodes, it.bounds.max) for it in pools)
        if room is None or wanted <= room:
            continue
        left = room - sum(max(it.nodes, it.bounds.max) for it in others)
        field, fits = f"{last.field}.nodes", left
        if last.topology is not None:
            fits = left // last.topology.hosts
            field = f"{last.field}.{'slices' if fits > 0 else 'topology'}"
        nearest = f"{fits}, or " if fits > 0 else ""
        yield Problem(
            field,
            f"{wanted} machines are more than the {room} of the sub-block {sub_block}; "
            f"nearest: {nearest}the block without capacity.sub_block",
        )


def _placement_problems(pool: PlannedPool) -> Iterator[Problem]:
    machine, capacity = pool.machine, pool.config.capacity
    if not pool.config.compact_placement:
        return
    if not machine.compact_placement:
        why = f"{machine.name} cannot be placed compactly"
    elif pool.queued:
        why = "queued machines are placed by their request, not by the pool"
    elif pool.waits and not machine.speaks_rdma:
        why = f"flex-start places only machines with RDMA compactly, not {machine.name}"
    elif capacity.mode in machine.not_compact_on:
        why = f"{machine.name} on {capacity.mode} is not placed compactly"
    elif isinstance(capacity, SpecificReservation) and capacity.block is not None:
        why = f"the block {capacity.block} already says where the nodes stand"
    elif isinstance(capacity, SpecificReservation) and not machine.speaks_rdma:
        # "To consume reservation with placement policy, the instance has to specify the same
        # resource policy as the reservation" (NVIDIA/JAX-Toolbox pull request 1609 of 2025-08-07;
        # AI-Hypercomputer/xpk pull request 1130 of 2026-03-17, a3-megagpu-8g). On A4 and A3 Ultra
        # Compute Engine applies the nodes' policy to the reservation (AI Hypercomputer
        # documentation, "Create an A4 or A3 Ultra instance").
        why = (
            f"a reservation of {machine.name} has the placement that it was made with, and nodes "
            "with another are not made from it"
        )
    else:
        return
    yield Problem(f"{pool.field}.compact_placement", f"{why}; nearest: false")


def ended_problems(pools: Mapping[str, Pool], now: datetime) -> Iterator[Problem]:
    """A reservation of calendar mode ends, and its machines with it (Cloud TPU documentation,
    "Request a future reservation for up to 90 days (in calendar mode)", read 2026-11-23)."""
    for name, pool in pools.items():
        capacity = pool.capacity
        if not isinstance(capacity, SpecificReservation) or capacity.ends is None:
            continue
        if capacity.ends <= now:
            yield Problem(
                f"pools.{name}.capacity.ends",
                f"the reservation {capacity.name} ended at {capacity.ends.isoformat()}, and its "
                "machines went with it; nearest: mode flex-start, or another reservation",
            )


def mode_problems(plan: Plan) -> Iterator[Problem]:
    """Autopilot makes nodes itself; TPU slices come one by one."""
    for pool in plan.pools.values():
        if pool.kind == "tpu" and pool.queued:
            yield Problem(
                f"{pool.field}.capacity.mode",
                "queued slices come by a provisioning request each, which Ray's pods here do not "
                "make; nearest: flex-start",
            )
        if plan.autopilot:
            yield from _autopilot_problems(pool)
            if pool.topology is not None and pool.topology.needs_policy:
                yield Problem(
                    f"{pool.field}.topology",
                    f"several hosts of {pool.machine.name} are placed by a workload policy, which "
                    "is made for node pools alone, and Autopilot makes its nodes itself; nearest: "
                    "2x2x1, or a cluster in mode standard",
                )


def _autopilot_problems(pool: PlannedPool) -> Iterator[Problem]:
    mode = pool.config.capacity.mode
    if pool.kind == "cpu":
        yield Problem(
            pool.field,
            "Autopilot makes nodes without accelerators as pods ask for them; nearest: leave it "
            "out",
        )
        return
    keys = (*_OF_PODS, "compact_placement", "threads_per_core", "when")
    why = "Autopilot decides it for its nodes"
    yield from beside_problems(pool.field, pool.config, keys, why)
    grace = f"{pool.field}.capacity"
    yield from beside_problems(grace, pool.config.capacity, ("grace_seconds",), why)
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


def node_problems(plan: Plan) -> Iterator[Problem]:
    """Labels and taints that GKE takes, and nodes without for what tolerates none."""
    for pool in plan.pools.values():
        yield from _label_problems(f"{pool.field}.labels", pool.config.labels)
        yield from _taint_problems(f"{pool.field}.taints", pool.taints)
    own = plan.cpu_pool
    if own is not None and own.keeps_away:
        yield Problem(
            f"{own.field}.taints",
            "the cluster's own pods (DNS, metrics, Kueue) tolerate none, and there are no other "
            "nodes for them; nearest: leave it out, or one more pool without",
        )


def pod_count_problems(plan: Plan) -> Iterator[Problem]:
    """A node holds what GKE and the stack run on each, and a pod of work. With 16 pods it takes as
    many addresses as with 9."""
    stack = plan.stack
    if plan.autopilot or not stack.cluster.is_made:
        return
    for pool in plan.pools.values():
        preloads = sum(pool in it.pools for it in plan.images.preloads)
        ours = preloads + (pool.nccl(plan.facts) is not None)
        daemons = plan.facts.node_room.daemonsets.pods
        system = daemons.on(pool.kind, lustre=stack.lustre is not None)
        most = pool.config.max_pods_per_node
        if most < system + ours + 1:
            yield Problem(
                f"{pool.field}.max_pods_per_node",
                f"{most} pods leave no room for work beside {system + ours} or more that GKE and "
                "the stack run on each node; nearest: 16",
            )


def _label_problems(field: str, labels: Mapping[str, str]) -> Iterator[Problem]:
    each = [
        problem
        for key, value in labels.items()
        for problem in (
            *problem_of(f"{field}.{key}", partial(check_node_label_key, key), of_key=True),
            *problem_of(f"{field}.{key}", partial(check_node_label_value, key, value)),
        )
    ]
    yield from each or problem_of(field, partial(check_node_labels, labels))


def _taint_problems(field: str, taints: Sequence[NodeTaintArgs]) -> Iterator[Problem]:
    each = [
        problem
        for place, it in enumerate(taints)
        for problem in (
            *problem_of(f"{field}[{place}].key", partial(check_node_taint_key, it.key)),
            *problem_of(
                f"{field}[{place}].value", partial(check_node_taint_value, it.key, it.value)
            ),
        )
    ]
    yield from each or problem_of(field, partial(check_node_taints, taints))


RULES = (
    place_problems,
    mode_problems,
    node_problems,
    pod_count_problems,
    interface_mode_problems,
    driver_problems,
    gpu_claim_problems,
    nvlink_problems,
    late_problems,
)
