"""What is tainted, or destroyed by itself, is made again: by an `up` that ends and leaves nothing
to do, or by the commands with which the preview refuses it.

Each resource of the stacks by itself with ALL_COMBINATIONS=1; each commit has a share.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.workspace import Workspace
from tests.parts.sampling import a_sample
from tests.stacks.by_hand import WAYS, resources_of
from tests.stacks.conftest import CANARY, Sandbox
from tests.stacks.kills import PATIENCE_SECONDS

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(PATIENCE_SECONDS)]

STACKS = ("b200-lustre", "lab", "tpu-elastic")
SHARES = 15
CASES = [f"{stack} {way} {share}" for stack in STACKS for way in WAYS for share in range(SHARES)]


@pytest.mark.parametrize("case", a_sample(CASES, 1))
def test_each_resource_that_is_made_anew_by_hand_leaves_nothing_to_do(
    templates: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    saved_at_the_end: None,
    case: str,
) -> None:
    monkeypatch.setenv("HUGGING_FACE_TOKEN", CANARY)
    stack, way, share = case.split()
    names = resources_of(Sandbox(Workspace(templates(stack), stack)))
    assert len(names) > SHARES
    failed: dict[str, str] = {}
    for name in names[int(share) :: SHARES]:
        folder = tmp_path / name
        shutil.copytree(templates(stack), folder)
        if why := WAYS[way](Sandbox(Workspace(folder, stack)), name):
            failed[name] = why
        shutil.rmtree(folder)
    assert not failed
