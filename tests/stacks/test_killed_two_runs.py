"""Two runs that a refusal says to make instead: an engine that is killed in either, or between
them, gets there all the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.faults import Crash, Faults
from sandbox.workspace import Workspace
from tests.parts.sampling import a_sample
from tests.stacks.change_rule import Command, commands_in
from tests.stacks.conftest import Sandbox, changed
from tests.stacks.kills import CALLS, NO_QUEUES, PATIENCE_SECONDS, Call, kill_in_each
from tests.stacks.stack_facts import differing, facts_of
from tests.stacks.test_lifecycle import made_once

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(PATIENCE_SECONDS)]
SAMPLE = 1

# On dev, protected or not.
CHANGES = {
    "location": ("cluster.location=regional",),
    "mode": (
        "cluster.mode=autopilot",
        "cluster.location=",
        "pools.cpu=",
        "pools.gpu.autoscaling=",
        *NO_QUEUES,
    ),
    "Ray operator": ("cluster.ray_operator=helm",),
}
CASES: dict[str, tuple[tuple[str, ...], bool, Call]] = {
    f"{name}{', protected' if protected else ''}, {call}": (change, protected, call)
    for name, change in CHANGES.items()
    for protected in (False, True)
    for call in CALLS
}
PROTECTED = "deletion_protection=true"


def told_to_run(sandbox: Sandbox, change: tuple[str, ...]) -> list[Command]:
    """What the refusal of a change says, which leaves everything as it is; nothing where the change
    is made."""
    before = facts_of(sandbox)
    run = sandbox.run("up", *change)
    if run.ok:
        return []
    assert facts_of(sandbox) == before
    return commands_in("\n".join(run.report.diagnostics))


@pytest.mark.parametrize("name", a_sample(list(CASES), SAMPLE))
def test_killed_in_each_operation_of_both_they_end_in_the_cloud_of_a_fresh_up(
    empty: Callable[[str], Sandbox],
    tmp_path: Path,
    name: str,
    record_property: Callable[[str, object], None],
) -> None:
    change, protected, call = CASES[name]
    sandbox, kills = empty("dev"), 0
    if protected:
        sandbox.succeed("up", PROTECTED)
        assert told_to_run(sandbox, (*change, PROTECTED))
        kills += kill_in_each(sandbox, "up", call)[1]
    else:
        sandbox.succeed("up")
    commands = told_to_run(sandbox, change)
    assert [verb for verb, _ in commands] == ["destroy", "up"]
    for verb, only in commands:
        first = Crash(kind="crash", after=0, call=call)
        assert not sandbox.run(verb, *change, faults=Faults(rules=(first,)), only=only).ok
        if verb == "destroy":
            middle = Sandbox(Workspace(tmp_path / "middle", "dev"))
            shutil.copytree(sandbox.workspace.root, middle.workspace.root)
            # Whoever goes on to the second command in the middle of the first is told both again,
            # or gets there, where all that had to go is gone.
            assert told_to_run(middle, change) in (commands, [])
        kills += 1 + kill_in_each(sandbox, verb, call, *change, only=only)[1]
    record_property("kills", f"{kills} times: two runs, {name}")
    fresh = Sandbox(Workspace(tmp_path / "fresh", "dev"))
    fresh.succeed("up", *change)
    assert differing(facts_of(fresh), facts_of(sandbox)) == []
    assert made_once(sandbox)
    assert changed(sandbox.succeed("preview", *change)) == {}
