"""An engine that is killed in each of its operations, one after the other, gets there all the same.

Each command is killed in its next operation, and the one after it has to go on from there: from
nothing to a stack that is up, through what a change replaces, and down to nothing. All of them are
run with ALL_COMBINATIONS=1; each commit has a sample.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.workspace import Workspace
from tests.parts.commit_sample import of_this_commit
from tests.stacks.conftest import Sandbox, changed
from tests.stacks.kills import CHAINS, PATIENCE_SECONDS, Chain, kill_in_each
from tests.stacks.stack_facts import differing, facts_of
from tests.stacks.test_lifecycle import made_once

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(PATIENCE_SECONDS)]
SAMPLE = 1


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
        return sandbox

    return start


@pytest.mark.parametrize("name", of_this_commit(list(CHAINS), SAMPLE))
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
    assert chain.touches <= set(changed(unharmed.succeed(chain.verb, *chain.overrides)))
    _, kills = kill_in_each(sandbox, chain.verb, call, *chain.overrides)
    record_property("kills", f"{kills} times: {name}")
    assert differing(facts_of(unharmed), facts_of(sandbox)) == []
    if chain.verb == "up":
        assert made_once(sandbox)
        assert changed(sandbox.succeed("preview", *chain.overrides)) == {}
