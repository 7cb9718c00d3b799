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
    CatalogAdditions,
    FactError,
    MachineType,
    NicGroup,
)
from catalog.machines import NodeOverhead, allocatable, reserved_cpu_millicores, reserved_memory_mib

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
    assert (a4.rdma_nics, len(a4.additional_interfaces)) == (8, 9)
    assert (a4.family, a4.default_boot_disk) == ("a4", "hyperdisk-balanced")


def test_a_trillium_node_asks_for_the_tpu_resource() -> None:
    v6e = CATALOG.machine("ct6e-standard-4t")
    assert v6e.accelerator is not None
    assert v6e.accelerator.resource == "google.com/tpu"
    assert len(v6e.additional_interfaces) == 2


def test_a_plain_node_has_one_interface_and_no_accelerator() -> None:
    plain = CATALOG.machine("e2-standard-4")
    assert (plain.accelerator, plain.rdma_nics, len(plain.additional_interfaces)) == (None, 0, 0)


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
    assert "nearest: nothing like it." in str(caught.value)


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
    left = allocatable(machine(), NO_OVERHEAD, 100)
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
    left = allocatable(tiny, overhead, 100)
    assert (left.cpu_millicores, left.memory_mib) == (0, 0)


@given(st.integers(1, 500), st.floats(1, 5000, allow_nan=False))
def test_pods_never_get_more_than_the_machine_has(vcpus: int, gib: float) -> None:
    left = allocatable(machine(vcpus=vcpus, memory_gib=gib), NO_OVERHEAD, 100)
    assert 0 <= left.cpu_millicores < vcpus * 1000
    assert 0 <= left.memory_mib < gib * 1024


@given(st.integers(1, 400))
def test_a_larger_machine_never_has_less_reserved(size: int) -> None:
    assert reserved_cpu_millicores(size) <= reserved_cpu_millicores(size + 1)
    assert reserved_memory_mib(size) <= reserved_memory_mib(size + 1)


def test_further_interfaces_come_in_attach_order_with_the_names_that_pods_use() -> None:
    found = CATALOG.machine("a4-highgpu-8g").additional_interfaces
    assert [(it.name, it.device) for it in found] == [
        ("gvnic-1", "eth1"),
        *((f"rdma-{number}", f"eth{number + 2}") for number in range(8)),
    ]


def test_a_machine_with_other_interfaces_needs_data_alone() -> None:
    facts = {
        "vcpus": 8,
        "memory_gib": 64,
        "boot_disk_types": ["hyperdisk-balanced"],
        "nics": [
            {"kind": "gvnic", "count": 1, "role": "host"},
            {"kind": "rdma", "count": 2, "role": "accelerator"},
        ],
        "nccl": "a4",
    }
    added = CatalogAdditions.model_validate({"machine_types": {"x9-tiny": facts}})
    grown = CATALOG.extended(added)
    found = grown.machine("x9-tiny").additional_interfaces
    assert [(it.name, it.device) for it in found] == [("rdma-0", "eth1"), ("rdma-1", "eth2")]
    assert grown.nccl("x9-tiny") == CATALOG.nccl("a4-highgpu-8g")


def test_an_added_machine_with_rdma_says_which_nccl_it_works_with() -> None:
    facts = {
        "vcpus": 8,
        "memory_gib": 64,
        "boot_disk_types": ["hyperdisk-balanced"],
        "nics": [
            {"kind": "gvnic", "count": 1, "role": "host"},
            {"kind": "rdma", "count": 2, "role": "accelerator"},
        ],
    }
    added = CatalogAdditions.model_validate({"machine_types": {"x9-tiny": facts}})
    with pytest.raises(FactError, match=r"nearest: a3-ultra, a4, a4x$"):
        CATALOG.extended(added)


def test_nccl_differs_between_families_in_its_tuner_config() -> None:
    b200, h200 = CATALOG.nccl("a4-highgpu-8g"), CATALOG.nccl("a3-ultragpu-8g")
    assert b200 is not None
    assert h200 is not None
    assert b200.environment == h200.environment
    assert b200.settings["NCCL_TUNER_CONFIG_PATH"].endswith("tuner_config_a4.txtpb")
    assert h200.settings["NCCL_TUNER_CONFIG_PATH"].endswith("tuner_config_a3u.txtpb")
    assert CATALOG.nccl("g2-standard-8") is None


@pytest.mark.parametrize(
    ("name", "disk_gb", "gib"),
    [("e2-standard-4", 100, 45), ("e2-standard-4", 1000, 738), ("a4-highgpu-8g", 100, 10700)],
)
def test_pods_write_to_local_ssds_or_else_to_what_gke_leaves_of_the_boot_disk(
    name: str, disk_gb: int, gib: int
) -> None:
    left = CATALOG.allocatable(name, disk_gb).ephemeral_storage_mib
    assert left // 1024 == gib


@pytest.mark.parametrize(
    ("name", "disks"),
    # cluster-toolkit modules/compute/gke-node-pool/disk_definitions.tf, 10470803.
    [("a3-highgpu-8g", 16), ("a3-megagpu-8g", 16), ("a3-ultragpu-8g", 32), ("a4-highgpu-8g", 32)],
)
def test_disks_that_come_with_a_machine_are_as_many_as_gke_gives_back(
    name: str, disks: int
) -> None:
    local = CATALOG.machine(name).local_ssd
    assert local is not None
    assert local.count == disks
