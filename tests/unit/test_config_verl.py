"""Ways to have machines, each with what goes with it; versions of GKE that a stack needs."""

import itertools
from typing import Any

import pytest

from catalog import Catalog
from tests.conftest import changed
from tests.programs import lines_of

RESERVED = {"name": "r", "block": "b"}


def wrong_fields(
    machine: str, mode: str, minimum: int, *, compact: bool, reserved: bool
) -> set[str]:
    """The fields that are to be named, by the documentation's rules and not by the code's."""
    known = Catalog.load().machine(machine)
    wrong: set[str] = set()
    if reserved and mode != "reservation":
        # The block is wrong already, and is named once; what is beside it is looked at, too.
        wrong.add("capacity")
        reserved = False
    elif mode not in known.capacity_modes:
        wrong.add("capacity.mode")
    if mode in ("spot", "flex-start", "queued") and minimum > 0:
        wrong.add("autoscaling")
    alone = mode in ("flex-start", "reservation") and not known.rdma_nics
    placed = mode == "queued" or reserved or alone
    if compact and (placed or not known.compact_placement):
        wrong.add("compact_placement")
    return wrong


MODES = ("on-demand", "spot", "reservation", "any-reservation", "flex-start", "queued")
PAIRS = list(itertools.product(MODES, (0, 1), (False, True), (False, True)))


@pytest.mark.parametrize("machine", ["a4-highgpu-8g", "g2-standard-8"])
@pytest.mark.parametrize(("mode", "minimum", "compact", "reserved"), PAIRS)
def test_every_way_to_get_machines_goes_or_names_what_does_not_go_with_it(
    dev: dict[str, Any], machine: str, mode: str, minimum: int, compact: bool, reserved: bool
) -> None:
    capacity = {"mode": mode, **({"name": "r"} if mode == "reservation" else {})}
    config = changed(
        dev,
        # Machines of a queue come once, for workers that do not scale.
        ray__dev__autoscaling=None,
        region="us-east1",
        zone="us-east1-b",
        pools__gpu={
            "machine_type": machine,
            "nodes": 1,
            "autoscaling": {"min": minimum, "max": 1},
            "compact_placement": compact,
            "capacity": {**capacity, **(RESERVED if reserved else {})},
        },
    )
    named = {line.partition(": ")[0] for line in lines_of(config)}
    fields = wrong_fields(machine, mode, minimum, compact=compact, reserved=reserved)
    assert named == {f"stack.pools.gpu.{field}" for field in fields}
