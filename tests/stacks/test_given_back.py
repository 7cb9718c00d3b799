"""After `up`, with what Google answers to it read once more, nothing is left to do; and what a
config takes away goes.

The sandbox answers by sandbox/data/given-back.yaml; it cannot show that Google does.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.kinds.pools import POOL
from tests.stacks.conftest import CANARY, Sandbox, by_tier, changed, left_to_do
from tests.stacks.test_machines import CONFIGS, sandbox_of

SandboxOf = Callable[[str], Sandbox]
TAKEN_AWAY: dict[str, Any] = {
    "gcp:region": "us-central1",
    "gcp:zone": "us-central1-a",
    "gke-ai-stacks:stack": {
        "name": "taken",
        "deletion_protection": False,
        "cluster": {
            "location": "zonal",
            "authorized_networks": [{"name": "office", "cidr": "203.0.113.0/24"}],
        },
        "pools": {"gpu": {"machine_type": "g2-standard-8", "nodes": 1}},
        "images": {"streaming": True},
    },
}


@pytest.mark.parametrize("stack", by_tier("dev"))
def test_nothing_is_left_to_do_once_google_has_answered(brought_up: SandboxOf, stack: str) -> None:
    assert left_to_do(brought_up(stack)) == {}


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_nothing_is_left_to_do_for_machines_once_google_has_answered(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUGGING_FACE_TOKEN", CANARY)
    sandbox = sandbox_of(CONFIGS[name], tmp_path)
    sandbox.succeed("up")
    assert left_to_do(sandbox) == {}


@pytest.mark.thorough
def test_who_may_reach_the_control_plane_is_everybody_again_once_no_ranges_are_named(
    tmp_path: Path,
) -> None:
    sandbox = sandbox_of({"config": TAKEN_AWAY}, tmp_path)
    sandbox.succeed("up")
    without = "cluster.authorized_networks="
    up = sandbox.succeed("up", without)
    assert changed(up) == {"gke-cluster": "update"}
    (cluster,) = sandbox.cloud.find(Cluster.token)
    ranges = cluster.inputs["masterAuthorizedNetworksConfig"]["cidrBlocks"]
    assert [it["cidrBlock"] for it in ranges] == ["0.0.0.0/0"]
    assert left_to_do(sandbox, without) == {}


@pytest.mark.thorough
def test_a_hardened_stack_has_nothing_left_to_do_and_is_plain_again_once_it_is_not_hardened(
    tmp_path: Path,
) -> None:
    config: dict[str, Any] = deepcopy(TAKEN_AWAY)
    config["gke-ai-stacks:stack"] |= {
        "hardened": True,
        "namespace": "work",
        "cmek": "projects/my-keys/locations/us-central1/keyRings/ring/cryptoKeys/key",
    }
    sandbox = sandbox_of({"config": config}, tmp_path)
    sandbox.succeed("up")
    assert left_to_do(sandbox) == {}
    plain = ("hardened=", "cmek=")
    sandbox.succeed("up", *plain)
    (cluster,) = sandbox.cloud.find(Cluster.token)
    assert cluster.inputs["binaryAuthorization"] == {"evaluationMode": "DISABLED"}
    assert cluster.inputs["enableIntranodeVisibility"] is False
    assert cluster.inputs["databaseEncryption"] == {"state": "DECRYPTED"}
    (pool,) = (it for it in sandbox.cloud.find(POOL) if it["name"] == "gpu-pool")
    assert "bootDiskKmsKey" not in pool["nodeConfig"]
    assert left_to_do(sandbox, *plain) == {}


@pytest.mark.thorough
def test_a_pool_that_loses_the_interfaces_that_gke_manages_is_made_anew(tmp_path: Path) -> None:
    """The provider would leave their profile as it is, and show nothing."""
    config: dict[str, Any] = {**deepcopy(TAKEN_AWAY), "gcp:zone": "us-central1-b"}
    pool = {"machine_type": "a4-highgpu-8g", "nodes": 1, "capacity": {"mode": "spot"}}
    config["gke-ai-stacks:stack"]["pools"] = {"gpu": {**pool, "interfaces": "managed"}}
    sandbox = sandbox_of({"config": config}, tmp_path)
    sandbox.succeed("up")
    without = "pools.gpu.interfaces=none"
    up = sandbox.succeed("up", without)
    assert changed(up)["gpu-pool"].endswith("replacement")
    (made,) = (it for it in sandbox.cloud.find(POOL) if it["name"] == "gpu-pool")
    assert "networkConfig" not in made.inputs
    assert left_to_do(sandbox, without) == {}
