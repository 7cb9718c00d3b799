"""What follows from a right config of a stack with TPUs."""

from typing import Any

import pytest

from stacks.config import validate
from tests.conftest import changed, stack_config
from tests.parts.preset_samples import TPU_AUTOPILOT

FIXED, AUTOPILOT = stack_config("tpu-multislice"), TPU_AUTOPILOT


@pytest.mark.parametrize("config", [FIXED, AUTOPILOT])
def test_a_stack_that_needs_a_version_and_names_none_has_the_locks(config: dict[str, Any]) -> None:
    def version(**values: Any) -> str:
        return str(validate(changed(config, **values)).gke_version)

    assert version() == "1.35"
    assert version(cluster__version="1.36") == "1.36"
    # Ahead of the other channels, and soon without their versions.
    assert version(cluster__release_channel="RAPID") == "None"


def test_slices_and_flags_may_come_as_text_as_the_cli_sets_them() -> None:
    flags = [{"name": "xla_a", "value": "true"}, {"name": "xla_b", "value": "3"}]
    config = validate(
        changed(FIXED, **{"pools__v6e-16__slices": "3", "pools__v6e-16__libtpu_flags": flags})
    )
    slices = config.pools["v6e-16"].config
    assert slices.slices == (0, 1, 2)
    assert [it.argument for it in slices.libtpu_flags or ()] == ["--xla_a=true", "--xla_b=3"]
