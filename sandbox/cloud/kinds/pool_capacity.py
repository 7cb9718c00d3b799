"""The rules for where a node pool's machines come from: on demand, spot, reservation, flex start,
queue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from catalog import GkeVersion, MachineType
from catalog.pool_nodes import wanted_nodes
from sandbox.cloud.kinds.pools import has_tpus, other_pools, pool_zones
from sandbox.cloud.reservations import Reservation, ReservationReference
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError
from sandbox.faults import Stockout

RESERVATION_KEY = "compute.googleapis.com/reservation-name"
# GKE documentation, "About flex-start provisioning mode", read 2026-11-23: seven days.
FLEX_SECONDS = 7 * 86_400


def check_capacity(
    pool_id: str, inputs: Inputs, cluster: Resource, machine: MachineType, cloud: View
) -> None:
    """Refuse ways that do not go together, and a pool that its reservation has no room for."""
    zones = pool_zones(inputs, cluster, cloud)
    for message in (
        *_conflicts(inputs, machine),
        *_notice_conflicts(inputs, cluster, cloud),
        *_placement_conflicts(inputs, machine, zones),
    ):
        raise CloudError("INVALID_ARGUMENT", message)
    if _affinity(inputs) == "SPECIFIC_RESERVATION":
        _check_reservation(pool_id, inputs, cluster, machine, cloud)


def stockout_of(
    inputs: Inputs, cluster: Resource, machine: MachineType, cloud: View
) -> Stockout | None:
    """The rule by which machines for the pool are missing; those of a reservation are there."""
    if _affinity(inputs) == "SPECIFIC_RESERVATION":
        return None
    zones = pool_zones(inputs, cluster, cloud)
    rules = (cloud.stockout(machine.name, zone) for zone in zones)
    return next((rule for rule in rules if rule is not None), None)


def no_stock(zone: str, machine: MachineType) -> str:
    return f"the zone {zone} does not have enough {machine.name} available"


def reservation_of(inputs: Inputs) -> ReservationReference | None:
    """The reservation that the pool is bound to; None without one, or with one that is no name."""
    affinity = (inputs.get("nodeConfig") or {}).get("reservationAffinity") or {}
    values = affinity.get("values") or []
    if _affinity(inputs) != "SPECIFIC_RESERVATION" or len(values) != 1:
        return None
    return ReservationReference.parse(values[0])


def is_queued(inputs: Inputs) -> bool:
    return bool((inputs.get("queuedProvisioning") or {}).get("enabled"))


def _affinity(inputs: Inputs) -> str:
    affinity = (inputs.get("nodeConfig") or {}).get("reservationAffinity") or {}
    return affinity.get("consumeReservationType") or "UNSPECIFIED"


def _conflicts(inputs: Inputs, machine: MachineType) -> Iterator[str]:
    node = inputs.get("nodeConfig") or {}
    spot, flex = bool(node.get("spot")), bool(node.get("flexStart"))
    reserved = _affinity(inputs) in ("SPECIFIC_RESERVATION", "ANY_RESERVATION")
    if spot and reserved:
        yield "spot does not go with a reservation; nearest: consumeReservationType NO_RESERVATION"
    if spot and (flex or is_queued(inputs)):
        yield "spot does not go with flexStart or queuedProvisioning; nearest: spot false"
    if flex:
        yield from _flex_conflicts(inputs, reserved)
    if is_queued(inputs):
        yield from _queue_conflicts(inputs, machine)
    yield from _duration_conflicts(node.get("maxRunDuration"), flex or is_queued(inputs))


def _notice_conflicts(inputs: Inputs, cluster: Resource, cloud: View) -> Iterator[str]:
    """How long a node has to end is of spot machines alone (pulumi-gcp 10.2.0,
    NodePoolNodeConfigKubeletConfig), 0, 30 or 120 seconds (GoogleCloudPlatform/compute-class-api
    api/cloud.google.com/v1/types.go, KubeletConfig, 8067eaeb), and another than GKE's own of newer
    control planes alone (GKE documentation, "Spot VMs", read 2026-11-28)."""
    node = inputs.get("nodeConfig") or {}
    kubelet = node.get("kubeletConfig") or {}
    notice, seconds = cloud.catalog.spot_notice, kubelet.get("shutdownGracePeriodSeconds")
    if seconds is None:
        return
    if not node.get("spot"):
        yield "shutdownGracePeriodSeconds is only supported for Spot"
    if seconds not in (0, notice.default, notice.longest):
        yield f"shutdownGracePeriodSeconds is 0, {notice.default} or {notice.longest}"
    if (kubelet.get("shutdownGracePeriodCriticalPodsSeconds") or 0) > seconds:
        yield (
            "shutdownGracePeriodCriticalPodsSeconds must be less than or equal to "
            "shutdownGracePeriodSeconds"
        )
    version = GkeVersion.parse(cluster.outputs["masterVersion"])
    if not version.meets(least := cloud.catalog.feature("spot_notice").minimum_gke):
        yield f"shutdownGracePeriodSeconds needs GKE {least} or newer"


def _flex_conflicts(inputs: Inputs, reserved: bool) -> Iterator[str]:
    """Preconditions of GoogleCloudPlatform/cluster-toolkit
    modules/compute/gke-node-pool/main.tf:384-437, 10470803, which has those of spot and of compact
    placement, too."""
    if reserved:
        yield (
            "flexStart does not go with a reservation; nearest: consumeReservationType "
            "NO_RESERVATION"
        )
    if (inputs.get("management") or {}).get("autoRepair"):
        yield "flexStart does not go with auto-repair; nearest: management.autoRepair false"
    if inputs.get("nodeCount") is not None:
        yield "flexStart does not go with a fixed nodeCount; nearest: autoscaling"


def _queue_conflicts(inputs: Inputs, machine: MachineType) -> Iterator[str]:
    """The first: hashicorp/terraform-provider-google issue 18341. The others: as for flex start."""
    if _affinity(inputs) != "NO_RESERVATION":
        yield (
            "Queued_provisioning requires reservation affinity to be set to none; nearest: "
            "consumeReservationType NO_RESERVATION"
        )
    if not inputs.get("autoscaling"):
        yield "queuedProvisioning needs autoscaling; nearest: autoscaling.totalMinNodeCount 0"
    if wanted_nodes(inputs) > 0:
        yield (
            f"queuedProvisioning starts with no node, not {wanted_nodes(inputs)}; nearest: "
            "initialNodeCount 0 and an autoscaling minimum of 0"
        )
    compact = (inputs.get("placementPolicy") or {}).get("type") == "COMPACT"
    # A TPU slice of several hosts is always placed compactly.
    if compact and not has_tpus(machine):
        yield "queuedProvisioning does not go with placementPolicy COMPACT; nearest: leave it out"


def _duration_conflicts(text: str | None, limited: bool) -> Iterator[str]:
    if text is None:
        return
    # hashicorp/terraform-provider-google-beta node_config.go:1487, 93c65b2d.
    if not re.fullmatch(r"\d+s", text):
        yield f'maxRunDuration "{text}" must be seconds followed by "s"; nearest: {FLEX_SECONDS}s'
    elif limited and int(text[:-1]) > FLEX_SECONDS:
        yield f"maxRunDuration {text} is more than seven days; nearest: {FLEX_SECONDS}s"


def _placement_conflicts(inputs: Inputs, machine: MachineType, zones: list[str]) -> Iterator[str]:
    if (inputs.get("placementPolicy") or {}).get("type") != "COMPACT":
        return
    if not machine.compact_placement:
        yield f"{machine.name} has no compact placement; nearest: leave placementPolicy out"
    # NVIDIA/JAX-Toolbox pull request 1609 of 2025-08-07. A TPU slice has no other placement.
    placed_by_others = not machine.speaks_rdma and not has_tpus(machine)
    if _affinity(inputs) == "SPECIFIC_RESERVATION" and placed_by_others:
        yield (
            "To consume reservation with placement policy, the instance has to specify the same "
            "resource policy as the reservation; nearest: leave placementPolicy out"
        )
    if len(zones) > 1:
        yield (
            f"compact placement is in one zone, not {', '.join(zones)}; nearest: nodeLocations "
            f"[{zones[0]}]"
        )


def _check_reservation(
    pool_id: str, inputs: Inputs, cluster: Resource, machine: MachineType, cloud: View
) -> None:
    affinity = inputs["nodeConfig"]["reservationAffinity"]
    reference = reservation_of(inputs)
    # hashicorp/terraform-provider-google-beta node_config.go:610, 93c65b2d.
    if reference is None or affinity.get("key") != RESERVATION_KEY:
        raise CloudError(
            "INVALID_ARGUMENT",
            f"SPECIFIC_RESERVATION needs key {RESERVATION_KEY} and one value NAME or projects/"
            "PROJECT/reservations/NAME, with /reservationBlocks/BLOCK after it for one block",
        )
    reservation = _find_reservation(reference, cluster, cloud)
    zones = pool_zones(inputs, cluster, cloud)
    # GoogleCloudPlatform/cluster-toolkit modules/compute/gke-node-pool/main.tf:351-366 and
    # reservation_definitions.tf, 10470803.
    if zones != [reservation.zone]:
        raise CloudError(
            "INVALID_ARGUMENT",
            f'reservation "{reference.name}" is in zone {reservation.zone}, and the pool is in '
            f"{', '.join(zones)}; nearest: nodeLocations [{reservation.zone}]",
        )
    if machine.name != reservation.machine_type:
        raise CloudError(
            "INVALID_ARGUMENT",
            f'reservation "{reference.name}" holds {reservation.machine_type}, not {machine.name}; '
            f"nearest: machineType {reservation.machine_type}",
        )
    _check_room(pool_id, inputs, reference, reservation, cloud)


def _find_reservation(
    reference: ReservationReference, cluster: Resource, cloud: View
) -> Reservation:
    # GoogleCloudPlatform/cluster-toolkit pull request 5043.
    own = cluster["project"]
    owned = {
        (reservation.project or own, name): reservation
        for name, reservation in cloud.reservations.reservations.items()
    }
    found = owned.get((reference.project or own, reference.name))
    if found is None:
        known = ", ".join(f"projects/{owner}/reservations/{name}" for owner, name in sorted(owned))
        raise CloudError(
            "NOT_FOUND",
            f'reservation "{reference.name}" was not found in project {reference.project or own}; '
            f"the sandbox's project has: {known or 'none'}; others with --project FILE",
        )
    if reference.block is not None and reference.block not in found.blocks:
        raise CloudError(
            "NOT_FOUND",
            f'block "{reference.block}" was not found in reservation "{reference.name}", which '
            f"has: {', '.join(found.blocks) or 'none'}",
        )
    if reference.sub_block is not None:
        assert reference.block is not None, "a sub-block is parsed after its block"
        have = found.blocks[reference.block]
        if reference.sub_block not in have:
            raise CloudError(
                "NOT_FOUND",
                f'sub-block "{reference.sub_block}" was not found in block "{reference.block}", '
                f"which has: {', '.join(have) or 'none'}",
            )
    return found


def _check_room(
    pool_id: str,
    inputs: Inputs,
    reference: ReservationReference,
    reservation: Reservation,
    cloud: View,
) -> None:
    taken = sum(
        wanted_nodes(pool.inputs)
        for pool in other_pools(cloud, pool_id)
        if (bound := reservation_of(pool.inputs)) and bound.name == reference.name
    )
    wanted = wanted_nodes(inputs)
    room = cloud.catalog.machine(reservation.machine_type).sub_block_machines
    if reference.sub_block is not None and room is not None:
        others = sum(
            wanted_nodes(pool.inputs)
            for pool in other_pools(cloud, pool_id)
            if (bound := reservation_of(pool.inputs)) and bound == reference
        )
        if others + wanted > room:
            raise CloudError(
                "RESOURCE_POOL_EXHAUSTED",
                f'sub-block "{reference.sub_block}" is insufficient for node pool '
                f'"{inputs["name"]}": required {wanted}, and {room - others} of its {room} '
                "machines are free",
            )
    short = taken + wanted - reservation.count
    # GoogleCloudPlatform/gsutil issue 1000.
    if short > 0:
        raise CloudError(
            "RESOURCE_POOL_EXHAUSTED",
            "Reservation does not have enough resources for the request: specific reservation "
            f'"{reference.name}" is insufficient for node pool "{inputs["name"]}" at zone '
            f'"{reservation.zone}": required {wanted} and short of {short} VM count of machine '
            f"type {reservation.machine_type}; nearest: {reservation.count - taken}",
        )
