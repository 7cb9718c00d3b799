"""A stack whose Ray head keeps its state in Redis, through the real engine."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from cli.urns import name_of
from sandbox.cloud.kinds.redis import RedisInstance
from sandbox.run_result import RunResult
from sandbox.workspace import Workspace
from tests.stacks.config_sandbox import config_workspace
from tests.stacks.conftest import Sandbox, changed, replaced
from tests.stacks.ray_state import STACK, redis_of

pytestmark = pytest.mark.thorough

ELSEWHERE = "redis.name=other"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the stack is up, to be copied by each test."""
    folder = tmp_path_factory.mktemp("ray-state")
    Sandbox(config_workspace(folder, **STACK)).succeed("up")
    return folder


@pytest.fixture
def up(template: Path, tmp_path: Path) -> Sandbox:
    folder = Path(copytree(template, tmp_path / "own"))
    return Sandbox(Workspace(folder / "sandbox", STACK["name"], folder / "project"))


def order(result: RunResult, *operations: str) -> list[str]:
    """Logical names of what was done, in the order in which it began."""
    done = [it for it in result.report.resources if it.operation in operations]
    return [name_of(it.urn) for it in done]


def files_with(text: str, root: Path) -> list[str]:
    """Of the engine; the simulated cloud itself knows what it has made up."""
    files = [it for it in root.rglob("*") if it.is_file() and it.name != "cloud.json"]
    return [it.name for it in files if text.encode() in it.read_bytes()]


def test_ray_is_up_nothing_is_left_to_do_and_destroy_leaves_nothing(up: Sandbox) -> None:
    assert {pod.phase for pod in up.pods() if pod.name.startswith("app-")} == {"Running"}
    assert changed(up.succeed("preview")) == {}
    result = up.succeed("destroy")
    assert result.cloud == {}
    gone = order(result, "delete")
    assert gone.index("app-cluster") < gone.index("redis-password-secret")
    assert gone.index("app-cluster") < gone.index("redis-instance")
    assert gone.index("redis-instance") < gone.index("services-peering")


def test_the_password_is_in_no_file_and_no_line_of_the_engine(
    up: Sandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    up.succeed("preview", ELSEWHERE)
    up.succeed("refresh")
    redis = redis_of(up)
    assert files_with(redis["authString"], up.workspace.root) == []
    told = capsys.readouterr()
    assert "redis-instance" in told.out
    assert redis["authString"] not in told.out + told.err
    # That the search finds what is there.
    assert files_with(redis["host"], up.workspace.root)


def test_another_redis_takes_the_cluster_and_the_password_with_it(up: Sandbox) -> None:
    first = redis_of(up)["authString"]
    result = up.succeed("up", ELSEWHERE)
    assert {"redis-instance", "app-cluster"} <= set(replaced(result))
    gone = order(result, "delete-replaced")
    assert gone.index("app-cluster") < gone.index("redis-instance")
    assert redis_of(up)["authString"] != first
    assert "redis-password-secret" in changed(result)
    assert changed(up.succeed("preview", ELSEWHERE)) == {}


def test_a_larger_redis_and_more_workers_come_in_place(up: Sandbox) -> None:
    done = changed(up.succeed("up", "redis.memory_gib=5", "pools.gpu.nodes=2"))
    assert set(done.values()) == {"update"}
    assert {"redis-instance", "app-cluster"} <= done.keys()


def test_a_cluster_that_gives_its_state_up_is_made_anew(up: Sandbox) -> None:
    result = up.succeed("up", "ray.app.head.redis=false", "redis=null")
    assert replaced(result) == ["app-cluster"]
    assert list(up.cloud.find(RedisInstance.token)) == []
