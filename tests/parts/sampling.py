"""Of what takes long, a sample: in the default tests the same one every time, so that a change is
judged and not its commit; in the longer tiers another one for each commit, and all with
ALL_COMBINATIONS=1. `make` names the commit in SAMPLE_OF."""

import os
from random import Random
from typing import Any, TypeVar

_One = TypeVar("_One", int, str, tuple[str, str], tuple[str, Any])


def everything_is_run() -> bool:
    return bool(os.environ.get("ALL_COMBINATIONS"))


def a_sample(everything: list[_One], count: int) -> list[_One]:
    """In their order."""
    if everything_is_run():
        return everything
    return sorted(Random(os.environ.get("SAMPLE_OF", "")).sample(everything, count))
