"""What presets register is what stands in `tests/goldens`, with every input and option; of stacks
that are near one, what differs."""

import pytest

from tests.unit import golden_effects, goldens
from tests.unit.golden_variants import PRESETS, VARIANTS


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_registers_what_is_recorded(preset: str) -> None:
    text = goldens.file_of(preset).read_text(encoding="utf-8")
    made = goldens.record_of_preset(preset)
    before = goldens.leaves_by_name(goldens.read(text))
    assert goldens.differing(before, goldens.leaves_by_name(made)) == []
    assert goldens.read(text) == made


@pytest.mark.parametrize("name", VARIANTS)
def test_what_is_near_a_preset_differs_as_recorded(name: str) -> None:
    assert goldens.unlike(name, goldens.variation(name), goldens.recorded_variants()[name]) == []


def test_each_record_is_of_a_stack() -> None:
    assert list(goldens.recorded_variants()) == list(VARIANTS)
    of_changes = {goldens.OF_VARIANTS, golden_effects.FILE}
    assert {*goldens.FOLDER.iterdir()} == {*map(goldens.file_of, PRESETS), *of_changes}
