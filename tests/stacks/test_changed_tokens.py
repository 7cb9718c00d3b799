"""A token that changes is told with what keeps the old one, in a preview and in `up`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.stacks.conftest import CANARY, Sandbox

pytestmark = pytest.mark.thorough

OTHER = CANARY.replace("canary", "another")


def told(lines: list[str]) -> list[str]:
    return [it for it in lines if "HF_TOKEN of the Secret" in it]


def test_a_token_that_changes_names_what_keeps_the_old_one(
    brought_up: Callable[[str], Sandbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox = brought_up("kueue-mixed")
    assert not told(sandbox.succeed("preview").report.diagnostics)
    monkeypatch.setenv("HUGGING_FACE_TOKEN", OTHER)
    (shown,) = told(sandbox.succeed("preview").report.diagnostics)
    (done,) = told(sandbox.succeed("up").report.diagnostics)
    assert shown == done
    assert "rollout restart deployment/" in shown
    assert not any(it in shown for it in (CANARY, OTHER))
    assert not told(sandbox.succeed("up").report.diagnostics)
