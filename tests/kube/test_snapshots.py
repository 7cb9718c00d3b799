"""The snapshots that come along are what `aistack snapshot` writes on a real control plane."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aistack.snapshot_names import EXAMPLES
from aistack.why.saved import judged
from tests.kube.conftest import LiveSandbox
from tests.kube.snapshots import SHOWN, STACK, make

# What no two runs have the same: times, ids, what Kubernetes and Kueue draw for names, and the
# nodes that are there by then.
_DRAWN = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=-)[0-9a-z]{5}\b"
    r"|0/\d+ nodes are available.*"
)
_COUNTED = ("resourceVersion", "Port")


@pytest.fixture(scope="module")
def made(
    live_sandbox: Callable[[str], LiveSandbox], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    live, folder = live_sandbox(STACK), tmp_path_factory.mktemp("snapshots")
    live.succeed("up")
    make(live, folder)
    return folder


@pytest.mark.parametrize("name", SHOWN)
def test_a_snapshot_that_comes_along_is_what_the_command_writes(made: Path, name: str) -> None:
    new, old = ((folder / f"{name}.json").read_bytes() for folder in (made, EXAMPLES))
    assert compared(json.loads(new)) == compared(json.loads(old))
    reasons = [judged(text, name)[1].reason for text in (new, old)]
    assert [it and it.cause for it in reasons] == [name, name]


def test_no_other_comes_along() -> None:
    assert {it.name for it in EXAMPLES.iterdir()} == {f"{name}.json" for name in SHOWN}


def compared(file: dict[str, Any]) -> Any:
    snapshot = file["snapshot"]
    # The autoscaler may bring more, and the scheduler may try again.
    snapshot["nodes"] = (snapshot["nodes"] or [])[:1]
    snapshot["events"] = {json.dumps(_without_drawn(it)) for it in snapshot["events"]}
    return _without_drawn(file)


def _without_drawn(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            _DRAWN.sub("drawn", key): _without_drawn(it)
            for key, it in value.items()
            if key not in _COUNTED
        }
    if isinstance(value, list):
        found = [_without_drawn(it) for it in value]
        # Conditions come in the order in which they began to hold.
        return sorted(found, key=json.dumps) if any(map(_is_condition, value)) else found
    return _DRAWN.sub("drawn", value) if isinstance(value, str) else value


def _is_condition(value: Any) -> bool:
    return isinstance(value, dict) and "lastTransitionTime" in value
