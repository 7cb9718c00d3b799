"""docs/node-room.md: what GKE leaves of a node to pods;
`python -m tools.node_room_page` writes it from catalog/data."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from catalog.catalog import Catalog
from catalog.node_room import GIB, NodeRoomTable
from catalog.public_nodes import PublicNode, PublicNodes
from catalog.table import load_table
from tools.written_page import table_row, write_or_check

PAGE = Path(__file__).resolve().parent.parent / "docs" / "node-room.md"
_TEXT = """\
# What a node leaves to pods

The program counts what GKE leaves of a node to pods from the numbers of GKE's own autoscaler,
`catalog/data/node_room.yaml`. Checks of a config, Kueue's quotas and the nodes of the sandbox take
it from there. `python -m tools.node_room_page` writes this page.

A GB of a boot disk is a GiB. Of sizes that Google did not measure the autoscaler takes a point on
the line between two that it did. From GKE 1.37 on a node may leave more.
"""
_DISKS_GB = (20, 30, 50, 100, 200, 500, 1000, 2000)


def page() -> str:
    """The page's whole text."""
    table = load_table(NodeRoomTable, "node_room")
    nodes = load_table(PublicNodes, "public_nodes").nodes
    return "\n".join([_TEXT, *_public(table, nodes), *_machines(), *_disks()]) + "\n"


def _public(table: NodeRoomTable, nodes: tuple[PublicNode, ...]) -> Iterator[str]:
    apart = [
        abs(table.room(it.as_shape()).memory - it.allocatable.memory_kib * 1024) / 2**20
        for it in nodes
        if it.allocatable.memory_kib is not None
    ]
    yield f"Of {len(nodes)} nodes that other people published, GKE {nodes[0].gke} to"
    yield f"{nodes[-1].gke} (`catalog/data/public_nodes.yaml`), CPU and disk are as counted, and"
    yield f"memory is up to {max(apart):.0f} MiB apart; of a TPU7x host's 960 GB 46 MiB (a node of"
    yield "2026-08, in a public repository). The firmware of a machine takes what no table has."


def _machines() -> Iterator[str]:
    catalog = Catalog.load()
    yield from ("", "## Machine types of the catalog", "")
    yield "With a boot disk of 100 GB, or the local SSDs of those that have some, without image"
    yield "streaming, less what GKE's DaemonSets take."
    yield from ("", "| machine type | CPU, m | memory, GiB | disk, GiB |")
    yield "| --- | --- | --- | --- |"
    for name in sorted(catalog.machines):
        left = catalog.allocatable(name)
        yield table_row(
            f"`{name}`",
            f"{left.cpu_millicores:,d}",
            f"{left.memory_mib / 1024:,.1f}",
            f"{left.ephemeral_storage_mib / 1024:,.1f}",
        )


def _disks() -> Iterator[str]:
    catalog = Catalog.load()
    yield from ("", "## Boot disks", "", "On a node without local SSDs.", "")
    yield from ("| boot disk, GB | for pods, GiB |", "| --- | --- |")
    for size in _DISKS_GB:
        left = catalog.allocatable("e2-standard-4", size).ephemeral_storage_mib * 2**20
        yield table_row(f"{size:,d}", f"{left / GIB:,.1f}")


def main(arguments: Sequence[str]) -> int:
    remedy = (
        "docs/node-room.md is not what the catalog says; nearest: python -m tools.node_room_page"
    )
    return write_or_check(PAGE, page(), arguments, remedy)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
