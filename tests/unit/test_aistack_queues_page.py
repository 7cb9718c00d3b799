"""The ports of this machine that Kueue's page needs. What leads there is not shown here."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from kubernetes.client import ApiClient

from aistack import queues_page
from aistack.cluster import Cluster
from aistack.errors import VerbError
from aistack.queues_page import QueuesPage, led_to
from aistack.service import Door

DOOR = Door({"metadata": {"namespace": "kueue-system", "name": "page"}}, {"port": 8080})
NAMES = ("PAGE_PORT", "BACKEND_PORT")


@pytest.fixture(params=NAMES)
def taken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """One of the two ports, which another program has."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        number = other.getsockname()[1]
        for name in NAMES:
            monkeypatch.setattr(queues_page, name, number if name == request.param else 0)
        yield number


def test_a_port_that_another_program_has_is_told_and_no_other_is_taken(taken: int) -> None:
    cluster, found = Cluster(ApiClient(), "none"), QueuesPage(DOOR, DOOR)
    with (
        pytest.raises(VerbError, match=rf"^port {taken} of this machine: .*nearest: end the pro"),
        led_to(cluster, found, print),
    ):
        pytest.fail("it is taken")
