"""Machine types, and what GKE leaves of them to pods.

Pure tests over the data as committed: they cannot show that Google still has what the data says.
"""

import re

import pytest

from catalog import (
    Catalog,
    CatalogAdditions,
    FactError,
    MachineType,
)
from catalog.machines import NicGroup
from catalog.own_disks import OwnDisksTable
from catalog.table import load_table

OWN_DISKS = load_table(OwnDisksTable, "own_disks")
CATALOG = Catalog.load()


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
        '"a4-highgpu-9g" is not a machine type the catalog knows; nearest: a4-highgpu-8g. '
    )


def test_a_machine_type_like_nothing_known_has_no_nearest() -> None:
    with pytest.raises(FactError, match=re.escape('"catalog.machine_types"') + "$") as caught:
        CATALOG.machine("~~~~")
    assert "nearest: nothing like it." in str(caught.value)


def test_a_machine_whose_first_interface_is_rdma_is_refused() -> None:
    rdma = NicGroup(kind="rdma", count=8, role="accelerator")
    wrong = machine(nics=[rdma]).wrong_first_nic
    assert wrong is not None
    assert wrong[0] == "kind"
    assert wrong[1].endswith("nearest: gvnic")


def test_the_first_interface_of_every_machine_type_is_the_node_s_own() -> None:
    assert [it for it in CATALOG.machines if CATALOG.machine(it).wrong_first_nic] == []


# What GKE leaves to pods


def test_an_a4_node_fits_the_scenario_s_ray_worker() -> None:
    left = CATALOG.allocatable("a4-highgpu-8g")
    assert left.cpu_millicores >= 100_000
    assert left.memory_mib >= 1000 * 1024
    assert left.accelerators == 8


def test_a_machine_too_small_for_gke_shows_as_empty() -> None:
    facts = {"vcpus": 1, "memory_gib": 0.5, "boot_disk_types": ["pd-ssd"]}
    tiny = CatalogAdditions.model_validate({"machine_types": {"x1-tiny-1": facts}})
    left = CATALOG.extended(tiny).allocatable("x1-tiny-1")
    assert left.memory_mib == 0


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


def test_machines_without_rdma_have_no_nccl_stack() -> None:
    assert CATALOG.nccl("a4-highgpu-8g") is not None
    assert CATALOG.nccl("g2-standard-8") is None


@pytest.mark.parametrize(
    ("name", "disk_gb", "gib"),
    [("e2-standard-4", 100, 43), ("e2-standard-4", 1000, 782), ("a4-highgpu-8g", 100, 10609)],
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
    assert local.count == disks == OWN_DISKS.count_of(name)


def test_machine_types_of_the_catalog_have_the_disks_that_come_with_them() -> None:
    for name, machine in CATALOG.machines.items():
        OWN_DISKS.check(name, machine)


@pytest.mark.parametrize(
    ("name", "disks"),
    [
        ("a3-highgpu-8g-nolssd", 0),
        ("c3d-standard-60-6TB", 16),
        ("c3d-standard-90-lssd", 8),
        ("e2-standard-4", 0),
        ("g2-standard-24", 0),
        ("z3-highmem-7", None),
    ],
)
def test_disks_come_with_machines_of_some_families_and_with_none_that_is_named_without(
    name: str, disks: int | None
) -> None:
    assert OWN_DISKS.count_of(name) == disks
