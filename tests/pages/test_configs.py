"""Every block of YAML on a page is a config without a mistake, a part of one, or a file of the
sandbox's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.cloud.reservations import Reservations
from sandbox.faults import Faults
from tests.conftest import PROJECT, ROOT, stack_config
from tests.pages.blocks import ALL, Block, blocks_of, shown_config
from tests.pages.ways import fill_in
from tests.programs import lines_of

_L4 = {"machine_type": "g2-standard-24", "nodes": 2}
_SMALL: dict[str, Any] = {
    "name": "small",
    "project": "sandbox-project",
    "region": "us-central1",
    "zone": "us-central1-b",
    "pools": {"cpu": {"machine_type": "e2-standard-8", "nodes": 2}},
}
_QUEUED: dict[str, Any] = {
    **_SMALL,
    "pools": {"gpu": _L4, "spare": {**_L4, "capacity": {"mode": "spot"}}, **_SMALL["pools"]},
}


def _without(stack: str, part: str) -> dict[str, Any]:
    return {key: value for key, value in stack_config(stack).items() if key != part}


# Of each page that has parts of configs, what they go into, in their order.
BASES: Mapping[str, list[dict[str, Any]]] = {
    "CONTRIBUTING.md": [stack_config("dev")],
    "docs/bring-your-own-network.md": [_SMALL],
    "docs/get-capacity.md": [
        stack_config("verl-b200"),
        stack_config("kueue-mixed"),
        stack_config("b200-lustre"),
    ],
    "docs/images.md": [stack_config("b200-lustre")] * 3,
    "docs/kueue-mixed.md": [stack_config("kueue-mixed")],
    "docs/pull-requests.md": [stack_config("dev")],
    "docs/share-a-cluster.md": [
        _QUEUED,
        {**_SMALL, "pools": {"gpu": _L4, **_SMALL["pools"]}},
        stack_config("kueue-mixed"),
    ],
    "docs/tpu.md": [_without("tpu-multislice", "jobs")],
}
DOCUMENTS = [it for it in ALL if isinstance(it.document, dict)]
WHOLE = [it for it in DOCUMENTS if it.is_config]
FILES = [it for it in DOCUMENTS if {"existing", "reservations", "rules"} & it.document.keys()]
PARTS = [it for it in DOCUMENTS if it not in WHOLE and it not in FILES]
# What a page shows of an error has to be all of what is wrong.
_REFUSED = re.compile(r"^stack\.[\w.\[\]-]+: ")


def merged(base: Any, part: Any) -> Any:
    if not isinstance(base, dict) or not isinstance(part, dict):
        return part
    keys = (*base, *(it for it in part if it not in base))
    return {it: merged(base.get(it), part[it]) if it in part else deepcopy(base[it]) for it in keys}


def with_base(block: Block) -> dict[str, Any]:
    bases = BASES[block.page]
    at = [it for it in PARTS if it.page == block.page].index(block)
    part = yaml.safe_load(fill_in(block.text))
    return merged(bases[at], part.get(f"{PROJECT}:stack", part))


def refusal_of(block: Block) -> str | None:
    """What the block below says is wrong with it."""
    below = blocks_of(block.page)[block.at + 1 : block.at + 2]
    return " ".join(below[0].text.split()) if below and _REFUSED.match(below[0].text) else None


@pytest.mark.parametrize("block", WHOLE, ids=str)
def test_a_whole_config_has_no_mistake(block: Block) -> None:
    assert not lines_of(shown_config(block.stack_name))


@pytest.mark.parametrize("block", PARTS, ids=str)
def test_a_part_of_a_config_has_no_mistake_in_its_stack_or_the_one_that_is_shown(
    block: Block,
) -> None:
    said = refusal_of(block)
    assert lines_of(with_base(block)) == (() if said is None else (said,))


def test_every_part_has_a_base_and_every_base_a_part() -> None:
    assert {page: len(bases) for page, bases in BASES.items()} == {
        page: sum(it.page == page for it in PARTS) for page in {it.page for it in PARTS}
    }


@pytest.mark.parametrize("block", FILES, ids=str)
def test_a_file_of_the_sandbox_is_one(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "shown.yaml"
    file.write_text(block.text)
    given = Faults.load(file) if "rules" in block.document else Reservations.load(file)
    assert given != type(given)()


def test_a_line_for_editors_names_a_file_of_the_project() -> None:
    comments = [it.text for it in ALL if it.language == "yaml" and it.document is None]
    assert comments
    for comment in comments:
        assert (ROOT / comment.strip().partition("$schema=")[2]).is_file()


def test_what_is_no_key_would_be_told() -> None:
    assert lines_of(merged(_SMALL, {"pools": {"cpu": {"nods": 2}}}))
