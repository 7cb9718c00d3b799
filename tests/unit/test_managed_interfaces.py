"""The preset b200-lustre with networks that GKE makes, against those of its own."""

from typing import Any

import pytest

from stacks.config import validate
from tests.conftest import Recording, Register, changed, stack_config
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


def test_on_autopilot_a_class_makes_the_machines_and_their_networks(register: Register) -> None:
    own = built(register, "verl-b200-autopilot")
    managed = built(register, "verl-b200-autopilot", pools__gpu__interfaces="managed")
    made = {it.name for it in managed.resources if it.custom}
    assert made - {it.name for it in own.resources} == {"gpu-class", "rdma-claims-8-template"}
    assert not managed.of_type("GKENetworkParamSet")
    assert [it.name for it in managed.of_type("compute/network:Network")] == ["network-vpc"]
    assert managed.named("gpu-class").inputs["spec"] == {
        "nodePoolAutoCreation": {"enabled": True},
        "nodePoolConfig": {"dra": {"networking": {"enabled": True}}},
        "priorities": [
            {
                "machineType": "a4-highgpu-8g",
                "gpu": {"type": "nvidia-b200", "count": 8, "driverVersion": "latest"},
                "spot": True,
                "location": {"zones": ["us-central1-b"]},
                "acceleratorNetworkProfile": "auto",
            }
        ],
        "whenUnsatisfiable": "DoNotScaleUp",
    }
    head, worker = pods_of(managed)
    class_name = managed.named("gpu-class").inputs["metadata"]["name"]
    assert worker["spec"]["nodeSelector"] == {"cloud.google.com/compute-class": class_name}
    assert worker["spec"]["resourceClaims"][0]["resourceClaimTemplateName"] == "eight-mrdma"
    assert "annotations" not in worker["metadata"] or not any(
        "networking.gke.io" in it for it in worker["metadata"]["annotations"]
    )
    assert "resourceClaims" not in head["spec"]
    assert {"gpu-class", "rdma-claims-8-template", "nccl-daemon-set"} <= before_ray(managed)


def test_on_autopilot_it_is_the_default_where_gke_has_it(register: Register) -> None:
    def first(version: str | None) -> str:
        plan = validate(
            changed(
                stack_config("verl-b200-autopilot"),
                pools__gpu__interfaces=None,
                cluster__version=version,
            )
        )
        return plan.pools["gpu"].interface_mode

    assert [first(it) for it in (None, "1.35.2-gke.1842000", "1.35.2-gke.1841999")] == [
        *("managed", "managed", "own")
    ]
