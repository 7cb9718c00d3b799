"""The annotations by which pods ask for interfaces."""

import json

import pytest

from components.network.node_network import interface_annotations


def test_the_clusters_own_network_comes_first_and_stays_the_default() -> None:
    made = interface_annotations([("eth1", "gvnic-1"), ("eth2", "rdma-0")])
    assert made["networking.gke.io/default-interface"] == "eth0"
    assert json.loads(made["networking.gke.io/interfaces"]) == [
        {"interfaceName": "eth0", "network": "default"},
        {"interfaceName": "eth1", "network": "gvnic-1"},
        {"interfaceName": "eth2", "network": "rdma-0"},
    ]


@pytest.mark.parametrize(
    ("networks", "message"),
    [
        (
            [("eth1", "gvnic-1"), ("eth1", "rdma-0")],
            "eth1 cannot be both gvnic-1 and rdma-0; nearest: eth2",
        ),
        ([("eth0", "rdma-0")], "eth0 cannot be both default and rdma-0; nearest: eth1"),
        (
            [("eth1", "a"), ("eth3", "b"), ("eth3", "c")],
            "eth3 cannot be both b and c; nearest: eth2",
        ),
    ],
)
def test_two_networks_on_one_interface_are_refused_with_one_that_is_free(
    networks: list[tuple[str, str]], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        interface_annotations(networks)
