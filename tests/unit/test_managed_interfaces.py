"""The preset b200-lustre with networks that GKE makes, against those of its own."""

from typing import Any

import pytest

from tests.conftest import Recording, Register
from tests.unit.stack_graphs import before_ray, built, pods_of
from tests.unit.test_b200_lustre_graph import INTERFACES, OWN, Up


@pytest.fixture
def up(register: Register) -> Up:
    def run(*, keys: tuple[str, ...] = ("hugging_face_token",), **values: Any) -> Recording:
        return built(register, "b200-lustre", keys=keys, **values)

    return run


def test_its_own_networks_are_twenty_nine_resources_in_place_of_the_template(up: Up) -> None:
    managed = {it.name for it in up().resources if it.custom}
    assert {it.name for it in up(**OWN).resources if it.custom} ^ managed == {
        *("gvnic-1-vpc", "gvnic-1-subnet", "gvnic-1-internal", "rdma-vpc"),
        *(f"rdma-subnet-rdma-{number}" for number in range(8)),
        *(f"interfaces-network-{name}" for name in INTERFACES),
        *(f"interfaces-parameters-{name}" for name in INTERFACES),
        "rdma-claims-8-template",
    }


def test_gke_makes_the_networks_of_which_workers_claim_all_rdma_interfaces(up: Up) -> None:
    made = up()
    assert made.named("gpu-pool").inputs["networkConfig"] == {
        "enablePrivateNodes": True,
        "acceleratorNetworkProfile": "auto",
    }
    assert "enableMultiNetworking" not in made.named("gke-cluster").inputs
    assert made.named("gke-cluster").inputs["datapathProvider"] == "ADVANCED_DATAPATH"
    head, worker = pods_of(made)
    claims = [{"name": "mrdma", "resourceClaimTemplateName": "eight-mrdma"}]
    assert worker["spec"]["resourceClaims"] == claims
    assert worker["spec"]["containers"][0]["resources"]["claims"] == [{"name": "mrdma"}]
    assert "resourceClaims" not in head["spec"]
    (request,) = made.named("rdma-claims-8-template").inputs["spec"]["spec"]["devices"]["requests"]
    assert request["exactly"] == {
        "deviceClassName": "mrdma.google.com",
        "allocationMode": "ExactCount",
        "count": 8,
    }
    assert {"rdma-claims-8-template", "nccl-daemon-set"} <= before_ray(made)
