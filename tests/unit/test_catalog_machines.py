"""Machine types, and what GKE leaves of them to pods.

Pure tests over the data as committed: they cannot show that Google still has what the data says.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from catalog import (
    Catalog,
    FactError,
    MachineType,
    NicGroup,
)
from catalog.allocatable import allocatable, reserved_cpu_millicores, reserved_memory_mib
from catalog.machines import NodeOverhead

CATALOG = Catalog.load()


NO_OVERHEAD = NodeOverhead(
    memory_percent=0, daemonset_cpu_millicores=0, daemonset_memory_mib=0, source="test"
)


def machine(**changes: object) -> MachineType:
    facts: dict[str, object] = {"vcpus": 4, "memory_gib": 16, "boot_disk_types": ("pd-ssd",)}
    return MachineType.model_validate({"name": "x1-standard-4", **facts, **changes})


# Machine types


def test_a_b200_node_has_eight_gpus_and_eight_rdma_interfaces() -> None:
    a4 = CATALOG.machine("a4-highgpu-8g")
    assert a4.accelerator is not None
    assert (a4.accelerator.type, a4.accelerator.count) == ("nvidia-b200", 8)
    assert a4.accelerator.resource == "nvidia.com/gpu"
    assert [(nic.kind, nic.count) for nic in a4.nics] == [("gvnic", 2), ("rdma", 8)]
    assert (a4.rdma_nics, a4.additional_nics) == (8, 9)
    assert (a4.family, a4.default_boot_disk) == ("a4", "hyperdisk-balanced")


def test_a_trillium_node_asks_for_the_tpu_resource() -> None:
    v6e = CATALOG.machine("ct6e-standard-4t")
    assert v6e.accelerator is not None
    assert v6e.accelerator.resource == "google.com/tpu"
    assert v6e.additional_nics == 2


def test_a_plain_node_has_one_interface_and_no_accelerator() -> None:
    plain = CATALOG.machine("e2-standard-4")
    assert (plain.accelerator, plain.rdma_nics, plain.additional_nics) == (None, 0, 0)


@pytest.mark.parametrize("name", sorted(CATALOG.machines))
def test_every_machine_type_leaves_room_for_pods_and_is_offered_somewhere(name: str) -> None:
    left = CATALOG.allocatable(name)
    assert left.cpu_millicores > 0
    assert left.memory_mib > 0
    assert CATALOG.zones_offering(name)


def test_an_unknown_machine_type_names_the_nearest_and_where_to_add_it() -> None:
    with pytest.raises(
        FactError, match=re.escape('A newer one can be added under "catalog.machine_types"') + "$"
    ) as caught:
        CATALOG.machine("a4-highgpu-9g")
    message = str(caught.value)
    assert message.startswith(
        '"a4-highgpu-9g" is not a machine type the catalog knows; nearest: a4-highgpu-8g, '
    )


def test_a_machine_type_like_nothing_known_has_no_nearest() -> None:
    with pytest.raises(FactError, match=re.escape('"catalog.machine_types"') + "$") as caught:
        CATALOG.machine("~~~~")
    assert "nearest: none." in str(caught.value)


def test_a_machine_whose_first_interface_is_rdma_is_refused() -> None:
    rdma = NicGroup(kind="rdma", count=8, role="accelerator")
    with pytest.raises(ValidationError, match="nearest: gvnic/host first"):
        machine(nics=[rdma])


# What GKE leaves to pods


@pytest.mark.parametrize(
    ("vcpus", "millicores"), [(1, 60), (2, 70), (4, 80), (16, 110), (224, 630)]
)
def test_gke_reserves_cpu_by_tiers(vcpus: int, millicores: int) -> None:
    assert reserved_cpu_millicores(vcpus) == millicores


@pytest.mark.parametrize(
    ("gib", "mib"), [(4, 1024), (8, 1844), (16, 2663), (32, 3646), (128, 9544), (3968, 88187)]
)
def test_gke_reserves_memory_by_tiers(gib: int, mib: int) -> None:
    assert reserved_memory_mib(gib) == mib


def test_the_published_formula_gives_what_pods_get_before_overhead() -> None:
    left = allocatable(machine(), NO_OVERHEAD)
    assert left.cpu_millicores == 4000 - 80
    assert left.memory_mib == 16 * 1024 - 2663 - 100
    assert left.accelerators == 0


def test_an_a4_node_fits_the_scenario_s_ray_worker() -> None:
    left = CATALOG.allocatable("a4-highgpu-8g")
    assert left.cpu_millicores >= 100_000
    assert left.memory_mib >= 1000 * 1024
    assert left.accelerators == 8


def test_a_machine_too_small_for_gke_shows_as_empty() -> None:
    tiny = machine(vcpus=1, memory_gib=0.5)
    overhead = NodeOverhead(
        memory_percent=0, daemonset_cpu_millicores=2000, daemonset_memory_mib=2000, source="test"
    )
    left = allocatable(tiny, overhead)
    assert (left.cpu_millicores, left.memory_mib) == (0, 0)


@given(st.integers(1, 500), st.floats(1, 5000, allow_nan=False))
def test_pods_never_get_more_than_the_machine_has(vcpus: int, gib: float) -> None:
    left = allocatable(machine(vcpus=vcpus, memory_gib=gib), NO_OVERHEAD)
    assert 0 <= left.cpu_millicores < vcpus * 1000
    assert 0 <= left.memory_mib < gib * 1024


@given(st.integers(1, 400))
def test_a_larger_machine_never_has_less_reserved(size: int) -> None:
    assert reserved_cpu_millicores(size) <= reserved_cpu_millicores(size + 1)
    assert reserved_memory_mib(size) <= reserved_memory_mib(size + 1)
