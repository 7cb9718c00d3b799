"""An engine that is killed in each of its operations, one after the other, gets there all the same.

Each command is killed in its next operation, and the one after it has to go on from there: from
nothing to a stack that is up, through what a change replaces, and down to nothing. What took the
most is run with ALL_COMBINATIONS=1; of the rest each commit has a sample.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import pytest

from sandbox.engine import RunResult, Verb
from sandbox.faults import Crash, Faults
from tests.parts.commit_sample import of_this_commit
from tests.stacks.conftest import Sandbox, changed, replaced
from tests.stacks.test_lifecycle import NOTHING, made_once

pytestmark = pytest.mark.thorough
SandboxOf = Callable[[str], Sandbox]
Call = Literal["taken", "lost"]
Record = Callable[[str, object], None]

STACKS = ("b200-lustre", "dev", "tpu-elastic")
CALLS: tuple[Call, ...] = ("taken", "lost")
SAMPLE = 1
# Killed so often, a run is not getting anywhere.
TOO_OFTEN = 150


@dataclass(frozen=True)
class Change:
    """What is changed in a running stack, and what that replaces, among others."""

    stack: str
    overrides: tuple[str, ...]
    replaces: frozenset[str]
    before: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.stack}:{'+'.join(self.overrides)}"


def change(stack: str, *overrides: str, replaces: str, before: tuple[str, ...] = ()) -> Change:
    return Change(stack, overrides, frozenset(replaces.split()), before)


CHANGES = (
    change(
        "b200-lustre",
        "pools.gpu.compact_placement=false",
        replaces="gpu-pool nccl-daemon-set ray-a4-gpu-spot-cluster nemo-rl-grpo-test1-job",
    ),
    change(
        "b200-lustre",
        "lustre.name=other",
        replaces="lustre-instance lustre-firewall volume-volume volume-claim",
    ),
    change(
        "b200-lustre",
        "namespace=other",
        replaces="tokens-secret volume-claim ray-a4-gpu-spot-access ray-a4-gpu-spot-cluster",
    ),
    change(
        "dev",
        "buckets.bucket.name=other",
        replaces="bucket-bucket bucket-user-grant dev-cluster",
    ),
    change("dev", "namespace=other", replaces="account-account tokens-secret dev-cluster"),
    change("dev", "pools.cpu.max_pods_per_node=64", replaces="cpu-pool"),
)


def kill_in_each(
    sandbox: Sandbox, verb: Verb, call: Call, *overrides: str
) -> tuple[RunResult, int]:
    """Run the verb again and again, killed in its next operation; the run that had none left, and
    how many were killed."""
    for kills in range(TOO_OFTEN):
        # What was lost is still to do, and what runs beside it did not end either: one more each
        # time. An update is done again, for the state does not know that it was done.
        done = kills if call == "lost" else int(kills > 0 and is_updating(sandbox))
        crash = Crash(kind="crash", after=done, call=call)
        result = sandbox.run(verb, *overrides, faults=Faults(rules=(crash,)))
        if result.ok:
            return result, kills
        assert "killed by signal 9" in " ".join(result.report.diagnostics), (
            kills,
            result.report.diagnostics,
        )
    raise AssertionError(f"killed {TOO_OFTEN} times, and no further")


def is_updating(sandbox: Sandbox) -> bool:
    pending = sandbox.state().get("pending_operations") or []
    return any(operation["type"] == "updating" for operation in pending)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("stack", of_this_commit(list(STACKS), 0))
def test_up_converges(
    empty: SandboxOf, brought_up: SandboxOf, stack: str, call: Call, record_property: Record
) -> None:
    sandbox = empty(stack)
    _, kills = kill_in_each(sandbox, "up", call)
    record_property("kills", kills)
    assert made_once(sandbox)
    assert sandbox.describe_everything() == brought_up(stack).describe_everything()
    assert changed(sandbox.succeed("preview")) == {}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("stack", of_this_commit(list(STACKS), 0))
def test_destroy_leaves_nothing(
    brought_up: SandboxOf, stack: str, call: Call, record_property: Record
) -> None:
    result, kills = kill_in_each(brought_up(stack), "destroy", call)
    record_property("kills", kills)
    assert result.cloud == NOTHING


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "change", [CHANGES[one] for one in of_this_commit([*range(len(CHANGES))], SAMPLE)], ids=str
)
def test_a_replacement_converges(
    brought_up: SandboxOf, change: Change, call: Call, record_property: Record
) -> None:
    sandbox = brought_up(change.stack)
    assert change.replaces <= set(replaced(sandbox.succeed("preview", *change.overrides)))
    _, kills = kill_in_each(sandbox, "up", call, *change.overrides)
    record_property("kills", kills)
    assert made_once(sandbox)
    assert changed(sandbox.succeed("preview", *change.overrides)) == {}
