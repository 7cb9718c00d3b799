"""The test of the GPU network before Ray starts."""

from collections.abc import Iterator

from catalog import MachineType
from stacks.problems import Problem


def nccl_test_problems(
    field: str, machine: MachineType, nodes: int, *, queued: bool
) -> Iterator[Problem]:
    """There is a network to test, and two nodes to test it between before Ray asks for any."""
    if queued:
        yield Problem(
            field,
            "queued machines come when Ray's pods ask for them, too late for a test before; "
            "nearest: leave it out",
        )
    if not machine.rdma_nics:
        yield Problem(
            field, f"{machine.name} has no RDMA interfaces to test; nearest: leave it out"
        )
    elif nodes < 2:
        yield Problem(field, "the test runs between two nodes, and there is one; nearest: nodes 2")
