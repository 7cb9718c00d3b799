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
from catalog.accelerators import accelerator_facts
from catalog.topologies import RayTopologies, SliceShapes, TopologyTable

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


def test_what_every_tpu_with_topologies_computes_at_its_best_is_known() -> None:
    tpus = [it.accelerator for it in CATALOG.machines.values() if it.accelerator is not None]
    assert not [it.type for it in tpus if it.kind == "tpu" and accelerator_facts(it.type) is None]


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
    read = date(2026, 1, 1)
    ray = RayTopologies(version="2.56.0", source="test", date=read, generations={})
    with pytest.raises(ValidationError, match="stands twice in the topology table"):
        TopologyTable(source="test", date=read, shapes=(shape, shape), ray=ray)


def test_ray_starts_a_slice_of_every_topology_but_64_of_96_of_v5p() -> None:
    refused: dict[str, int] = {}
    for topology in ALL_TOPOLOGIES:
        refused.setdefault(topology.generation, 0)
        try:
            CATALOG.check_ray_topology(topology.machine_type, topology.name)
        except FactError:
            refused[topology.generation] += 1
    assert refused == {"v5e": 0, "v6e": 0, "v7x": 0, "v5p": 64}
    assert len(CATALOG.topologies("ct5p-hightpu-4t")) == 96


@pytest.mark.parametrize("name", ["2x2x2", "4x4x12", "16x16x24"])
def test_ray_has_v5p_by_name_or_in_steps_of_four_up_to_its_bounds(name: str) -> None:
    CATALOG.check_ray_topology("ct5p-hightpu-4t", name)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("4x4x28", "4x8x12, 8x8x8, 4x4x20"), ("16x20x28", "16x16x24, 16x16x20, 12x16x24")],
)
def test_a_topology_that_ray_refuses_names_those_nearest_in_chips(name: str, nearest: str) -> None:
    with pytest.raises(FactError, match=rf"workers would fail .* for ever; nearest: {nearest}$"):
        CATALOG.check_ray_topology("ct5p-hightpu-4t", name)
    for fitting in nearest.split(", "):
        CATALOG.check_ray_topology("ct5p-hightpu-4t", fitting)


def test_several_hosts_of_ironwood_are_placed_by_a_policy_and_a_host_alone_is_not() -> None:
    shapes = CATALOG.topologies("tpu7x-standard-4t").values()
    assert [it.name for it in shapes if not it.needs_policy] == ["2x2x1"]
    others = [it for it in ALL_TOPOLOGIES if it.machine_type != "tpu7x-standard-4t"]
    assert not any(it.needs_policy for it in others)


def test_a_chip_of_ironwood_is_two_devices() -> None:
    assert CATALOG.topology("tpu7x-standard-4t", "2x2x2").devices == 16
    assert CATALOG.topology("ct6e-standard-4t", "4x4").devices == 16
