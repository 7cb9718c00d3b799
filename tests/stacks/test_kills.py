"""An engine that is killed in each of its operations, one after the other, gets there all the same.

Each command is killed in its next operation, and the one after it has to go on from there: from
nothing to a stack that is up, through what a change replaces, and down to nothing. All of them are
run with ALL_COMBINATIONS=1; each commit has a sample. Work of others is there while it happens.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.kinds.pools import POOL
from sandbox.faults import Crash, Faults
from sandbox.workspace import Workspace
from tests.parts.bystanders import Bystanders, Nobody
from tests.parts.sampling import a_sample
from tests.stacks.conftest import Sandbox, changed
from tests.stacks.kills import (
    CALLS,
    CHAINS,
    ELSEWHERE,
    IN_ELSEWHERE,
    KILLED_DELETES,
    PATIENCE_SECONDS,
    Call,
    Chain,
    kill_in_each,
)
from tests.stacks.stack_facts import differing, facts_of
from tests.stacks.test_lifecycle import made_once

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(PATIENCE_SECONDS)]
SAMPLE = 1
STATES = {"stock": "up of a pool in", "cluster": "up of a cluster in"}
DELETES = 4
# A destroy of `lab`, with queues, teams, a model server and a chart of a controller, has 78 calls.
LAB_DELETES: dict[str, tuple[int, Call]] = {
    f"call {after}, {call}": (after, call) for after in range(76) for call in CALLS
}
LAB_SAMPLE = 2
LAB_TEAM = "serving"


@pytest.fixture
def started(
    brought_up: Callable[[str], Sandbox], empty: Callable[[str], Sandbox]
) -> Callable[[Chain], Sandbox]:
    def start(chain: Chain) -> Sandbox:
        if chain.before == ():
            return brought_up(chain.stack)
        sandbox = empty(chain.stack)
        if chain.before:
            sandbox.succeed("up", *chain.before)
        if chain.half_made is not None:
            assert not sandbox.run("up", faults=Faults(rules=(chain.half_made,))).ok
        return sandbox

    return start


def bystanders(sandbox: Sandbox, chain: Chain) -> Bystanders:
    """People's work in a namespace of their own, which stays as it is, or where the stack goes in
    one of the stack's, which takes it along. In a queue that goes nobody has a job."""
    if chain.verb == "destroy" or chain.before is None:
        own = chain.before is not None and ELSEWHERE in chain.before
        return Bystanders(sandbox, IN_ELSEWHERE, queued=True) if own else Nobody(sandbox)
    queue_goes = any(it.startswith(("kueue-", "queues-")) for it in chain.touches)
    return Bystanders(sandbox, queued=not queue_goes)


@pytest.mark.parametrize("name", a_sample(list(CHAINS), SAMPLE))
def test_a_run_that_is_killed_in_each_of_its_operations_ends_where_it_would_have(
    started: Callable[[Chain], Sandbox],
    tmp_path: Path,
    name: str,
    record_property: Callable[[str, object], None],
) -> None:
    chain, call = CHAINS[name]
    sandbox = started(chain)
    unharmed = Sandbox(Workspace(tmp_path / "unharmed", chain.stack))
    if sandbox.workspace.root.exists():
        shutil.copytree(sandbox.workspace.root, unharmed.workspace.root)
    others = bystanders(sandbox, chain)
    others.come()
    assert chain.touches <= set(changed(unharmed.succeed(chain.verb, *chain.overrides)))
    _, kills = kill_in_each(sandbox, chain.verb, call, *chain.overrides)
    record_property("kills", f"{kills} times: {name}")
    assert chain.verb == "destroy" or others.stand()
    others.leave()
    assert differing(facts_of(unharmed), facts_of(sandbox)) == []
    if chain.verb == "up":
        assert made_once(sandbox) != chain.leaves_a_pool
        assert changed(sandbox.succeed("preview", *chain.overrides)) == {}


