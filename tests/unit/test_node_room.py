"""What a node leaves to pods, held against nodes that other people published and against the cases
of Google's own tests. Cannot prove that GKE still takes what it took of those nodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import Catalog
from catalog.node_room import GIB, MIB, NodeRoomTable, NodeShape
from catalog.public_nodes import PublicNode, PublicNodes
from catalog.table import load_table
from tools import node_room_page

TABLE = load_table(NodeRoomTable, "node_room")
NODES = load_table(PublicNodes, "public_nodes").nodes
CATALOG = Catalog.load()


def shape(
    *,
    vcpus: int = 4,
    memory_mib: int = 16 * 1024,
    disk_gb: int = 100,
    local_ssds: int = 0,
    gib_each: int = 375,
    max_pods: int = 110,
    image_streaming: bool = False,
    machine_type: str = "x1-standard-4",
) -> NodeShape:
    return NodeShape(
        machine_type=machine_type,
        vcpus=vcpus,
        memory_gib=memory_mib / 1024,
        disk_gb=disk_gb,
        local_ssds=local_ssds,
        gib_each=gib_each,
        max_pods=max_pods,
        image_streaming=image_streaming,
    )


# Nodes that other people published


@pytest.mark.parametrize("node", NODES, ids=lambda it: it.name)
def test_a_public_node_has_the_cpu_and_the_disk_that_is_counted(node: PublicNode) -> None:
    room, theirs = TABLE.room(node.as_shape()), node.allocatable
    assert theirs.cpu_millicores in (None, room.cpu_millicores)
    assert theirs.disk_bytes in (None, room.disk)


@pytest.mark.parametrize("node", NODES, ids=lambda it: it.name)
def test_a_public_nodes_capacity_of_a_measured_disk_is_counted_to_the_byte(
    node: PublicNode,
) -> None:
    ours, theirs = TABLE.room(node.as_shape()).disk_capacity, node.capacity.disk_bytes
    measured = [it.gib for it in TABLE.operating_system.disk["amd64"]]
    if theirs is not None and node.shape.disk_gb in measured:
        assert ours == theirs
    elif theirs is not None:
        # Between two measured sizes Google's own autoscaler draws a line.
        assert abs(ours - theirs) < MIB


@pytest.mark.parametrize("node", NODES, ids=lambda it: it.name)
def test_a_public_nodes_memory_is_what_is_counted_but_for_the_kernels_own_part(
    node: PublicNode,
) -> None:
    # Of one size the table has 10 to 12.4 MiB between its versions, 1.27 to 1.36, and of what is
    # past 256 GiB one more measured size alone.
    room = TABLE.room(node.as_shape())
    bound = 16 * MIB + 0.00005 * node.shape.memory_gib * GIB
    for ours, theirs in (
        (room.memory_capacity, node.capacity.memory_kib),
        (room.memory, node.allocatable.memory_kib),
    ):
        if theirs is not None:
            assert abs(ours - theirs * 1024) < bound


@pytest.mark.parametrize("node", NODES, ids=lambda it: it.name)
def test_the_kubelet_reserves_of_a_public_nodes_memory_what_is_counted_to_the_byte(
    node: PublicNode,
) -> None:
    capacity, left = node.capacity.memory_kib, node.allocatable.memory_kib
    if capacity is not None and left is not None:
        reserved = TABLE.reserved_mib(node.as_shape()) + TABLE.eviction.memory_mib
        assert (capacity - left) == reserved * 1024


def test_the_newest_public_node_has_the_memory_of_the_table_within_a_page() -> None:
    newest = NODES[-1]
    assert newest.gke.startswith("1.36")
    ours = TABLE.room(newest.as_shape()).memory
    assert newest.allocatable.memory_kib is not None
    assert abs(ours - newest.allocatable.memory_kib * 1024) < 16 * 1024


def test_the_page_is_what_the_catalog_says() -> None:
    written = node_room_page.PAGE.read_text(encoding="utf-8")
    assert written == node_room_page.page(), "run: python -m tools.node_room_page"


# The cases of GoogleCloudPlatform/cluster-autoscaler pkg/cloudprovider/gke/reserved_test.go,
# 7d250507


@pytest.mark.parametrize(
    ("memory_mib", "image_streaming", "reserved"),
    [
        (600, False, 255),
        (600, True, 255),
        (2000, False, 500),
        (2000, True, 520),
        (8000, False, 1800),
        (8000, True, 1872),
        (200_000, False, 10_760),
        (200_000, True, 11_190),
        (16_384, False, 2623),
    ],
)
def test_memory_is_reserved_as_the_autoscalers_own_tests_have_it(
    memory_mib: int, image_streaming: bool, reserved: int
) -> None:
    own = shape(memory_mib=memory_mib, image_streaming=image_streaming)
    assert TABLE.reserved_mib(own) == reserved


@pytest.mark.parametrize(
    ("vcpus", "max_pods", "machine_type", "millicores"),
    [
        (4, 110, "", 80),
        (4, 256, "", 480),
        (4, 32, "", 80),
        (8, 256, "", 490),
        (8, 32, "", 90),
        (2, 110, "e2-micro", 1060),
        (2, 110, "e2-medium", 1060),
        (512, 110, "", 1350),
    ],
)
def test_cpu_is_reserved_as_the_autoscalers_own_tests_have_it(
    vcpus: int, max_pods: int, machine_type: str, millicores: int
) -> None:
    own = shape(vcpus=vcpus, max_pods=max_pods, machine_type=machine_type)
    assert TABLE.reserved_millicores(own) == millicores


# Disks


@pytest.mark.parametrize(
    ("disk_gb", "gib"), [(20, 3.96), (30, 7.82), (100, 43.83), (500, 339.2), (1000, 782.16)]
)
def test_a_boot_disk_leaves_to_pods_what_gke_leaves(disk_gb: int, gib: float) -> None:
    assert TABLE.room(shape(disk_gb=disk_gb)).disk / GIB == pytest.approx(gib, abs=0.01)


@pytest.mark.parametrize(
    ("disks", "kib"),
    # kubernetes/autoscaler gce_reserved.go, 55c37cd5: measured capacities.
    [(1, 385_926_528), (2, 772_706_776), (8, 3_094_171_904), (16, 6_238_618_200)],
)
def test_local_ssds_have_the_capacity_that_google_measured(disks: int, kib: int) -> None:
    assert TABLE.room(shape(local_ssds=disks)).disk_capacity == kib * 1024


def test_more_disks_than_google_measured_lose_the_same_share_to_the_file_system() -> None:
    known, more = shape(local_ssds=24), shape(local_ssds=32)
    shares = [
        TABLE.room(it).disk_capacity / (it.local_ssds * it.gib_each * GIB) for it in (known, more)
    ]
    assert shares[0] == pytest.approx(shares[1], abs=1e-9)


def test_large_local_ssds_lose_more_than_small_ones_of_the_same_number() -> None:
    small, large = shape(local_ssds=4), shape(local_ssds=4, gib_each=3000)
    lost = [
        it.local_ssds * it.gib_each * GIB - TABLE.room(it).disk_capacity for it in (small, large)
    ]
    assert lost[1] == pytest.approx(8 * lost[0])


# All shapes

SHAPES = st.builds(
    shape,
    vcpus=st.integers(1, 500),
    memory_mib=st.integers(512, 5_000_000),
    disk_gb=st.integers(10, 65_536),
    local_ssds=st.integers(0, 40),
    max_pods=st.integers(8, 256),
    image_streaming=st.booleans(),
)


@given(SHAPES)
def test_pods_never_get_more_than_the_node_has(own: NodeShape) -> None:
    room = TABLE.room(own)
    assert 0 <= room.cpu_millicores < own.millicores
    assert 0 <= room.memory <= room.memory_capacity < own.memory_bytes
    disk = own.local_ssds * own.gib_each or own.disk_gb
    assert 0 <= room.disk <= room.disk_capacity < disk * GIB


@given(SHAPES, st.integers(1, 64))
def test_a_node_with_more_memory_leaves_no_less(own: NodeShape, gib: int) -> None:
    less, more = (shape(memory_mib=own.memory_bytes // MIB + it * 1024) for it in (0, gib))
    assert TABLE.room(less).memory <= TABLE.room(more).memory


def test_versions_differ_by_less_memory_than_is_set_aside_for_daemon_sets() -> None:
    for memory_mib in (2048, 32 * 1024, 720 * 1024, 3968 * 1024):
        own = shape(memory_mib=memory_mib)
        most, least = TABLE.system_memory(own), TABLE.system_memory(own, least=True)
        assert least <= most < least + TABLE.daemonsets.memory_mib * MIB / 10


def test_image_streaming_and_more_pods_than_110_take_of_what_a_pool_leaves() -> None:
    plain = CATALOG.allocatable("e2-standard-8")
    streaming = CATALOG.allocatable("e2-standard-8", image_streaming=True)
    crowded = CATALOG.allocatable("e2-standard-8", max_pods=256)
    assert streaming.memory_mib < plain.memory_mib
    assert crowded.cpu_millicores == plain.cpu_millicores - 400


def test_an_arm_machine_has_the_numbers_of_its_own_architecture() -> None:
    arm = CATALOG.allocatable("a4x-highgpu-4g-nolssd")
    assert arm.ephemeral_storage_mib < CATALOG.allocatable("e2-standard-4").ephemeral_storage_mib
