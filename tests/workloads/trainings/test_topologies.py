"""The catalog's slices against Ray's own check, in the version that the catalog's table names.

It cannot prove that Google has a slice, nor that a training on one ends well.
"""

import pytest
import ray
from ray._private.accelerators.tpu import TPUAcceleratorManager, get_chips_per_host
from ray.util.tpu import get_tpu_version_from_type

from catalog import Catalog, FactError, Topology
from catalog.table import load_table
from catalog.topologies import TopologyTable

CATALOG = Catalog.load()
TABLE = load_table(TopologyTable, "topologies")
SLICES = [it for shape in TABLE.shapes for it in CATALOG.topologies(shape.machine_type).values()]


def version_of(topology: Topology) -> str:
    """As Ray Train derives it of the name that a job gives."""
    return get_tpu_version_from_type(TABLE.ray.generations[topology.generation].accelerator)


def test_the_table_s_version_of_ray_is_the_one_that_is_asked_here() -> None:
    assert ray.__version__ == TABLE.ray.version


def test_ray_takes_the_slices_that_the_table_says_and_no_others() -> None:
    for topology in SLICES:
        try:
            CATALOG.check_ray_topology(topology.machine_type, topology.name)
            taken = True
        except FactError:
            taken = False
        asked = TPUAcceleratorManager.is_valid_tpu_accelerator_topology(
            version_of(topology), topology.name
        )
        assert (topology, taken) == (topology, asked)


@pytest.mark.parametrize("shape", TABLE.shapes, ids=lambda it: it.machine_type)
def test_ray_takes_a_slice_of_each_machine_type(shape: object) -> None:
    of_machine = [it for it in SLICES if it.machine_type == getattr(shape, "machine_type", None)]
    assert any(TABLE.ray.has(it) for it in of_machine)


def test_ray_counts_the_chips_of_a_host_as_the_table_does() -> None:
    """But for eight chips of v5e and v6e on two hosts, which a job's own resources say."""
    differing = {
        (it.machine_type, it.name)
        for it in SLICES
        if get_chips_per_host(it.name, version_of(it)) != it.chips // it.hosts
    }
    assert differing == {("ct6e-standard-4t", "2x4"), ("ct5lp-hightpu-4t", "2x4")}


def test_the_names_of_generations_are_ray_s(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a pod on GKE finds its own from what the machines say of themselves."""
    named = {"v6e": "v6e-16", "v5e": "v5litepod-16", "v5p": "v5p-32", "v7x": "tpu7x-16"}
    for generation, said in named.items():
        monkeypatch.setenv("TPU_ACCELERATOR_TYPE", said)
        found = TPUAcceleratorManager.get_current_node_accelerator_type()
        assert found == TABLE.ray.generations[generation].accelerator
