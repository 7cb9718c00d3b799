"""Two teams on one cluster, by the real engine and on a real control plane."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.forget import forget
from sandbox.workspace import Workspace
from tests.kube.conftest import LiveSandbox, eventually
from tests.stacks.conftest import changed
from tests.stacks.shared_cluster import make_project


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveSandbox]:
    workspace = Workspace(tmp_path / "sandbox", "dev", make_project(tmp_path / "project"))
    yield LiveSandbox(workspace)
    forget(Workspace(workspace.root, ""))


def test_a_teams_pods_run_on_its_pool_and_what_is_there_is_what_the_program_says(
    live: LiveSandbox,
) -> None:
    live.succeed("up")
    pods = eventually(live.pods, lambda seen: all(pod.phase == "Running" for pod in seen))
    assert [pod.node for pod in pods] == ["gke-shared-vision-0"] * 2
    live.succeed("refresh")
    assert changed(live.succeed("preview")) == {}
    assert live.succeed("destroy").cloud == {}
