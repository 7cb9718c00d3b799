"""Stacks with H4D, as registered; that its pods speak RDMA no test here can prove."""

import json
from typing import Any

from stacks.config import validate
from tests.conftest import Recording, changed
from tests.parts.machine_samples import FALCON
from tests.programs import registered

A3_ULTRA = {"machine_type": "a3-ultragpu-8g", "nodes": 1, "capacity": {"mode": "spot"}}
BESIDE: dict[str, Any] = {"zone": "us-central1-b", "pools__gpu": A3_ULTRA}
ANNOTATION = "networking.gke.io/interfaces"


def made(**values: Any) -> Recording:
    return registered(validate(changed(FALCON, **values)))


def networks(found: Recording) -> dict[str, str]:
    """The profiles of the VPCs that have one, by name."""
    vpcs = found.of_type("compute/network:Network")
    profiles = {it.name: it.inputs.get("networkProfile") for it in vpcs}
    return {name: it.rpartition("/")[2] for name, it in profiles.items() if it}


def pods(found: Recording) -> dict[str, Any]:
    (job,) = found.one(":JobSet").inputs["spec"]["replicatedJobs"]
    return job["template"]["spec"]["template"]


def attached(found: Recording, pool: str) -> list[str]:
    config = found.named(f"{pool}-pool").inputs.get("networkConfig", {})
    return [it["subnetwork"] for it in config.get("additionalNodeNetworkConfigs", ())]


def test_its_interface_is_in_a_falcon_network_that_pods_of_one_script_ask_for() -> None:
    found = made()
    assert networks(found) == {"rdma-vpc": "us-central1-a-vpc-falcon"}
    assert attached(found, "h4d") == ["hpc-irdma-0-sub"]
    assert found.named("gke-cluster").inputs["enableMultiNetworking"] is True
    parameters = found.named("interfaces-parameters-irdma-0").inputs
    assert parameters["spec"]["deviceMode"] == "RDMA"
    pod = pods(found)
    assert json.loads(pod["metadata"]["annotations"][ANNOTATION]) == [
        {"interfaceName": "eth0", "network": "default"},
        {"interfaceName": "eth1", "network": "irdma-0"},
    ]
    assert pod["spec"]["nodeSelector"] == {"cloud.google.com/gke-nodepool": "h4d-pool"}


def test_its_machines_may_stand_close_together() -> None:
    placed = made(pools__h4d__compact_placement=True).named("h4d-pool").inputs
    assert placed["placementPolicy"] == {"type": "COMPACT"}


def test_nothing_of_nccl_comes_with_it() -> None:
    found = made()
    assert not found.of_type(":DaemonSet")
    assert "initContainers" not in pods(found)["spec"]


def test_a_pod_that_is_alone_in_its_job_leaves_the_interface_to_others() -> None:
    assert ANNOTATION not in pods(made(jobs__devices__nodes=1))["metadata"]["annotations"]


def test_the_clusters_own_pods_are_elsewhere() -> None:
    assert made().named("cpu-pool").inputs["nodeConfig"]["machineType"] == "e2-standard-4"
    own = made(pools__small={"machine_type": "e2-standard-8", "nodes": 1})
    assert "cpu-pool" not in own.names()


def test_without_interfaces_it_is_a_plain_machine() -> None:
    found = made(pools__h4d__interfaces="none")
    assert networks(found) == {}
    assert attached(found, "h4d") == []
    assert "enableMultiNetworking" not in found.named("gke-cluster").inputs
    assert ANNOTATION not in pods(found)["metadata"]["annotations"]


def test_beside_interfaces_that_are_claimed_it_has_none() -> None:
    found = made(**BESIDE)
    assert attached(found, "h4d") == []
    assert networks(found) == {}


def test_asked_for_it_takes_the_gpus_into_networks_of_the_stacks_own() -> None:
    found = made(**BESIDE, pools__h4d__interfaces="own")
    assert networks(found) == {
        "rdma-vpc": "us-central1-b-vpc-roce",
        "rdma-h4d-vpc": "us-central1-b-vpc-falcon",
    }
    assert attached(found, "h4d") == ["hpc-h4d-irdma-0-h4d-sub"]
    assert len(attached(found, "gpu")) == 9
