"""Who lets in the servers of a Managed Lustre instance that exists already.

It shows nothing of what they are let in by; tests/unit/test_sandbox_lustre_mounts.py does.
"""

from pathlib import Path
from typing import Any

import pytest

from components.base.labels import stack_labels
from tests.conftest import changed
from tests.parts.existing_samples import (
    IN_CLUSTER,
    ON_NETWORK,
    ON_PLATFORM,
    Simulated,
    built,
    parts,
)
from tests.stacks.on_existing import HOST, VPC


@pytest.fixture
def simulated(tmp_path: Path) -> Simulated:
    return Simulated(tmp_path)


@pytest.mark.parametrize("config", [ON_NETWORK, IN_CLUSTER], ids=lambda it: it["name"])
def test_servers_of_an_instance_are_let_in_from_the_range_that_is_named_before_pods_mount_it(
    simulated: Simulated, config: dict[str, Any]
) -> None:
    made = built(changed(config, network__peering="10.10.0.0/22"), simulated)
    rule = made.named("lustre-access-firewall").inputs
    assert (rule["project"], rule["network"]) == (HOST, VPC.id)
    assert rule["name"] == f"{config['name']}-fast-lustre"
    assert rule["sourceRanges"] == ["10.10.0.0/22"]
    assert rule["allows"] == [{"protocol": "tcp", "ports": ["988"]}]
    assert "lustre-access-firewall" in made.waits_for("volume-volume")
    assert not made.of_type(":lustre/instance:Instance")


@pytest.mark.parametrize(
    ("config", "labels", "told"),
    [(ON_NETWORK, {}, True), (ON_PLATFORM, stack_labels({}, "platform"), False)],
    ids=["others", "platforms"],
)
def test_servers_that_nobody_is_known_to_let_in_are_warned_of_before_the_first_resource(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    config: dict[str, Any],
    labels: dict[str, str],
    told: bool,
) -> None:
    said: list[str] = []
    monkeypatch.setattr("pulumi.log.warn", said.append)
    made = built(config, Simulated(tmp_path, parts("lustre/instance:Instance", labels=labels)))
    of_servers = [it for it in said if it.startswith("stack.network.peering: ")]
    assert [" in on tcp:988, or nothing mounts" in it for it in of_servers] == [True] * told
    assert "lustre-access-firewall" not in {it.name for it in made.resources}
