"""A Ray cluster that keeps its head's state in Redis, through the real engine."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from sandbox.cloud.kinds.redis import RedisInstance
from sandbox.engine import RunResult
from sandbox.urns import name_of
from tests.stacks.conftest import changed, replaced
from tests.stacks.ray_state_sandbox import RayState, with_values, workspace

ELSEWHERE = with_values(range="10.65.0.0/29")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the program is up, to be copied by each test."""
    folder = tmp_path_factory.mktemp("ray-state") / "sandbox"
    RayState(workspace(folder)).succeed("up")
    return folder


@pytest.fixture
def up(template: Path, tmp_path: Path) -> RayState:
    return RayState(workspace(Path(copytree(template, tmp_path / "sandbox"))))


def order(result: RunResult, *operations: str) -> list[str]:
    """Logical names of what was done, in the order in which it began."""
    done = [it for it in result.report.resources if it.operation in operations]
    return [name_of(it.urn) for it in done]


def password(sandbox: RayState) -> str:
    (redis,) = sandbox.cloud.find(RedisInstance.token)
    return redis.outputs["authString"]


def files_with(text: str, root: Path) -> list[str]:
    """Of the engine; the simulated cloud itself knows what it has made up."""
    files = [it for it in root.rglob("*") if it.is_file() and it.name != "cloud.json"]
    return [it.name for it in files if text.encode() in it.read_bytes()]


def test_ray_is_up_nothing_is_left_to_do_and_destroy_leaves_nothing(up: RayState) -> None:
    assert {pod.phase for pod in up.pods() if "ray-state" in pod.name} == {"Running"}
    assert changed(up.succeed("preview")) == {}
    result = up.succeed("destroy")
    assert result.cloud == {}
    gone = order(result, "delete")
    assert gone.index("ray-cluster") < gone.index("redis-password-secret")
    assert gone.index("ray-cluster") < gone.index("redis-instance")


def test_the_password_is_in_no_file_and_no_line_of_the_engine(up: RayState) -> None:
    up.succeed("preview", *ELSEWHERE)
    up.succeed("refresh")
    secret = password(up)
    assert files_with(secret, up.workspace.root) == []
    assert up.told
    assert [line for line in up.told if secret in line] == []
    # That the search finds what is there.
    assert files_with("10.64.0.3", up.workspace.root)


def test_another_redis_takes_the_cluster_and_the_password_with_it(up: RayState) -> None:
    first = password(up)
    result = up.succeed("up", *ELSEWHERE)
    assert {"redis-instance", "ray-cluster"} <= set(replaced(result))
    gone = order(result, "delete-replaced")
    assert gone.index("ray-cluster") < gone.index("redis-instance")
    assert password(up) != first
    assert "redis-password-secret" in changed(result)
    assert changed(up.succeed("preview", *ELSEWHERE)) == {}


def test_a_larger_redis_and_more_workers_come_in_place(up: RayState) -> None:
    result = up.succeed("up", *with_values(memory_gib=5, workers=2))
    assert changed(result) == {"redis-instance": "update", "ray-cluster": "update"}


def test_a_cluster_that_gives_its_state_up_is_made_anew(up: RayState) -> None:
    assert replaced(up.succeed("up", *with_values(tolerant="false"))) == ["ray-cluster"]
