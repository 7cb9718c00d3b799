"""What cannot become what the config asks for is refused, by what is on record of it."""

from typing import Any

import pytest

from stacks.config import ConfigError, validate
from stacks.immutable import check
from stacks.on_record import Record
from tests.conftest import changed
from tests.programs import registered
from tests.unit.effect_stacks import BASES
from tests.unit.test_config_effects import SECRETS

URN = "urn:pulumi:b200-lustre::gke-ai-stacks::gcp:lustre/instance:Instance::lustre-instance"


def record(gib: int, speed: int = 1000, name: str = "rl-demo-gpu-lustre") -> Record:
    # As the real provider has it: numbers of 64 bits are texts.
    outputs = {
        "instanceId": name,
        "capacityGib": str(gib),
        "perUnitStorageThroughput": str(speed),
    }
    return Record({URN: {"type": "gcp:lustre/instance:Instance", "outputs": outputs}})


def test_an_instance_does_not_shrink(b200: dict[str, Any]) -> None:
    plan = validate(b200, secrets_set=SECRETS)
    with pytest.raises(
        ConfigError, match=r"lustre.capacity_gib: 9000 .*nearest: 18000, or another"
    ):
        check(plan, record(18000))


@pytest.mark.parametrize(
    "there",
    [record(9000), record(18000, speed=500), record(18000, name="other"), Record()],
    ids=["of the same size", "of another tier", "of another name", "not there"],
)
def test_what_is_made_anew_may_be_smaller(b200: dict[str, Any], there: Record) -> None:
    check(validate(b200, secrets_set=SECRETS), there)


def test_an_instance_grows(b200: dict[str, Any]) -> None:
    check(validate(changed(b200, lustre__capacity_gib=18000), secrets_set=SECRETS), record(9000))


def test_a_topology_and_what_a_flavor_has_of_it_stay() -> None:
    queued = BASES["queues"]
    before = registered(validate(queued, secrets_set=SECRETS), stack="lab")
    there = Record({it.urn: {"type": it.type, "outputs": it.inputs} for it in before.resources})
    levels = ["cloud.google.com/gce-topology-block"]
    after = changed(queued, queues__topologies__nodes__levels=levels)
    check(validate(queued, secrets_set=SECRETS), there)
    with pytest.raises(ConfigError, match=r"topologies.nodes.levels: .*nearest: a topology by ano"):
        check(validate(after, secrets_set=SECRETS), there)
    after = changed(queued, queues__flavors__spot__topology="blocks")
    with pytest.raises(ConfigError, match=r"flavors.spot.topology: .*nearest: a flavor by another"):
        check(validate(after, secrets_set=SECRETS), there)
