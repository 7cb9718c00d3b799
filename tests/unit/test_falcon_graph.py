"""Stacks with H4D, as registered; that its pods speak RDMA no test here can prove."""

from typing import Any

from stacks.config import validate
from tests.conftest import Recording, changed
from tests.parts.machine_samples import FALCON
from tests.programs import registered

A3_ULTRA = {"machine_type": "a3-ultragpu-8g", "nodes": 1, "capacity": {"mode": "spot"}}
BESIDE: dict[str, Any] = {"zone": "us-central1-b", "pools__gpu": A3_ULTRA}


def made(**values: Any) -> Recording:
    return registered(validate(changed(FALCON, **values)))


def networks(found: Recording) -> dict[str, str]:
    """The profiles of the VPCs that have one, by name."""
    vpcs = found.of_type("compute/network:Network")
    profiles = {it.name: it.inputs.get("networkProfile") for it in vpcs}
    return {name: it.rpartition("/")[2] for name, it in profiles.items() if it}


def attached(found: Recording, pool: str) -> list[str]:
    config = found.named(f"{pool}-pool").inputs.get("networkConfig", {})
    return [it["subnetwork"] for it in config.get("additionalNodeNetworkConfigs", ())]


def test_the_clusters_own_pods_are_elsewhere() -> None:
    assert "cpu-pool" in made().names()
    own = made(pools__small={"machine_type": "e2-standard-8", "nodes": 1})
    assert "cpu-pool" not in own.names()


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
