"""The simulated cloud's rules for reservations, spot, flex start and queues; what they refuse
stands in cloud_refusals.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from catalog import Catalog
from cli.errors import UserError
from sandbox.cloud.kinds import KINDS
from sandbox.cloud.reservations import Reservations
from sandbox.cloud.resource import Resource
from sandbox.faults import Faults, Stockout
from sandbox.gke.nodes import nodes_of
from tests.unit.simulated_project import APIS, POOL, Project

A4 = "a4-highgpu-8g"
ZONE = "us-central1-b"
KEY = "compute.googleapis.com/reservation-name"
ANY = {"consumeReservationType": "ANY_RESERVATION"}
UP_TO_4 = {"totalMinNodeCount": 0, "totalMaxNodeCount": 4}


def cluster_of(project: Project, *zones: str) -> Resource:
    network = project.network()
    subnet = project.subnet(network, region="us-central1")
    places = list(zones or (ZONE,))
    return project.cluster(network, subnet, location="us-central1", nodeLocations=places)


def pool(
    project: Project, cluster: Resource, node: dict[str, Any], machine: str = A4, **inputs: Any
) -> Resource:
    return project.pool(cluster, machine, nodeConfig={"machineType": machine, **node}, **inputs)


def from_reservation(*values: str, key: str = KEY) -> dict[str, Any]:
    kind = "SPECIFIC_RESERVATION"
    return {
        "reservationAffinity": {"consumeReservationType": kind, "key": key, "values": list(values)}
    }


def test_the_given_reservations_are_of_machines_that_their_zones_have_with_rdma() -> None:
    catalog = Catalog.load()
    given = Reservations.load().reservations
    assert set(given) == {"verl-b200", "verl-h200"}
    for reservation in given.values():
        catalog.check_offer(reservation.zone, reservation.machine_type)
        assert catalog.roce_profile(reservation.zone)


def test_reservations_can_be_given_in_a_file_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "reservations.yaml"
    file.write_text(
        f"reservations: {{mine: {{zone: {ZONE}, machine_type: {A4}, count: 2}}}}\n"
        "taken_bucket_names: [theirs]\n"
    )
    loaded = Reservations.load(file)
    assert loaded.reservations["mine"].count == 2
    assert loaded.taken_bucket_names == {"theirs"}


def test_a_project_with_a_service_that_uses_no_keys_is_refused_with_one_that_does() -> None:
    with pytest.raises(ValidationError, match=r'"storge" is no service .* nearest: storage'):
        Reservations(keys={"key": frozenset({"storge"})})


@pytest.mark.parametrize("text", ["reservations: {mine: {zone: a}}", "reservation: {}", "["])
def test_a_file_that_says_nothing_sensible_is_refused_without_a_traceback(
    tmp_path: Path, text: str
) -> None:
    file = tmp_path / "reservations.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match=r"^--project: "):
        Reservations.load(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nothing.yaml: there is no such file$"):
        Reservations.load(tmp_path / "nothing.yaml")


@pytest.mark.parametrize(
    "value",
    [
        "verl-b200",
        "projects/p1/reservations/verl-b200",
        "verl-b200/reservationBlocks/verl-b200-block-1",
        "projects/p1/reservations/verl-b200/reservationBlocks/verl-b200-block-1"
        "/reservationSubBlocks/verl-b200-block-1-sub-2",
    ],
)
def test_a_pool_is_bound_to_a_reservation_in_each_form_and_its_nodes_say_so(
    project: Project, value: str
) -> None:
    cluster = cluster_of(project)
    pool(project, cluster, from_reservation(value))
    [node] = nodes_of(cluster, project.cloud)
    assert node.labels["cloud.google.com/reservation-name"] == "verl-b200"


@pytest.mark.parametrize(
    "node", [{}, {"spot": True}, {"reservationAffinity": ANY}, from_reservation("verl-b200")]
)
def test_a_stockout_stops_every_pool_but_one_with_a_reservation(
    tmp_path: Path, node: dict[str, Any]
) -> None:
    rule = Stockout(kind="stockout", machine_type=A4, zone=ZONE)
    project = Project(tmp_path, Faults(rules=(rule,)))
    project.enable(*APIS)
    made = pool(project, cluster_of(project), node, initialNodeCount=1)
    reserved = node == from_reservation("verl-b200")
    assert (project.cloud.half_made(made) is None) == reserved


def test_an_update_asks_for_more_machines_than_there_are_and_keeps_those_that_came(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path, Faults())
    project.enable(*APIS)
    cluster = cluster_of(project)
    made = pool(project, cluster, {}, nodeCount=1)
    rule = Stockout(kind="stockout", machine_type=A4, zone=ZONE, machines=2)
    project.cloud.faults = Faults(rules=(rule,))
    same = project.cloud.update(POOL, made.id, {**made.inputs, "maxPodsPerNode": 64})
    assert project.cloud.half_changed(made.inputs, same) is None
    assert project.cloud.change_minutes(POOL, made.id, {**made.inputs, "nodeCount": 2}) is None
    assert project.cloud.change_minutes(POOL, made.id, {**made.inputs, "nodeCount": 3}) == 36
    grown = project.cloud.update(POOL, made.id, {**made.inputs, "nodeCount": 3})
    error = project.cloud.half_changed(same.inputs, grown)
    assert error is not None
    assert "Expected 3, running 2, transitioning 1" in error.message
    assert len(list(nodes_of(cluster, project.cloud))) == 2


def test_a_pool_that_scales_grows_without_a_machine(tmp_path: Path) -> None:
    project = Project(tmp_path, Faults())
    project.enable(*APIS)
    made = pool(project, cluster_of(project), {}, autoscaling=UP_TO_4, initialNodeCount=1)
    rule = Stockout(kind="stockout", machine_type=A4, zone=ZONE)
    project.cloud.faults = Faults(rules=(rule,))
    more = {**made.inputs, "autoscaling": {"totalMinNodeCount": 3, "totalMaxNodeCount": 8}}
    assert project.cloud.change_minutes(POOL, made.id, more) is None
    grown = project.cloud.update(POOL, made.id, more)
    assert project.cloud.half_changed(made.inputs, grown) is None


def test_a_size_that_is_on_record_is_not_set_again() -> None:
    state, there = {"nodeCount": 1}, {"nodeCount": 3}
    assert KINDS[POOL].sent(state, {"nodeCount": 1}, there) == {"nodeCount": 3}
    assert KINDS[POOL].sent(state, {"nodeCount": 2}, there) == {"nodeCount": 2}
    assert KINDS[POOL].sent({}, {"autoscaling": UP_TO_4}, {}) == {"autoscaling": UP_TO_4}