@pytest.mark.parametrize("name", a_sample(list(KILLED_DELETES), DELETES))
def test_an_up_after_a_destroy_that_was_killed_makes_again_what_is_gone(
    brought_up: Callable[[str], Sandbox], name: str
) -> None:
    token, call = KILLED_DELETES[name]
    sandbox = brought_up("b200-lustre")
    before = sandbox.describe_everything()
    crash = Crash(kind="crash", after=0, call=call, type=token)
    assert not sandbox.run("destroy", faults=Faults(rules=(crash,))).ok
    sandbox.succeed("up")
    after = sandbox.describe_everything()
    board = "gcp:monitoring/dashboard:Dashboard"
    # The id of a dashboard is the cloud's choice.
    assert {**after, board: []} == {**before, board: []}
    assert len(after[board]) == len(before[board])
    assert made_once(sandbox)
    assert changed(sandbox.succeed("preview")) == {}


@pytest.mark.parametrize("name", a_sample(list(LAB_DELETES), LAB_SAMPLE))
def test_after_a_destroy_of_a_platform_that_was_killed_anywhere_up_goes_on_or_says_what_does(
    brought_up: Callable[[str], Sandbox], name: str
) -> None:
    """A job of a team's is in its queue. What is deleted with its cluster is no longer on record
    before the cluster is gone, and the provider makes no object that exists (docs/clean-up.md).
    """
    after, call = LAB_DELETES[name]
    sandbox = brought_up("lab")
    others = Bystanders(sandbox, LAB_TEAM, queued=True)
    others.come()
    crash = Crash(kind="crash", after=after, call=call)
    assert not sandbox.run("destroy", faults=Faults(rules=(crash,))).ok
    again = sandbox.run("up")
    if not again.ok:
        assert again.report.errors == ["ALREADY_EXISTS: Namespace kueue-system already exists"]
        sandbox.succeed("destroy")
        assert sandbox.describe_everything() == {}
        sandbox.succeed("up")
    others.leave()
    assert made_once(sandbox)
    assert changed(sandbox.succeed("preview")) == {}


@pytest.mark.parametrize("state", ["stock", "cluster"])
def test_a_create_that_hangs_on_its_way_into_an_error_state_can_be_killed(
    empty: Callable[[str], Sandbox], state: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cloud goes on by itself: the pool or cluster is there when the next run looks for it."""
    chain = next(it for name, (it, _) in CHAINS.items() if it.half_made and STATES[state] in name)
    assert chain.half_made is not None
    sandbox = empty(chain.stack)
    token = POOL if state == "stock" else Cluster.token
    # Of pools the second is the one with GPUs.
    after = 1 if state == "stock" else 0
    crash = Crash(kind="crash", after=after, type=token)
    assert not sandbox.run("up", faults=Faults(rules=(crash, chain.half_made))).ok
    capsys.readouterr()
    sandbox.succeed("up")
    said = "its machines came" if state == "stock" else "it is sound"
    assert f"{said} the record does not say; `gcloud container" in capsys.readouterr().out
    assert made_once(sandbox)
    assert changed(sandbox.succeed("preview")) == {}
    assert sandbox.succeed("destroy").cloud == {}


def test_the_data_of_an_instance_whose_delete_was_killed_are_told_to_be_gone(
    brought_up: Callable[[str], Sandbox], capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox = brought_up("b200-lustre")
    crash = Crash(kind="crash", after=0, type="gcp:lustre/instance:Instance")
    killed = sandbox.run("destroy", faults=Faults(rules=(crash,)))
    assert "`destroy` again picks up from there" in " ".join(killed.report.diagnostics)
    sandbox.succeed("preview")
    assert "operations pending: deleting lustre-instance" in capsys.readouterr().out
    made = sandbox.succeed("up")
    said = capsys.readouterr().out
    assert "lustre-instance: its delete went through; lustre-instance and its data are gone" in said
    assert changed(made)["lustre-instance"] == "create"


def test_an_update_that_was_killed_and_taken_back_in_the_config_is_taken_back_in_the_cloud(
    brought_up: Callable[[str], Sandbox],
) -> None:
    sandbox = brought_up("dev")
    before = _pools(sandbox)
    change = "pools.cpu.nodes=2"
    crash = Crash(kind="crash", after=0, call="taken", type=POOL)
    assert not sandbox.run("up", change, faults=Faults(rules=(crash,))).ok
    assert _pools(sandbox) != before
    assert changed(sandbox.succeed("up"))["cpu-pool"] == "update"
    assert _pools(sandbox) == before


def _pools(sandbox: Sandbox) -> dict[str, Mapping[str, Any]]:
    return {it.id: it.inputs for it in sandbox.cloud.find(POOL)}
