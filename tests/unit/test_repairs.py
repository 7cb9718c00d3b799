"""What is wrong beside the first mistakes, where little can be put right."""

from typing import Any, Self

import pytest
from pydantic import BaseModel, model_validator

from stacks.mistakes import Mistake
from stacks.problems import Problem
from stacks.repairs import Checked, check
from stacks.tried import tried


class Whole(BaseModel):
    """One that is wrong as a whole, whatever its fields say."""

    size: int

    @model_validator(mode="after")
    def _never(self) -> Self:
        raise ValueError("never right; nearest: nothing")


def test_a_config_that_is_wrong_as_a_whole_is_told_so_once() -> None:
    config, mistakes = check(Checked(model=Whole), {"size": 1})
    assert config is None
    assert len(mistakes) == 1


@pytest.mark.parametrize("path", ["size.inner", "names[7]", "]"])
def test_an_offer_for_a_field_that_nothing_can_be_put_at_stays_as_it_is(path: str) -> None:
    one = Mistake.of_rule(Problem(path, "wrong; nearest: 4"), hide_values=False)
    raw: dict[str, Any] = {"size": 1, "names": []}
    assert tried([one], raw, lambda config: [one]) == [one]
