"""Workers on the first pool of their queue's order that has room, with Kueue in memory."""

from pathlib import Path

import pytest

from tests.stacks.conftest import Sandbox, changed
from tests.stacks.pools_in_order import FILLED, WITHOUT_RAY, pools_of_workers, workspace

pytestmark = pytest.mark.thorough


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(workspace(tmp_path))


def test_workers_are_on_the_reserved_machines_while_those_are_free(sandbox: Sandbox) -> None:
    sandbox.succeed("up")
    assert pools_of_workers(sandbox) == ["reserved-pool", "reserved-pool"]
    assert changed(sandbox.succeed("preview")) == {}
    sandbox.succeed("destroy")


def test_workers_are_on_spot_when_the_reserved_machines_are_taken(sandbox: Sandbox) -> None:
    sandbox.succeed("up", FILLED, WITHOUT_RAY)
    sandbox.succeed("up", FILLED)
    assert pools_of_workers(sandbox) == ["spot-pool", "spot-pool"]
    assert changed(sandbox.succeed("preview", FILLED)) == {}
