"""A Lustre instance that somebody has deleted: preview and `up` say that an empty one comes, and
replace the same of what mounts it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.cloud.kinds.lustre import LustreInstance
from tests.stacks.agreed import brought
from tests.stacks.by_hand import said
from tests.stacks.conftest import changed

pytestmark = pytest.mark.thorough

LINE = "lustre-instance is made anew and empty"


def test_an_instance_that_was_deleted_by_hand_comes_again_with_a_word(
    tmp_path: Path, saved_at_the_end: None
) -> None:
    stack = brought(tmp_path)
    assert LINE not in said(stack.succeed("up"))
    with stack.workspace.lock():
        cloud = stack.cloud
        (instance,) = cloud.find(LustreInstance.token)
        cloud.drop(instance)
    stack.succeed("refresh")
    preview, up = stack.succeed("preview"), stack.succeed("up")
    assert said(preview).count(LINE) == said(up).count(LINE) == 1
    assert {"lustre-instance", "volume-volume", "volume-claim"} <= changed(preview).keys()
    assert changed(preview) == changed(up)
    assert changed(stack.succeed("preview")) == {}
