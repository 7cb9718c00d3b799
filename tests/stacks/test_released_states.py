"""States that earlier releases left, under this release's program."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from catalog.strict_yaml import load_yaml
from components.base.tokens import current
from sandbox.engine import Verb
from sandbox.faults import Crash, Faults
from tests.conftest import ROOT
from tests.stacks.conftest import CANARY, IN_EVERY_TEST, Sandbox, changed
from tests.stacks.released_states import (
    DIGESTS,
    OF_THE_RUN,
    ReleasedState,
    digests,
    released_states,
)

STATES = [
    pytest.param(it, id=str(it), marks=() if it.stack in IN_EVERY_TEST else pytest.mark.thorough)
    for it in released_states()
]
TOKENS: Mapping[str, list[str]] = load_yaml((ROOT / "tests/unit/component_tokens.yaml").read_text())
OFF = "stack.deletion_protection=false"
# By stack and date what releases since then update in place.
UPDATED: Mapping[str, Mapping[str, str]] = {
    "gcsfuse-checkpoint-2026-11-27": {"gcsfuse-checkpoint-access": "update"},
    "lab-2026-11-27": dict.fromkeys(
        (
            "cifar-10-access",
            "queues-guard-policy",
            "team-borders-reach-binding",
            "team-borders-reach-policy",
        ),
        "update",
    ),
}

# Changes of which some are refused, some are warned of, and some are made.
CHANGES: Mapping[str, tuple[str, ...]] = {
    "b200-lustre": (
        "stack.lustre.capacity_gib=18000",
        "stack.lustre.throughput_mbps_per_tib=500",
        "stack.jobs.nemo-rl-grpo-test1=",
        "stack.network.subnet=10.32.0.0/20",
        "stack.cluster.location=us-east1-b",
        "stack.deletion_protection=false",
        "stack.jobs.nemo-rl-grpo-test1.max_steps=7",
        "stack.pools.gpu.nodes=4",
    ),
    "dev": (
        "stack.buckets.bucket.location=europe-west4",
        "stack.cluster.release_channel=STABLE",
        "stack.ray.dev=",
        "stack.labels={purpose: other}",
        "stack.pools.gpu.machine_type=g2-standard-8",
    ),
}


def test_states_of_earlier_releases_are_as_they_were_written() -> None:
    assert digests() == load_yaml(DIGESTS.read_text())


@pytest.mark.parametrize("released", released_states(), ids=str)
def test_a_state_has_nothing_of_the_machine_that_wrote_it(released: ReleasedState) -> None:
    text = gzip.decompress(released.file.read_bytes()).decode()
    found = json.loads(text)
    assert set(found) == {"config", "version", "deployment"}
    assert [*found["deployment"]] == ["resources"]
    assert not {key for it in found["deployment"]["resources"] for key in it} & OF_THE_RUN
    assert str(ROOT) not in text
    assert CANARY not in text


@pytest.mark.parametrize("released", STATES)
def test_a_stack_of_an_earlier_release_previews_unchanged(
    released: ReleasedState, tmp_path: Path
) -> None:
    sandbox = Sandbox(released.unpack(tmp_path))
    assert changed(sandbox.succeed("preview")) == UPDATED.get(str(released), {})


@pytest.mark.thorough
@pytest.mark.parametrize("stack", CHANGES)
def test_a_change_is_judged_alike_whatever_tokens_the_state_has(stack: str, tmp_path: Path) -> None:
    released = next(it for it in released_states() if it.stack == stack)
    told: list[list[Any]] = []
    for name in ("released", "current"):
        folder = tmp_path / name
        folder.mkdir()
        sandbox = Sandbox(released.unpack(folder))
        (file,) = sandbox.workspace.state_files()
        if name == "current":
            file.write_text(json.dumps(_with_current_tokens(json.loads(file.read_text()))))
        told.append([_told(sandbox, change) for change in CHANGES[stack]])
    for before, after in zip(*told, strict=True):
        assert before == after


@pytest.mark.thorough
def test_up_writes_the_tokens_of_this_release_and_changes_nothing(
    brought_up: Callable[[str], Sandbox],
) -> None:
    sandbox = brought_up("dev")
    _give_former_tokens(sandbox)
    assert changed(sandbox.succeed("up")) == {}
    assert _component_types(sandbox) <= set(TOKENS)
    sandbox.succeed("destroy", OFF)
    assert sandbox.state().get("resources", []) == []


@pytest.mark.thorough
@pytest.mark.parametrize("verb", ["up", "destroy"])
def test_a_run_that_dies_between_two_tokens_converges(
    verb: Verb, brought_up: Callable[[str], Sandbox]
) -> None:
    sandbox = brought_up("dev")
    sandbox.succeed("up", OFF)
    _give_former_tokens(sandbox)
    crash = Crash(kind="crash", type="gcp:container/nodePool:NodePool", after=0)
    died = sandbox.run(verb, OFF, "stack.labels={team: research}", faults=Faults(rules=(crash,)))
    assert not died.ok
    sandbox.succeed(verb, OFF, "stack.labels={team: research}")
    if verb == "destroy":
        assert sandbox.state().get("resources", []) == []
    else:
        assert changed(sandbox.succeed("preview", OFF, "stack.labels={team: research}")) == {}
        assert _component_types(sandbox) <= set(TOKENS)


def _give_former_tokens(sandbox: Sandbox) -> None:
    (file,) = sandbox.workspace.state_files()
    text = file.read_text()
    for token, former in TOKENS.items():
        text = re.sub(rf"{token}\b", former[0], text)
    file.write_text(text)
    assert not _component_types(sandbox) & set(TOKENS)


def _component_types(sandbox: Sandbox) -> set[str]:
    return set(re.findall(r"\bgke-ai(?:-stacks)?:\w+:[A-Z]\w+", json.dumps(sandbox.state())))


def _with_current_tokens(value: Any, key: str = "") -> Any:
    """A checkpoint whose types and URNs are as this release writes them."""
    if isinstance(value, dict):
        return {current(name): _with_current_tokens(it, name) for name, it in value.items()}
    if isinstance(value, list):
        return [_with_current_tokens(it, key) for it in value]
    return current(value) if (isinstance(value, str) and "::" in value) or key == "type" else value


def _told(sandbox: Sandbox, change: str) -> Any:
    result = sandbox.run("preview", change)
    said = result.to_json()
    # A destroy of targets runs no program, so the refusal names them as the state does.
    diagnostics = [current(it) for it in said["diagnostics"]]
    return [change, result.ok, changed(result), said["critical_path_s"], diagnostics]
