"""Where a bucket or Lustre may be mounted."""

from typing import Any

import pytest

from stacks.tokens import SECRETS
from stacks.value_checks import mount_path
from tests.conftest import Register
from tests.unit.stack_graphs import built

# The data itself, by the stacks below.
DATA = ("/data", "/lustre", "/mnt/cluster_storage", "/mnt/bucket", "/model-data")
STACKS = ("b200-lustre", "verl-b200", "gcsfuse-checkpoint", "dev", "kueue-mixed", "tpu-multislice")


def refused(path: str) -> bool:
    try:
        mount_path("/data")(path)
    except ValueError:
        return True
    return False


def mount_paths(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["mountPath"]} if isinstance(value.get("mountPath"), str) else set[str]()
        return own.union(*(mount_paths(it) for it in value.values()))
    return (
        set[str]().union(*(mount_paths(it) for it in value)) if isinstance(value, list) else set()
    )


@pytest.mark.parametrize("stack", STACKS)
def test_nothing_that_pods_mount_already_can_be_mounted_over(
    register: Register, stack: str
) -> None:
    found = mount_paths([it.inputs for it in built(register, stack, keys=SECRETS).resources])
    assert found & {*DATA}
    assert [it for it in sorted(found - {*DATA}) if not refused(it)] == []


@pytest.mark.parametrize(
    "path", ["/..", "/data/../etc", "/./x", "/dev/shm", "/opt/verl", "/tmp", "/etc/script", "/usr"]
)
def test_nothing_of_the_system_is_mounted_over(path: str) -> None:
    assert refused(path)


@pytest.mark.parametrize("path", [*DATA, "/home/ray/data", "/bucket", "/mnt"])
def test_folders_of_ones_own_are_right(path: str) -> None:
    assert not refused(path)
