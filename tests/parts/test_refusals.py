"""Every rule between the parts of a stack: the field that is wrong, why, and what works instead.

It proves nothing about what Google would say to a config that passes.
"""

import re
from typing import Any

import pytest

from stacks.config import validate
from tests.parts.refusals import REFUSED, RIGHT, Refused
from tests.parts.samples import SAMPLES
from tests.programs import WITH_TOKEN
from tests.unit.wrong_answers import failed_offers

OF_THE_PROVIDER = ("project", "region", "zone")
WAYS_OUT = re.compile("nearest: |set it with: |forms that work: |say so under ")
# What rules call the parts that know one of each, and blocks of a stack with a kind.
OLD_NAMES = re.compile(
    r"(?<![\w./-])(?:job|bucket|kueue|server|fine_tune|tpu|cpu_pool|gpu_pool|extra_gpu_pools"
    r"|gpu_nodes)[.\[](?!x-k8s)"
    r"|(?<![\w./-])ray\.(?:worker|head|queue|autoscaling|image|version|name|operator)\b"
    r"|\bkind [a-z]+-[a-z]+"
)


def said(words: str, line: str) -> bool:
    """Whole words: 12 is not said where 120 is."""
    return (
        re.search(rf"{re.escape(words)}(?!\w)" if words[-1:].isdigit() else re.escape(words), line)
        is not None
    )


@pytest.mark.parametrize("config", [*SAMPLES.values(), *RIGHT], ids=lambda it: it["name"])
def test_a_sample_and_what_stands_beside_a_mistake_and_is_none_is_right(
    config: dict[str, Any],
) -> None:
    assert validate(config, secrets_set=WITH_TOKEN)


@pytest.mark.parametrize("case", REFUSED, ids=lambda it: f"{it.stack['name']}-{it.field}")
def test_a_mistake_is_told_with_its_field_and_what_works(case: Refused) -> None:
    lines = case.lines()
    field = f"gcp:{case.field}" if case.field in OF_THE_PROVIDER else f"stack.{case.field}"
    named = [it for it in lines if it.startswith(f"{field}: ") and said(case.words, it)]
    assert named, lines
    assert len(set(lines)) == len(lines)
    assert WAYS_OUT.search(named[0])
    if not case.files:
        assert [it for line in lines for it in failed_offers(case.config, line)] == []
    assert [it for it in lines if OLD_NAMES.search(it.removeprefix("stack."))] == []
