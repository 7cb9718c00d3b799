"""What Google lets grow alone is not asked to shrink."""

from typing import Any

import pytest

from stacks.config import ConfigError, validate
from stacks.on_record import Record
from stacks.only_grows import check
from tests.conftest import changed
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
