"""What a refusal offers a stack that is up, by the state that the engine keeps."""

from collections.abc import Callable

from tests.stacks.conftest import Sandbox

TOO_MANY = "pools.cpu.nodes=300"


def test_more_nodes_than_addresses_keep_the_cluster(
    brought_up: Callable[[str], Sandbox], empty: Callable[[str], Sandbox]
) -> None:
    (new,) = empty("dev").run("preview", TOO_MANY).report.diagnostics
    assert "nearest: a /15" in new
    (line,) = brought_up("dev").run("preview", TOO_MANY).report.diagnostics
    assert "is too small for the pods of " in line
    assert "nodes in a pool that is new, with max_pods_per_node 64: the cluster keeps 10." in line
