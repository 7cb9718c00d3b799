"""TPU slice topologies multiply out, and wrong ones name the nearest.

Pure tests over the data as committed: they cannot show that Google still has what the data says.
"""

import math
from datetime import date

import pytest
from pydantic import ValidationError

from catalog import (
    Catalog,
    FactError,
    Topology,
)
from catalog.topologies import SliceShapes, TopologyTable

CATALOG = Catalog.load()


ALL_TOPOLOGIES = [
    topology for name in sorted(CATALOG.machines) for topology in CATALOG.topologies(name).values()
]


@pytest.mark.parametrize("topology", ALL_TOPOLOGIES, ids=lambda t: f"{t.machine_type}:{t.name}")
def test_a_topology_multiplies_to_its_chips_and_its_hosts_hold_them(topology: Topology) -> None:
    accelerator = CATALOG.machine(topology.machine_type).accelerator
    assert accelerator is not None
    assert math.prod(int(side) for side in topology.name.split("x")) == topology.chips
    assert topology.hosts * accelerator.count == topology.chips
    assert topology.multi_host == (topology.hosts > 1)


def test_every_tpu_machine_has_topologies_and_no_other_has() -> None:
    for name, known in CATALOG.machines.items():
        is_tpu = known.accelerator is not None and known.accelerator.kind == "tpu"
        assert bool(CATALOG.topologies(name)) == is_tpu


def test_the_scenario_s_slice_is_four_hosts_of_trillium() -> None:
    shape = CATALOG.topology("ct6e-standard-4t", "4x4")
    assert (shape.generation, shape.chips, shape.hosts) == ("v6e", 16, 4)


def test_an_unknown_topology_names_the_nearest() -> None:
    with pytest.raises(FactError, match=r"nearest: 4x8, 4x4$"):
        CATALOG.topology("ct6e-standard-4t", "4x5")


def test_a_topology_on_a_machine_without_tpus_is_refused() -> None:
    with pytest.raises(FactError, match=r"nearest: leave it out$"):
        CATALOG.topology("e2-standard-4", "4x4")


def test_a_machine_type_stands_once_in_the_topology_table() -> None:
    shape = SliceShapes(generation="v6e", machine_type="ct6e", topologies={}, source="test")
    with pytest.raises(ValidationError, match="stands twice in the topology table"):
        TopologyTable(source="test", date=date(2026, 1, 1), shapes=(shape, shape))
